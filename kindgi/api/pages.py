"""Pages read by keyset: stable under inserts, never a row twice or left out (contract, section 2)."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet, Subquery

from kindgi.api.errors import BadInput

Row = TypeVar("Row", bound=Model)

DEFAULT_LIMIT = 25
MAX_LIMIT = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LAYOUT = struct.Struct(">Bq16s")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row that was read: its time, and its id among rows that share it."""

    at: datetime
    id: UUID

    def encode(self) -> str:
        """The opaque text that a client hands back."""
        packed = _LAYOUT.pack(_VERSION, (self.at - _EPOCH) // _MICROSECOND, self.id.bytes)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Read ``text`` back; raises :class:`BadInput` for anything that :meth:`encode` didn't make."""
        try:
            packed = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
            version, microseconds, raw_id = _LAYOUT.unpack(packed)
            cursor = cls(_EPOCH + timedelta(microseconds=microseconds), UUID(bytes=raw_id))
        except (UnicodeEncodeError, binascii.Error, struct.error, OverflowError):
            raise BadInput("The cursor is malformed; use a page's nextCursor as it is.") from None
        if version != _VERSION or cursor.encode() != text:
            raise BadInput("The cursor is malformed; use a page's nextCursor as it is.")
        return cursor


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Rows of one page; ``next_cursor`` where more follow."""

    rows: list[Row]
    next_cursor: str | None

    def answer(self, data: list[Any]) -> dict[str, Any]:
        """The page's envelope around ``data``, the rows as they are sent."""
        envelope: dict[str, Any] = {"data": data, "hasMore": self.next_cursor is not None}
        if self.next_cursor is not None:
            envelope["nextCursor"] = self.next_cursor
        return envelope


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What of a list is asked for: up to ``limit`` rows after ``cursor``."""

    limit: int = DEFAULT_LIMIT
    cursor: Cursor | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], *, least: int = 1) -> PageRequest:
        """Read ``limit`` (``least`` and up) and ``cursor`` from a query string; raises :class:`BadInput`."""
        limit = query.get("limit", str(DEFAULT_LIMIT))
        if not (limit.isascii() and limit.isdecimal() and len(limit) < 5 and least <= int(limit) <= MAX_LIMIT):
            raise BadInput(f"limit must be a whole number from {least} to {MAX_LIMIT}.")
        cursor = query.get("cursor")
        return cls(int(limit), None if cursor is None else Cursor.decode(cursor))


def newest_first(rows: QuerySet[Row], page: PageRequest, *, at: str = "created_at") -> Page[Row]:
    """One page of ``rows`` by falling (``at``, id): one statement, by index, whatever lies before it."""
    if page.cursor is not None:
        # The first condition bounds the index scan, the second drops the rows of the same instant
        # that were already read.
        rows = rows.filter(
            Q(**{f"{at}__lte": page.cursor.at}) & (Q(**{f"{at}__lt": page.cursor.at}) | Q(pk__lt=page.cursor.id))
        )
    return page_of(list(rows.order_by(f"-{at}", "-pk")[: page.limit + 1]), page.limit, at)


def oldest_first(rows: QuerySet[Row], page: PageRequest, *, at: str = "created_at") -> Page[Row]:
    """One page of ``rows`` by rising (``at``, id): one statement, by index, whatever lies before it."""
    return page_of(list(after_cursor(rows, page.cursor, at=at)[: page.limit + 1]), page.limit, at)


def after_cursor(rows: QuerySet[Row], cursor: Cursor | None, *, at: str = "created_at") -> QuerySet[Row]:
    """``rows`` by rising (``at``, id), those after ``cursor``."""
    if cursor is not None:
        # As in :func:`newest_first`.
        rows = rows.filter(Q(**{f"{at}__gte": cursor.at}) & (Q(**{f"{at}__gt": cursor.at}) | Q(pk__gt=cursor.id)))
    return rows.order_by(at, "pk")


def highest_first(rows: QuerySet[Row], page: PageRequest, *, by: str, at: str = "created_at") -> Page[Row]:
    """One page of the ``rows`` of one parent by falling ``by``, a number that no two of them share: one statement.

    The cursor names the last row, whatever its time; after a row of another parent there is nothing.
    """
    if page.cursor is not None:
        last = rows.filter(pk=page.cursor.id).values(by)
        rows = rows.filter(**{f"{by}__lt": Subquery(last)})
    return page_of(list(rows.order_by(f"-{by}")[: page.limit + 1]), page.limit, at)


def lowest_first(rows: QuerySet[Row], page: PageRequest, *, by: str, at: str = "created_at") -> Page[Row]:
    """The same by rising ``by``."""
    if page.cursor is not None:
        last = rows.filter(pk=page.cursor.id).values(by)
        rows = rows.filter(**{f"{by}__gt": Subquery(last.order_by())})
    return page_of(list(rows.order_by(by)[: page.limit + 1]), page.limit, at)


def page_of(found: list[Row], limit: int, at: str = "created_at") -> Page[Row]:
    """The page of up to ``limit`` rows, of which one more was read to see whether there is one."""
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], Cursor(getattr(last, at), last.pk).encode())
