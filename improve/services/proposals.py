"""Suggested changes: drafted, withdrawn, and locked by whoever takes a step (contract, section 7)."""

from __future__ import annotations

from uuid import UUID

from msgspec import UNSET, UnsetType

from improve.candidates import candidate_free, candidate_stem
from improve.errors import BlockNotFound, ProposalUnchanged, ProposalWrongStatus
from improve.models import Proposal
from improve.policies import check_may
from improve.selectors.candidates import candidate_taken
from improve.selectors.evidence import verdicts_of_agent
from improve.selectors.proposals import candidates_named, proposal_get, proposal_like, proposal_standing
from improve.services.jobs import job_cancel
from improve.standing import Standing
from improve.statuses import Action, Status
from improve.suggesting import TIERS, ProposalBody, check_proposal, check_text, evidence_of, no_verdict
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_write
from kindgi.access.selectors import project_default, project_get
from kindgi.api.errors import BadInput, LockTimeout
from kindgi.api.times import now
from kindgi.runs.blocks import content_checked
from kindgi.runs.models import AgentVersion, BlockKind, BlockVersion
from kindgi.runs.selectors import agent_get, agent_version_get, blocks_of
from kindgi.runs.services.agents import agent_lock

_TRIES = 3


def proposal_create(*, caller: Caller, body: ProposalBody) -> tuple[Proposal, bool]:
    """The suggested change, and whether it is new: the same of the same version for a project is one, until closed.

    Needs write access to the project. Raises ``BadInput``, ``ProjectNotFound``, ``PermissionDenied``,
    ``AgentNotFound``, ``AgentVersionNotFound``, :class:`BlockNotFound`, :class:`ProposalUnchanged`.
    """
    check_proposal(body)
    project = _project(caller, body)
    check_write(caller, project.pk)
    agent = agent_get(tenant_id=project.tenant_id, agent_id=body.agent_id)
    block = _block(body, agent_version_get(agent=agent, version=body.from_version))
    content = content_checked(body.change.content, of=block, place="/change/content")
    if content.digest == bytes(block.digest):
        raise ProposalUnchanged
    at = now()
    wanted = Proposal(
        created_at=at,
        updated_at=at,
        tenant_id=project.tenant_id,
        project=project,
        agent_id=body.agent_id,
        from_version=body.from_version,
        block=block,
        block_name=block.block_id,
        kind=block.kind,
        content=content.content,
        digest=content.digest,
        hypothesis=body.hypothesis,
        evidence=_evidence(body, project),
        drafted_by=caller.actor,
    )
    return _made_once(caller, wanted)


def _project(caller: Caller, body: ProposalBody) -> Project:
    if isinstance(body.scope, UnsetType):
        return project_default(caller)
    return project_get(caller=caller, project_id=body.scope.project_id)


def _block(body: ProposalBody, version: AgentVersion) -> BlockVersion:
    """The block that is changed, as the version pins it."""
    change = body.change
    block = next((one for one in blocks_of(version) if one.block_id == change.block_id), None)
    if block is None:
        raise BlockNotFound(f'The version "{version}" of the agent has no block "{change.block_id}".')
    if change.from_version not in (UNSET, str(block.version)):
        raise BlockNotFound(f'The version "{version}" has the block "{change.block_id}" at version {block.version}.')
    if body.tier not in (UNSET, TIERS[BlockKind(block.kind)]):
        raise BadInput(f'/tier: "{change.block_id}" is a block of {block.kind}.', details={"path": "/tier"})
    return block


def _evidence(body: ProposalBody, project: Project) -> list[UUID]:
    ids = evidence_of(body)
    known = verdicts_of_agent(project=project, agent_id=body.agent_id, ids=ids)
    for index, pk in enumerate(ids):
        if pk not in known:
            raise no_verdict(index, str(pk))
    return ids


def _made_once(caller: Caller, wanted: Proposal) -> tuple[Proposal, bool]:
    """The row, or the one that says the same; whoever makes that at the same time is waited for."""
    for _ in range(_TRIES):
        Proposal.objects.bulk_create([wanted], ignore_conflicts=True)
        found = proposal_like(wanted)
        if found is not None and (found.pk == wanted.pk or not _gone_from(caller, found)):
            return found, found.pk == wanted.pk
    raise LockTimeout(retry_after=1)  # each time the one that was in the way was closed


def _gone_from(caller: Caller, seen: Proposal) -> bool:
    """Whether the same may be suggested anew: it went live, and the project pins another version since, or none.

    It is closed then, and stays promoted. The agent is locked, so that nobody pins its version again meanwhile.
    """
    if not _ran(proposal_standing(caller=caller, proposal=seen)):
        return False
    proposal = _locked(seen)
    agent_lock(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    standing = proposal_standing(caller=caller, proposal=proposal)
    if proposal.closed_at is None and _ran(standing):
        proposal.closed_at = standing.at
        proposal.save(update_fields=["closed_at"])
    return proposal.closed_at is not None


def _ran(standing: Standing) -> bool:
    return standing.status == Status.PROMOTED and not standing.live_now


def proposal_withdraw(*, caller: Caller, proposal_id: str, reason: str) -> Proposal:
    """Close a suggested change for good; an evaluation that goes on is cancelled.

    Raises ``BadInput``, ``ProposalNotFound``, ``PermissionDenied``, :class:`ProposalWrongStatus`.
    """
    check_text(reason, "/reason")
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.WITHDRAW)
    proposal = standing.proposal
    if standing.status == Status.EVALUATING and standing.evaluation is not None:
        job_cancel(job_id=standing.evaluation.job_id, by=caller.actor)
    proposal.withdrawn_at = proposal.closed_at = proposal.updated_at = max(standing.at, now())
    proposal.withdrawn_by, proposal.withdrawn_reason = caller.actor, reason
    proposal.save(update_fields=["withdrawn_at", "withdrawn_by", "withdrawn_reason", "closed_at", "updated_at"])
    return proposal


def proposal_lock(*, caller: Caller, proposal_id: str, action: Action) -> Standing:
    """Where a suggested change stands, with its row locked until the transaction ends, if ``action`` may be taken.

    Whoever takes a step stamps it, and the proposal's ``updated_at``, with the standing's ``at``. Raises
    ``ProposalNotFound``, ``PermissionDenied``, then :class:`ProposalWrongStatus`.
    """
    seen = proposal_get(caller=caller, proposal_id=proposal_id)
    proposal = _locked(seen)
    standing = proposal_standing(caller=caller, proposal=proposal)
    check_may(caller, action, proposal, standing.promotion)
    if action not in standing.legal:
        raise ProposalWrongStatus(standing.status, action)
    return standing


def _locked(seen: Proposal) -> Proposal:
    proposal = Proposal.objects.select_for_update(no_key=True).get(pk=seen.pk)
    proposal.project, proposal.block = seen.project, seen.block
    return proposal


def candidate_name(proposal: Proposal) -> str:
    """What the version with the change is called: the name that it has, or the lowest that is free.

    A name by which somebody registered other blocks or tools meanwhile isn't its own any more. Set it on the
    proposal, which must be locked. The agent's row is locked, so that nobody takes the name then.
    """
    agent = agent_lock(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    if proposal.candidate_version and not candidate_taken(proposal, agent):
        return proposal.candidate_version
    stem, _ = candidate_stem(proposal.from_version)
    return candidate_free(proposal.from_version, candidates_named(proposal, stem=stem))
