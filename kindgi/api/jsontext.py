"""JSON as text: kept to the byte where it is content, decoded strictly where it is a request.

Content (a run's input, output and calls, a listed call's args) is never parsed into Python
values on its way through: :class:`msgspec.Raw` hands out the exact span that was sent, so that
key order, number spelling and escapes survive (contract, section 3).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable
from functools import cache, lru_cache
from itertools import accumulate
from operator import add
from typing import Any, TypeVar, cast

import msgspec
from jsonpointer import JsonPointer, JsonPointerException
from msgspec import Raw

from kindgi.api.errors import BadInput

T = TypeVar("T")

MAX_DEPTH = 128
MAX_PROBLEM = 300

_DROP = bytes(set(range(256)) - set(b'"[]{}'))
_SQUARE = bytes.maketrans(b"{}", b"[]")
_BIT = bytes.maketrans(b"[]", b"10")
# Of eight brackets, one bit each: how much deeper it is after them, and how deep it gets on the way.
_WAYS = [list(accumulate(1 if eight & bit else -1 for bit in (128, 64, 32, 16, 8, 4, 2, 1))) for eight in range(256)]
_DEEPER = array("b", [way[-1] for way in _WAYS]).tobytes()
_DEEPEST = array("b", [max(way) for way in _WAYS]).tobytes()
# No JSON text holds a NUL byte, so that two of them can stand for an escaped backslash.
_BACKSLASH = b"\0\0"
_HEX = rb"[0-9a-fA-F]{2}"
_HIGH, _LOW = rb"\\u[dD][89aAbB]" + _HEX, rb"\\u[dD][c-fC-F]" + _HEX
_LONE_HIGH = rb"\\u%b(?=[89aAbB]" + _HEX + rb"(?!" + _LOW + rb"))"
_LONE_LOW = rb"\\u%b(?<!" + _HIGH + rb"\\u%b)(?=[c-fC-F]" + _HEX + rb")"
_ANY = rb"\\u%b(?=[89a-fA-F]" + _HEX + rb")"
_MASK = [
    (re.compile(_LONE_HIGH % b"d"), rb"\\ue"),
    (re.compile(_LONE_HIGH % b"D"), rb"\\uE"),
    (re.compile(_LONE_LOW % (b"d", b"d")), rb"\\ue"),
    (re.compile(_LONE_LOW % (b"D", b"D")), rb"\\uE"),
]
_UNMASK = [(re.compile(_ANY % b"e"), rb"\\ud"), (re.compile(_ANY % b"E"), rb"\\uD")]
_MASKED_CHAR = re.compile("[\ue800-\uefff]")
_PLACE = re.compile(r" - at `(?:key in )?(\$[^`]*)`$")
_CONTAINERS: dict[bytes, Any] = {b"{": dict[str, Raw], b"[": list[Raw]}
_INDEX = re.compile(r"0|[1-9][0-9]*")


def check_depth(body: bytes, limit: int = MAX_DEPTH) -> None:
    """Refuse ``body`` when it is nested deeper than ``limit``, at C speed and without recursion.

    All but the brackets outside of strings is dropped; what is left is added up, eight at a time.
    Of a body that isn't JSON the decoder will say so.
    """
    if body.count(b"[") + body.count(b"{") <= limit:
        return
    if b"\\" in body:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = body.translate(_SQUARE, _DROP)
    if b'"' in marks:
        marks = b"".join(marks.replace(b'""', b"").split(b'"')[::2])
    marks += b"]" * (8 - len(marks) % 8)
    eights = int(marks.translate(_BIT), 2).to_bytes(len(marks) // 8, "big")
    before = accumulate(array("b", eights.translate(_DEEPER)), initial=0)
    if max(map(add, before, array("b", eights.translate(_DEEPEST)))) > limit:
        raise BadInput(f"The body is nested deeper than {limit} levels.", details={"maxDepth": limit})


def decode(body: bytes, kind: type[T]) -> T:
    """``body`` as ``kind`` (a ``Struct`` or a list of them); raises :class:`BadInput` naming the place."""
    _check_utf8(body)
    check_depth(body)
    value, masked = _decoded(body, kind)
    return _settled(value, "", masked=masked) if masked or b"\\u0000" in body else value


def decode_span(span: bytes, kind: type[T], place: str) -> T:
    """A span of an already decoded body as ``kind``; ``place`` is where it stood in the body."""
    value, masked = _decoded(span, kind, place)
    return _settled(value, place, masked=masked) if masked or b"\\u0000" in span else value


def encode(value: object) -> bytes:
    """``value`` as JSON; a ``Raw`` inside comes out as it went in."""
    return msgspec.json.encode(value)


def pointer_parts(pointer: str) -> list[str]:
    """The reference tokens of an RFC 6901 pointer; raises :class:`BadInput` for anything else."""
    try:
        return list(JsonPointer(pointer).parts)
    except JsonPointerException:
        raise BadInput(f'"{pointer}" is not a JSON Pointer (RFC 6901).') from None


@lru_cache(maxsize=1024)
def _parts(pointer: str) -> tuple[str, ...]:
    """:func:`pointer_parts`; the same few pointers are looked for in many documents."""
    return tuple(pointer_parts(pointer))


class Document:
    """A JSON text whose values are found by pointer, byte for byte.

    Only the containers on a pointer's way are taken apart, each once, so that a hundred pointers
    into a large document cost little more than one.
    """

    def __init__(self, text: bytes) -> None:
        """Look into ``text``, which is valid JSON."""
        self._spans: dict[tuple[str, ...], bytes | None] = {(): text.strip()}
        self._containers: dict[tuple[str, ...], tuple[dict[str, Raw] | list[Raw], bool]] = {}

    def find(self, pointer: str) -> bytes | None:
        """The span that ``pointer`` names, or ``None`` for nothing there.

        Never resolves into a string, past an array's end, or by a padded index.
        """
        return self._find(_parts(pointer))

    def _find(self, parts: tuple[str, ...]) -> bytes | None:
        for end in range(1, len(parts) + 1):
            here = parts[:end]
            if here not in self._spans:
                self._spans[here] = self._step(parts[: end - 1], parts[end - 1])
            if self._spans[here] is None:
                return None
        return self._spans[parts]

    def _step(self, parent: tuple[str, ...], part: str) -> bytes | None:
        """The member or element ``part`` of the container at ``parent``."""
        if parent not in self._containers:
            span = self._spans[parent] or b""
            kind = _CONTAINERS.get(span[:1])
            self._containers[parent] = ([], False) if kind is None else _decoded(span, kind)
        container, masked = self._containers[parent]
        if masked and _MASKED_CHAR.search(part):
            return None  # a key of such characters can't be told from a masked one here
        found: Raw | None = None
        if isinstance(container, dict):
            found = container.get(part)
        elif _INDEX.fullmatch(part) and len(part) < 10 and int(part) < len(container):
            found = container[int(part)]
        if found is None:
            return None
        return _restored(bytes(found)) if masked else bytes(found)


def resolve(document: bytes, pointer: str) -> bytes | None:
    """What :meth:`Document.find` finds of one pointer."""
    return Document(document).find(pointer)


def _check_utf8(body: bytes) -> None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("The body isn't UTF-8.") from None
    if body.startswith(b"\xef\xbb\xbf"):
        raise BadInput("The body starts with a byte order mark; JSON has none.")
    if not body.strip():
        raise BadInput("The body is empty; it must be JSON.")


def _decoded(body: bytes, kind: type[T], place: str = "") -> tuple[T, bool]:
    r"""``body`` as ``kind``, and whether its lone surrogates were masked to get there.

    The decoder refuses lone surrogates. Where there are any, ``\ud8xx`` is swapped for ``\ue8xx``
    (private use, as long, reversible to the letter) while the body is taken apart. A body that
    escapes both is refused rather than changed.
    """
    decoder: msgspec.json.Decoder[T] = _decoder(cast(Hashable, kind))
    try:
        return decoder.decode(body), False
    except msgspec.ValidationError as refused:
        raise _misplaced(refused, place) from None
    except msgspec.DecodeError:
        masked = _rewritten(body, _MASK)
        if masked == body or b"\0" in body:
            raise BadInput("The body isn't valid JSON.") from None
        if _rewritten(body, _UNMASK) != body:
            raise BadInput(
                "The body escapes lone surrogates beside characters from U+E800 to U+EFFF; send the latter unescaped."
            ) from None
    except RecursionError:
        raise BadInput(f"The body is nested deeper than {MAX_DEPTH} levels.", details={"maxDepth": MAX_DEPTH}) from None
    try:
        return decoder.decode(masked), True
    except msgspec.ValidationError as refused:
        raise _misplaced(refused, place) from None
    except msgspec.DecodeError:
        raise BadInput("The body isn't valid JSON.") from None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _rewritten(text: bytes, rules: list[tuple[re.Pattern[bytes], bytes]]) -> bytes:
    r"""``text`` by ``rules``, of which an escaped backslash, as in ``\\ud800``, begins no escape."""
    text = text.replace(b"\\\\", _BACKSLASH)
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text.replace(_BACKSLASH, b"\\\\")


def _restored(span: bytes) -> bytes:
    """Undo the mask in a span of content."""
    return _rewritten(span, _UNMASK) if b"\\u" in span else span


def _settled(value: Any, place: str, *, masked: bool) -> Any:
    """Unmask the content in a decoded request; refuse a string that text columns can't hold as it is."""
    if isinstance(value, Raw):
        return Raw(_restored(bytes(value))) if masked else value
    if isinstance(value, str):
        if "\0" in value or (masked and _MASKED_CHAR.search(value)):
            raise BadInput(f"{place or 'The body'}: a string can't hold a NUL or a lone surrogate here.")
    elif isinstance(value, msgspec.Struct):
        for field in msgspec.structs.fields(value):
            if field.name in getattr(value, "only_looked_up", ()):
                continue
            settled = _settled(getattr(value, field.name), f"{place}/{field.encode_name}", masked=masked)
            msgspec.structs.force_setattr(value, field.name, settled)
    elif isinstance(value, dict):
        return {
            _settled(key, place, masked=masked): _settled(entry, f"{place}/{key}", masked=masked)
            for key, entry in value.items()
        }
    elif isinstance(value, list):
        return [_settled(entry, f"{place}/{index}", masked=masked) for index, entry in enumerate(value)]
    return value


def _misplaced(refused: msgspec.ValidationError, place: str) -> BadInput:
    """The decoder's finding as a sentence that begins with the place, a JSON Pointer."""
    problem = str(refused)
    found = _PLACE.search(problem)
    if found is not None:
        place += found.group(1).removeprefix("$").replace("[", "/").replace("]", "").replace(".", "/")
        problem = problem[: found.start()]
    if len(problem) > MAX_PROBLEM:  # an unknown field is named, however long its name
        problem = f"{problem[:MAX_PROBLEM]}…"
    return BadInput(f"{place}: {problem}." if place else f"{problem}.", details={"path": place})
