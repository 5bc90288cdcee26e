"""What rows say in words: whatever these need is read for a whole page at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.admin.utils import display_for_value
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest

from corrections.models import JudgeClass
from judging.words.rules import RunsTaken, who
from kindgi.access.admin_base import ReadOnlyAdmin, ScopedInline
from kindgi.access.models import ServiceAccount, User
from kindgi.runs.admin.tables import BigTableAdmin

Names = dict[str, str]
"""Actors' names by ``user:<id>`` or ``service_account:<id>``."""


class TellingAdmin(BigTableAdmin):
    """A list and pages whose rows are told in words."""

    class Media:
        """Room for the words."""

        css = {"all": ("admin/judging/judging.css",)}  # noqa: RUF012 - as Django declares it

    def tell(self, rows: list[Any]) -> None:
        """Set on each row what is said of it; the same few statements for one row and for a page of them."""
        raise NotImplementedError

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, with what its rows say."""
        found = super().get_changelist_instance(request)
        self.tell(list(found.result_list))
        return found

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row of a page, with what it says."""
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            self.tell([found])
        return found


class ToldFormSet(BaseInlineFormSet[Any, Any, Any]):
    """Rows of an inline that are told together."""

    tell: Callable[[list[Any]], None]
    is_told = False

    def get_queryset(self) -> QuerySet[Any]:
        """The rows, with what they say."""
        rows: QuerySet[Any] = super().get_queryset()
        if not self.is_told:
            self.is_told = True
            self.tell(list(rows))
        return rows


class TellingInline(ReadOnlyAdmin, ScopedInline):
    """History, whose rows are told in words."""

    def tell(self, rows: list[Any]) -> None:
        """As :meth:`TellingAdmin.tell`."""
        raise NotImplementedError

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """The formset, which tells its rows."""
        told = type("Told", (ToldFormSet,), {"tell": staticmethod(self.tell)})
        return super().get_formset(request, obj, **{"formset": told, **kwargs})


def names_of(actors: Iterable[str]) -> Names:
    """The users' emails and the services' names; one statement for each kind that is among them."""
    ids: dict[str, set[str]] = {"user": set(), "service_account": set()}
    for actor in actors:
        kind, _, actor_id = actor.partition(":")
        ids.get(kind, set()).add(actor_id)
    people = User.objects.filter(pk__in=ids["user"]).values_list("pk", "email")
    services = ServiceAccount.objects.filter(pk__in=ids["service_account"]).values_list("pk", "name")
    return {f"user:{pk}": email for pk, email in people} | {f"service_account:{pk}": name for pk, name in services}


def named(actor: str, names: Names) -> str:
    """Who it was; nobody where it was nobody's wish."""
    return who(actor, name=names.get(actor), me=None) if actor else ""


def class_names(ids: Iterable[UUID | None]) -> dict[UUID | None, str | None]:
    """The names of judge classes, and ``None`` for none; one statement."""
    wanted: Collection[UUID] = {one for one in ids if one is not None}
    return {None: None, **dict(JudgeClass.objects.filter(pk__in=wanted).values_list("pk", "name"))}


def runs_taken(when: dict[str, Any]) -> RunsTaken:
    """Which runs a rule is about, from its ``when`` as it is stored. Agents and flows are called by their ids."""
    return RunsTaken(
        agents=when.get("agentIds", ()),
        flows=when.get("flowIds", ()),
        versions=when.get("versions", ()),
        dry_runs=when.get("includeDryRuns", False),
    )


def moment(at: datetime | None) -> str:
    """A time as the admin's pages have it, in UTC."""
    return display_for_value(at, "-")
