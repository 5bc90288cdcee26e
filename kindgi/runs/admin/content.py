"""Content as the admin's pages show it: JSON laid out for reading, never as HTML."""

from __future__ import annotations

import msgspec
from django.utils.html import format_html
from django.utils.safestring import SafeString

from kindgi.runs.content import unpack

SHOWN_CHARS = 200_000


def shown_json(text: bytes | None) -> SafeString | str:
    """A JSON text, laid out; its beginning where it is very long."""
    if text is None:
        return "-"
    try:
        laid_out = msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        laid_out = text
    shown = laid_out.decode("utf-8", "replace")
    rest = len(shown) - SHOWN_CHARS
    cut = f"\n… and {rest:,} characters more." if rest > 0 else ""
    return format_html('<pre class="kindgi-content">{}{}</pre>', shown[:SHOWN_CHARS], cut)


def shown_stored(stored: bytes | memoryview | None) -> SafeString | str:
    """The same of a text as it is stored."""
    return shown_json(unpack(stored))
