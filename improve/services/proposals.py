"""Suggested changes: drafted, withdrawn, and locked by whoever takes a step (contract, section 7)."""

from __future__ import annotations

from improve.candidates import candidate_free, candidate_stem
from improve.errors import ProposalWrongStatus
from improve.models import Proposal
from improve.policies import check_may
from improve.selectors.proposals import candidates_named, proposal_get, proposal_standing
from improve.standing import Standing
from improve.statuses import Action
from kindgi.access.callers import Caller
from kindgi.runs.services.agents import agent_lock


def proposal_lock(*, caller: Caller, proposal_id: str, action: Action) -> Standing:
    """Where a suggested change stands, with its row locked until the transaction ends, if ``action`` may be taken.

    Whoever takes a step stamps it, and the proposal's ``updated_at``, with the standing's ``at``. Raises
    ``ProposalNotFound``, ``PermissionDenied``, then :class:`ProposalWrongStatus`.
    """
    seen = proposal_get(caller=caller, proposal_id=proposal_id)
    proposal = Proposal.objects.select_for_update(no_key=True).get(pk=seen.pk)
    proposal.project, proposal.block = seen.project, seen.block
    standing = proposal_standing(caller=caller, proposal=proposal)
    check_may(caller, action, proposal, standing.promotion)
    if action not in standing.legal:
        raise ProposalWrongStatus(standing.status, action)
    return standing


def candidate_name(proposal: Proposal) -> str:
    """What the version with the change is called: the name that it has, or the lowest that is free.

    Set it on the proposal, which must be locked. The agent's row is locked, so that nobody takes the name meanwhile.
    """
    if proposal.candidate_version:
        return proposal.candidate_version
    agent_lock(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    stem, _ = candidate_stem(proposal.from_version)
    return candidate_free(proposal.from_version, candidates_named(proposal, stem=stem))
