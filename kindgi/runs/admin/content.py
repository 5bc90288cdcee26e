"""Content as the admin's pages show it: JSON laid out for reading, never as HTML."""

from __future__ import annotations

import re

import msgspec
from django.utils.html import format_html
from django.utils.safestring import SafeString

from kindgi.runs.content import unpack

SHOWN_CHARS = 200_000

_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(rf"\\(?:\\|u([dD][89abAB]{_HEX}{{2}})\\u([dD][c-fC-F]{_HEX}{{2}})|u({_HEX}{{4}}))")


def shown_json(text: bytes | None) -> SafeString | str:
    """A JSON text, laid out, its letters unescaped and its numbers as they were; the beginning of a very long one."""
    if text is None:
        return "-"
    try:
        laid_out = msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        laid_out = text
    shown = laid_out.decode("utf-8", "replace")
    rest = len(shown) - SHOWN_CHARS
    cut = f"\n… and {rest:,} characters more." if rest > 0 else ""
    return format_html('<pre class="kindgi-content">{}{}</pre>', _ESCAPE.sub(_letter, shown[:SHOWN_CHARS]), cut)


def shown_stored(stored: bytes | memoryview | None) -> SafeString | str:
    """The same of a text as it is stored."""
    return shown_json(unpack(stored))


def _letter(escape: re.Match[str]) -> str:
    """What an escape stands for, if that can be seen; quotes, backslashes and what is invisible stay escaped."""
    high, low, single = escape.groups()
    if high:
        letter = chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    elif single:
        letter = chr(int(single, 16))
    else:
        return escape.group()
    return letter if letter.isprintable() and letter not in '"\\' else escape.group()
