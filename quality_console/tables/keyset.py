"""Tables over lists that are read page by page, and whose order the list itself has made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import django_tables2 as tables
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _


class InOrder(tables.data.TableListData):  # type: ignore[misc]
    """Rows that come in the order which was asked for: a page of many, which sorting it again would only disturb."""

    def order_by(self, aliases: Any) -> None:
        """Leave the rows as they are; the head still says by what they are sorted."""


class ConsoleTable(tables.Table):  # type: ignore[misc]
    """A table whose sort and shown columns are in the address (``sort``, ``columns``).

    ``Meta.hidden`` names the columns that are shown only when they are asked for, ``fixed`` those
    that always are. ``columns`` in the address is those shown, each by itself or parted by commas.
    """

    fixed: Collection[str] = ()
    hidden: Collection[str] = ()
    unlisted: Collection[str] = ()

    def __init__(self, rows: Sequence[Any], *, query: QueryDict, sorted_by: str = "", **kwargs: Any) -> None:
        """Rows in their order; ``sorted_by`` is the column that they are sorted by, ``-`` before it for falling."""
        self.query = query
        super().__init__(
            InOrder(list(rows)), order_by=sorted_by, order_by_field="sort", exclude=self._left_out(query), **kwargs
        )

    @classmethod
    def _choosable(cls) -> list[str]:
        return [name for name in cls.base_columns if name not in {*cls.fixed, *cls.unlisted}]

    @classmethod
    def _left_out(cls, query: QueryDict) -> list[str]:
        given = query.getlist("columns")
        if not given:
            return list(cls.hidden)
        shown = {name for names in given for name in names.split(",")}
        return [name for name in cls._choosable() if name not in shown]

    @property
    def choices(self) -> list[tuple[str, str, bool, bool]]:
        """For the Columns menu: each column's name, its head, whether it is shown, and whether it always is."""
        left_out = set(self._left_out(self.query))
        return [
            (name, str(column.verbose_name or name), name not in left_out, name in self.fixed)
            for name, column in self.base_columns.items()
            if name not in self.unlisted
        ]

    class Meta:
        """The console's own template."""

        template_name = "quality_console/parts/table.html"
        empty_text = _("Nothing here.")
