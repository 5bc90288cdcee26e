"""Going live: asked for, decided by a reviewer, and gone back from (contract, section 7; docs/concurrency.md)."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F

from improve.errors import ProposalNotLive
from improve.models import Evaluation, Finding, Promotion, Proposal, Settled
from improve.selectors.live import pinned_before, version_before, version_instead, version_live
from improve.services.pin_tests import pin_tests_tie
from improve.services.proposals import candidate_name, proposal_lock
from improve.standing import Standing
from improve.statuses import Action
from improve.suggesting import DecideBody, ReasonBody, reason_of
from kindgi.access.callers import Caller
from kindgi.api.errors import BadInput
from kindgi.api.times import now
from kindgi.runs.blocks import Block
from kindgi.runs.models import Agent, AgentVersion, BlockKind
from kindgi.runs.selectors import agent_pin_get, agent_version_get
from kindgi.runs.services.agents import agent_lock, how_pinned
from kindgi.runs.services.blocks import version_derive
from kindgi.runs.services.pins import How, pin_move


def proposal_request(*, caller: Caller, proposal_id: str, body: ReasonBody) -> Proposal:
    """Ask for a suggested change to go live: a reviewer decides then.

    One that isn't better is refused, and one of a version that the project doesn't run any more is superseded,
    unless a tenant admin says why it should go live all the same.
    Raises ``BadInput``, ``ProposalNotFound``, ``PermissionDenied``, ``ProposalWrongStatus``.
    """
    reason = reason_of(body)
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.REQUEST)
    proposal, evaluation = standing.proposal, _evaluation(standing)
    # What nobody decided in time makes way.
    waiting = Promotion.objects.filter(proposal=proposal, settled="")
    waiting.update(settled=Settled.EXPIRED, settled_at=F("expires_at"))
    agent = agent_lock(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    settled = "" if caller.administers_tenant and reason else _at_once(proposal, evaluation, agent)
    Promotion.objects.create(
        created_at=standing.at,
        proposal=proposal,
        evaluation=evaluation,
        requested_by=caller.actor,
        reason=reason,
        live_version=version_live(project=proposal.project, agent=agent),
        expires_at=standing.at + timedelta(days=settings.PROPOSAL_REVIEW_DAYS),
        settled=settled,
        settled_at=standing.at if settled else None,
    )
    return _stamped(standing)


def _at_once(proposal: Proposal, evaluation: Evaluation, agent: Agent) -> str:
    """How asking for it ends without a reviewer; empty where one decides."""
    if evaluation.finding != Finding.BETTER:
        return Settled.REFUSED
    return Settled.SUPERSEDED if version_instead(proposal, agent=agent) else ""


def proposal_decide(*, caller: Caller, proposal_id: str, body: DecideBody) -> Proposal:
    """Let a suggested change go live, or reject it: the version is registered and pinned in the project.

    Where the project runs another version than when that was asked for, it is superseded instead.
    The decision is all that pinning needs. Raises ``BadInput``, ``ProposalNotFound``,
    ``PermissionDenied``, ``ProposalWrongStatus``.
    """
    reason = reason_of(body)
    if body.decision == "reject" and not reason:
        raise BadInput("/reason: A rejection says why.", details={"path": "/reason"})
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.DECIDE)
    promotion = _promotion(standing)
    promotion.decided_by, promotion.decided_reason, promotion.settled_at = caller.actor, reason, standing.at
    if body.decision == "reject":
        promotion.settled = Settled.REJECTED
        promotion.save()
        return _closed(standing)
    agent = agent_lock(tenant_id=standing.proposal.tenant_id, agent_id=standing.proposal.agent_id)
    _name(standing.proposal)
    live = version_live(project=standing.proposal.project, agent=agent)
    if live not in (promotion.live_version, standing.proposal.candidate_version):
        promotion.settled = Settled.SUPERSEDED
        promotion.save()
        return _stamped(standing)
    promotion.settled, promotion.pin_before = Settled.PROMOTED, pinned_before(standing.proposal, agent=agent)
    promotion.save()
    to = _candidate(standing.proposal, agent)
    how = how_pinned(standing.proposal.project, agent, to)
    _move(caller, standing, promotion, agent, to=to, how=how)
    return _stamped(standing)


def proposal_roll_back(*, caller: Caller, proposal_id: str, body: ReasonBody) -> Proposal:
    """Go back to what ran before: to what was pinned, or to Latest where that is what it was; else that is pinned.

    Raises ``BadInput``, ``ProposalNotFound``, ``PermissionDenied``, ``ProposalWrongStatus``, and
    :class:`ProposalNotLive` where the project pins another version by now.
    """
    reason = reason_of(body)
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.ROLLBACK)
    proposal, promotion = standing.proposal, _promotion(standing)
    agent = agent_lock(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    pin = agent_pin_get(project=proposal.project, agent=agent)
    if pin is None or pin.version.version != proposal.candidate_version:
        raise ProposalNotLive
    promotion.rolled_back_at, promotion.rolled_back_by = standing.at, caller.actor
    promotion.rolled_back_reason = reason
    promotion.rolled_back_to = before = version_before(promotion, agent=agent)
    promotion.save()
    to = agent_version_get(agent=agent, version=before) if before else None
    _move(caller, standing, promotion, agent, to=to, how="went-back")
    return _closed(standing)


def _move(
    caller: Caller, standing: Standing, promotion: Promotion, agent: Agent, *, to: AgentVersion | None, how: How
) -> None:
    """Move the pin, and have what that starts be the promotion's."""
    since = now()
    pin_move(caller=caller, project=standing.proposal.project, agent=agent, to=to, how=how)
    pin_tests_tie(promotion, since=since)


def _name(proposal: Proposal) -> None:
    """Have the version with the change a name that nobody took for another; before its pin tells of it."""
    proposal.candidate_version = candidate_name(proposal)
    proposal.save(update_fields=["candidate_version"])


def _candidate(proposal: Proposal, agent: Agent) -> AgentVersion:
    """The version with the change, registered."""
    changed = Block(proposal.block_name, BlockKind(proposal.kind), proposal.content, proposal.block.declares)
    from_version = agent_version_get(agent=agent, version=proposal.from_version)
    return version_derive(from_version=from_version, version=proposal.candidate_version, block=changed)[0]


def _evaluation(standing: Standing) -> Evaluation:
    """The latest evaluation, which there is wherever an action on one is legal."""
    if standing.evaluation is None:
        raise LookupError("The suggested change was never evaluated.")
    return standing.evaluation


def _promotion(standing: Standing) -> Promotion:
    """The latest promotion, which there is wherever an action on one is legal."""
    if standing.promotion is None:
        raise LookupError("Nobody asked for the suggested change to go live.")
    return standing.promotion


def _closed(standing: Standing) -> Proposal:
    standing.proposal.closed_at = standing.at
    return _stamped(standing)


def _stamped(standing: Standing) -> Proposal:
    standing.proposal.updated_at = standing.at
    standing.proposal.save(update_fields=["updated_at", "closed_at"])
    return standing.proposal
