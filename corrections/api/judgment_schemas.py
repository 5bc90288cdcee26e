"""How judgments are sent: each verdict by itself, whichever door it came in by (contract, sections 1 and 4)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType

from corrections.api.schemas import ListedCallAnswer, MadeBy, Subject, subject_of
from corrections.judgments import JudgmentVerdict
from corrections.models import DECISIONS_KEY, Correction, RunCopy, Verdict
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire
from kindgi.runs.api.schemas import content_part
from kindgi.runs.content import unpack
from kindgi.runs.records import Calls

_NOTHING = Raw(b"null")


class JudgedItem(Answer, kw_only=True):
    """What was judged: `answer`, `kindgi:correction` for the decisions, or an item of the output by its key."""

    key: str
    pointer: str | UnsetType = UNSET
    rank: int | UnsetType = UNSET


class ExpectedAnswer(Answer):
    """What the agent should have done; one of the lists may be empty."""

    calls: list[ListedCallAnswer]
    not_called: list[str]


class JudgedCopy(Answer, kw_only=True):
    """What was kept of the judged run; `input` and `output` are `null` where there is nothing, or nothing any more."""

    run_id: UUID
    subject: Subject
    input: Raw
    output: Raw
    calls: Calls | UnsetType = UNSET
    captured_at: Time


class JudgmentAnswer(Answer, kw_only=True):
    """A judgment; `run`, the copies, and `itemValue`, to the byte, only with a single one."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    run_id: UUID
    subject: Subject
    item: JudgedItem
    verdict: JudgmentVerdict
    reason: str | UnsetType = UNSET
    correction: ExpectedAnswer | UnsetType = UNSET
    judge_class_id: UUID | UnsetType = UNSET
    restricted: Literal[True] | UnsetType = UNSET
    asserted_by: MadeBy
    participant_id: str | UnsetType = UNSET
    created_at: Time
    unregistered_at: Time | UnsetType = UNSET
    superseded_by: UUID | UnsetType = UNSET
    run: JudgedCopy | UnsetType = UNSET
    item_value: Raw | UnsetType = UNSET


def judgment_answer(verdict: Verdict, *, copy: RunCopy | None = None) -> JudgmentAnswer:
    """A verdict, read with its reason, and what its correction says of it.

    ``copy`` adds the copies and the item's value.
    """
    correction = verdict.correction
    reason: str | None = verdict.reason  # type: ignore[attr-defined]
    answer = JudgmentAnswer(
        id=verdict.pk,
        tenant_id=verdict.tenant_id,
        project_id=verdict.project_id,
        run_id=verdict.run_id,
        subject=subject_of(correction),
        item=_item(verdict),
        verdict="yes" if verdict.right else "no",
        reason=UNSET if reason is None else reason,
        correction=_expected(correction) if verdict.item_key == DECISIONS_KEY else UNSET,
        judge_class_id=verdict.judge_class_id or UNSET,
        restricted=True if correction.restricted else UNSET,
        asserted_by=MadeBy(verdict.made_by_kind, verdict.made_by_id),  # type: ignore[arg-type]
        participant_id=verdict.participant_id or UNSET,
        created_at=wire(verdict.created_at),
        unregistered_at=wire(verdict.unregistered_at) if verdict.unregistered_at else UNSET,
        superseded_by=verdict.superseded_by_id or UNSET,
    )
    if copy is not None:
        value = unpack(verdict.item_value)
        answer.run = _copy(correction, copy)
        answer.item_value = UNSET if value is None else Raw(value)
    return answer


def _item(verdict: Verdict) -> JudgedItem:
    return JudgedItem(
        key=verdict.item_key,
        pointer=UNSET if verdict.pointer is None else verdict.pointer,
        rank=UNSET if verdict.rank is None else verdict.rank,
    )


def _copy(correction: Correction, copy: RunCopy) -> JudgedCopy:
    return JudgedCopy(
        run_id=copy.run_id,
        subject=subject_of(correction),
        input=content_part(copy.content, "input") or _NOTHING,
        output=content_part(copy.content, "output") or _NOTHING,
        calls=content_part(copy.content, "calls"),
        captured_at=wire(copy.created_at),
    )


def _expected(correction: Correction) -> ExpectedAnswer | UnsetType:
    """Both lists as they are stored, where anything is listed."""
    if correction.should_call is None and correction.must_not_call is None:
        return UNSET
    calls = Raw((correction.should_call or "[]").encode())
    return ExpectedAnswer(calls=calls, not_called=correction.must_not_call or [])  # type: ignore[arg-type]


class JudgmentRemovedAnswer(Answer):
    """That a judgment was taken back."""

    judgment_id: UUID
    unregistered: Literal[True]
