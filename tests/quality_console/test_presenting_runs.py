"""What a reviewer sees of a run: its own sentence, its calls with their results, and its answer to be read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quality_console.presenting.runs import RunTexts, part_as_it_came, part_of, present_run
from quality_console.presenting.shown import AnswerShown, Form, InputShown, Part, Place, Step
from quality_console.presenting.steps import short_names

TOOLS = [{"id": "shop.orders.get", "writes": False}, {"id": "shop.orders.cancel", "writes": True}]


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def input_of(value: Any) -> InputShown:
    shown = present_run(RunTexts(input=text(value))).input
    assert shown is not None
    return shown


def answer_of(value: Any) -> AnswerShown:
    shown = present_run(RunTexts(output=text(value))).answer
    assert shown is not None
    return shown


def steps_of(calls: list[dict[str, Any]], told: list[Any] | None = None) -> tuple[Step, ...]:
    output = None if told is None else text({"toolCalls": told})
    return present_run(RunTexts(output=output, calls=text(calls)), tools=TOOLS).steps


@pytest.mark.parametrize(
    ("value", "words", "pointer"),
    [
        ("Where is it?", "Where is it?", ""),
        ({"message": "Where is it?", "prompt": "no"}, "Where is it?", "/message"),
        ({"prompt": "Where is it?", "context": {"message": "no"}}, "Where is it?", "/prompt"),
        ({"message": " ", "question": "Where is it?"}, "Where is it?", "/question"),
        (
            {"message": {"content": [{"type": "image"}, {"type": "text", "text": "Hi"}]}},
            "Hi",
            "/message/content/1/text",
        ),
        (
            {
                "messages": [
                    {"role": "user", "content": "First"},
                    {"role": "assistant", "content": "?"},
                    {"role": "user", "content": "Last"},
                ]
            },
            "Last",
            "/messages/2/content",
        ),
        ([said("user", "Hi")], "Hi", "/0/content"),
    ],
)
def test_what_was_asked_is_found_where_reporters_put_it(value: Any, words: str, pointer: str) -> None:
    found = input_of(value).said
    assert found is not None
    assert (found.text, found.place) == (words, Place(Part.INPUT, pointer))


def test_the_rest_of_the_input_stands_under_its_own_pointer_where_it_is_one_field() -> None:
    found = input_of({"message": "Hi", "context": {"a": 1, "b": [2]}})
    assert found.rest is not None
    assert (found.rest_pointer, found.rest_count) == ("/context", 2)
    assert found.rest.text == '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}'


def test_several_other_fields_are_the_rest_together() -> None:
    found = input_of({"message": "Hi", "locale": "he", "trial": 0})
    assert found.rest is not None
    assert (found.rest_pointer, found.rest_count) == ("", 2)
    assert json.loads(found.rest.text) == {"locale": "he", "trial": 0}


def test_an_input_without_a_sentence_is_shown_whole() -> None:
    found = input_of({"score": 1.50})
    assert (found.said, found.rest_count) == (None, 1)
    assert found.rest is not None
    assert present_run(RunTexts(input=b'{"score":1.50}')).input.rest.text == '{\n  "score": 1.50\n}'  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("value", "words", "pointer"),
    [
        ({"response": {"content": "Sent."}, "answer": "no"}, "Sent.", "/response/content"),
        ({"response": {"content": ""}, "answer": "no"}, "", "/response/content"),
        ("Sent.", "Sent.", ""),
        ({"answer": "Sent."}, "Sent.", "/answer"),
        ({"response": {"content": [{"type": "text", "text": "Sent."}]}}, "Sent.", "/response/content/0/text"),
        ({"log": [said("user", "?"), said("assistant", "Sent.")]}, "Sent.", "/log/1/content"),
    ],
)
def test_what_was_answered_is_found_where_reporters_put_it(value: Any, words: str, pointer: str) -> None:
    found = answer_of(value)
    assert (found.said.text, found.pointer, found.whole, found.in_string) == (words, pointer, False, False)
    assert found.full_text == words
    assert found.empty == (words == "")


def test_an_output_without_an_answers_text_is_the_answer() -> None:
    found = answer_of({"matches": [{"id": 7}]})
    assert (found.pointer, found.whole) == ("", True)
    assert found.full_text == found.said.text == '{\n  "matches": [\n    {\n      "id": 7\n    }\n  ]\n}'
    assert found.raw.text == '{"matches": [{"id": 7}]}'


def test_a_text_in_an_envelope_in_a_string_is_read_without_it() -> None:
    came = '{\n  "message": "Done.\\n\\nAnything else?"\n}'
    found = answer_of({"response": {"content": came}})
    assert (found.said.text, found.said.form, found.in_string) == ("Done.\n\nAnything else?", Form.TEXT, True)
    assert found.full_text == "Done.\n\nAnything else?"
    assert json.loads(found.raw.text) == came


def test_other_json_in_a_string_is_laid_out() -> None:
    found = answer_of({"response": {"content": '{"status":"sent","order":{"id":1.0}}'}})
    assert (found.said.form, found.in_string) == (Form.JSON_IN_STRING, True)
    assert found.said.text == '{\n  "status": "sent",\n  "order": {\n    "id": 1.0\n  }\n}'


def test_steps_have_their_results_and_say_what_writes() -> None:
    calls: list[dict[str, Any]] = [
        {"tool": "shop.orders.get", "args": {"order_id": "#W1", "deep": {"a": [1]}}},
        {"tool": "shop.orders.cancel", "args": {}, "refused": True},
        {"tool": "other", "args": {}},
    ]
    told: list[Any] = [
        {"tool": "shop.orders.get", "args": {}, "result": {"status": "sent"}, "durationMs": 250},
        {"tool": "x", "result": 1},
    ]
    first, second, third = steps_of(calls, told)
    assert (first.n, first.tool, first.writes, first.refused) == (1, "shop.orders.get", False, False)
    assert first.peek == 'order_id "#W1", deep {"a": [1]}'
    assert [(arg.name, arg.json, arg.cut) for arg in first.args] == [
        ("order_id", '"#W1"', False),
        ("deep", '{"a": [1]}', False),
    ]
    assert first.result is not None
    assert (first.result.text, first.result.place) == (
        '{\n  "status": "sent"\n}',
        Place(Part.OUTPUT, "/toolCalls/0/result"),
    )
    assert first.milliseconds == 250
    assert (second.writes, second.refused, second.result, second.milliseconds) == (True, True, None, None)
    assert third.writes is None


@pytest.mark.parametrize(
    ("entry", "failed"),
    [
        ({"result": "Error: no such order"}, True),
        ({"result": {"error": "no such order"}}, True),
        ({"result": {"error": None, "status": "ok"}}, False),
        ({"result": "errands run"}, False),
        ({"result": "No error was found"}, False),
        ({"result": "x", "isError": True}, True),
        ({"result": None}, False),
    ],
)
def test_a_result_that_is_an_error_is_known(entry: dict[str, Any], failed: bool) -> None:
    (step,) = steps_of([{"tool": "t", "args": {}}], [{"tool": "t", **entry}])
    assert step.failed is failed


def test_calls_that_only_the_output_tells_are_steps_too() -> None:
    shown = present_run(RunTexts(output=text({"toolCalls": [{"tool": "t", "args": {"a": 1}, "result": 2}]})))
    assert [(step.tool, step.peek, step.result and step.result.text) for step in shown.steps] == [("t", "a 1", "2")]


def test_a_long_result_is_cut_and_read_whole_at_its_place() -> None:
    result = {"rows": [{"n": n} for n in range(100)]}
    texts = RunTexts(
        output=text({"toolCalls": [{"tool": "t", "result": result}]}), calls=text([{"tool": "t", "args": {}}])
    )
    (step,) = present_run(texts).steps
    assert step.result is not None
    assert step.result.cut
    assert len(step.result.text.split("\n")) <= 10
    assert step.result.characters == len(json.dumps(result))
    assert step.result.place is not None
    whole = part_of(texts, step.result.place)
    assert whole is not None
    assert whole.text.startswith(step.result.text)
    assert json.loads(whole.text) == result


def test_a_string_of_several_lines_is_shown_as_its_text() -> None:
    (step,) = steps_of([{"tool": "t", "args": {}}], [{"tool": "t", "result": "Airplane Mode: OFF\nSIM: active"}])
    assert step.result is not None
    assert (step.result.form, step.result.text) == (Form.TEXT, "Airplane Mode: OFF\nSIM: active")


def test_numbers_stay_as_they_are_spelled_and_letters_need_no_escapes() -> None:
    texts = RunTexts(output=rb'{"a":1.00,"b":12345678901234567890,"c":"\u05e9\u05dc\/","d":"\ud800\u0000","a":1e400}')
    shown = part_of(texts, Place(Part.OUTPUT))
    assert shown is not None
    assert shown.text == (
        '{\n  "a": 1.00,\n  "b": 12345678901234567890,\n  "c": "\u05e9\u05dc/",\n'
        '  "d": "\\ud800\\u0000",\n  "a": 1e400\n}'
    )
    came = part_as_it_came(texts, Place(Part.OUTPUT))
    assert came is not None
    assert came.text.encode() == texts.output


def test_of_a_long_conversation_the_end_is_shown() -> None:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"Message {n}"} for n in range(120)]
    shown = present_run(RunTexts(input=text({"messages": messages[:3]}), output=text({"log": messages}))).conversation
    assert shown is not None
    assert (shown.place, shown.left, len(shown.messages)) == (Place(Part.OUTPUT, "/log"), 70, 50)
    assert (shown.messages[-1].n, shown.messages[-1].role, shown.messages[-1].said.text) == (
        120,
        "assistant",
        "Message 119",
    )


def test_how_long_it_took_is_known_where_both_ends_are() -> None:
    start = datetime(2026, 11, 19, 14, 55, 30, 646000, tzinfo=UTC)
    assert (
        present_run(RunTexts(), created_at=start, completed_at=start + timedelta(seconds=43.134)).milliseconds == 43_134
    )
    assert present_run(RunTexts(), created_at=start, completed_at=None).milliseconds is None
    assert present_run(RunTexts(), created_at=start, completed_at=start - timedelta(seconds=1)).milliseconds is None


def test_an_erased_run_has_nothing_to_show() -> None:
    shown = present_run(RunTexts.of(None))
    assert (shown.input, shown.answer, shown.whole_output, shown.steps, shown.step_count) == (None, None, None, (), 0)
    assert part_of(RunTexts(), Place(Part.INPUT)) is None


def test_tools_are_shown_without_the_words_that_all_begin_with() -> None:
    assert short_names(["shop.orders.get", "shop.orders.cancel"]) == {
        "shop.orders.get": "get",
        "shop.orders.cancel": "cancel",
    }
    assert short_names(["shop.get", "get"]) == {"shop.get": "shop.get", "get": "get"}
    assert short_names(["shop.orders.get", "shop.orders"]) == {"shop.orders.get": "orders.get", "shop.orders": "orders"}
    assert short_names([]) == {}
