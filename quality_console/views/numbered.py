"""Short lists that are shown in numbered pages (``page`` in the address)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.http import QueryDict

Row = TypeVar("Row")
_MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """Where in the list a page is; the first is 1."""

    number: int
    has_next: bool

    @property
    def previous(self) -> int | None:
        """The page before, or ``None`` on the first."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The page after, or ``None`` on the last."""
        return self.number + 1 if self.has_next else None


def number_of(query: QueryDict) -> int:
    """The page that is asked for; the first, where that is no page's number."""
    text = query.get("page", "")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else 1


def page_of(rows: Sequence[Row], query: QueryDict, *, per_page: int) -> tuple[list[Row], NumberedPage]:
    """The rows of the page that is asked for, of those that were all read; the first page, where there is no such."""
    number = number_of(query)
    start = (number - 1) * per_page
    if start >= len(rows):
        number, start = 1, 0
    return list(rows[start : start + per_page]), NumberedPage(number, len(rows) > start + per_page)
