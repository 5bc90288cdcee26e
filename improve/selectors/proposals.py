"""What reads suggested changes, and where each stands: derived at each reading (contract, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from improve import errors
from improve.history import Entry, history_of
from improve.models import Evaluation, Promotion, Proposal
from improve.standing import Standing, standing_of
from improve.statuses import Status
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_read
from kindgi.api.ids import parse_id
from kindgi.api.times import now
from kindgi.runs.selectors import pins_of, versions_named

_NEWEST = ("-created_at", "-id")


def proposals_readable(caller: Caller) -> QuerySet[Proposal]:
    """The suggested changes in the projects that the caller may read, with the blocks that they change."""
    proposals = Proposal.objects.filter(tenant_id=caller.tenant_id).select_related("block")
    return proposals if caller.sees_every_project else proposals.filter(project_id__in=caller.readable_project_ids())


def proposal_get(*, caller: Caller, proposal_id: str) -> Proposal:
    """A readable suggested change with its project and block; raises :class:`ProposalNotFound` for everything else."""
    parsed = parse_id(proposal_id)
    proposals = Proposal.objects.filter(tenant_id=caller.tenant_id).select_related("block", "project")
    found = proposals.filter(pk=parsed).first() if parsed else None
    if found is None or not can_read(caller, found.project_id):
        raise errors.ProposalNotFound
    return found


def hypothesis_of(*, project: Project, proposal_id: UUID) -> str | None:
    """What a suggested change of the project supposes, ``None`` where it has no such change; one statement."""
    return Proposal.objects.filter(project=project, pk=proposal_id).values_list("hypothesis", flat=True).first()


def proposal_standing(*, caller: Caller, proposal: Proposal) -> Standing:
    """Where one stands, and what the caller may do with it; up to three statements."""
    return proposal_standings(caller=caller, proposals=[proposal])[0]


def proposal_standings(*, caller: Caller, proposals: Sequence[Proposal]) -> list[Standing]:
    """Where each stands, in their order, all at one instant; three statements at most, however many there are."""
    at = now()
    evaluations = _latest_evaluations(proposals)
    promotions = _latest_promotions(proposals)
    pinned = _pinned(proposals, promotions)
    return [
        standing_of(
            proposal,
            evaluation=evaluations.get(proposal.pk),
            promotion=promotions.get(proposal.pk),
            pinned=pinned.get((proposal.project_id, proposal.agent_id)),
            caller=caller,
            at=at,
        )
        for proposal in proposals
    ]


def _latest_evaluations(proposals: Sequence[Proposal]) -> dict[UUID, Evaluation]:
    """The latest of each, looked up in the index of evaluations, with test set and job; one statement."""
    of_each = Evaluation.objects.filter(proposal=OuterRef("pk")).order_by(*_NEWEST).values("pk")[:1]
    latest = Proposal.objects.filter(pk__in=[one.pk for one in proposals]).order_by()
    rows = Evaluation.objects.filter(pk__in=latest.values_list(Subquery(of_each))).order_by()
    rows = rows.select_related("test_set", "job").defer("job__change", "job__blocks")
    return {row.proposal_id: row for row in rows} if proposals else {}


def _latest_promotions(proposals: Sequence[Proposal]) -> dict[UUID, Promotion]:
    """The latest of each, looked up in the index of promotions; one statement."""
    of_each = Promotion.objects.filter(proposal=OuterRef("pk")).order_by(*_NEWEST).values("pk")[:1]
    latest = Proposal.objects.filter(pk__in=[one.pk for one in proposals]).order_by()
    rows = Promotion.objects.filter(pk__in=latest.values_list(Subquery(of_each))).order_by()
    return {row.proposal_id: row for row in rows} if proposals else {}


def _pinned(proposals: Sequence[Proposal], promotions: dict[UUID, Promotion]) -> dict[tuple[UUID, str], str]:
    """What the projects of those that went live pin, by project and agent; at most one statement."""
    went_live = [one for one in proposals if one.pk in promotions and promotions[one.pk].settled == Status.PROMOTED]
    agents = {(one.project_id, one.agent_id) for one in went_live}
    return pins_of(agents) if agents else {}


def candidates_named(proposal: Proposal, *, stem: str) -> set[str]:
    """What begins with ``stem`` of the versions of its agent and the candidates of its other suggested changes."""
    others = Proposal.objects.filter(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    named = others.filter(candidate_version__startswith=stem).values_list("candidate_version", flat=True).order_by()
    return {*named, *versions_named(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id, stem=stem)}


def proposal_like(wanted: Proposal) -> Proposal | None:
    """The one that isn't closed and suggests the same change of the same version for the same project."""
    same = Proposal.objects.filter(
        project_id=wanted.project_id,
        agent_id=wanted.agent_id,
        from_version=wanted.from_version,
        block_name=wanted.block_name,
        digest=wanted.digest,
        closed_at__isnull=True,
    )
    return same.select_related("block", "project").first()


def proposal_history(proposal: Proposal) -> list[Entry]:
    """Every step of it, newest first; two statements."""
    evaluations = Evaluation.objects.filter(proposal=proposal).select_related("job").order_by(*_NEWEST)
    promotions = Promotion.objects.filter(proposal=proposal).order_by(*_NEWEST)
    evaluations = evaluations.defer("result", "job__change", "job__blocks")
    return history_of(proposal, evaluations=reversed(evaluations), promotions=reversed(promotions), at=now())
