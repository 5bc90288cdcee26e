"""Which registered versions are suggested changes' candidates (contract, section 7).

A candidate's name is easily guessed, and anybody who writes may register it: what counts are its blocks and tools.
"""

from __future__ import annotations

from improve.models import Promotion, Proposal, Settled
from kindgi.access.models import Project
from kindgi.runs.models import Agent, AgentVersion
from kindgi.runs.selectors import agent_version_get, blocks_of


def is_candidate(proposal: Proposal, version: AgentVersion) -> bool:
    """Whether a version has the suggested change's name for it, and is just its version with the change.

    That has the same tools, and the same blocks but for the one. One that went live was just that
    when it did: tools may be said anew since, of either.
    """
    if version.version != proposal.candidate_version:
        return False
    from_version = agent_version_get(agent=version.agent, version=proposal.from_version)
    wanted = {**_digests(from_version), proposal.block_name: bytes(proposal.digest)}
    return _digests(version) == wanted and (version.tools == from_version.tools or _went_live(proposal))


def candidate_taken(proposal: Proposal, agent: Agent) -> bool:
    """Whether a version of other blocks or tools is registered by the name of the suggested change's candidate."""
    named = AgentVersion.objects.filter(agent=agent, version=proposal.candidate_version).select_related("agent").first()
    return named is not None and not is_candidate(proposal, named)


def change_of_version(*, project: Project, version: AgentVersion) -> Proposal | None:
    """The project's own suggested change that the version is the candidate of; never another project's."""
    named = Proposal.objects.filter(project=project, agent_id=version.agent.agent_id, candidate_version=version.version)
    found = named.select_related("block").first()
    return found if found is not None and is_candidate(found, version) else None


def _went_live(proposal: Proposal) -> bool:
    return Promotion.objects.filter(proposal=proposal, settled=Settled.PROMOTED).exists()


def _digests(version: AgentVersion) -> dict[str, bytes]:
    return {block.block_id: bytes(block.digest) for block in blocks_of(version)}
