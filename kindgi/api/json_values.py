"""JSON values compared by value, however they are spelled (contract, section 4). Knows no database.

Numbers are kept as text, in one spelling for each value: neither their size nor their exponent is
ever worked out, so that nothing overflows, is rounded, or takes long.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from json.encoder import encode_basestring_ascii
from typing import Any, NoReturn

import msgspec
from msgspec import Raw

_SHORT = 18
_SPACE = re.compile(r"[ \t\n\r]*")
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_ELEMENTS = msgspec.json.Decoder(list[Raw])
_LITERALS = {None: "null", True: "true", False: "false"}


class Number(msgspec.Struct, frozen=True):
    """A JSON number by its value, exactly: ``text`` is the same for `1`, `1.0` and `10e-1`."""

    text: str


def parse(span: bytes) -> Any:
    """The value of a JSON text: numbers as :class:`Number`, all else as :mod:`json` has it.

    Of a field that an object has twice the last counts. Raises :class:`ValueError` for what isn't
    JSON, `NaN` and `Infinity` among it.
    """
    return _DECODER.decode(_text(span))


def members(span: bytes) -> dict[str, Raw]:
    """Each field of an object as it is spelled, to the byte. Raises :class:`ValueError` for no object."""
    try:
        return _MEMBERS.decode(span)
    except msgspec.DecodeError:  # it knows no lone surrogates
        if not isinstance(parse(span), dict):
            raise ValueError("It is no object.") from None
        return dict(_spans(_text(span).strip()))


def elements(span: bytes) -> list[Raw]:
    """Each element of an array as it is spelled, to the byte. Raises :class:`ValueError` for no array."""
    try:
        return _ELEMENTS.decode(span)
    except msgspec.DecodeError:
        if not isinstance(parse(span), list):
            raise ValueError("It is no array.") from None
        return [element for _, element in _spans(_text(span).strip())]


def _spans(text: str) -> Iterator[tuple[str, Raw]]:
    """The members of an object, or the elements of an array under empty names; ``text`` is valid."""
    at = _past_space(text, 1)
    while text[at] not in "}]":
        name = ""
        if text[0] == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield name, Raw(text[at:end].encode("utf-8", "surrogatepass"))
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _text(span: bytes) -> str:
    return span.decode("utf-8", "surrogatepass")


def canonical(value: Any) -> str:
    """A text that is equal exactly when two JSON values are equal.

    Takes what :func:`parse` gives, and plain ints and floats. Raises :class:`TypeError` for what
    isn't JSON, and :class:`ValueError` for a float that isn't finite.
    """
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, Number):
        return value.text
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, dict):
        members = sorted((encode_basestring_ascii(key), canonical(entry)) for key, entry in value.items())
        return "{" + ",".join([f"{key}:{entry}" for key, entry in members]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([canonical(entry) for entry in value]) + "]"
    return _plain_number(value).text


def _plain_number(value: Any) -> Number:
    if isinstance(value, int):
        return _number(f"{Decimal(value):f}")  # str(int) refuses more than 4,300 digits
    if not isinstance(value, float):
        raise TypeError(f"{type(value).__name__} is no JSON value.")
    if not math.isfinite(value):
        raise ValueError(f"{value} is no JSON number.")
    return _number(repr(value))


def _integer(text: str) -> Number:
    return _number(text) if text.endswith("0") else Number(text)


def _number(text: str) -> Number:
    """A number by its sign, its digits without zeros at either end, and its power of ten unless that is 0."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole.lstrip("-") + fraction).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return Number("0")
    sign = "-" if whole.startswith("-") else ""
    power = _sum(exponent or "0", len(digits) - len(kept) - len(fraction))
    return Number(f"{sign}{kept}" if power == "0" else f"{sign}{kept}e{power}")


def _sum(exponent: str, shift: int) -> str:
    """``exponent``, of however many digits, and ``shift``: exactly, and in linear time."""
    if len(exponent) <= _SHORT:
        return str(int(exponent) + shift)
    context = Context(prec=len(exponent) + _SHORT, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return f"{context.add(Decimal(exponent), Decimal(shift)):f}"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value.")


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_number, parse_constant=_refuse)
