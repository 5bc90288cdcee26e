"""Filters of lists: django-filter's, with our errors and our names (contract, section 2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, TypeVar

import django_filters
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import QueryDict
from django_filters.fields import IsoDateTimeField

from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.api.times import whole_ms

Row = TypeVar("Row", bound=Model)

PAGING = frozenset({"limit", "cursor"})


class IdFilter(django_filters.CharFilter):
    """An id; one that is no UUID is an unknown one, which nothing has."""

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Rows with the id."""
        if not value:
            return qs
        parsed = parse_id(value)
        return qs.none() if parsed is None else qs.filter(**{str(self.field_name): parsed})


def instant_of(value: datetime) -> datetime:
    """An instant that was asked for, cut to whole milliseconds as the stored ones are; raises :class:`BadInput`."""
    try:
        return whole_ms(value)
    except OverflowError:
        raise BadInput("An instant must lie in the years 1 to 9999, in UTC.") from None


def instant_parameter(query: QueryDict, name: str) -> datetime | None:
    """A query parameter that is an instant, as the lists' filters read one, or ``None``; raises :class:`BadInput`."""
    text = query.get(name)
    if text is None:
        return None
    try:
        return instant_of(IsoDateTimeField().clean(text))
    except ValidationError as refused:
        raise BadInput(f"The query parameter {name}: {refused.messages[0]}", details={"parameter": name}) from None


class InstantFilter(django_filters.IsoDateTimeFilter):
    """An instant, in ISO 8601; what has no offset is in UTC."""

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        """Rows by the instant, cut to whole milliseconds as the stored ones are."""
        return qs if value is None else super().filter(qs, instant_of(value))


class FlagFilter(django_filters.ChoiceFilter):
    """``true`` or ``false``, as JSON spells them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """The two choices."""
        super().__init__(*args, choices=[("true", "true"), ("false", "false")], **kwargs)


class ScopedFilterSet(django_filters.FilterSet):
    """A list that can be narrowed to a project by ``scopeKind=project&scopeId=<project id>``, or to a tenant so.

    Its rows have a ``tenant_id`` and a ``project_id``, and are those of the caller's own tenant.
    """

    scopeKind = django_filters.ChoiceFilter(
        method="by_scope", choices=[("tenant", "tenant"), ("project", "project")], help_text="`tenant` or `project`."
    )
    scopeId = django_filters.CharFilter(
        method="by_scope", help_text="The project's id, or with `scopeKind=tenant` the tenant's, which may be left out."
    )

    def by_scope(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """The rows of what both parameters name. A project goes with its id, and an id with what it is one of."""
        query: Any = self.data
        kind, scope_id = query.get("scopeKind", ""), query.get("scopeId", "")
        if not kind or (kind == "project" and not scope_id):
            raise BadInput(
                "scopeId goes with scopeKind, and scopeKind=project with scopeId.", details={"parameter": name}
            )
        if not scope_id:
            return rows
        parsed = parse_id(scope_id)
        return rows.none() if parsed is None else rows.filter(**{f"{kind}_id": parsed})


def filtered(
    filters: type[django_filters.FilterSet],
    query: QueryDict,
    rows: QuerySet[Row],
    *,
    also: Iterable[str] = (),
) -> QuerySet[Row]:
    """``rows`` narrowed by ``query``; raises what :func:`bound` raises.

    ``also`` names parameters that the view reads itself.
    """
    narrowed: QuerySet[Row] = bound(filters, query, rows, also=also).qs
    return narrowed


def bound(
    filters: type[django_filters.FilterSet], query: QueryDict, rows: QuerySet[Any], *, also: Iterable[str] = ()
) -> django_filters.FilterSet:
    """The filters with what ``query`` gives them, read: ``.form.cleaned_data`` has the values, ``.qs`` the rows.

    A parameter that the list doesn't have, and a value that its filter can't read, is
    :class:`BadInput`: a filter that is silently left out would answer something else than asked.
    """
    repeatable = {
        name for name, one in filters.base_filters.items() if isinstance(one, django_filters.MultipleChoiceFilter)
    }
    check_parameters(query, {*filters.base_filters, *also}, repeatable)
    read = filters(data=query, queryset=rows)
    if not read.form.is_valid():
        name, problems = next(iter(read.form.errors.items()))
        raise BadInput(f"The query parameter {name}: {problems[0]}", details={"parameter": name})
    return read


def check_parameters(
    query: QueryDict, known: set[str], repeatable: Collection[str] = (), *, paging: Collection[str] = PAGING
) -> None:
    """Refuse a query parameter that is neither in ``known`` nor about paging, and one given twice."""
    for name, values in query.lists():
        if name not in known and name not in paging:
            raise BadInput(f"There's no query parameter {name!r} here.", details={"parameter": name})
        if "" in values:
            raise BadInput(f"The query parameter {name} is empty; leave it out.", details={"parameter": name})
        if len(values) > 1 and name not in repeatable:
            raise BadInput(f"The query parameter {name} is given {len(values)} times.", details={"parameter": name})
