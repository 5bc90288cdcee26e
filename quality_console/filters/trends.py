"""What the Trends tab is narrowed to: a period, and some of the project's rules (contract, section 8)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any, ClassVar

import django_filters as filters
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone

from judging.models import JudgingRule

PERIODS = {"90": 90, "30": 30}


class TrendsFilter(filters.FilterSet):
    """Rules in use, or with ``removed`` those that no longer are; whichever of them ``rule`` names."""

    q = filters.CharFilter(field_name="name", lookup_expr="icontains", max_length=200)
    rule = filters.UUIDFilter(field_name="pk")
    removed = filters.ChoiceFilter(choices=[("yes", "yes")], method="leave")

    class Meta:
        """Only those above."""

        model = JudgingRule
        fields: ClassVar[list[str]] = []

    def leave(self, rules: QuerySet[JudgingRule], name: str, value: Any) -> QuerySet[JudgingRule]:
        """Nothing: it is decided in :meth:`filter_queryset`, also where the address doesn't say it."""
        return rules

    def filter_queryset(self, queryset: QuerySet[JudgingRule]) -> QuerySet[JudgingRule]:
        """The rules that are asked for. One that is named is there whether it was removed or not."""
        asked = self.form.cleaned_data
        found: QuerySet[JudgingRule] = super().filter_queryset(queryset)
        if asked.get("rule"):
            return found
        return found.filter(unregistered_at__isnull=not asked.get("removed"))


def period_of(query: QueryDict) -> str:
    """The period that the address names, in days; empty for all time."""
    period = query.get("period", "")
    return period if period in PERIODS else ""


def since_of(period: str, *, at: datetime) -> datetime | None:
    """When a period that ends at ``at`` begins: with a day of the viewer's zone; ``None`` for all time.

    In UTC, as counts are kept by its days.
    """
    if not period:
        return None
    first = timezone.localtime(at).date() - timedelta(days=PERIODS[period])
    return timezone.make_aware(datetime.combine(first, time.min)).astimezone(UTC)
