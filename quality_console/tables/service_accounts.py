"""Service accounts of a tenant."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from kindgi.access.models import ServiceAccount
from kindgi.api.times import now
from quality_console.tables.keyset import ConsoleTable

SORTS: dict[str, Any] = {
    "account": lambda account: account.name.casefold(),
    "made": lambda account: account.created_at,
}


def works(account: ServiceAccount) -> int:
    """How many of its tokens work; they must have been read."""
    at = now()
    return sum(
        1
        for token in account.tokens.all()
        if token.revoked_at is None and (token.expires_at is None or token.expires_at > at)
    )


def _cell(part: str, head: Any, *, cell: str, order: bool = False) -> tables.TemplateColumn:
    name = f"quality_console/parts/account_{part}.html"
    return tables.TemplateColumn(template_name=name, verbose_name=head, orderable=order, attrs={"td": {"class": cell}})


class AccountsTable(ConsoleTable):
    """Rows are service accounts with their grants and tokens."""

    caption = _("Service accounts")
    fixed = ("account",)

    account = _cell("name", _("Service account"), cell="lead", order=True)
    grants = _cell("grants", _("What it may do"), cell="")
    tokens = tables.Column(verbose_name=_("Tokens"), orderable=False, empty_values=(), attrs={"td": {"class": "flow"}})
    made = tables.TemplateColumn(
        template_name="quality_console/parts/account_made.html",
        verbose_name=_("Made"),
        attrs={"td": {"class": "flow", "data-label": _("Made")}},
    )

    def render_tokens(self, record: ServiceAccount) -> str:
        """How many of them work."""
        count = works(record)
        return ngettext("%(count)d token works", "%(count)d tokens work", count) % {"count": count}

    class Meta(ConsoleTable.Meta):
        """Folds when small."""

        attrs = {"class": "fold-table"}  # noqa: RUF012 - django-tables2's own
