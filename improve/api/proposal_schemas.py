"""How suggested changes are sent (contract, section 7)."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Raw, UnsetType

from improve.models import Evaluation, Finding, Promotion, Proposal
from improve.standing import Standing
from improve.statuses import Action, Status
from improve.suggesting import TIERS, ProjectScope, Tier
from kindgi.api.operations import PREFIX, Answer, Time
from kindgi.api.times import wire
from kindgi.runs.models import BlockKind

StatusName = Literal[
    "draft",
    "evaluating",
    "evaluated",
    "not-better",
    "evaluation-failed",
    "in-review",
    "promoted",
    "refused",
    "rejected",
    "expired",
    "superseded",
    "rolled-back",
    "withdrawn",
]
PromotionStatus = Literal["promoted", "pending-approval", "refused", "superseded", "rejected", "expired"]
RunStatus = Literal["pending", "running", "completed", "failed", "cancelled"]


class ProposedChange(Answer):
    """What is changed: `fromVersion` is the block's version, `content` what it would hold, to the byte."""

    block_id: str
    from_version: str
    content: Annotated[Raw, Meta(extra_json_schema={"$ref": f"{PREFIX}BlockContent"})]


class EvidenceAnswer(Answer):
    """Verdicts that speak for it."""

    judgment_ids: list[UUID]


class DrafterAnswer(Answer):
    """Who drafted it: a person, or a service account."""

    kind: Literal["person", "service"]
    by: str


class CandidateAnswer(Answer):
    """The agent version that it would be; registered once it goes live. `pinsDigest` is of the change alone."""

    agent_version: str
    block_version: str
    pins_digest: str


class EvaluationAnswer(Answer, kw_only=True):
    """The latest evaluation. Shares are absent while it goes on, and where nothing that people judged was answered.

    `of` and `done` count replays, a case's repetitions each; `better` is there once it found something.
    """

    eval_run_id: UUID
    suite_id: UUID
    objective: Literal["weightedYesShare"]
    started_at: Time
    started_by: str
    run_status: RunStatus
    repetitions: int
    experts_only: bool
    of: int
    done: int
    answered: int
    refused: int
    failed: int
    finished_at: Time | UnsetType = UNSET
    rescore_of: UUID | UnsetType = UNSET
    problem: str | UnsetType = UNSET
    baseline: float | UnsetType = UNSET
    candidate: float | UnsetType = UNSET
    delta: float | UnsetType = UNSET
    spread: float | UnsetType = UNSET
    cases: int | UnsetType = UNSET
    better: bool | UnsetType = UNSET


class PromotionAnswer(Answer, kw_only=True):
    """What became of asking for it to go live. `liveNow`: whether the project still pins it."""

    id: UUID
    status: PromotionStatus
    requested_by: str
    requested_at: Time
    expires_at: Time
    approval_id: UUID | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    decided_at: Time | UnsetType = UNSET
    decided_reason: str | UnsetType = UNSET
    live_now: bool | UnsetType = UNSET


class RolledBackAnswer(Answer, kw_only=True):
    """That the project went back to what it ran before."""

    at: Time
    promotion_id: UUID
    by: str
    reason: str | UnsetType = UNSET


class WithdrawnAnswer(Answer):
    """That it was withdrawn."""

    at: Time
    by: str
    reason: str


class ProposalCan(Answer):
    """What may be done with it now, by who asks."""

    evaluate: bool
    cancel: bool
    rescore: bool
    send: bool
    request: bool
    decide: bool
    rollback: bool
    withdraw: bool


class ProposalAnswer(Answer, kw_only=True):
    """A suggested change, and where it stands by its steps."""

    id: UUID
    agent_id: str
    from_version: str
    scope: ProjectScope
    tier: Tier
    change: ProposedChange
    hypothesis: str
    drafter: DrafterAnswer
    status: StatusName
    can: ProposalCan
    created_at: Time
    updated_at: Time
    evidence: EvidenceAnswer | UnsetType = UNSET
    candidate: CandidateAnswer | UnsetType = UNSET
    evaluation: EvaluationAnswer | UnsetType = UNSET
    promotion: PromotionAnswer | UnsetType = UNSET
    rolled_back: RolledBackAnswer | UnsetType = UNSET
    withdrawn: WithdrawnAnswer | UnsetType = UNSET


