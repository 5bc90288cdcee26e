"""Identifiers: our own are time-ordered UUIDs (version 7)."""

from __future__ import annotations

import re
from uuid import UUID

from uuid_utils.compat import uuid7

_CANONICAL = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def new_id() -> UUID:
    """A fresh UUID version 7: later ids sort after earlier ones."""
    return uuid7()


def parse_id(text: str) -> UUID | None:
    """The UUID that ``text`` spells in its 36-character form, or ``None``."""
    return UUID(text) if _CANONICAL.fullmatch(text) else None
