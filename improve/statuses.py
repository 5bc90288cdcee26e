"""Where a suggested change stands, and what may be done with it then (contract, section 7).

Pure. Derived from its steps at each reading, and never stored; docs/suggested-changes.md has both tables whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from improve.models import Evaluation, Finding, Promotion, Proposal, Settled


class Status(StrEnum):
    """Where a suggested change stands."""

    DRAFT = "draft"
    EVALUATING = "evaluating"
    EVALUATED = "evaluated"
    NOT_BETTER = "not-better"
    EVALUATION_FAILED = "evaluation-failed"
    IN_REVIEW = "in-review"
    PROMOTED = "promoted"
    REFUSED = "refused"
    REJECTED = "rejected"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    ROLLED_BACK = "rolled-back"
    WITHDRAWN = "withdrawn"


class Action(StrEnum):
    """What may be done with a suggested change. ``send`` gives the answers that nobody judged to people to judge."""

    EVALUATE = "evaluate"
    CANCEL = "cancel"
    RESCORE = "rescore"
    SEND = "send"
    REQUEST = "request"
    DECIDE = "decide"
    ROLLBACK = "rollback"
    WITHDRAW = "withdraw"


class Tried(StrEnum):
    """How the latest evaluation stands."""

    NEVER = "never"
    GOING_ON = "going-on"
    BETTER = "better"
    NOT_BETTER = "not-better"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Asked(StrEnum):
    """What became of asking for it to go live, on the latest evaluation."""

    NEVER = "never"
    WAITING = "waiting"
    REFUSED = "refused"
    PROMOTED = "promoted"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Steps:
    """A suggested change's steps, as far as they say where it stands."""

    tried: Tried = Tried.NEVER
    asked: Asked = Asked.NEVER
    rolled_back: bool = False
    withdrawn: bool = False


_TRIED = {
    Tried.NEVER: Status.DRAFT,
    Tried.GOING_ON: Status.EVALUATING,
    Tried.BETTER: Status.EVALUATED,
    Tried.NOT_BETTER: Status.NOT_BETTER,
    Tried.FAILED: Status.EVALUATION_FAILED,
    Tried.CANCELLED: Status.EVALUATION_FAILED,
}
_ASKED = {
    Asked.WAITING: Status.IN_REVIEW,
    Asked.REFUSED: Status.REFUSED,
    Asked.PROMOTED: Status.PROMOTED,
    Asked.REJECTED: Status.REJECTED,
    Asked.SUPERSEDED: Status.SUPERSEDED,
    Asked.EXPIRED: Status.EXPIRED,
}
_AGAIN = frozenset({Action.EVALUATE, Action.RESCORE, Action.SEND, Action.REQUEST, Action.WITHDRAW})
ACTIONS: dict[Status, frozenset[Action]] = {
    Status.DRAFT: frozenset({Action.EVALUATE, Action.WITHDRAW}),
    Status.EVALUATING: frozenset({Action.CANCEL, Action.WITHDRAW}),
    Status.EVALUATED: _AGAIN,
    Status.NOT_BETTER: _AGAIN,
    Status.EVALUATION_FAILED: frozenset({Action.EVALUATE, Action.WITHDRAW}),
    Status.IN_REVIEW: frozenset({Action.SEND, Action.DECIDE}),
    Status.PROMOTED: frozenset({Action.ROLLBACK}),
    Status.REFUSED: _AGAIN,
    Status.REJECTED: frozenset(),
    Status.EXPIRED: _AGAIN,
    Status.SUPERSEDED: _AGAIN,
    Status.ROLLED_BACK: frozenset(),
    Status.WITHDRAWN: frozenset(),
}
"""What is legal from each status; who may do it is another question (:mod:`improve.policies`)."""


def status_of(steps: Steps) -> Status:
    """Where the steps leave it: the last one speaks. Whatever was withdrawn or rolled back stays that."""
    if steps.withdrawn:
        return Status.WITHDRAWN
    if steps.rolled_back:
        return Status.ROLLED_BACK
    return _ASKED.get(steps.asked) or _TRIED[steps.tried]


def steps_of(proposal: Proposal, *, evaluation: Evaluation | None, promotion: Promotion | None, at: datetime) -> Steps:
    """A suggested change's steps from its rows: the latest of each kind, where there is one.

    A promotion that was asked for on an earlier evaluation was answered by trying it again.
    """
    if promotion is not None and (evaluation is None or promotion.evaluation_id != evaluation.pk):
        promotion = None
    return Steps(
        tried=_tried(evaluation),
        asked=_asked(promotion, at),
        rolled_back=promotion is not None and promotion.rolled_back_at is not None,
        withdrawn=proposal.withdrawn_at is not None,
    )


def _tried(evaluation: Evaluation | None) -> Tried:
    if evaluation is None:
        return Tried.NEVER
    return Tried(Finding(evaluation.finding)) if evaluation.finding else Tried.GOING_ON


def _asked(promotion: Promotion | None, at: datetime) -> Asked:
    if promotion is None:
        return Asked.NEVER
    if promotion.settled:
        return Asked(Settled(promotion.settled))
    return Asked.WAITING if at < promotion.expires_at else Asked.EXPIRED
