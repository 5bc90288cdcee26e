"""Marks of calls become what a correction says of the decisions, in the contract's terms and in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corrections.decision_check import calls_of, check
from corrections.submissions import CorrectionBody, correction_said
from quality_console.presenting.form_calls import calls_to_mark, tool_choices
from quality_console.presenting.marks import Marked, expected_from_marks, value_problem
from quality_console.presenting.sentences import checks_in_words
from quality_console.presenting.shown import Mark, MarkKind
from quality_console.presenting.steps import ToolCalls, short_names

RIGHT, INSTEAD, NEVER = MarkKind.RIGHT, MarkKind.INSTEAD, MarkKind.NEVER
NO_JSON = "This is no valid JSON."
TOOLS: list[dict[str, Any]] = [
    {"id": "shop.find_user", "writes": False},
    {"id": "shop.get_order"},
    {"id": "shop.set_address", "writes": True},
    {"id": "shop.cancel", "writes": True},
]
CALLS: list[dict[str, Any]] = [
    {"tool": "shop.find_user", "args": {"zip": "80280"}},
    {"tool": "shop.get_order", "args": {"order_id": "#W1"}},
    {"tool": "shop.get_order", "args": {"order_id": "#W2"}},
    {"tool": "shop.set_address", "args": {"order_id": "#W1", "country": "US", "zip": 10001.0}},
    {"tool": "shop.cancel", "args": {"order_id": "#W2"}},
    {"tool": "shop.set_address", "args": {"order_id": "#W2", "country": "US"}},
]


def made(calls: list[dict[str, Any]] = CALLS) -> ToolCalls:
    return ToolCalls(json.dumps(calls).encode(), None)


def marked(*marks: Mark, calls: list[dict[str, Any]] = CALLS, tools: Any = TOOLS) -> Marked:
    return expected_from_marks(made(calls), marks, tools=tools)


def in_words(found: Marked, calls: list[dict[str, Any]] = CALLS) -> list[str]:
    names = short_names([tool["id"] for tool in TOOLS])
    return [str(sentence) for sentence in checks_in_words(found.expected, calls=made(calls), names=names)]


def test_a_call_marked_right_is_listed_with_its_arguments_to_the_letter() -> None:
    found = marked(Mark(RIGHT, "", 4))
    assert found.text == '[{"tool":"shop.set_address","args":{"order_id":"#W1","country":"US","zip":10001.0}}]'
    assert found.must_not_call == ()


def test_a_call_that_should_have_been_another_is_listed_with_what_is_ticked() -> None:
    found = marked(Mark(INSTEAD, "", 4, (("order_id", '"#W1"'), ("country", ' "USA" '))))
    assert json.loads(found.text) == [{"tool": "shop.set_address", "args": {"order_id": "#W1", "country": "USA"}}]


def test_only_the_call_matters_where_nothing_is_ticked() -> None:
    found = marked(Mark(INSTEAD, "shop.cancel"))
    assert found.text == '[{"tool":"shop.cancel","args":{}}]'
    assert in_words(found)[0] == "cancel must be called once, whatever its arguments"


def test_a_tool_that_shouldnt_have_been_called_is_ruled_out() -> None:
    found = marked(Mark(NEVER, "", 5))
    assert (found.must_not_call, found.should_call, found.notes) == (("shop.cancel",), (), ())
    assert in_words(found) == ["cancel must not be called", "the other tools aren't compared"]


def test_one_call_too_many_of_a_listed_tool_is_ruled_out_by_how_often_it_is_listed() -> None:
    found = marked(Mark(RIGHT, "", 4), Mark(NEVER, "", 6))
    assert (len(found.should_call), found.must_not_call, found.problems) == (1, (), ())
    assert found.notes == ("set_address must be called once: that rules out call 6, not the whole tool.",)
    assert not check(found.expected, calls_of(json.dumps(CALLS).encode())).passed


def test_other_calls_of_a_listed_tool_without_a_mark_are_told_of() -> None:
    found = marked(Mark(INSTEAD, "", 2, (("order_id", '"#W9"'),)))
    assert found.notes == ("get_order must be called once: call 3 has no mark. Mark it right to keep it.",)


def test_marks_that_the_run_itself_meets_are_told_of() -> None:
    found = marked(Mark(RIGHT, "", 1))
    assert found.notes == ("What it called passes this check: marked like this, nothing of it was wrong.",)


def test_what_is_checked_is_said_in_words() -> None:
    found = marked(
        Mark(RIGHT, "", 1),
        Mark(RIGHT, "", 2),
        Mark(INSTEAD, "shop.get_order", None, (("order_id", '"#W9"'),)),
        Mark(INSTEAD, "", 4, (("order_id", '"#W1"'), ("country", '"USA"'))),
        Mark(NEVER, "", 5),
    )
    assert in_words(found) == [
        "find_user must be called once, as call 1 was",
        'get_order must be called 2 times: as call 2 was; with order_id "#W9"',
        'set_address must be called once, with order_id "#W1" and country "USA"',
        "cancel must not be called",
        "the other tools aren't compared",
    ]


def test_calls_that_are_asked_for_alike_are_said_once() -> None:
    found = marked(*[Mark(INSTEAD, "shop.cancel")] * 3)
    assert in_words(found)[0] == "cancel must be called 3 times, each whatever its arguments"


def test_tools_and_values_are_code_in_a_sentence() -> None:
    found = marked(Mark(INSTEAD, "shop.cancel", None, (("order_id", '"#W1"'),)))
    (sentence, _) = checks_in_words(found.expected)
    assert sentence.pieces == (
        (True, "shop.cancel"),
        (False, " must be called once, with order_id "),
        (True, '"#W1"'),
    )


def test_nothing_compared_is_nothing_said() -> None:
    assert checks_in_words(marked().expected) == []


@pytest.mark.parametrize(
    ("mark", "argument", "text"),
    [
        (Mark(RIGHT, "", 7), None, "This run has no call 7."),
        (Mark(RIGHT, "", 0), None, "This run has no call 0."),
        (Mark(INSTEAD, "shop.refund"), None, 'The judged version has no tool "shop.refund".'),
        (Mark(NEVER, ""), None, "A correction can't name a tool of this id."),
        (
            Mark(INSTEAD, "shop.cancel", None, (("a", "USA"),)),
            "a",
            'This is no valid JSON. A text goes in quotes: "USA"',
        ),
        (Mark(INSTEAD, "shop.cancel", None, (("a", " "),)), "a", 'Write a JSON value, such as "text", 12 or true.'),
        (
            Mark(INSTEAD, "shop.cancel", None, (("a", "NaN"),)),
            "a",
            'This is no valid JSON. A text goes in quotes: "NaN"',
        ),
        (Mark(INSTEAD, "shop.cancel", None, (("a", "[" * 200 + "]" * 200),)), "a", "This is nested too deep."),
    ],
)
def test_what_cant_be_said_is_refused_where_it_stands(mark: Mark, argument: str | None, text: str) -> None:
    found = marked(Mark(RIGHT, "", 1), mark)
    assert [(problem.mark, problem.argument, problem.text) for problem in found.problems] == [(1, argument, text)]


@pytest.mark.parametrize(
    "args", [{"a": "x" * 4000}, {f"a{n}": n for n in range(101)}], ids=["too long", "too many fields"]
)
def test_a_call_that_is_too_large_to_list_is_refused(args: dict[str, Any]) -> None:
    found = marked(Mark(RIGHT, "", 1), calls=[{"tool": "t", "args": args}], tools=None)
    assert len(found.problems) == 1
    assert found.problems[0].mark == 0


def test_the_contracts_limits_are_said_before_it_is_sent() -> None:
    assert [problem.text for problem in marked().problems] == [
        "Mark at least one call, or add one that it should have made."
    ]
    many = marked(*[Mark(INSTEAD, "shop.cancel")] * 51)
    assert [problem.text for problem in many.problems] == ["A correction can list up to 50 calls."]
    tools = marked(*[Mark(NEVER, f"t{n}") for n in range(51)], tools=None)
    assert [problem.text for problem in tools.problems] == ["A correction can rule out up to 50 tools."]


def test_what_marks_come_to_is_taken_by_the_service_as_it_is() -> None:
    found = marked(Mark(RIGHT, "", 4), Mark(NEVER, "", 5), Mark(INSTEAD, "", 2, (("n", "1e2"), ("s", r'"\ud800"'))))
    body = CorrectionBody(
        run_id="r", decisions="wrong", should_call=list(found.should_call), must_not_call=list(found.must_not_call)
    )
    assert correction_said(body).should_call == found.text


def test_calls_that_only_read_are_folded_where_they_follow_one_another() -> None:
    groups = calls_to_mark(made(), tools=TOOLS)
    assert [(group.first, group.last, group.folded) for group in groups] == [
        (1, 3, True),
        (4, 4, False),
        (5, 5, False),
        (6, 6, False),
    ]
    assert not any(group.folded for group in calls_to_mark(made(), tools=None))


def test_the_tools_to_choose_from_are_the_versions_with_what_the_run_gave_them() -> None:
    chosen = tool_choices(made(), tools=TOOLS)
    assert [(tool.id, tool.short, tool.writes) for tool in chosen] == [
        ("shop.cancel", "cancel", True),
        ("shop.find_user", "find_user", False),
        ("shop.get_order", "get_order", False),
        ("shop.set_address", "set_address", True),
    ]
    assert chosen[3].parameters == ("order_id", "country", "zip")
    unregistered = tool_choices(made(), tools=None)
    assert [tool.id for tool in unregistered] == [tool.id for tool in chosen]
    assert {tool.writes for tool in unregistered} == {None}


@pytest.mark.parametrize("text", ['"x"', " 1.50 ", "-0", "[1, {}]", "null", '{"a":1}', "1e400", "9" * 5000])
def test_a_json_value_is_taken(text: str) -> None:
    assert value_problem(text) is None
