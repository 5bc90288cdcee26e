"""Where a run's own words stand in its content, by lists of places that are tried in order.

Reporters name things as they like. The first place that holds a text counts; a text in parts
(``[{"type": "text", "text": …}]``) is its first part.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from quality_console.presenting.spans import Text, below, can_be_printed, elements, fields, kind_of, string_of

# What people asked, after the input itself where it is a string.
ASKED = (
    "",
    "/message",
    "/message/content",
    "/message/text",
    "/prompt",
    "/question",
    "/query",
    "/text",
    "/content",
    "/input",
    "/input/message",
    "/input/text",
    "/request",
    "/userMessage",
    "/user_message",
    "/task",
    "/instructions",
)
# Where an agent's turn has its answer (contract, section 4): it counts even where it is empty.
ANSWER = "/response/content"
ANSWERED = (
    "",
    "/response",
    "/response/text",
    "/response/message",
    "/answer",
    "/answer/text",
    "/content",
    "/text",
    "/message",
    "/message/content",
    "/reply",
    "/output",
    "/result",
    "/summary",
)
# The only field of an answer that is JSON in a string, when it is no more than a text in an envelope.
ENVELOPES = ("message", "response", "answer", "content", "text", "reply")
_MOST_FIELDS = 50
_OBJECTS = re.compile(rb"\[\s*\{")
_LOOKED_AT = 5


class Said(NamedTuple):
    """A text and where it stands."""

    pointer: str
    text: str


class Messages(NamedTuple):
    """A list of messages and where it stands."""

    pointer: str
    spans: list[bytes]


def asked(content: Text) -> Said | None:
    """What was asked: the first of :data:`ASKED`, else the last message of the user's."""
    return _first(content, ASKED) or _last_of(content, frozenset({"user", "human", "customer"}))


def answered(content: Text) -> Said | None:
    """What was answered: at :data:`ANSWER`, the first of :data:`ANSWERED`, else the last message of the agent's."""
    span = content.find(ANSWER)
    text = None if span is None else string_of(span)
    if text is not None:
        return Said(ANSWER, text)
    return (
        text_at(content, ANSWER)
        or _first(content, ANSWERED)
        or _last_of(content, frozenset({"assistant", "agent", "ai", "model"}))
    )


def text_at(content: Text, pointer: str) -> Said | None:
    """The text at a place, unless it is blank: a string, or the first text of a list of parts."""
    span = content.find(pointer)
    return None if span is None else _text_of(span, pointer)


def _text_of(span: bytes, pointer: str) -> Said | None:
    text = string_of(span)
    if text is not None:
        return Said(pointer, text) if text.strip() else None
    for index, part in enumerate(elements(span)[:_LOOKED_AT] if kind_of(span) == "array" else []):
        found = string_of(fields(part).get("text", b"null"))
        if found and found.strip():
            return Said(below(below(pointer, index), "text"), found)
    return None


def _first(content: Text, places: tuple[str, ...]) -> Said | None:
    root = kind_of(content.whole)
    if root == "array":
        return None  # a list of messages, or of items: no text with an address of its own
    for pointer in places if root == "object" else ("",):
        said = text_at(content, pointer)
        if said is not None:
            return said
    return None


def _last_of(content: Text, roles: frozenset[str]) -> Said | None:
    found = messages_in(content)
    if found is None:
        return None
    for index in range(len(found.spans) - 1, -1, -1):
        message = fields(found.spans[index])
        if (string_of(message.get("role", b"null")) or "").lower() in roles:
            said = _text_of(message.get("content", b"null"), below(below(found.pointer, index), "content"))
            if said is not None:
                return said
    return None


def messages_in(content: Text) -> Messages | None:
    """The longest list of messages in the content itself, its fields, or the fields of these."""
    found: Messages | None = None
    for pointer, span in _near(content.whole):
        spans = elements(span) if _OBJECTS.match(span) else []
        if (
            spans
            and all(_is_message(one) for one in spans[:_LOOKED_AT])
            and len(spans) > len(found.spans if found else ())
        ):
            found = Messages(pointer, spans)
    return found


def _near(span: bytes) -> list[tuple[str, bytes]]:
    near = [("", span)]
    for name, value in list(fields(span).items())[:_MOST_FIELDS]:
        if not can_be_printed(name):
            continue
        near.append((below("", name), value))
        near += [(below(below("", name), inner), one) for inner, one in list(fields(value).items())[:_MOST_FIELDS]]
    return near


def _is_message(span: bytes) -> bool:
    message = fields(span)
    return string_of(message.get("role", b"null")) is not None and "content" in message
