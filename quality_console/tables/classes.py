"""The table of the judge classes that apply to a project (contract, sections 5 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import django_tables2 as tables
from django.http import HttpRequest
from django.utils.functional import lazy
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from corrections.models import JudgeClass
from corrections.policies import can_administer_class
from judging.models import JudgingRule
from judging.words.classes import NO_RULE_WANTS_IT, applies_to, counts, given_by
from judging.words.parts import number
from kindgi.access.callers import Caller
from quality_console.tables.keyset import ConsoleTable
from quality_console.views.numbered import NumberedPage, page_of

SORTED_BY = "name"
PER_PAGE = 25
RULES_NAMED = 10
_hidden_head: Any = lazy(lambda text: format_html('<span class="sr">{}</span>', text), SafeString)


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class in words, the rules that want it, and whether the person may change it."""

    judge_class: JudgeClass
    counts: str
    applies: str
    given: str
    rules: list[JudgingRule]
    may_change: bool


def class_rows(classes: Iterable[JudgeClass], *, rules: Iterable[JudgingRule], caller: Caller) -> list[ClassRow]:
    """The rows of the classes; ``rules`` are the project's, without those that were removed."""
    wanting: dict[Any, list[JudgingRule]] = {}
    for rule in sorted(rules, key=lambda rule: rule.name.casefold()):
        wanting.setdefault(rule.judge_class_id, []).append(rule)
    return [_row(one, wanting.get(one.pk, []), may_change=can_administer_class(caller, one)) for one in classes]


def _row(one: JudgeClass, rules: list[JudgingRule], *, may_change: bool) -> ClassRow:
    return ClassRow(
        judge_class=one,
        counts=counts(one.weight),
        applies=applies_to(project=one.project_id is not None, agent=one.agent_id or None),
        given=given_by(
            kinds=one.principal_kinds,
            min_reviewer_role=one.min_reviewer_role,
            principal_count=len(one.principal_ids),
        ),
        rules=rules,
        may_change=may_change,
    )


class ClassTable(ConsoleTable):
    """A row a class."""

    fixed: Collection[str] = ("name",)
    unlisted: Collection[str] = ("acts",)

    name = tables.TemplateColumn(
        verbose_name=_("Class"),
        template_name="quality_console/parts/class_name.html",
        attrs={"td": {"class": "lead"}},
    )
    counts = tables.Column(verbose_name=_("How much it counts"))
    applies = tables.Column(verbose_name=_("Where it applies"), attrs={"td": {"class": "flow"}})
    given = tables.Column(verbose_name=_("Who may give it"), attrs={"td": {"class": "flow"}})
    rules = tables.Column(
        verbose_name=_("Rules that want it"), empty_values=(), attrs={"td": {"class": "before-tools"}}
    )
    acts = tables.TemplateColumn(
        verbose_name=_hidden_head(_("Actions")),
        template_name="quality_console/parts/class_acts.html",
        orderable=False,
        attrs={"th": {"class": "tight"}, "td": {"class": "tight tools"}},
    )

    class Meta(ConsoleTable.Meta):
        """As blocks when small."""

        attrs = {"class": "fold-table"}  # noqa: RUF012 - as django-tables2 declares it

    caption = _("Judge classes that apply to this project's runs")

    def __init__(self, rows: Sequence[ClassRow], *, request: HttpRequest, rules_address: str, **kwargs: Any) -> None:
        """``rules_address`` is where the rules are."""
        self.rules_address = rules_address
        super().__init__(rows, query=request.GET, **kwargs)
        # Cells' templates need it. Given to the table itself, it would sort and page rows that are in order already.
        self.request = request

    def render_rules(self, value: list[JudgingRule]) -> SafeString:
        """Each by its name, as a link to the rules; of many the first, and how many more."""
        if not value:
            return format_html('<span class="muted">{}</span>', NO_RULE_WANTS_IT)
        named = [(self.rules_address, rule.name) for rule in value[:RULES_NAMED]]
        if len(value) > RULES_NAMED:
            more = len(value) - RULES_NAMED
            said = ngettext("%(count)s more", "%(count)s more", more) % {"count": number(more)}
            named.append((self.rules_address, said))
        return format_html("<span>{}</span>", format_html_join(", ", '<a href="{}">{}</a>', named))


_KEYS: dict[str, Callable[[ClassRow], Any]] = {
    "name": lambda row: row.judge_class.name.casefold(),
    "counts": lambda row: row.judge_class.weight,
    "applies": lambda row: row.applies.casefold(),
    "given": lambda row: row.given.casefold(),
    "rules": lambda row: len(row.rules),
}


def class_table(
    rows: Sequence[ClassRow], *, request: HttpRequest, rules_address: str
) -> tuple[ClassTable, NumberedPage]:
    """A page of the rows, sorted as the address says, else by name; those that are alike by name."""
    sort = request.GET.get("sort", "")
    if sort.removeprefix("-") not in _KEYS:
        sort = SORTED_BY
    found = sorted(sorted(rows, key=_KEYS[SORTED_BY]), key=_KEYS[sort.removeprefix("-")], reverse=sort.startswith("-"))
    shown, pages = page_of(found, request.GET, per_page=PER_PAGE)
    return ClassTable(shown, request=request, sorted_by=sort, rules_address=rules_address), pages


def sorts_of(table: ClassTable) -> list[tuple[str, Any, bool]]:
    """For the Columns menu of small screens, where there are no heads: what to sort by, and which it is now."""
    current = str(table.order_by)
    return [(name, table.base_columns[name].verbose_name, name == current.removeprefix("-")) for name in _KEYS]
