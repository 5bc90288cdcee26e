"""What the list of runs can be narrowed by: what `GET /v1/runs` can, days in the reader's zone, and a run's id."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

import django_filters
from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kindgi.api.filters import FlagFilter
from kindgi.runs.filters import RunFilter
from kindgi.runs.models import RunStatus

LEAST_OF_AN_ID = 4
_BEGINNING = re.compile(r"[0-9a-f]{4,32}")
_ZONES = available_timezones()

STATUSES: dict[str, Any] = {
    RunStatus.PENDING: pgettext_lazy("a run", "Not started"),
    RunStatus.RUNNING: pgettext_lazy("a run", "Running"),
    RunStatus.SUSPENDED: pgettext_lazy("a run", "Suspended"),
    RunStatus.COMPLETED: pgettext_lazy("a run", "Completed"),
    RunStatus.FAILED: pgettext_lazy("a run", "Failed"),
    RunStatus.CANCELLED: pgettext_lazy("a run", "Cancelled"),
}


def ids_that_begin(text: str) -> tuple[UUID, UUID] | None:
    """The first and the last id that begin so, hyphens aside; ``None`` where no id does, or it is too little to say."""
    digits = text.strip().lower().replace("-", "")
    if not _BEGINNING.fullmatch(digits):
        return None
    return UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))


# Each of a few: what the address says for it, and how it is said.
CHOICES: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
    "replays": (
        _("Replays"),
        [("", _("With replays")), ("exclude", _("Without replays")), ("only", _("Only replays"))],
    ),
    "dryRuns": (
        _("Dry runs"),
        [("", _("With dry runs")), ("false", _("Without dry runs")), ("true", _("Only dry runs"))],
    ),
    "topLevel": (
        _("Steps of other runs"),
        [("", _("With steps")), ("true", _("Without steps")), ("false", _("Only steps"))],
    ),
    "erased": (
        _("Erased runs"),
        [("", _("With erased runs")), ("false", _("Without erased runs")), ("true", _("Only erased runs"))],
    ),
}


def choices_as(query: QueryDict) -> list[tuple[str, Any, list[tuple[str, Any, bool]]]]:
    """For the form: each of ``CHOICES`` with its head, and of each value whether the address has it."""
    return [
        (name, head, [(value, words, value == query.get(name, "")) for value, words in choices])
        for name, (head, choices) in CHOICES.items()
    ]


class RunListFilter(RunFilter):
    """Runs of a project; the parameters of `/v1` mean here what they mean there.

    ``since`` and ``until`` are days of the zone that ``zone`` names, so that a link shows everybody
    the same; without it, of the reader's.
    """

    scopeKind = None  # type: ignore[assignment] # the list is of its project
    scopeId = None  # type: ignore[assignment]
    q = django_filters.CharFilter(method="by_id", label=_("Run's id"))
    since = django_filters.DateFilter(
        method="by_first_day", label=_("Created from"), widget=forms.DateInput({"type": "date"})
    )
    until = django_filters.DateFilter(
        method="by_last_day", label=_("Created until"), widget=forms.DateInput({"type": "date"})
    )
    dryRuns = FlagFilter("dry_run", method="by_dry_run", label=_("Dry runs"))
    erased = FlagFilter(method="by_erasure", label=_("Erased runs"))

    def by_id(self, runs: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Those whose id begins so."""
        among = ids_that_begin(value)
        return runs.none() if among is None else runs.filter(run_id__range=among)

    def by_first_day(self, runs: QuerySet[Any], name: str, value: date) -> QuerySet[Any]:
        """Those created on the day or after it."""
        return runs.filter(created_at__gte=self._begin(value))

    def by_last_day(self, runs: QuerySet[Any], name: str, value: date) -> QuerySet[Any]:
        """Those created on the day or before it."""
        return runs if value == date.max else runs.filter(created_at__lt=self._begin(value + timedelta(days=1)))

    def by_dry_run(self, runs: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Only dry runs, or none."""
        return runs.filter(dry_run=value == "true")

    def by_erasure(self, runs: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Only erased runs, or none."""
        return runs.filter(content_erased_at__isnull=value == "false")

    @property
    def zone(self) -> str:
        """The zone whose days ``since`` and ``until`` are."""
        named = self.data.get("zone", "") if self.data else ""
        return named if named in _ZONES else timezone.get_current_timezone_name()

    def _begin(self, day: date) -> datetime:
        return datetime.combine(day, time.min, ZoneInfo(self.zone))
