"""A run as its page shows it: what came in, what it did, what it answered (contract, section 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from kindgi.runs.content import unpack
from kindgi.runs.models import RunContent
from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.places import ENVELOPES, Messages, Said, answered, asked, messages_in
from quality_console.presenting.printing import (
    FULL,
    MESSAGE,
    OUTPUT,
    QUOTE,
    WHOLE,
    Limits,
    block_of,
    json_block,
    raw_block,
    text_block,
)
from quality_console.presenting.shown import (
    AnswerShown,
    Block,
    Conversation,
    Form,
    InputShown,
    Message,
    Part,
    Place,
    RunShown,
)
from quality_console.presenting.spans import (
    Text,
    below,
    can_be_printed,
    count_of,
    elements,
    fields,
    json_in,
    kind_of,
    object_of,
    string_of,
)
from quality_console.presenting.steps import ToolCalls, steps_of

MOST_MESSAGES = 50
_ROLE = 40
# Longer texts aren't compared with what somebody writes instead, which has up to 4,000 characters.
COMPARED = Limits(lines=10**6, characters=20_000)


@dataclass(frozen=True, slots=True)
class RunTexts:
    """The JSON texts of a run's content, ``None`` for what it has none of."""

    input: bytes | None = None
    output: bytes | None = None
    calls: bytes | None = None

    @classmethod
    def of(cls, content: RunContent | None) -> Self:
        """The texts of a stored content; none of no content, as of an erased run."""
        if content is None:
            return cls()
        return cls(input=unpack(content.input), output=unpack(content.output), calls=unpack(content.calls))

    def part(self, part: Part) -> bytes | None:
        """One of them."""
        texts: dict[Part, bytes | None] = {Part.INPUT: self.input, Part.OUTPUT: self.output, Part.CALLS: self.calls}
        return texts[part]


def present_run(
    texts: RunTexts,
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    created_at: datetime | None = None,
    completed_at: datetime | None = None,
    steps_from: int = 0,
) -> RunShown:
    """The run to be shown, up to 100 of its steps from the index ``steps_from``.

    ``tools`` are those of its version, ``None`` where they were never registered.
    """
    calls = ToolCalls(texts.calls, texts.output)
    output = None if texts.output is None else Text(texts.output)
    return RunShown(
        input=None if texts.input is None else _input(Text(texts.input)),
        conversation=_conversation(texts),
        steps=steps_of(calls, tools=tools, start=steps_from),
        steps_from=max(0, min(steps_from, len(calls))),
        step_count=len(calls),
        answer=None if output is None else _answer(output),
        whole_output=None if output is None else json_block(output.whole, Place(Part.OUTPUT), OUTPUT),
        output_count=0 if output is None else count_of(output.whole),
        milliseconds=_milliseconds(created_at, completed_at),
    )


def _milliseconds(start: datetime | None, end: datetime | None) -> int | None:
    # A run that says of itself that it took no time at all has measured none.
    if start is None or end is None or end <= start:
        return None
    return round((end - start).total_seconds() * 1000)


def part_of(texts: RunTexts, place: Place) -> Block | None:
    """The whole of what stands at a place, laid out as the page lays it out; ``None`` for nothing there.

    What would take too many lines when laid out comes as it came.
    """
    span = _span_at(texts, place)
    if span is None:
        return None
    block = block_of(span, place, FULL)
    if not block.cut:
        return block
    string = string_of(span)
    return raw_block(span, place, WHOLE) if string is None else text_block(string, place, WHOLE)


def part_as_it_came(texts: RunTexts, place: Place) -> Block | None:
    """The whole of what stands at a place to the letter; ``None`` for nothing there."""
    span = _span_at(texts, place)
    return None if span is None else raw_block(span, place, WHOLE)


def _span_at(texts: RunTexts, place: Place) -> bytes | None:
    text = texts.part(place.part)
    return None if text is None else Text(text).find(place.pointer)