def proposal_answer(standing: Standing) -> ProposalAnswer:
    """A suggested change as it is sent; the block must have been read with it."""
    proposal, promotion = standing.proposal, standing.promotion
    return ProposalAnswer(
        id=proposal.pk,
        agent_id=proposal.agent_id,
        from_version=proposal.from_version,
        scope=ProjectScope(project_id=str(proposal.project_id)),
        tier=TIERS[BlockKind(proposal.kind)],  # type: ignore[arg-type]
        change=ProposedChange(proposal.block_name, str(proposal.block.version), Raw(proposal.content.encode())),
        hypothesis=proposal.hypothesis,
        evidence=EvidenceAnswer(proposal.evidence) if proposal.evidence else UNSET,
        drafter=_drafter(proposal),
        status=standing.status.value,
        can=ProposalCan(**{action.value: action in standing.can for action in Action}),
        candidate=_candidate(proposal),
        evaluation=UNSET if standing.evaluation is None else evaluation_answer(standing.evaluation),
        promotion=UNSET if promotion is None else _promotion(promotion, standing),
        rolled_back=UNSET if promotion is None else _rolled_back(promotion),
        withdrawn=_withdrawn(proposal),
        created_at=wire(proposal.created_at),
        updated_at=wire(proposal.updated_at),
    )


def _drafter(proposal: Proposal) -> DrafterAnswer:
    return DrafterAnswer(
        "service" if proposal.drafted_by.startswith("service_account:") else "person", proposal.drafted_by
    )


def _candidate(proposal: Proposal) -> CandidateAnswer | UnsetType:
    if not proposal.candidate_version:
        return UNSET
    digest = sha256(bytes(proposal.block.digest) + bytes(proposal.digest)).hexdigest()
    return CandidateAnswer(proposal.candidate_version, f"{proposal.block.version}+change", f"sha256:{digest}")


def evaluation_answer(row: Evaluation) -> EvaluationAnswer:
    """An evaluation as it is sent; its job must have been read with it."""
    job = row.job
    return EvaluationAnswer(
        eval_run_id=row.pk,
        suite_id=row.test_set_id,
        objective="weightedYesShare",
        started_at=wire(row.created_at),
        started_by=row.started_by,
        run_status=_run_status(row),
        repetitions=row.repetitions,
        experts_only=row.experts_only,
        of=job.of,
        done=job.done,
        answered=job.answered,
        refused=job.refused,
        failed=job.failed,
        finished_at=wire(row.finished_at) if row.finished_at else UNSET,
        rescore_of=row.rescore_of_id or UNSET,
        problem=job.problem or UNSET,
        baseline=UNSET if row.baseline is None else row.baseline,
        candidate=UNSET if row.candidate is None else row.candidate,
        delta=UNSET if row.delta is None else row.delta,
        spread=UNSET if row.spread is None else row.spread,
        cases=UNSET if row.cases is None else row.cases,
        better=row.finding == Finding.BETTER if row.finding in (Finding.BETTER, Finding.NOT_BETTER) else UNSET,
    )


def _run_status(row: Evaluation) -> RunStatus:
    if not row.finding:
        return "running" if row.job.done else "pending"
    if row.finding == Finding.FAILED:
        return "failed"
    return "cancelled" if row.finding == Finding.CANCELLED else "completed"


def _promotion(row: Promotion, standing: Standing) -> PromotionAnswer:
    waits = standing.status == Status.IN_REVIEW
    status: str = row.settled or ("pending-approval" if waits else "expired")
    return PromotionAnswer(
        id=row.pk,
        status=status,  # type: ignore[arg-type]
        approval_id=row.pk if waits else UNSET,
        requested_by=row.requested_by,
        requested_at=wire(row.created_at),
        expires_at=wire(row.expires_at),
        reason=row.reason or UNSET,
        decided_by=row.decided_by or UNSET,
        decided_at=wire(row.settled_at) if row.settled_at and row.decided_by else UNSET,
        decided_reason=row.decided_reason or UNSET,
        live_now=standing.live_now if row.settled == Status.PROMOTED else UNSET,
    )


def _rolled_back(row: Promotion) -> RolledBackAnswer | UnsetType:
    if row.rolled_back_at is None:
        return UNSET
    reason = row.rolled_back_reason or UNSET
    return RolledBackAnswer(at=wire(row.rolled_back_at), promotion_id=row.pk, by=row.rolled_back_by, reason=reason)


def _withdrawn(proposal: Proposal) -> WithdrawnAnswer | UnsetType:
    if proposal.withdrawn_at is None:
        return UNSET
    return WithdrawnAnswer(wire(proposal.withdrawn_at), proposal.withdrawn_by, proposal.withdrawn_reason)
