"""Whatever JSON a run holds, its page can be drawn: nothing raises, all can be sent, pointers lead where they say."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi.api.errors import BadInput
from kindgi.api.jsontext import Document
from quality_console.presenting.form_calls import calls_to_mark, tool_choices
from quality_console.presenting.items import list_at, output_lists, output_tree
from quality_console.presenting.marks import expected_from_marks
from quality_console.presenting.printing import FULL, json_block
from quality_console.presenting.runs import RunTexts, part_as_it_came, part_of, present_run
from quality_console.presenting.sentences import checks_in_words
from quality_console.presenting.shown import Mark, MarkKind, Node, Part, Place
from quality_console.presenting.spans import Text, decoded, elements, fields, kind_of
from quality_console.presenting.steps import ToolCalls
from tests.quality_console import json_texts

SMALL = 150_000


def strings_in(shown: Any) -> Iterator[str]:
    """Every text that a page could print of what was made for it."""
    if isinstance(shown, str):
        yield shown
    elif isinstance(shown, (tuple, list)):
        for entry in shown:
            yield from strings_in(entry)
    elif dataclasses.is_dataclass(shown):
        for field in dataclasses.fields(shown):
            yield from strings_in(getattr(shown, field.name))


def assert_can_be_sent(shown: Any) -> None:
    for text in strings_in(shown):
        text.encode("utf-8")
        assert not any(sign < " " and sign not in "\n\t" for sign in text), repr(text)


def nodes_of(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes_of(child)


def everything(texts: RunTexts) -> list[Any]:
    """All that can be shown of a run."""
    calls = ToolCalls(texts.calls, texts.output)
    shown: list[Any] = [present_run(texts), calls_to_mark(calls, tools=None), tool_choices(calls, tools=None)]
    if texts.output is not None:
        shown += [output_lists(texts.output)[0], output_tree(texts.output)]
    return shown


@settings(deadline=None, max_examples=60)
@given(st.none() | json_texts.texts, st.none() | json_texts.texts, st.none() | json_texts.calls)
def test_any_content_is_shown_in_texts_that_can_be_sent(
    came: bytes | None, went: bytes | None, calls: bytes | None
) -> None:
    texts = RunTexts(came, went, calls)
    for shown in everything(texts):
        assert_can_be_sent(shown)
    for part in Part:
        whole = part_of(texts, Place(part))
        assert (whole is None) == (texts.part(part) is None)
        assert_can_be_sent(whole)


@settings(deadline=None, max_examples=60)
@given(json_texts.texts, json_texts.calls)
def test_the_whole_of_whatever_is_cut_is_at_its_place(went: bytes, calls: bytes) -> None:
    texts = RunTexts(went, went, calls)
    shown = present_run(texts)
    blocks = [step.result for step in shown.steps] + [step.whole_args for step in shown.steps]
    blocks += [
        shown.whole_output,
        shown.answer.said if shown.answer else None,
        shown.input.said if shown.input else None,
    ]
    blocks += [message.said for message in shown.conversation.messages] if shown.conversation else []
    for block in blocks:
        if block is not None and block.place is not None:
            whole = part_of(texts, block.place)
            assert whole is not None
            assert not whole.cut


@settings(deadline=None, max_examples=60)
@given(json_texts.readable)
def test_what_is_laid_out_as_json_is_the_same_value(text: str) -> None:
    block = json_block(text.encode(), None, FULL)
    reader = json.JSONDecoder(parse_int=str, parse_float=str, object_pairs_hook=list)
    assert not block.cut
    assert reader.decode(block.text) == reader.decode(text)


@settings(deadline=None, max_examples=60)
@given(json_texts.texts)
def test_what_came_is_shown_to_the_letter(text: bytes) -> None:
    came = part_as_it_came(RunTexts(output=text), Place(Part.OUTPUT))
    assert came is not None
    if not any("\x7f" <= sign <= "\x9f" for sign in decoded(text)):
        assert came.text == decoded(text).strip().replace("\r\n", "\n")


@settings(deadline=None, max_examples=60)
@given(json_texts.texts)
def test_each_element_of_a_found_list_is_at_its_pointer(text: bytes) -> None:
    output = Text(text)
    for found in output_lists(text)[0]:
        inside = elements(output.find(found.pointer) or b"")
        assert len(inside) == found.count > 0
        assert len({element.key for element in found.elements}) == len(found.elements)
        for element in found.elements:
            assert output.find(element.pointer) == inside[element.rank]
            assert 1 <= len(element.key) <= 200
            assert element.key not in ("answer", "kindgi:correction")
            assert found_by_the_services(text, element.pointer) in (None, inside[element.rank])
        assert list_at(text, found.pointer, count=len(found.elements)) == found


def found_by_the_services(text: bytes, pointer: str) -> bytes | None:
    """What a correction's pointer finds, or ``None`` where such an output is never stored."""
    try:
        found = Document(text).find(pointer)
    except BadInput:
        return None
    assert found is not None
    return found


