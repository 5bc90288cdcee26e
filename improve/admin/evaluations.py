"""Test sets and evaluations, looked at here and never changed; nobody's words are shown."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from improve.models import CaseLabel, Evaluation, TestSet
from improve.words.findings import label
from judging.words.parts import percent
from kindgi.access.admin_base import ReadOnlyAdmin
from kindgi.runs.admin.tables import BigTableAdmin, ListedFilter, NewestChoice


@admin.register(TestSet)
class TestSetAdmin(ReadOnlyAdmin, BigTableAdmin):
    """What test sets there are, and by what they were narrowed."""

    list_display = ("created_at", "agent_id", "version", "project", "cases", "truncated", "made_by")
    list_select_related = ("project",)
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter))
    search_fields = ("pk",)
    search_help_text = "The whole id of the test set or the project."
    id_search_fields = ("pk", "project_id")
    fieldsets = (
        (None, {"fields": ("agent_id", "version", "project", "tenant", "made_by", "created_at")}),
        ("Cases", {"fields": ("cases", "truncated")}),
        (
            "Narrowed by",
            {"fields": ("versions", "since", "until", "judge_class_ids", "min_verdicts", "experts_only")},
        ),
        (None, {"fields": ("id",)}),
    )


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin, BigTableAdmin):
    """What suggested changes were tried on, and what was found."""

    tenant_path = "proposal__tenant"
    list_display = ("created_at", "proposal", "found", "shares", "cases", "repetitions", "started_by")
    list_select_related = ("proposal",)
    list_filter = (("finding", NewestChoice),)
    search_fields = ("pk",)
    search_help_text = "The whole id of the evaluation or the suggested change."
    id_search_fields = ("pk", "proposal_id")
    readonly_fields = ("found", "shares", "outcomes")
    fieldsets = (
        (None, {"fields": ("proposal", "test_set", "job", "rescore_of", "started_by", "created_at", "finished_at")}),
        ("How", {"fields": ("repetitions", "experts_only")}),
        ("What it found", {"fields": ("found", "shares", "delta", "spread", "cases", "outcomes")}),
        (None, {"fields": ("id",)}),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        """The evaluations, without what their changes say."""
        return super().get_queryset(request).defer("proposal__content")

    @admin.display(description="found")
    def found(self, obj: Evaluation) -> str:
        """What it found."""
        return obj.get_finding_display() or "going on"

    @admin.display(description="marked right")
    def shares(self, obj: Evaluation) -> str:
        """Both shares, where there are any."""
        if obj.baseline is None or obj.candidate is None:
            return ""
        return f"{percent(obj.baseline)} before, {percent(obj.candidate)} with it"

    @admin.display(description="cases")
    def outcomes(self, obj: Evaluation) -> str:
        """How many cases came out how."""
        labels = (obj.result or {}).get("labels", {})
        return ", ".join(f"{labels[one]} {label(one).lower()}" for one in CaseLabel if labels.get(one))
