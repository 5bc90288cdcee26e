"""The table of rules (contract, section 8)."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from quality_console.tables.keyset import ConsoleTable


def _cell(part: str, head: Any, *, cell: str = "", order: bool = True) -> tables.TemplateColumn:
    return tables.TemplateColumn(
        template_name=f"quality_console/parts/rule_{part}.html",
        verbose_name=head,
        orderable=order,
        attrs={"td": {"class": cell}} if cell else {},
    )


class ActsColumn(tables.TemplateColumn):  # type: ignore[misc]
    """What can be done to a row; its head is read out alone."""

    @property
    def header(self) -> SafeString:
        """The head."""
        return format_html('<span class="sr">{}</span>', self.verbose_name)


class RulesTable(ConsoleTable):
    """Rows are :class:`~quality_console.rules.RuleRow`; the table's context has ``tab`` and ``frame``."""

    name = _cell("name", pgettext_lazy("a column", "Rule"), cell="lead")
    runs = _cell("runs", _("Which runs"))
    wants = _cell("wants", _("What it wants"), cell="flow")
    cap = _cell("cap", _("Its cap"), cell="flow")
    open = _cell("open", _("Open now"), cell="before-tools")
    by = _cell("by", _("Latest version"), cell="flow")
    actions = ActsColumn(
        template_name="quality_console/parts/rule_acts.html",
        verbose_name=_("Actions"),
        orderable=False,
        attrs={"td": {"class": "tight tools"}, "th": {"class": "tight"}},
    )

    fixed = ("name",)
    hidden = ("by",)
    unlisted = ("actions",)
    caption = _("Judging rules")

    class Meta(ConsoleTable.Meta):
        """What opens under a row belongs to it."""

        sequence = ("name", "runs", "wants", "cap", "by", "open", "actions")
        attrs = {"class": "fold-table rules"}  # noqa: RUF012 - as django-tables2 declares it
        row_attrs = {  # noqa: RUF012
            "id": lambda record: f"rule-{record.rule.pk}",
            "class": lambda record: "open" if record.history or record.catch_ups else "",
        }