@settings(deadline=None, max_examples=60)
@given(json_texts.texts)
def test_each_value_of_the_tree_is_at_its_pointer(text: bytes) -> None:
    output, root = Text(text), output_tree(text)
    assert root is not None
    for node in nodes_of(root):
        if not node.addressable:
            continue
        span = output.find(node.pointer)
        assert span is not None
        assert kind_of(span) == node.kind
        assert node.count == len(fields(span)) + len(elements(span))
        assert node.left == node.count - len(node.children)
        again = output_tree(text, at=node.pointer)
        assert again is not None
        assert (again.kind, again.text, again.count) == (node.kind, node.text, node.count)


@settings(deadline=None, max_examples=60)
@given(json_texts.texts, st.text(max_size=30))
def test_any_address_of_a_part_is_answered(text: bytes, pointer: str) -> None:
    for place in (Place(Part.OUTPUT, pointer), Place(Part.INPUT, f"/{pointer}")):
        found = part_of(RunTexts(text, text), place)
        assert found is None or not found.cut
    assert list_at(text, pointer) is None or pointer == "" or pointer.startswith("/")


marks = st.lists(
    st.builds(
        Mark,
        st.sampled_from(MarkKind),
        st.sampled_from(["a", "b"]) | st.text(max_size=5),
        st.none() | st.integers(-1, 8),
        st.lists(st.tuples(st.text(max_size=5), st.text(max_size=9) | json_texts.nested), max_size=3).map(tuple),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=60)
@given(json_texts.calls, marks)
def test_any_marks_are_taken_or_refused_in_words(calls: bytes, given_marks: list[Mark]) -> None:
    made = ToolCalls(calls, None)
    marked = expected_from_marks(made, given_marks, tools=None)
    assert marked.problems or marked.should_call or marked.must_not_call
    assert_can_be_sent([problem.text for problem in marked.problems])
    assert_can_be_sent(marked.notes)
    if not marked.problems:
        json.loads(marked.text)
        assert not {call.tool for call in marked.should_call} & set(marked.must_not_call)
        assert_can_be_sent(checks_in_words(marked.expected, calls=made))


def large_outputs() -> dict[str, bytes]:
    text = "word " * 200_000
    return {
        "a long text": json.dumps({"response": {"content": text}}).encode(),
        "a long list": b"[" + b"1," * 500_000 + b"1]",
        "many lists": json.dumps({f"key {n}": [n] * 3 for n in range(40_000)}).encode(),
        "long names": json.dumps({"n" * 500 + str(n): {"id": "i" * 500} for n in range(900)}).encode(),
        "long texts": json.dumps([{"title": "t" * 900, "role": "r" * 900, "content": "c" * 9000}] * 100).encode(),
        "json in a string": json.dumps({"response": {"content": json.dumps([{"a": text}])}}).encode(),
        "deep": b'{"a":' * 1000 + b"[1]" + b"}" * 1000,
        "one short line each": json.dumps({"response": {"content": "\n" * 1_000_000}}).encode(),
    }


@pytest.mark.parametrize("name", large_outputs())
def test_a_mebibyte_is_shown_small_and_read_whole(name: str) -> None:
    output = large_outputs()[name]
    texts = RunTexts(output, output, None)
    for shown in everything(texts):
        assert sum(len(text) for text in strings_in(shown)) < SMALL
    whole = part_of(texts, Place(Part.OUTPUT))
    assert whole is not None
    assert not whole.cut
    assert len(whole.text) >= len(output) - 2


def test_ten_thousand_calls_are_shown_small() -> None:
    calls = [
        {"tool": f"shop.tool{n % 9}", "args": {"id": n, "text": "x" * 900, "more": ["y"] * 90}} for n in range(10_000)
    ]
    told = [{**call, "result": {"rows": ["z" * 90] * 50}} for call in calls]
    texts = RunTexts(b"{}", json.dumps({"toolCalls": told}).encode(), json.dumps(calls).encode())
    for shown in everything(texts):
        assert sum(len(text) for text in strings_in(shown)) < 4 * SMALL
    shown = present_run(texts, steps_from=9_950)
    assert (shown.step_count, shown.steps_from, [step.n for step in shown.steps]) == (
        10_000,
        9_950,
        [*range(9_951, 10_001)],
    )
