"""What the Rules tab shows, each part read when a template first asks for it (contract, section 8)."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any
from uuid import UUID

from django.urls import reverse

from judging.models import CatchUp, JudgingRule, JudgingRuleVersion
from judging.selectors.rules_shown import VERSIONS_SHOWN, catch_ups_shown, open_by_rule, versions_shown
from judging.words import rules as words
from kindgi.access.selectors import people_named
from kindgi.api.ids import parse_id
from quality_console.filters.rules import RulesFilter
from quality_console.frame import ConsoleRequest
from quality_console.rules import (
    FIRST_SORT,
    SORTS,
    History,
    RuleRow,
    class_names,
    found_in,
    history_of,
    rule_said,
    sorted_rows,
)
from quality_console.tables.rules import RulesTable
from quality_console.views.numbered import NumberedPage, page_of

PER_PAGE = 25
_MOST_NAMED = 20
_OF_DIALOGS = ("dialog", "rule")


class RulesTab:
    """The tab as the address asks: ``q``, ``show``, ``sort``, ``page``, ``columns``, ``history`` and ``catch-up``."""

    def __init__(self, request: ConsoleRequest) -> None:
        """Of the page's project; nothing is read yet."""
        self.query, self.frame = request.GET, request.frame
        asked = RulesFilter(self.query).cleaned
        self.text, self.shows_removed = asked.get("q", ""), "show" in asked
        self.sort = asked.get("sort", FIRST_SORT)

    @property
    def removed(self) -> list[JudgingRule]:
        """The project's rules that were removed."""
        return [rule for rule in self.frame.rules if rule.unregistered_at is not None]

    @property
    def rules(self) -> list[JudgingRule]:
        """Those that the filter is about, oldest first."""
        return self.removed if self.shows_removed else self.frame.rules_live

    @cached_property
    def open_items(self) -> dict[UUID, int]:
        """How many items wait for each rule; none is missing."""
        return open_by_rule(self.frame.project)

    @cached_property
    def catch_ups(self) -> list[CatchUp]:
        """Those that go on, and those that the address names."""
        named = [one for text in self.query.getlist("catch-up") if (one := parse_id(text))]
        return catch_ups_shown(self.frame.project, named[:_MOST_NAMED])

    @property
    def catch_ups_apart(self) -> list[CatchUp]:
        """The catch-ups of rules that the table doesn't show."""
        shown = {row.rule.pk for row in self.rows}
        return [one for one in self.catch_ups if one.rule_id not in shown]

    @cached_property
    def found(self) -> list[RuleRow]:
        """The rules that were asked for, on whatever page, in the order of the sort."""
        rows = [
            RuleRow(
                rule=rule,
                said=rule_said(rule, self.classes),
                open_items=self.open_items.get(rule.pk, 0),
                who=self.who,
            )
            for rule in self.rules
        ]
        return sorted_rows(found_in(rows, self.text), self.sort)

    @cached_property
    def _page(self) -> tuple[list[RuleRow], NumberedPage]:
        return page_of(self.found, self.query, per_page=PER_PAGE)

    @property
    def pages(self) -> NumberedPage:
        """Which page is shown, and whether there are others."""
        return self._page[1]

    @cached_property
    def rows(self) -> list[RuleRow]:
        """The rules of the page, with what is open under each."""
        under: dict[UUID, list[CatchUp]] = defaultdict(list)
        for one in self.catch_ups:
            under[one.rule_id].append(one)
        rows = self._page[0]
        for row in rows:
            row.catch_ups = under[row.rule.pk]
            row.history = self.history if row.rule.pk == self.history_of else None
        return rows

    @cached_property
    def classes(self) -> Any:
        """The tenant's classes' names."""
        return class_names(self.frame.classes)

    @property
    def history_of(self) -> UUID | None:
        """The rule whose history is open."""
        return parse_id(self.query.get("history", ""))

    @property
    def _looked_up(self) -> JudgingRule | None:
        return next((row.rule for row in self._page[0] if row.rule.pk == self.history_of), None)

    @cached_property
    def _versions(self) -> list[JudgingRuleVersion]:
        rule, up_to = self._looked_up, self.query.get("up_to", "")
        if rule is None:
            return []
        return versions_shown(rule, up_to=int(up_to) if up_to.isdecimal() and len(up_to) < 9 else None)

    @cached_property
    def history(self) -> History | None:
        """That rule's versions, where it is on the page."""
        rule = self._looked_up
        if rule is None:
            return None
        names = self._named({one.created_by for one in self._versions})
        return history_of(
            self._versions,
            latest=rule.version,
            shown=VERSIONS_SHOWN,
            classes=self.classes,
            who=lambda actor: words.who(actor, name=names.get(actor), me=self.frame.caller.actor),
        )

    @cached_property
    def _names(self) -> dict[str, str]:
        """Of all who made a latest version, where the rules are sorted by them; else of those of the page."""
        by_name = self.sort.removeprefix("-") == "by"
        return self._named({rule.versioned_by for rule in (self.rules if by_name else [row.rule for row in self.rows])})

    def _named(self, actors: set[str]) -> dict[str, str]:
        return people_named(tenant_id=self.frame.caller.tenant_id, actors=actors)

    def who(self, actor: str) -> str:
        """``you``, a name, or what is known of them."""
        return words.who(actor, name=self._names.get(actor), me=self.frame.caller.actor)

    @cached_property
    def table(self) -> RulesTable:
        """The table of the rows."""
        return RulesTable(self.rows, query=self.query, sorted_by=self.sort)

    @property
    def sorts(self) -> list[tuple[str, Any, bool]]:
        """For the Columns menu, where the heads aren't shown."""
        heads = RulesTable.base_columns
        return [(name, heads[name].verbose_name, name == self.sort.removeprefix("-")) for name in SORTS]

    @property
    def foot(self) -> str:
        """How many there are, and what rules take."""
        return f"{words.rule_count(len(self.found))} {words.RULES_TAKE}"


def tab_address(request: ConsoleRequest, **changes: Any) -> str:
    """The tab as the request's address has it, without a dialog; ``catch_up`` adds one to those that are shown."""
    query = request.GET.copy()
    for name in _OF_DIALOGS:
        query.pop(name, None)
    query["tab"] = "rules"
    for name, value in changes.items():
        query.appendlist(name.replace("_", "-"), str(value))
    return f"{reverse('quality', args=[request.frame.slug])}?{query.urlencode()}"
