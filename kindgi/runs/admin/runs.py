"""Runs: looked at, and erased; nothing else of them changes here."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from kindgi.access.admin_base import ReadOnlyAdmin, caller_in, may_use
from kindgi.api.ids import parse_id
from kindgi.runs.admin.content import shown_stored
from kindgi.runs.admin.tables import (
    LISTED,
    BigTableAdmin,
    CreatedFilter,
    ListedFilter,
    NewestChoice,
    NewestEmpty,
    NewestFlag,
    project_ids,
    tenant_ids,
)
from kindgi.runs.models import Agent, Run
from kindgi.runs.selectors import run_content, runs_lock
from kindgi.runs.services.erasure import run_erase


def agent_ids_from(request: HttpRequest, model_admin: admin.ModelAdmin[Any], beginning: str) -> list[str]:
    """The ids of the visible agents that begin so, up to ``LISTED`` of them."""
    agents: QuerySet[Agent] = model_admin.admin_site.get_model_admin(Agent).get_queryset(request)
    named = agents.filter(agent_id__startswith=beginning).order_by("agent_id").values_list("agent_id", flat=True)
    return list(dict.fromkeys(named[:LISTED]))


def lock_runs(rows: Iterable[Any]) -> None:
    """Lock the runs of ``rows`` until the transaction ends, in the order of their tenants' ids and their own.

    Before the first is changed: a change locks more than its run, and no run may be waited for
    after that. ``rows`` are runs, or what names one by ``tenant_id`` and ``run_id``.
    """
    named = sorted({(row.tenant_id, row.run_id) for row in rows})
    for tenant_id, of_tenant in groupby(named, key=lambda name: name[0]):
        runs_lock(tenant_id=tenant_id, run_ids=[run_id for _, run_id in of_tenant])


class AgentFilter(admin.SimpleListFilter):
    """The agent that ran, by the index of each project's agents."""

    title = "agent"
    parameter_name = "agent"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The visible agents."""
        return [(agent_id, agent_id) for agent_id in agent_ids_from(request, model_admin, "")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """Its runs."""
        agent_id = self.value()
        return queryset.filter(agent_id=agent_id, project_id__in=project_ids(request)) if agent_id else queryset


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin, BigTableAdmin):
    """What was said in a run is shown on its own page only."""

    list_display = ("created_at", "run_id", "what", "status", "project", "agent_via")
    list_display_links = ("created_at", "run_id")
    list_filter = (
        ("tenant", ListedFilter),
        ("project", ListedFilter),
        AgentFilter,
        ("created_at", CreatedFilter),
        ("status", NewestChoice),
        ("agent_via", NewestChoice),
        ("dry_run", NewestFlag),
        ("content_erased_at", NewestEmpty),
    )
    list_select_related = ("project",)
    search_fields = ("agent_id",)
    search_help_text = "A run's whole id, an agent's whole id, or the beginning of a registered agent's."
    actions = ("erase",)
    fieldsets = (
        (None, {"fields": ("run_id", "tenant", "project", "status", "failure_message", "dry_run")}),
        ("What ran", {"fields": ("agent_id", "agent_version", "agent_via", "flow_id", "flow_version")}),
        ("For whom", {"fields": ("conversation_id", "participant_id")}),
        ("Where it comes from", {"fields": ("parent_run_id", "replay_of", "eval_run_id")}),
        ("When", {"fields": ("created_at", "completed_at", "updated_at", "content_erased_at")}),
        ("What was said", {"fields": ("input", "output", "calls")}),
        (None, {"fields": ("id",)}),
    )
    readonly_fields = ("input", "output", "calls")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without the one text of any length that is on the row."""
        return super().get_queryset(request).defer("failure_message")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By an id, or by an agent, each by an index."""
        term = search_term.strip()
        if not term:
            return queryset, False
        parsed = parse_id(term)
        if parsed is not None:
            return queryset.filter(pk__in=[parsed, *self._with_run_id(request, parsed)]), False
        agent_ids = {term, *agent_ids_from(request, self, term)}
        return queryset.filter(agent_id__in=agent_ids, project_id__in=project_ids(request)), False

    def _with_run_id(self, request: HttpRequest, run_id: UUID) -> QuerySet[Any]:
        return Run.objects.filter(tenant_id__in=tenant_ids(request), run_id=run_id).values_list("pk", flat=True)

    @admin.display(description="what ran")
    def what(self, obj: Run) -> str:
        """The agent or flow, and which version."""
        return f"{obj.agent_id} {obj.agent_version}" if obj.is_agents else f"{obj.flow_id} {obj.flow_version}"

    @admin.display
    def input(self, obj: Run) -> SafeString | str:
        """The input, laid out."""
        return self._part(obj, "input")

    @admin.display
    def output(self, obj: Run) -> SafeString | str:
        """The output, laid out."""
        return self._part(obj, "output")

    @admin.display
    def calls(self, obj: Run) -> SafeString | str:
        """The calls, laid out."""
        return self._part(obj, "calls")

    def _part(self, obj: Run, name: str) -> SafeString | str:
        if "content" not in obj._state.fields_cache:
            obj.content = run_content(obj.content_id)
        return shown_stored(getattr(obj.content, name, None))

    def has_erase_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list: superusers and tenant admins, who are admins of every project."""
        return may_use(request)

    @admin.action(description="Erase what was said in the selected runs", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse | None:
        """Erase them, once that was confirmed."""
        question = (
            "Erase these runs' inputs, outputs, calls and failure messages, and what their corrections hold of them? "
            "It can't be undone. Ids, statuses, times and verdicts stay."
        )
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        runs = list(queryset.order_by("tenant_id", "run_id"))
        lock_runs(runs)
        for run in runs:
            run_erase(caller=caller_in(request, run.tenant_id), run_id=str(run.run_id))
            self.log_change(request, run, "Erased.")
        self.message_user(request, f"{len(runs)} runs erased.", messages.SUCCESS)
        return None
