"""Values laid out to be read, up to a limit: only as much of a text is looked at as is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from quality_console.presenting.clusters import FARTHEST, clip, printable
from quality_console.presenting.shown import Block, Form, Place
from quality_console.presenting.spans import TOKEN, decoded, json_in, string_of

_INDENT = "  "
# A line is indented no further, so that what is nested a thousand deep isn't mostly spaces.
_DEEPEST = 20
_SHORT_STRING = 120


@dataclass(frozen=True, slots=True)
class Limits:
    """After how many lines and characters a text is cut."""

    lines: int
    characters: int


RESULT = Limits(lines=10, characters=600)
QUOTE = Limits(lines=60, characters=4000)
MESSAGE = Limits(lines=15, characters=1200)
OUTPUT = Limits(lines=80, characters=4000)
# More lines take too long to lay out, and nobody reads them.
FULL = Limits(lines=20_000, characters=1_500_000)
WHOLE = Limits(lines=10**8, characters=10**8)


def block_of(span: bytes, place: Place | None, limits: Limits) -> Block:
    """A value to be read: JSON by lines; a long string, or one of several lines, as its text; JSON in one as JSON."""
    string = string_of(span)
    inside = None if string is None else json_in(string)
    if inside is not None:
        return _json(inside, Form.JSON_IN_STRING, place, limits)
    if string is None or (len(string) <= _SHORT_STRING and "\n" not in string):
        return _json(span, Form.JSON, place, limits)
    return text_block(string, place, limits)


def text_block(text: str, place: Place | None, limits: Limits) -> Block:
    """A string as its text."""
    shown, cut = _cut(text, limits)
    return Block(text=shown, characters=len(text), cut=cut, form=Form.TEXT, place=place)


def json_block(span: bytes, place: Place | None, limits: Limits) -> Block:
    """A value as JSON, whatever it is."""
    return _json(span, Form.JSON, place, limits)


def raw_block(span: bytes, place: Place | None, limits: Limits) -> Block:
    """A value as it came, to the letter."""
    text = decoded(span)
    shown, cut = _cut(text, limits)
    return Block(text=shown, characters=len(text), cut=cut, form=Form.JSON, place=place)


def one_line(span: bytes, limit: int) -> str:
    """A value as JSON on one line, cut with an ellipsis at ``limit`` characters."""
    pieces: list[str] = []
    length = 0
    for match in TOKEN.finditer(decoded(span)):
        piece = f"{match[0]} " if match[0] in ":," else _readable(match[0], limit)
        pieces.append(piece)
        length += len(piece)
        if length > limit + 1:
            break
    line = "".join(pieces).rstrip()
    return line if len(line) <= limit else clip(line, limit - 1) + "…"


def _json(span: bytes, form: Form, place: Place | None, limits: Limits) -> Block:
    text = decoded(span)
    shown, cut = _pretty(text, limits)
    return Block(text=shown, characters=len(text), cut=cut, form=form, place=place)


def _cut(text: str, limits: Limits) -> tuple[str, bool]:
    """The first lines of a text, and whether that isn't all."""
    shown = clip(text, limits.characters)
    lines = shown.split("\n", limits.lines)
    if len(lines) > limits.lines:
        shown = "\n".join(lines[: limits.lines])
    return printable(shown), len(shown) < len(text)


def _pretty(text: str, limits: Limits) -> tuple[str, bool]:
    """JSON by lines up to the limits, and whether that isn't all."""
    pieces: list[str] = []
    lines, left = 1, limits.characters
    for piece in _pieces(text, limits.characters):
        lines += piece.startswith("\n")
        if lines > limits.lines:
            return "".join(pieces).rstrip(), True
        if len(piece) > left:
            return "".join([*pieces, clip(piece, left)]).rstrip(), True
        pieces.append(piece)
        left -= len(piece)
    return "".join(pieces), False


def _pieces(text: str, limit: int) -> Iterator[str]:
    """A JSON text's tokens as they are laid out; each new line is a piece of its own."""
    depth, opened = 0, False
    for match in TOKEN.finditer(text):
        sign = match[0]
        if sign in "]}":
            depth -= 1
            if not opened:
                yield _line(depth)
            opened = False
            yield sign
            continue
        if opened:
            yield _line(depth)
            opened = False
        if sign == ",":
            yield sign
            yield _line(depth)
        else:
            yield ": " if sign == ":" else _readable(sign, limit)
        if sign in "[{":
            depth, opened = depth + 1, True


def _line(depth: int) -> str:
    return "\n" + _INDENT * min(depth, _DEEPEST)


def _readable(sign: str, limit: int) -> str:
    r"""A token as it is spelled, but for letters of a string that are escaped with no need (``\u00e9``, ``\/``)."""
    if sign[0] != '"':
        return sign
    if "\\u" in sign or "\\/" in sign:
        sign = json.dumps(json.loads(sign), ensure_ascii=False)
    # What is cut must still be seen to be longer than the limit.
    return printable(clip(sign, limit + FARTHEST + 1))
