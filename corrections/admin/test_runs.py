"""Test runs, how their corrections came out, and what was replayed: looked at, and never changed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corrections.models import Replay, TestResult, TestRun
from kindgi.access.admin_base import ReadOnlyAdmin, tenant_of
from kindgi.api.ids import parse_id
from kindgi.runs.admin.content import shown_stored
from kindgi.runs.admin.tables import BigTableAdmin, CreatedFilter, ListedFilter, NewestChoice, project_ids, tenant_ids

NEWEST_TEST_RUNS = 20


@admin.register(TestRun)
class TestRunAdmin(ReadOnlyAdmin, BigTableAdmin):
    """What versions were tried, and what came of it."""

    list_display = ("created_at", "agent_id", "version", "how", "outcomes", "moved")
    list_display_links = ("created_at", "agent_id")
    list_filter = (
        ("tenant", ListedFilter),
        ("project", ListedFilter),
        ("created_at", CreatedFilter),
        ("how", NewestChoice),
    )
    search_fields = ("agent_id",)
    search_help_text = "The whole id of a test run, or the beginning of an agent's (among the newest)."
    fieldsets = (
        (None, {"fields": ("agent_id", "version", "how", "experts_only", "project", "tenant")}),
        ("What came of it", {"fields": ("replays", "uncorrected", "outcomes", "moved", "experts", "results")}),
        ("Who recorded it", {"fields": ("made_by_kind", "made_by_id", "created_at")}),
        (None, {"fields": ("id",)}),
    )  # fmt: skip
    readonly_fields = ("outcomes", "moved", "experts", "results")

    def scoped(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A tenant's by its projects, which have an index."""
        return rows if tenant_of(request) is None else rows.filter(project_id__in=project_ids(request))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By its id, or by the agent among the newest."""
        term = search_term.strip()
        parsed = parse_id(term)
        if parsed is not None:
            return queryset.filter(pk=parsed), False
        return (self.newest(request, queryset).filter(agent_id__startswith=term) if term else queryset), False

    @admin.display(description="came out")
    def outcomes(self, obj: TestRun) -> str:
        """How many corrections came out how."""
        return _outcomes(obj.counts)

    @admin.display(description="moved")
    def moved(self, obj: TestRun) -> str:
        """How many corrections it fixed and reopened."""
        return _moved(obj.counts)

    @admin.display(description="experts' among them")
    def experts(self, obj: TestRun) -> str:
        """The same of experts' corrections."""
        return f"{_outcomes(obj.expert_counts)}; {_moved(obj.expert_counts)}"

    @admin.display(description="results")
    def results(self, obj: TestRun) -> SafeString:
        """Links to how each came out, and to what was replayed."""
        results, replays = (
            reverse(f"{self.admin_site.name}:corrections_{model}_changelist", query={"q": obj.pk})
            for model in ("testresult", "replay")
        )
        return format_html('<a href="{}">Each correction</a> · <a href="{}">Each replay</a>', results, replays)


def _outcomes(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("right", "wrong", "changed", "unchecked"))


def _moved(counts: dict[str, int]) -> str:
    return f"{counts['fixed']} fixed, {counts['reopened']} reopened"


class OfTestRunAdmin(ReadOnlyAdmin, BigTableAdmin):
    """Rows of test runs: of the newest, or found by whole ids alone."""

    tenant_path = "test_run__tenant"
    search_fields = ("pk",)
    search_help_text = "The whole id of the row, its test run or its run."

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """By id: their only order that an index has in every list."""
        return ("-pk",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By the indexes of the ids; without a search, those of the newest test runs that the person sees."""
        term = search_term.strip()
        parsed = parse_id(term)
        if parsed is not None:
            return queryset.filter(self.found(request, parsed)), False
        return (queryset.none() if term else queryset.filter(test_run_id__in=_newest(request))), False

    def found(self, request: HttpRequest, sought: UUID) -> Q:
        """What a whole id may be of."""
        return Q(pk=sought) | Q(test_run_id=sought)


def _newest(request: HttpRequest) -> list[UUID]:
    test_runs = TestRun.objects.order_by("-created_at", "-pk")
    if tenant_of(request) is not None:
        test_runs = test_runs.filter(project_id__in=project_ids(request))
    return list(test_runs.values_list("pk", flat=True)[:NEWEST_TEST_RUNS])


@admin.register(TestResult)
class TestResultAdmin(OfTestRunAdmin):
    """How replays came out for corrections."""

    list_display = ("run_id", "correction_id", "outcome", "expert", "status_before", "status_after", "test_run_id")
    fields = (
        "test_run", "correction", "run_id", "outcome", "parts", "expert", "status_before", "status_after", "created_at",
        "id",
    )  # fmt: skip

    def found(self, request: HttpRequest, sought: UUID) -> Q:
        """Its correction's id, too."""
        return super().found(request, sought) | Q(correction_id=sought)


@admin.register(Replay)
class ReplayAdmin(OfTestRunAdmin):
    """What versions did; the content on a replay's own page only."""

    list_display = ("run_id", "test_run_id", "created_at")
    fields = ("test_run", "run_id", "created_at", "shown_calls", "shown_output", "id")
    readonly_fields = ("shown_calls", "shown_output")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without what was done."""
        replays: QuerySet[Any] = super().get_queryset(request).defer("calls", "output")
        return replays

    def found(self, request: HttpRequest, sought: UUID) -> Q:
        """Its run's id, too, by the index that begins with the tenant."""
        of_run = Replay.objects.filter(tenant_id__in=tenant_ids(request), run_id=sought)
        return super().found(request, sought) | Q(pk__in=list(of_run.values_list("pk", flat=True)))

    @admin.display(description="calls")
    def shown_calls(self, obj: Replay) -> SafeString | str:
        """The calls, laid out."""
        return shown_stored(obj.calls)

    @admin.display(description="output")
    def shown_output(self, obj: Replay) -> SafeString | str:
        """The output, laid out."""
        return shown_stored(obj.output)
