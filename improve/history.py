"""What happened to a suggested change, step by step, as its rows say (contract, section 7). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from improve.models import Evaluation, Finding, Promotion, Proposal, Settled


class Step(StrEnum):
    """What happened."""

    DRAFTED = "drafted"
    EVALUATION_STARTED = "evaluation-started"
    EVALUATED = "evaluated"
    EVALUATION_FAILED = "evaluation-failed"
    EVALUATION_CANCELLED = "evaluation-cancelled"
    RESCORED = "rescored"
    REQUESTED = "requested"
    REFUSED = "refused"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    PROMOTED = "promoted"
    ROLLED_BACK = "rolled-back"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Entry:
    """A step: what, when, by whom (an actor, empty for nobody), and why or what for.

    ``found`` is what an evaluation found (:class:`Finding`), ``problem`` why it failed, as a code;
    ``version`` is what went live or was gone back to, empty for Latest; of what was superseded as
    soon as it was asked for, what the project ran by then.
    """

    step: Step
    at: datetime
    by: str = ""
    reason: str = ""
    found: str = ""
    problem: str = ""
    version: str = ""
    evaluation_id: UUID | None = None
    promotion_id: UUID | None = None


_ENDED = {
    Finding.BETTER: Step.EVALUATED,
    Finding.NOT_BETTER: Step.EVALUATED,
    Finding.FAILED: Step.EVALUATION_FAILED,
    Finding.CANCELLED: Step.EVALUATION_CANCELLED,
}
_SETTLED = {
    Settled.REFUSED: Step.REFUSED,
    Settled.PROMOTED: Step.PROMOTED,
    Settled.REJECTED: Step.REJECTED,
    Settled.SUPERSEDED: Step.SUPERSEDED,
}


def history_of(
    proposal: Proposal, *, evaluations: Iterable[Evaluation], promotions: Iterable[Promotion], at: datetime
) -> list[Entry]:
    """Every step until ``at``, newest first; all evaluations, each with its job, and all promotions are given.

    What expired expired when its time was over, whether or not anybody noticed.
    """
    entries = [Entry(Step.DRAFTED, proposal.created_at, proposal.drafted_by, proposal.hypothesis)]
    for evaluation in evaluations:
        entries += _of_evaluation(evaluation)
    for promotion in promotions:
        entries += _of_promotion(promotion, proposal, at)
    if proposal.withdrawn_at is not None:
        entries.append(Entry(Step.WITHDRAWN, proposal.withdrawn_at, proposal.withdrawn_by, proposal.withdrawn_reason))
    # Of steps of one instant the later in this order came later: a withdrawal cancels what goes on.
    return [entry for _, entry in sorted(enumerate(entries), key=lambda one: (one[1].at, one[0]), reverse=True)]


def _of_evaluation(row: Evaluation) -> Iterator[Entry]:
    if row.rescore_of_id is None:
        yield Entry(Step.EVALUATION_STARTED, row.created_at, row.started_by, evaluation_id=row.pk)
        if row.finished_at is not None:
            by = row.job.cancelled_by if row.finding == Finding.CANCELLED else ""
            step = _ENDED[Finding(row.finding)]
            problem = row.job.problem if row.finding == Finding.FAILED else ""
            yield Entry(step, row.finished_at, by, found=row.finding, problem=problem, evaluation_id=row.pk)
    else:
        yield Entry(Step.RESCORED, row.created_at, row.started_by, found=row.finding, evaluation_id=row.pk)


def _of_promotion(row: Promotion, proposal: Proposal, at: datetime) -> Iterator[Entry]:
    yield Entry(Step.REQUESTED, row.created_at, row.requested_by, row.reason, promotion_id=row.pk)
    if row.settled == Settled.EXPIRED or (not row.settled and row.expires_at <= at):
        yield Entry(Step.EXPIRED, row.expires_at, promotion_id=row.pk)
    elif row.settled and row.settled_at is not None:
        step, reason, version = _SETTLED[Settled(row.settled)], row.decided_reason, ""
        if row.settled == Settled.PROMOTED:
            version = proposal.candidate_version
        elif row.settled == Settled.SUPERSEDED and not row.decided_by:
            version = row.live_version
        yield Entry(step, row.settled_at, row.decided_by, reason, version=version, promotion_id=row.pk)
    if row.rolled_back_at is not None:
        yield Entry(
            Step.ROLLED_BACK,
            row.rolled_back_at,
            row.rolled_back_by,
            row.rolled_back_reason,
            version=row.rolled_back_to,
            promotion_id=row.pk,
        )
