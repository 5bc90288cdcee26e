"""Instants: UTC, stored and sent with millisecond precision (contract, section 2).

Storing milliseconds makes what a client reads back equal to what it may filter by.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_as_of: ContextVar[datetime | None] = ContextVar("as_of", default=None)


def now() -> datetime:
    """The present instant in UTC, whole milliseconds."""
    return whole_ms(_as_of.get() or datetime.now(UTC))


@contextmanager
def as_of(at: datetime) -> Iterator[None]:
    """Let the block happen at ``at``: for records of a past that is told afterwards, such as demonstration data."""
    before = _as_of.set(at)
    try:
        yield
    finally:
        _as_of.reset(before)


def whole_ms(at: datetime) -> datetime:
    """``at`` in UTC, cut to whole milliseconds."""
    at = at.astimezone(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def wire(at: datetime) -> str:
    """``at`` as it is sent: ``2026-01-02T03:04:05.678Z``."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
