"""How evaluations and their cases are sent (contract, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, Raw, UnsetType

from improve.answers import Summary
from improve.api.proposal_schemas import EvaluationAnswer
from improve.api.proposal_schemas import evaluation_answer as _latest_answer
from improve.models import CaseReplay, Evaluation
from improve.selectors.evaluations import CaseRow, CaseShown
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire
from kindgi.runs.content import unpack
from kindgi.runs.records import Calls

LabelName = Literal["better", "worse", "same", "changed", "refused", "failed", "erased"]
StateName = Literal["answered", "refused", "failed", "waiting"]
WhyNotName = Literal[
    "nothing-to-compare",
    "not-more-right",
    "may-be-chance",
    "within-spread",
    "right-not-answered",
    "changed-not-judged",
]
Value = TypeVar("Value")


class LabelsAnswer(Answer):
    """How many cases came out how. Of `same`, those in which no verdict counts are in no share, nor in `cases`."""

    better: int
    worse: int
    same: int
    changed: int
    refused: int
    failed: int
    erased: int


class RangeAnswer(Answer):
    """Where a share is likely to lie (95%), and how many cases of equal weight it rests on."""

    low: float
    high: float
    n: float


class EvaluationWhole(EvaluationAnswer, kw_only=True):
    """An evaluation with all that it found.

    A candidate that is no different would show a split of cases as one-sided as this about 1 time
    in `oneIn`, or fewer where that is 1,000,000,000; `p` is the exact two-sided sign test's, of several
    repetitions the weakest one's. `shares` are the candidate's, one a repetition. In `changedFromRight`
    cases something that was right before is another now, and nobody has judged it; in
    `unansweredFromRight` cases something was right before, and a replay has no answer, refused or
    failed. A candidate is only better if it would be were all of these wrong.
    """

    labels: LabelsAnswer | UnsetType = UNSET
    baseline_range: RangeAnswer | UnsetType = UNSET
    candidate_range: RangeAnswer | UnsetType = UNSET
    p: float | UnsetType = UNSET
    one_in: int | UnsetType = UNSET
    shares: list[float] | UnsetType = UNSET
    why_not: WhyNotName | UnsetType = UNSET
    changed_from_right: int | UnsetType = UNSET
    unanswered_from_right: int | UnsetType = UNSET


class TallyAnswer(Answer):
    """The weight that is right, and all of it: as much on both sides, what the recorded run's verdicts weigh."""

    right: float
    total: float


class PartAnswer(Answer, kw_only=True):
    """A judged thing: whether the replay has the `same` value there, and how that came out.

    `candidate` is absent where nobody has judged what is there.
    """

    key: str
    pointer: str | UnsetType = UNSET
    same: bool
    outcome: Literal["right", "wrong", "mixed", "changed"]
    baseline: TallyAnswer
    candidate: TallyAnswer | UnsetType = UNSET


class TriedAnswer(Answer):
    """A repetition: how it ended, whether it counts, and how each judged thing came out."""

    repetition: int
    state: StateName
    counts: bool
    parts: list[PartAnswer]


class SummaryAnswer(Answer, kw_only=True):
    """The beginning of an answer (`cut` where there is more), and the tools that were called."""

    text: str | UnsetType = UNSET
    cut: bool
    calls: list[str] | UnsetType = UNSET


class ReplaySummary(Answer, kw_only=True):
    """What a repetition answered, in short; `problem` is why it failed."""

    repetition: int
    state: StateName
    problem: str | UnsetType = UNSET
    answer: SummaryAnswer


class EvaluationCase(Answer, kw_only=True):
    """How a case came out; `baseline` and `candidate` are the weights of verdicts on both sides.

    Of a case that isn't compared, `baseline` is all that counts of the recorded run, and `candidate` is 0.
    """

    case_id: UUID
    agent_version: str
    completed_at: Time
    label: LabelName
    baseline: TallyAnswer
    candidate: TallyAnswer
    repetitions: list[TriedAnswer]
    recorded: SummaryAnswer
    replays: list[ReplaySummary]
    run_ids: list[UUID]


class RecordedWhole(Answer, kw_only=True):
    """What the run was asked and did, to the byte."""

    input: Raw | UnsetType = UNSET
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET


