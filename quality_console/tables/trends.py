"""Every count behind a rule's trend (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import django_tables2 as tables
from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from judging.trends import VersionTrend
from judging.words.parts import number, percent_in_tenths, percent_range
from judging.words.results import right_by_class, version_label
from quality_console.tables.keyset import ConsoleTable

NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}


@dataclass(frozen=True, slots=True)
class CountRow:
    """What one version of a rule has of one agent version; ``place`` is its own in the order by versions."""

    place: int
    found: VersionTrend
    by_class: str

    @property
    def group(self) -> Any:
        """The counts."""
        return self.found.group


def count_row(place: int, found: VersionTrend, names: Mapping[UUID, str]) -> CountRow:
    """The row; ``names`` has each judge class that gave a verdict."""
    counts = ((None if one.judge_class_id is None else names[one.judge_class_id], one) for one in found.by_class)
    return CountRow(place, found, right_by_class([(name, one.yes, one.judgments) for name, one in counts]))


class CountColumn(tables.Column):  # type: ignore[misc]
    """A count, in groups of three digits."""

    def __init__(self, head: Any, accessor: str, **kwargs: Any) -> None:
        """Under ``head``."""
        super().__init__(verbose_name=head, accessor=accessor, **{"attrs": NUMBER, **kwargs})

    def render(self, value: int) -> str:
        """As people read it."""
        return number(value)


class CountsTable(ConsoleTable):
    """A row for each version of the rule and of the agent, newest first unless the address sorts them."""

    fixed: Collection[str] = ("agent_version",)

    rule_version = CountColumn(_("Rule version"), "group__rule_version", attrs={})
    agent_version = tables.Column(verbose_name=_("Agent version"), accessor="group__agent_version", empty_values=())
    added = CountColumn(_("Queued"), "group__added")
    open = CountColumn(_("Open"), "group__open")
    judged = CountColumn(_("Corrected"), "group__judged")
    dismissed = CountColumn(_("Dismissed"), "group__dismissed")
    erased = CountColumn(_("Erased"), "group__erased")
    skipped = CountColumn(_("Kept out by the cap"), "group__skipped_by_cap")
    judgments = CountColumn(_("Corrections"), "found__judgments")
    runs = CountColumn(_("Runs corrected"), "found__runs")
    size = tables.Column(verbose_name=_("Effective runs"), accessor="found__effective_runs", attrs=NUMBER)
    share = tables.Column(verbose_name=_("Marked right"), accessor="found__share", attrs=NUMBER)
    range = tables.Column(verbose_name=_("Range"), accessor="found__range", attrs=NUMBER, orderable=False)
    by_class = tables.Column(verbose_name=_("Right by class"), attrs={"td": {"class": "wide"}}, orderable=False)

    class Meta(ConsoleTable.Meta):
        """Nothing is a dash, as everywhere in figures."""

        default = "–"  # noqa: RUF001 - a dash that is as wide as a figure

    def render_agent_version(self, value: str | None) -> str:
        """Flows' runs have none."""
        return version_label(value)

    def render_size(self, value: float) -> str:
        """To a tenth."""
        return str(number_format(round(value, 1), decimal_pos=1, force_grouping=True))

    def render_share(self, value: float) -> str:
        """To a tenth of a percent."""
        return percent_in_tenths(value)

    def render_range(self, value: Any) -> str:
        """In whole percents."""
        return percent_range(value)


_KEYS: dict[str, Callable[[CountRow], Any]] = {
    "rule_version": lambda row: row.group.rule_version,
    "agent_version": lambda row: -row.place,
    "added": lambda row: row.group.added,
    "open": lambda row: row.group.open,
    "judged": lambda row: row.group.judged,
    "dismissed": lambda row: row.group.dismissed,
    "erased": lambda row: row.group.erased,
    "skipped": lambda row: row.group.skipped_by_cap,
    "judgments": lambda row: row.found.judgments,
    "runs": lambda row: row.found.runs,
    "size": lambda row: row.found.effective_runs,
    "share": lambda row: -1 if row.found.share is None else row.found.share,
}


def counts_table(rows: Sequence[CountRow], *, query: QueryDict) -> CountsTable:
    """The table of the rows, sorted as the address says; those that are alike stay in their order."""
    sort = query.get("sort", "")
    key = _KEYS.get(sort.removeprefix("-"))
    if key is None:
        return CountsTable(rows, query=query)
    return CountsTable(sorted(rows, key=key, reverse=sort.startswith("-")), query=query, sorted_by=sort)
