"""How a replay comes out for a correction, thing by thing and altogether: pure, no database (contract, section 4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corrections.decision_check import Expected
from corrections.grading import Marks, Output, Replayed, ToGrade, Wrong, canonical_text, grade, overall
from corrections.json_values import canonical
from corrections.models import Outcome

LOOKUP = '[{"tool": "lookup", "args": {"id": 1}}]'
NOTHING = Expected.of(should_call=None, must_not_call=None)


def replayed(output: Any = None, calls: Any = None) -> Replayed:
    return Replayed(
        None if calls is None else json.dumps(calls).encode(),
        None if output is None else Output(json.dumps(output).encode()),
    )


def outcome(wrong: Wrong, replay: Replayed, **more: Any) -> str:
    return grade(ToGrade([wrong], more.pop("expected", NOTHING), **more), replay).outcome.value


def answers(*values: tuple[Any, bool]) -> Callable[[], Marks]:
    return lambda: Marks(answers={canonical(value): right for value, right in values})


def items(*values: tuple[Any, bool]) -> Callable[[], Marks]:
    return lambda: Marks(items={canonical(value): right for value, right in values})


TURN = {"response": {"content": "It is lost."}}
ANSWER = Wrong("answer", None, canonical("It is lost."))

ANSWERS: list[tuple[str, Any, dict[str, Any], str]] = [
    ("says what it should", {"response": {"content": "It came."}}, {"should_say": "It came."}, "right"),
    ("says it as the whole output", "It came.", {"should_say": "It came."}, "right"),
    ("says it elsewhere", {"text": "It came."}, {"should_say": "It came."}, "changed"),
    ("says almost what it should", {"response": {"content": "It came"}}, {"should_say": "It came."}, "changed"),
    ("says it in other letters", "\u00e9", {"should_say": "e\u0301"}, "changed"),
    ("says what was wrong", TURN, {"should_say": "It came."}, "wrong"),
    ("says what was wrong, with other things about it", {**TURN, "tokens": 7}, {}, "wrong"),
    ("says what somebody found right", "Tomorrow.", {"marks": answers(("Tomorrow.", True))}, "right"),
    ("says what somebody else found wrong", "Never.", {"marks": answers(("Never.", False))}, "wrong"),
    ("says what somebody found right of an item", "Never.", {"marks": items(("Never.", True))}, "changed"),
    ("says what was wrong, and right for others", TURN, {"marks": answers(("It is lost.", True))}, "wrong"),
    ("should say what it said", TURN, {"should_say": "It is lost."}, "right"),
    ("says something new", "Who knows?", {"should_say": "It came."}, "changed"),
    ("says nothing of it", {"response": {}}, {"should_say": "It came."}, "changed"),
    ("has an answer that is no text", {"response": {"content": ["It came."]}}, {"should_say": "It came."}, "changed"),
]


@pytest.mark.parametrize(
    ("output", "more", "expected"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_a_wrong_answer(output: Any, more: dict[str, Any], expected: str):
    assert outcome(ANSWER, replayed(output), **more) == expected


def test_an_answer_that_was_pointed_at_is_looked_for_there():
    wrong = Wrong("answer", "/text", canonical("Lost."))
    assert outcome(wrong, replayed({"text": "Lost.", **TURN})) == "wrong"
    assert outcome(wrong, replayed({"text": "Came.", **TURN}), should_say="Came.") == "right"
    assert outcome(wrong, replayed(TURN), should_say="It is lost.") == "changed"
    assert outcome(Wrong("answer", "", canonical(TURN)), replayed(TURN)) == "wrong"


def test_an_answer_whose_content_is_no_text_is_the_whole_output():
    listed = {"response": {"content": ["It is lost."]}, "turn": 1}
    wrong = Wrong("answer", None, Output(json.dumps(listed).encode()).answer)
    assert outcome(wrong, replayed(listed)) == "wrong"
    assert outcome(wrong, replayed({**listed, "turn": 2})) == "changed"


ITEM = Wrong("case-7", "/matches/1", canonical({"id": 7, "score": 1}))
ITEMS: list[tuple[str, Any, str]] = [
    ("is there still", {"matches": [0, {"id": 7, "score": 1}]}, "wrong"),
    ("is there in another spelling", {"matches": [0, {"score": 1.0, "id": 7}]}, "wrong"),
    ("is right now", {"matches": [0, {"id": 8}]}, "right"),
    ("is something else", {"matches": [0, {"id": 9}]}, "changed"),
    ("is in another place", {"matches": [{"id": 7, "score": 1}, {"id": 5}]}, "changed"),
    ("isn't there any more", {"matches": [0]}, "changed"),
    ("is null now", {"matches": [0, None]}, "changed"),
    ("is in a text now", {"matches": "ab"}, "changed"),
]


@pytest.mark.parametrize(("output", "expected"), [case[1:] for case in ITEMS], ids=[case[0] for case in ITEMS])
def test_a_wrong_item(output: Any, expected: str):
    assert outcome(ITEM, replayed(output), marks=items(({"id": 8}, True))) == expected


def test_nobody_can_tell_of_an_item_without_a_pointer():
    assert outcome(Wrong("case-7"), replayed({"matches": []})) == "changed"
    assert outcome(Wrong("case-7"), replayed("case-7"), marks=items(("case-7", True))) == "changed"


def test_a_wrong_item_is_never_right_by_what_the_answer_should_say():
    assert outcome(Wrong("a", "/a", canonical("x")), replayed({"a": "y"}), should_say="y") == "changed"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([{"tool": "lookup", "args": {"id": 1}}], "right"),
        ([{"tool": "lookup", "args": {"id": 1.0}, "refused": True}], "right"),
        ([{"tool": "lookup", "args": {"id": "1"}}], "wrong"),
        ([], "wrong"),
        (None, "unchecked"),
    ],
)
def test_wrong_decisions_are_right_when_the_calls_pass_the_check(calls: Any, expected: str):
    wrong = Wrong("kindgi:correction")
    replay = replayed({"response": {"content": "x"}}, calls)
    assert outcome(wrong, replay, expected=Expected.of(should_call=LOOKUP, must_not_call=None)) == expected


def test_decisions_whose_args_were_erased_are_unchecked():
    wrong = Wrong("kindgi:correction")
    assert grade(ToGrade([wrong], None), replayed(calls=[])).outcome == Outcome.UNCHECKED


def test_what_the_replay_does_not_tell_is_unchecked():
    assert outcome(ANSWER, replayed(calls=[]), should_say="It came.") == "unchecked"
    assert outcome(ITEM, replayed()) == "unchecked"


PLACE = {name: place for place, name in enumerate(["wrong", "changed", "unchecked", "right"])}


@pytest.mark.parametrize("parts", list(combinations_with_replacement(Outcome.values, 3)))
def test_altogether_it_is_as_the_worst_of_its_parts(parts: tuple[str, ...]):
    assert overall(map(Outcome, parts)) == min(parts, key=PLACE.__getitem__)


def test_a_correction_of_several_things_is_right_only_when_all_are():
    parts = [Wrong("kindgi:correction"), ANSWER, ITEM]
    expected = Expected.of(should_call=LOOKUP, must_not_call=None)
    to_grade = ToGrade(parts, expected, "It came.", items(({"id": 8}, True)))
    right = {"response": {"content": "It came."}, "matches": [0, {"id": 8}]}
    found = grade(to_grade, replayed(right, [{"tool": "lookup", "args": {"id": 1}}]))
    assert found.outcome == Outcome.RIGHT
    assert found.parts == {"kindgi:correction": "right", "answer": "right", "case-7": "right"}
    found = grade(to_grade, replayed(right, []))
    assert (found.outcome, found.parts["answer"]) == (Outcome.WRONG, Outcome.RIGHT)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=json_values, other=json_values)
def test_whatever_was_wrong_stays_wrong_and_nothing_else_is(value: Any, other: Any):
    wrong = Wrong("a", "/a", canonical_text(json.dumps(value).encode()))
    assert outcome(wrong, replayed({"a": value})) == "wrong"
    same = canonical(other) == canonical(value)
    assert outcome(wrong, replayed({"a": other})) == ("wrong" if same else "changed")
