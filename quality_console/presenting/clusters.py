"""Texts cut and taken apart where people see a boundary: never inside a letter with its marks, or an emoji."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain

_ZWJ = "\u200d"
_JOINERS = "\u200c\u200d"
_FLAGS = "\U0001f1e6-\U0001f1ff"
_SKIN = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
# Letters by their category that are written onto the one before: Thai and Lao AM, halfwidth kana's signs.
_WRITTEN_ON = (0x0E33, 0x0EB3, 0xFF9E, 0xFF9F)
# Where marks are; the planes between hold only ideographs and what nobody has assigned.
_MARKED = chain(range(0x300, 0xFFFF), range(0x10000, 0x20000), range(0xE0100, 0xE01F0))
_MARKS = frozenset({"Mn", "Mc", "Me"})
# Scripts that put no spaces between words: Thai, Lao, Myanmar, Khmer, kana, bopomofo, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
FARTHEST = 64
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_NEW_LINE = re.compile("\r\n?")


@cache
def _extending() -> str:
    """The characters that belong to the one before them, as the inside of a character class."""
    codes = [code for code in _MARKED if unicodedata.category(chr(code)) in _MARKS]
    codes += [*_SKIN, *_TAGS, *_WRITTEN_ON]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" if low < high else chr(low) for low, high in ranges)


@cache
def _extender() -> re.Pattern[str]:
    return re.compile(f"[{_extending()}{_JOINERS}]")


@cache
def _words() -> re.Pattern[str]:
    extending = f"[{_extending()}]"
    joined = f"[{_extending()}{_JOINERS}]"
    word = rf"(?:(?![{_UNSPACED}])\w{joined}*)+"
    return re.compile(
        rf"[{_FLAGS}]{{2}}{joined}*"
        rf"|[{_UNSPACED}]{joined}*"
        rf"|{word}(?:['\u2019]{word})*"
        rf"|(?:\s(?!{joined}))+"
        rf"|.{extending}*(?:{_ZWJ}[^\w\s]{extending}*)*[{_JOINERS}]*",
        re.DOTALL,
    )


def words_of(text: str) -> list[str]:
    """Words, spaces and signs, which together are ``text``; a script without spaces letter by letter."""
    return _words().findall(text)


def clip(text: str, limit: int) -> str:
    """The first ``limit`` characters or a few fewer, cut between two letters as people count them."""
    if len(text) <= limit:
        return text
    at = limit
    while at > max(0, limit - FARTHEST) and _belongs(text, at):
        at -= 1
    return text[: at or limit]


def _belongs(text: str, at: int) -> bool:
    """Whether the character at ``at`` belongs to the one before it."""
    if text[at - 1] == _ZWJ or _extender().match(text, at) or text[at - 1 : at + 1] == "\r\n":
        return True
    if not re.match(f"[{_FLAGS}]", text[at]):
        return False
    before = re.search(f"[{_FLAGS}]*$", text[max(0, at - FARTHEST) : at])
    return before is not None and len(before[0]) % 2 == 1


def printable(text: str) -> str:
    r"""``text`` as a page can show it: control characters and lone surrogates spelled ``\u0000``, lines end in LF."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", _NEW_LINE.sub("\n", text))
