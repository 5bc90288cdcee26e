"""Runs of a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kindgi.runs.models import Run
from quality_console.filters.runs import STATUSES
from quality_console.tables.keyset import ConsoleTable


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run; how it stands in the queue, empty where it never was in it; whether anything live is said of it."""

    run: Run
    slug: str
    queued: str
    is_corrected: bool

    @property
    def status(self) -> str:
        """How far it is, in a word."""
        return str(STATUSES[self.run.status])

    @property
    def is_replay(self) -> bool:
        """Whether it ran again what another had run."""
        return self.run.replay_of is not None


def _cell(part: str, head: Any, *, cell: str = "flow") -> tables.TemplateColumn:
    name = f"quality_console/parts/run_{part}.html"
    return tables.TemplateColumn(template_name=name, verbose_name=head, orderable=False, attrs={"td": {"class": cell}})


class RunsTable(ConsoleTable):
    """Rows are :class:`RunRow`, newest first."""

    caption = _("Runs of the project, newest first")
    fixed = ("ran",)
    hidden = ("run_id", "finished", "conversation", "user")

    ran = _cell("ran", _("What ran"), cell="lead")
    run_id = tables.Column(accessor="run__run_id", verbose_name=_("Run's id"), orderable=False)
    created = _cell("created", pgettext_lazy("a column", "Created"))
    finished = _cell("finished", pgettext_lazy("a column", "Finished"))
    status = _cell("status", _("Status"))
    stands = _cell("stands", _("In the queue"), cell="")
    conversation = tables.Column(accessor="run__conversation_id", verbose_name=_("Conversation"), orderable=False)
    user = tables.Column(accessor="run__participant_id", verbose_name=_("End user"), orderable=False)

    class Meta(ConsoleTable.Meta):
        """Folds when small."""

        attrs = {"class": "fold-table"}  # noqa: RUF012 - django-tables2's own
