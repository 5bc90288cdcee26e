"""People of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import django_tables2 as tables
from django.template import Context
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kindgi.access.models import Membership, ProjectRole
from quality_console.roles import reviewer_label, role_label
from quality_console.tables.keyset import ConsoleTable


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A person's role in the project and on the roster; whether they are who looks, and may be changed by them."""

    membership: Membership
    reviewer: str
    is_you: bool
    may_change: bool

    @property
    def role(self) -> str:
        """What they are in the project, in a word."""
        return role_label(self.membership.role)

    @property
    def on_roster(self) -> str:
        """What they are on the roster, in words; empty for nothing."""
        return reviewer_label(self.reviewer)


SORTS: dict[str, Any] = {
    "person": lambda row: str(row.membership.user).casefold(),
    "role": lambda row: ProjectRole.values.index(row.membership.role),
    "roster": lambda row: row.on_roster,
    "since": lambda row: row.membership.created_at,
}


def _cell(part: str, head: Any, cell: dict[str, Any], *, order: bool = True) -> tables.TemplateColumn:
    name = f"quality_console/parts/person_{part}.html"
    return tables.TemplateColumn(template_name=name, verbose_name=head, orderable=order, attrs={"td": cell})


class PeopleTable(ConsoleTable):
    """Rows are :class:`PersonRow`."""

    caption = _("People of the project")
    fixed = ("person",)
    unlisted = ("acts",)

    person = _cell("name", _("Person"), {"class": "lead"})
    role = _cell("role", pgettext_lazy("a column", "Role"), {"class": "flow"})
    roster = _cell("roster", _("Reviewer"), {"class": "flow"})
    since = _cell("since", _("Since"), {"class": "before-tools", "data-label": _("Since")})
    acts = _cell("acts", _("Actions"), {"class": "tight tools"}, order=False)

    def __init__(self, rows: Sequence[PersonRow], *, here: str, **kwargs: Any) -> None:
        """Rows in their order; ``here`` is the page's address."""
        super().__init__(rows, **kwargs)
        self.context = Context({"here": here})

    class Meta(ConsoleTable.Meta):
        """Folds when small."""

        attrs = {"class": "fold-table"}  # noqa: RUF012 - django-tables2's own