class ReplayWhole(Answer, kw_only=True):
    """What a repetition answered, to the byte; `problem` is why it failed."""

    repetition: int
    state: StateName
    problem: str | UnsetType = UNSET
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET
    took_ms: int | UnsetType = UNSET


class EvaluationCaseWhole(Answer, kw_only=True):
    """A case with both sides whole. `runIds` are the runs that were made of its answers for people to judge."""

    case_id: UUID
    agent_version: str
    completed_at: Time
    label: LabelName
    baseline: TallyAnswer
    candidate: TallyAnswer
    repetitions: list[TriedAnswer]
    recorded: RecordedWhole
    replays: list[ReplayWhole]
    run_ids: list[UUID]


class SentAnswer(Answer):
    """How many runs were made of answers that nobody had judged."""

    sent: int


def evaluation_whole(evaluation: Evaluation) -> EvaluationWhole:
    """An evaluation as it is sent; its job must have been read with it."""
    latest = _latest_answer(evaluation)
    result: Mapping[str, Any] = evaluation.result or {}
    return EvaluationWhole(
        **{name: getattr(latest, name) for name in latest.__struct_fields__},
        labels=LabelsAnswer(**result["labels"]) if "labels" in result else UNSET,
        baseline_range=_range(result.get("baseline")),
        candidate_range=_range(result.get("candidate")),
        p=_there(result.get("p")),
        one_in=_there(result.get("oneIn")),
        shares=result.get("shares") or UNSET,
        why_not=_there(result.get("whyNot")),
        changed_from_right=_there(result.get("changedFromRight")),
        unanswered_from_right=_there(result.get("unansweredFromRight")),
    )


def _range(side: Mapping[str, Any] | None) -> RangeAnswer | UnsetType:
    return UNSET if not side or side["low"] is None else RangeAnswer(side["low"], side["high"], side["n"])


def _there(value: Value | None) -> Value | UnsetType:
    return UNSET if value is None else value


def evaluation_case(row: CaseRow) -> EvaluationCase:
    """A case's result as a list has it."""
    return EvaluationCase(
        **_came_out(row),
        recorded=_summary(row.recorded),
        replays=[
            ReplaySummary(
                repetition=replay.repetition,
                state=replay.state,  # type: ignore[arg-type]
                problem=replay.problem or UNSET,
                answer=_summary(summary),
            )
            for replay, summary in row.replays
        ],
    )


def _came_out(row: CaseRow | CaseShown) -> dict[str, Any]:
    result = row.result
    return {
        "case_id": result.case.run_id,
        "agent_version": result.case.agent_version,
        "completed_at": wire(result.case.completed_at),
        "label": result.label,
        "baseline": TallyAnswer(result.baseline_right, result.baseline_total),
        "candidate": TallyAnswer(result.candidate_right, result.candidate_total),
        "repetitions": msgspec.convert(result.parts, list[TriedAnswer]),
        "run_ids": list(result.sent_run_ids),
    }


def _summary(summary: Summary) -> SummaryAnswer:
    return SummaryAnswer(text=_there(summary.text), cut=summary.is_cut, calls=_there(summary.calls))


def evaluation_case_whole(shown: CaseShown) -> EvaluationCaseWhole:
    """A case's result with both sides; nothing of the run where it was erased."""
    content = shown.content if shown.case.erased_at is None else None
    return EvaluationCaseWhole(
        **_came_out(shown),
        recorded=RecordedWhole(
            input=_raw(None if content is None else content.input),
            output=_raw(None if content is None else content.output),
            calls=_raw(None if content is None else content.calls),
        ),
        replays=[_replay(replay) for replay in shown.replays],
    )


def _replay(replay: CaseReplay) -> ReplayWhole:
    return ReplayWhole(
        repetition=replay.repetition,
        state=replay.state,  # type: ignore[arg-type]
        problem=replay.problem or UNSET,
        output=_raw(replay.output),
        calls=_raw(replay.calls),
        took_ms=_there(replay.took_ms),
    )


def _raw(stored: bytes | memoryview | None) -> Raw | UnsetType:
    text = unpack(stored)
    return UNSET if text is None else Raw(text)
