"""How a suggested change's history is sent (contract, section 7)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from improve.history import Entry
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire

StepName = Literal[
    "drafted",
    "evaluation-started",
    "evaluated",
    "evaluation-failed",
    "evaluation-cancelled",
    "rescored",
    "requested",
    "refused",
    "rejected",
    "superseded",
    "expired",
    "promoted",
    "rolled-back",
    "withdrawn",
]


class EntryAnswer(Answer, kw_only=True):
    """A step: `version` is what went live, was gone back to or ran instead; `problem` why an evaluation failed."""

    step: StepName
    at: Time
    by: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    problem: str | UnsetType = UNSET
    found: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    eval_run_id: UUID | UnsetType = UNSET
    promotion_id: UUID | UnsetType = UNSET


class HistoryAnswer(Answer):
    """Every step, newest first."""

    data: list[EntryAnswer]


def entry_answer(entry: Entry) -> EntryAnswer:
    """A step as it is sent."""
    return EntryAnswer(
        step=entry.step.value,
        at=wire(entry.at),
        by=entry.by or UNSET,
        reason=entry.reason or UNSET,
        problem=entry.problem or UNSET,
        found=entry.found or UNSET,
        version=entry.version or UNSET,
        eval_run_id=entry.evaluation_id or UNSET,
        promotion_id=entry.promotion_id or UNSET,
    )
