"""JSON texts taken apart without changing how anything in them is spelled.

At C speed where that can be done; what is nested too deep or holds lone surrogates is scanned
token by token, without recursion, so that no JSON text is too much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NoReturn

from jsonpointer import JsonPointer, JsonPointerException, escape

from corrections import json_values
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import Document

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_KINDS = {b"{": "object", b"[": "array", b'"': "string", b"t": "boolean", b"f": "boolean", b"n": "null"}
# No form sends control characters as they are, nor lone surrogates, nor are their masks told from them when sought.
_UNSENDABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ue800-\uefff]")
MAX_POINTER = 500


def decoded(span: bytes) -> str:
    """A JSON text as text."""
    return span.decode("utf-8", "surrogatepass")


def encoded(text: str) -> bytes:
    """A JSON text, or a string, as bytes."""
    return text.encode("utf-8", "surrogatepass")


def kind_of(span: bytes) -> str:
    """One of ``object array string number boolean null``."""
    return _KINDS.get(span[:1], "number")


def fields(span: bytes) -> dict[str, bytes]:
    """The fields of an object, as they are spelled; of one that is there twice the last. Empty for no object."""
    if kind_of(span) != "object":
        return {}
    try:
        return {name: bytes(value) for name, value in json_values.members(span).items()}
    except (ValueError, RecursionError):
        return dict(_split(decoded(span)))


def elements(span: bytes) -> list[bytes]:
    """The elements of an array, as they are spelled. Empty for no array."""
    if kind_of(span) != "array":
        return []
    try:
        return [bytes(element) for element in json_values.elements(span)]
    except (ValueError, RecursionError):
        return [element for _, element in _split(decoded(span))]


def count_of(span: bytes) -> int:
    """How many fields or elements a value has; 0 for one that is neither an object nor an array."""
    kind = kind_of(span)
    if kind not in ("object", "array"):
        return 0
    try:
        return len(json_values.members(span) if kind == "object" else json_values.elements(span))
    except (ValueError, RecursionError):
        return sum(1 for _ in _split(decoded(span)))


def object_of(members: Mapping[str, bytes]) -> bytes:
    """The JSON text of an object with these fields, each as it is spelled."""
    return b"{" + b",".join(encoded(json.dumps(name)) + b":" + value for name, value in members.items()) + b"}"


def _split(text: str) -> Iterator[tuple[str, bytes]]:
    """The fields of an object, or the elements of an array under empty names."""
    names = text.startswith("{")
    depth, name, start = 0, "", -1
    for match in TOKEN.finditer(text):
        sign = match[0]
        if sign in "]}":
            depth -= 1
        if start >= 0 and depth <= 1 and (depth == 0 or sign == ","):
            yield name, encoded(text[start : match.start()].strip())
            start, name = -1, ""
        elif depth == 1 and names and sign == ":" and start < 0:
            start = match.end()
        elif depth == 1 and names and start < 0 and sign[0] == '"':
            name = json.loads(sign)
        elif depth == 1 and not names and start < 0:
            start = match.start()
        if sign in "[{":
            depth += 1


def string_of(span: bytes) -> str | None:
    """The string that a JSON text is, or ``None`` for another value."""
    if span[:1] != b'"':
        return None
    found: str = json.loads(decoded(span), strict=False)
    return found


def json_in(text: str) -> bytes | None:
    """The JSON text of an object or a list that a string is, or ``None``."""
    stripped = text.strip(" \t\r\n")
    if stripped[:1] not in ("{", "["):
        return None
    try:
        _CHECKER.decode(stripped)
    except (ValueError, RecursionError):
        return None
    return encoded(stripped)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value.")


_CHECKER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)


def below(pointer: str, name: str | int) -> str:
    """The pointer of a field or an element of what is at ``pointer``."""
    return f"{pointer}/{escape(str(name))}"


def can_be_sent(pointer: str) -> bool:
    """Whether a correction's item can have this pointer, and a form can send it (contract, section 4)."""
    return len(pointer) <= MAX_POINTER and can_be_printed(pointer)


def can_be_printed(pointer: str) -> bool:
    """Whether a pointer can stand in an address and come back as it was."""
    return _UNSENDABLE.search(pointer) is None


class Text:
    """A JSON text in which values are found by pointer."""

    def __init__(self, text: bytes) -> None:
        """Look into ``text``, which is valid JSON."""
        self.whole = text.strip()
        self._document = Document(self.whole)

    def find(self, pointer: str) -> bytes | None:
        """The span that ``pointer`` names; ``None`` for nothing there, and for what is no pointer."""
        if pointer and not self._may_hold(pointer):
            return None
        try:
            return self._document.find(pointer)
        except (BadInput, RecursionError):  # no pointer, or a text that takes the slow way
            return self._walk(pointer)

    def _may_hold(self, pointer: str) -> bool:
        """Whether the whole is such that something can be at a pointer into it; a long list isn't read to see it."""
        first = pointer[1:].partition("/")[0]
        return self.whole[:1] == b"{" or (self.whole[:1] == b"[" and _INDEX.fullmatch(first) is not None)

    def _walk(self, pointer: str) -> bytes | None:
        try:
            parts = JsonPointer(pointer).parts
        except JsonPointerException:
            return None
        here: bytes | None = self.whole
        for part in parts:
            here = None if here is None else _step(here, part)
        return here


def _step(span: bytes, part: str) -> bytes | None:
    if kind_of(span) == "object":
        return fields(span).get(part)
    inside = elements(span) if _INDEX.fullmatch(part) else []
    return inside[int(part)] if inside and int(part) < len(inside) else None