def _input(content: Text) -> InputShown:
    said = asked(content)
    if said is None:
        return InputShown(None, json_block(content.whole, Place(Part.INPUT), OUTPUT), "", count_of(content.whole))
    quote = text_block(said.text, Place(Part.INPUT, said.pointer), QUOTE)
    if said.pointer == "":
        return InputShown(quote, None, "", 0)
    others = {name: value for name, value in fields(content.whole).items() if below("", name) != said.pointer}
    if not others:
        return InputShown(quote, None, "", 0)
    name, value = next(iter(others.items()))
    pointer = below("", name)
    if len(others) == 1 and count_of(content.whole) == 2 and can_be_printed(pointer):
        return InputShown(quote, json_block(value, Place(Part.INPUT, pointer), OUTPUT), pointer, count_of(value))
    rest = json_block(
        object_of(others) if kind_of(content.whole) == "object" else content.whole, Place(Part.INPUT), OUTPUT
    )
    return InputShown(quote, rest, "", len(others))


def _conversation(texts: RunTexts) -> Conversation | None:
    """The longest list of messages in the output or the input; of a long one the end."""
    found: tuple[Part, Messages] | None = None
    for part in (Part.OUTPUT, Part.INPUT):
        text = texts.part(part)
        messages = None if text is None else messages_in(Text(text))
        if messages is not None and (found is None or len(messages.spans) > len(found[1].spans)):
            found = part, messages
    if found is None:
        return None
    part, (pointer, spans) = found
    left = max(0, len(spans) - MOST_MESSAGES)
    shown = tuple(
        _message(span, index, Place(part, below(pointer, index))) for index, span in enumerate(spans) if index >= left
    )
    return Conversation(Place(part, pointer), shown, left)


def _message(span: bytes, index: int, place: Place) -> Message:
    message = fields(span)
    content = message.get("content", b"null")
    pointer = below(place.pointer, "content")
    parts = elements(content)
    text = string_of(fields(parts[0]).get("text", b"null")) if len(parts) == 1 else None
    if text is not None:
        said = text_block(text, Place(place.part, below(below(pointer, 0), "text")), MESSAGE)
    elif (whole := string_of(content)) is not None:
        said = text_block(whole, Place(place.part, pointer), MESSAGE)
    else:
        said = json_block(content if kind_of(content) != "null" else span, place, MESSAGE)
    return Message(n=index + 1, role=clip(printable(string_of(message.get("role", b"null")) or ""), _ROLE), said=said)


def _answer(output: Text) -> AnswerShown:
    said = answered(output)
    if said is None:
        return _whole_answer(output)
    place = Place(Part.OUTPUT, said.pointer)
    inside = json_in(said.text)
    text = said.text if inside is None else _in_envelope(inside)
    span = output.find(said.pointer) or b"null"
    if inside is not None and text is None:
        readable, full = json_block(inside, place, QUOTE), json_block(inside, place, COMPARED)
        readable = _as_in_string(readable)
    else:
        readable, full = text_block(text or "", place, QUOTE), text_block(text or "", place, COMPARED)
    return AnswerShown(
        pointer=said.pointer,
        whole=False,
        in_string=inside is not None,
        empty=not said.text.strip(),
        said=readable,
        raw=_raw(said, span, place),
        full_text=None if full.cut else full.text,
    )


def _raw(said: Said, span: bytes, place: Place) -> Block:
    return raw_block(span, place, QUOTE) if span[:1] == b'"' else text_block(said.text, place, QUOTE)


def _as_in_string(block: Block) -> Block:
    return Block(block.text, block.characters, block.cut, Form.JSON_IN_STRING, block.place)


def _in_envelope(inside: bytes) -> str | None:
    """The text of an object that holds nothing else, under a name for it."""
    found = fields(inside)
    if len(found) != 1:
        return None
    ((name, value),) = found.items()
    return string_of(value) if name in ENVELOPES else None


def _whole_answer(output: Text) -> AnswerShown:
    place = Place(Part.OUTPUT)
    full = json_block(output.whole, place, COMPARED)
    return AnswerShown(
        pointer="",
        whole=True,
        in_string=False,
        empty=output.whole in (b"null", b'""', b"{}", b"[]") or string_of(output.whole) == "",
        said=json_block(output.whole, place, QUOTE),
        raw=raw_block(output.whole, place, QUOTE),
        full_text=None if full.cut else full.text,
    )
