"""How test sets and their cases are sent (contract, section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, TypeVar
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType

from corrections.models import ANSWER_KEY
from improve.comparing import as_float
from improve.judged import Judged, JudgedItem, Said, Voice, judged_unpacked
from improve.models import TestCase, TestSet
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire
from kindgi.runs.content import unpack
from kindgi.runs.records import Calls

Value = TypeVar("Value")


class TestSetAnswer(Answer, kw_only=True):
    """A test set; its `id` is what an evaluation takes as `suiteId`. `truncated`: more runs matched than it holds."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    agent_id: str
    version: int
    versions: list[str] | UnsetType = UNSET
    since: Time | UnsetType = UNSET
    until: Time | UnsetType = UNSET
    judge_class_ids: list[UUID] | UnsetType = UNSET
    min_verdicts: int
    experts_only: bool
    cases: int
    truncated: bool
    made_by: str
    created_at: Time


class CaseSubject(Answer):
    """What ran."""

    kind: Literal["agent"]
    id: str
    version: str


class WeightAnswer(Answer):
    """What the verdicts that say right weigh, and all."""

    yes_weight: float
    total_weight: float


class ReasonAnswer(Answer, kw_only=True):
    """Why somebody said so."""

    verdict: Literal["yes", "no"]
    reason: str
    judge_class_id: UUID | UnsetType = UNSET
    restricted: Literal[True] | UnsetType = UNSET


class CaseItemAnswer(Answer, kw_only=True):
    """A judged thing, with its verdicts summed up as their classes weighed when the test set was made.

    `restricted` is the experts' alone, where there are any.
    """

    key: str
    pointer: str | UnsetType = UNSET
    rank: int | UnsetType = UNSET
    yes: int
    no: int
    yes_weight: float
    total_weight: float
    restricted: WeightAnswer | UnsetType = UNSET
    reasons: list[ReasonAnswer]


class ExpectedAnswer(Answer, kw_only=True):
    """What a correction says instead: the calls that should have been made, those that shouldn't, the answer."""

    calls: Calls | UnsetType = UNSET
    not_called: list[str] | UnsetType = UNSET
    should_say: str | UnsetType = UNSET
    restricted: Literal[True] | UnsetType = UNSET


class CaseAnswer(Answer, kw_only=True):
    """A case: a corrected run as it was, to the byte, and what people said of it.

    `erased`: a person's words were erased, and evaluations leave it out.
    """

    case_id: UUID
    subject: CaseSubject
    completed_at: Time
    input: Raw
    output: Raw
    calls: Calls | UnsetType = UNSET
    items: list[CaseItemAnswer]
    expected: list[ExpectedAnswer]
    erased: Literal[True] | UnsetType = UNSET


def test_set_answer(test_set: TestSet) -> TestSetAnswer:
    """A test set as it is sent."""
    return TestSetAnswer(
        id=test_set.pk,
        tenant_id=test_set.tenant_id,
        project_id=test_set.project_id,
        agent_id=test_set.agent_id,
        version=test_set.version,
        versions=_there(test_set.versions),
        since=UNSET if test_set.since is None else wire(test_set.since),
        until=UNSET if test_set.until is None else wire(test_set.until),
        judge_class_ids=_there(test_set.judge_class_ids),
        min_verdicts=test_set.min_verdicts,
        experts_only=test_set.experts_only,
        cases=test_set.cases,
        truncated=test_set.truncated,
        made_by=test_set.made_by,
        created_at=wire(test_set.created_at),
    )


def case_answer(case: TestCase, *, agent_id: str) -> CaseAnswer:
    """A case with its content as it is sent."""
    judged = judged_unpacked(case.judged)
    content = case.content if judged is not None else None
    return CaseAnswer(
        case_id=case.run_id,
        subject=CaseSubject("agent", agent_id, case.agent_version),
        completed_at=wire(case.completed_at),
        input=_raw(None if content is None else content.input),
        output=_raw(None if content is None else content.output),
        calls=_raw(content.calls) if content is not None and content.calls is not None else UNSET,
        items=[] if judged is None else [_item(item, judged) for item in judged.items],
        expected=[] if judged is None else list(_expected(judged)),
        erased=True if judged is None else UNSET,
    )


def _there(value: Value | None) -> Value | UnsetType:
    return UNSET if value is None else value


def _raw(stored: bytes | memoryview | None) -> Raw:
    return Raw(unpack(stored) or b"null")


def _item(item: JudgedItem, judged: Judged) -> CaseItemAnswer:
    right = [voice for voice in item.voices if voice.right]
    experts = [voice for voice in item.voices if voice.expert]
    return CaseItemAnswer(
        key=item.key,
        pointer=_there(item.pointer),
        rank=_there(item.rank),
        yes=len(right),
        no=len(item.voices) - len(right),
        yes_weight=_weight(right),
        total_weight=_weight(item.voices),
        restricted=_weights(experts) if experts else UNSET,
        reasons=list(_reasons(item, judged)),
    )


def _weights(voices: Sequence[Voice]) -> WeightAnswer:
    return WeightAnswer(_weight(voice for voice in voices if voice.right), _weight(voices))


def _weight(voices: Iterable[Voice]) -> float:
    return as_float(sum((Fraction(voice.weight) for voice in voices), Fraction()))


def _reasons(item: JudgedItem, judged: Judged) -> Iterator[ReasonAnswer]:
    """A correction's words are the reason of each of its verdicts; of one that judges the answer, of that alone."""
    of_answer = {voice.said for one in judged.items if one.key == ANSWER_KEY for voice in one.voices}
    for voice in item.voices:
        why = judged.said[voice.said].why
        if why is not None and (item.key == ANSWER_KEY or voice.said not in of_answer):
            yield ReasonAnswer(
                verdict="yes" if voice.right else "no",
                reason=why,
                judge_class_id=_there(voice.judge_class_id),
                restricted=True if voice.expert else UNSET,
            )


def _expected(judged: Judged) -> Iterator[ExpectedAnswer]:
    experts = {voice.said for item in judged.items for voice in item.voices if voice.expert}
    for index, said in enumerate(judged.said):
        if said.expected is not None or said.should_say is not None:
            yield _expected_of(said, restricted=index in experts)


def _expected_of(said: Said, *, restricted: bool) -> ExpectedAnswer:
    listed = said.expected is not None
    return ExpectedAnswer(
        calls=Raw(said.should_call.encode()) if listed and said.should_call else UNSET,
        not_called=_there(said.must_not_call) if listed else UNSET,
        should_say=_there(said.should_say),
        restricted=True if restricted else UNSET,
    )
