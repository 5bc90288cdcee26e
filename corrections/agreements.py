"""Which calls have the arguments that listed calls give (contract, section 4). Knows no database.

A set of calls is an integer with a bit for each. So all calls are compared with a listed one at
once, and each value is looked at once however many listed calls name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from corrections.json_values import canonical, parse

_NEEDS_ESCAPES = re.compile('["\\\\\0-\x1f\ud800-\udfff]')
_QUOTE = ord('"')
_NUMBERS = b"-0123456789"
_NESTED = b"{["
_STRING = msgspec.json.Decoder(str)
# Equal values are equal with all their numbers as floats, which is cheap to see; the reverse doesn't hold.
_LOOSE = json.JSONDecoder(parse_int=float, parse_float=float)


def agreements(listed: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """For each listed call's arguments, by name and in its own order, the calls whose argument is equal.

    A value is a :class:`msgspec.Raw` span of JSON, without space around it, or a Python value.
    """
    arguments = {name: _Argument() for name in dict.fromkeys(name for args in listed for name in args)}
    wanted = [{name: arguments[name].want(_span(value)) for name, value in args.items()} for args in listed]
    columns = {name: argument.column for name, argument in arguments.items()}
    for call, args in enumerate(made) if columns else ():
        for column, span in zip(map(columns.get, args), _spans(args.values()), strict=False):
            if column is not None:
                column[call] = span
    masks = {name: argument.masks(len(made)) for name, argument in arguments.items()}
    return [{name: masks[name][normal] for name, normal in normals.items()} for normals in wanted]


def _spans(values: Iterable[Any]) -> list[bytes]:
    """Each value's JSON; of spans at once, as no JSON text holds a NUL byte."""
    try:
        return b"\0".join(values).split(b"\0")
    except TypeError:
        return [_span(value) for value in values]


def _span(value: Any) -> bytes:
    return bytes(value) if isinstance(value, Raw) else canonical(value).encode()


def _normal(span: bytes) -> bytes:
    """The one spelling of a value that all its spellings have: a string's is unescaped where that can be."""
    if span[0] != _QUOTE:
        return canonical(parse(span)).encode()
    if b"\\" not in span:
        return span
    value = _string(span)
    return canonical(value).encode() if _NEEDS_ESCAPES.search(value) else b'"%b"' % value.encode()


def _string(span: bytes) -> str:
    try:
        return _STRING.decode(span)
    except msgspec.DecodeError:  # it knows no lone surrogates
        return str(parse(span))


def _loose(spans: Sequence[bytes]) -> list[Any]:
    return list(_LOOSE.decode((b"[%b]" % b",".join(spans)).decode("utf-8", "surrogatepass")))


class _Argument:
    """An argument that listed calls give: the values that they want, and what each call has (``column``)."""

    def __init__(self) -> None:
        self.column: dict[int, bytes] = {}
        self._calls: dict[bytes, list[int]] = {}
        self._normal: dict[bytes, bytes] = {}
        self._strings: set[str] = set()
        self._floats: set[float] = set()
        self._nested: list[Any] = []

    def want(self, span: bytes) -> bytes:
        """Look out for a value; its normal spelling."""
        if span in self._normal:
            return self._normal[span]
        normal = _normal(span)
        self._normal[span] = self._normal[normal] = normal
        if normal not in self._calls:
            self._calls[normal] = []
            if normal[0] == _QUOTE:
                self._strings.add(_string(normal))
            elif normal[0] in _NUMBERS:
                self._floats.add(float(normal))
            elif normal[0] in _NESTED:
                self._nested += _loose([normal])
        return normal

    def masks(self, calls: int) -> dict[bytes, int]:
        """For each wanted value, by its normal spelling, which of so many calls have it."""
        wanted = self._wanted(set(self.column.values()))
        for call, span in self.column.items() if wanted else ():
            having = wanted.get(span)
            if having is not None:
                having.append(call)
        return {normal: _mask(having, calls) for normal, having in self._calls.items()}

    def _wanted(self, spans: set[bytes]) -> dict[bytes, list[int]]:
        """Those of ``spans`` that are equal to a wanted value, each with the calls that have this."""
        found = {span: self._calls[self._normal[span]] for span in self._normal.keys() & spans}
        for span in self._doubtful(spans - found.keys()):
            normal = _normal(span)
            if normal in self._calls:
                found[span] = self._calls[normal]
        return found

    def _doubtful(self, spans: set[bytes]) -> Iterator[bytes]:
        """Those of ``spans`` that may be another spelling of a wanted value; a cheap look tells of most that not."""
        if self._strings and b"\\" in b"".join(spans):
            escaped = [span for span in spans if span[0] == _QUOTE and b"\\" in span]
            yield from [span for span in escaped if _string(span) in self._strings]
        if self._floats:
            numbers = [span for span in spans if span[0] in _NUMBERS]
            yield from [span for span, loose in zip(numbers, _loose(numbers), strict=True) if loose in self._floats]
        if self._nested:
            nested = [span for span in spans if span[0] in _NESTED]
            yield from [span for span, loose in zip(nested, _loose(nested), strict=True) if loose in self._nested]


def _mask(calls: list[int], size: int) -> int:
    if len(calls) < 2:
        return 1 << calls[0] if calls else 0
    packed = bytearray(size // 8 + 1)
    for call in calls:
        packed[call >> 3] |= 1 << (call & 7)
    return int.from_bytes(packed, "little")


class Counts:
    """How many of several sets each call is in: the n-th bits of all counts are one integer."""

    def __init__(self, sets: Iterable[int]) -> None:
        """Count them."""
        self.of = 0
        self._digits: list[int] = []
        for members in sets:
            self.of += 1
            self._add(members)

    def _add(self, carry: int) -> None:
        for place, digit in enumerate(self._digits):
            if not carry:
                return
            self._digits[place], carry = digit ^ carry, digit & carry
        if carry:
            self._digits.append(carry)

    def exactly(self, count: int, among: int) -> int:
        """Those of ``among`` that are in ``count`` of the sets."""
        if not 0 <= count < 1 << len(self._digits):
            return 0
        for place, digit in enumerate(self._digits):
            among &= digit if count >> place & 1 else ~digit
        return among
