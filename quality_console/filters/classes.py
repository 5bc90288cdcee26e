"""What the Judge classes tab is narrowed to (contract, section 8)."""

from __future__ import annotations

from typing import Any, ClassVar

import django_filters as filters
from django.db.models import Q, QuerySet

from corrections.models import JudgeClass


class ClassesFilter(filters.FilterSet):
    """Classes by what their names or descriptions hold."""

    q = filters.CharFilter(method="search", max_length=200)

    class Meta:
        """Only that above."""

        model = JudgeClass
        fields: ClassVar[list[str]] = []

    def filter_queryset(self, queryset: QuerySet[JudgeClass]) -> QuerySet[JudgeClass]:
        """The classes that are asked for, without those that were removed."""
        found: QuerySet[JudgeClass] = super().filter_queryset(queryset.filter(unregistered_at__isnull=True))
        return found

    def search(self, classes: QuerySet[JudgeClass], name: str, value: Any) -> QuerySet[JudgeClass]:
        """Those that have the text in either, in any case."""
        return classes.filter(Q(name__icontains=value) | Q(description__icontains=value))
