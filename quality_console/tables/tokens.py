"""API tokens, of a person or of a service account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import django_tables2 as tables
from django.template import Context
from django.utils.translation import gettext_lazy as _

from kindgi.access.models import Token
from kindgi.api.times import now
from quality_console.tables.keyset import ConsoleTable


def _part(name: str) -> str:
    return f"quality_console/parts/token_{name}.html"


class TokenTable(ConsoleTable):
    """Newest first. ``here`` is the address whose dialog asks whether to revoke one."""

    caption = _("API tokens, newest first")
    fixed = ("token", "acts")
    hidden = ("made",)
    unlisted = ("acts",)

    token = tables.TemplateColumn(
        template_name=_part("name"), verbose_name=_("Token"), orderable=False, attrs={"td": {"class": "lead"}}
    )
    state = tables.TemplateColumn(template_name=_part("state"), verbose_name=_("State"), orderable=False)
    may = tables.TemplateColumn(
        template_name=_part("may"), verbose_name=_("What it may do"), orderable=False, attrs={"td": {"class": "flow"}}
    )
    used = tables.TemplateColumn(
        template_name=_part("used"),
        verbose_name=_("Last used"),
        orderable=False,
        attrs={"td": {"class": "flow", "data-label": _("Last used")}},
    )
    expires = tables.TemplateColumn(
        template_name=_part("expires"), verbose_name=_("Expires"), orderable=False, attrs={"td": {"class": "flow"}}
    )
    made = tables.TemplateColumn(
        template_code="{% load console %}{{ record.created_at|moment }}", verbose_name=_("Made"), orderable=False
    )
    acts = tables.TemplateColumn(
        template_name=_part("acts"), verbose_name=_("Actions"), orderable=False, attrs={"td": {"class": "tight act"}}
    )

    def __init__(self, rows: Sequence[Token], *, here: str, **kwargs: Any) -> None:
        """Rows in their order."""
        super().__init__(rows, **kwargs)
        self.context = Context({"here": here, "now": now()})

    class Meta(ConsoleTable.Meta):
        """Folds when small."""

        attrs = {"class": "fold-table"}  # noqa: RUF012 - django-tables2's own
