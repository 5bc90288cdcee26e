"""A suggested change as one value: its rows, where it stands by them, and what may be done with it now. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from improve.models import Evaluation, Promotion, Proposal
from improve.policies import may
from improve.statuses import ACTIONS, Action, Status, status_of, steps_of
from kindgi.access.callers import Caller

_AFTER = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a suggested change stands at an instant.

    ``evaluation`` is the latest, with its test set and its job; ``promotion`` the latest that was
    asked for on it: one on an earlier evaluation was answered by trying the change again. ``legal``
    is what may be done from the status, ``can`` what of that the caller may do now. ``live_now`` says
    of a promoted one whether the project still pins its version: else nobody goes back from it.
    ``at`` is later than every step so far: a step that is taken now is stamped with it, so that the
    latest is always found by its time.
    """

    proposal: Proposal
    evaluation: Evaluation | None
    promotion: Promotion | None
    status: Status
    legal: frozenset[Action]
    can: frozenset[Action]
    live_now: bool
    at: datetime


def standing_of(
    proposal: Proposal,
    *,
    evaluation: Evaluation | None,
    promotion: Promotion | None,
    pinned: str | None,
    caller: Caller,
    at: datetime,
) -> Standing:
    """The standing by the latest rows; ``pinned`` is the version that the project pins, ``None`` for none."""
    if promotion is not None and (evaluation is None or promotion.evaluation_id != evaluation.pk):
        promotion = None
    status = status_of(steps_of(proposal, evaluation=evaluation, promotion=promotion, at=at))
    legal = ACTIONS[status]
    live_now = status == Status.PROMOTED and pinned == proposal.candidate_version
    possible = legal if live_now else legal - {Action.ROLLBACK}
    return Standing(
        proposal=proposal,
        evaluation=evaluation,
        promotion=promotion,
        status=status,
        legal=legal,
        can=frozenset(action for action in possible if may(caller, action, proposal, promotion)),
        live_now=live_now,
        at=max(at, proposal.updated_at + _AFTER),
    )
