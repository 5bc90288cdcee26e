"""Which calls have the arguments that listed calls give (contract, section 4). Knows no database.

A set of calls is an integer with a bit for each. So all calls are compared with a listed one at
once, and each value is looked at once however many listed calls name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import itemgetter
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
    wanted = [
        {name: arguments[name].want(span) for name, span in zip(args, _spans(args.values()), strict=False)}
        for args in listed
    ]
    for names, calls in _alike(made).items():
        alike = [made[call] for call in calls]
        for name in arguments.keys() & names:
            arguments[name].note(calls, _spans(list(map(itemgetter(name), alike))))
    masks = {name: argument.masks(len(made)) for name, argument in arguments.items()}
    return [{name: masks[name][normal] for name, normal in normals.items()} for normals in wanted]


def _alike(made: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], list[int]]:
    """The calls by the names of their arguments, so that a whole column of values is noted at once."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for call, args in enumerate(made):
        alike.setdefault(tuple(args), []).append(call)
    return alike


def _spans(values: Iterable[Any]) -> list[bytes]:
    """Each value's JSON, and an empty one for no values; of spans at once, as no JSON text holds a NUL byte."""
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
    """An argument that listed calls give: the values that they want, and the calls that have it, with theirs."""

    __slots__ = ("_calls", "_floats", "_having", "_nested", "_normal", "_spans", "_strings")

    def __init__(self) -> None:
        self._calls: list[int] = []
        self._spans: list[bytes] = []
        self._having: dict[bytes, list[int]] = {}
        self._normal: dict[bytes, bytes] = {}
        self._strings: set[str] = set()
        self._floats: set[float] = set()
        self._nested: list[Any] = []

    def note(self, calls: Iterable[int], spans: Iterable[bytes]) -> None:
        """Each of ``calls`` has the value beside it."""
        self._calls += calls
        self._spans += spans

    def want(self, span: bytes) -> bytes:
        """Look out for a value; its normal spelling."""
        if span in self._normal:
            return self._normal[span]
        normal = _normal(span)
        self._normal[span] = self._normal[normal] = normal
        if normal not in self._having:
            self._having[normal] = []
            if normal[0] == _QUOTE:
                self._strings.add(_string(normal))
            elif normal[0] in _NUMBERS:
                self._floats.add(float(normal))
            elif normal[0] in _NESTED:
                self._nested += _loose([normal])
        return normal

    def masks(self, calls: int) -> dict[bytes, int]:
        """For each wanted value, by its normal spelling, which of so many calls have it."""
        wanted = self._wanted(set(self._spans)) if self._spans else {}
        if wanted:
            hits = compress(zip(self._calls, self._spans, strict=True), map(wanted.__contains__, self._spans))
            for call, span in hits:
                wanted[span].append(call)
        return {normal: _mask(having, calls) for normal, having in self._having.items()}

    def _wanted(self, spans: set[bytes]) -> dict[bytes, list[int]]:
        """Those of ``spans`` that are equal to a wanted value, each with the calls that have this."""
        found = {span: self._having[self._normal[span]] for span in self._normal.keys() & spans}
        for span in self._doubtful(spans - found.keys()):
            normal = _normal(span)
            if normal in self._having:
                found[span] = self._having[normal]
        return found

    def _doubtful(self, spans: set[bytes]) -> Iterator[bytes]:
        """Those of ``spans`` that may be another spelling of a wanted value; a cheap look tells of most that not."""
        if self._strings and b"\\" in b"".join(spans):
            yield from _among(self._strings, [span for span in spans if span[0] == _QUOTE and b"\\" in span])
        if self._floats:
            yield from _among(self._floats, [span for span in spans if span[0] in _NUMBERS])
        if self._nested:
            yield from _among(self._nested, [span for span in spans if span[0] in _NESTED])


def _among(values: Container[Any], spans: list[bytes]) -> Iterator[bytes]:
    """Those of ``spans`` whose value is loosely one of ``values``."""
    return (span for span, value in zip(spans, _loose(spans), strict=True) if value in values)


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
