"""Replay endpoints and jobs of replays, looked at here and never changed; no secret is shown."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from improve.models import ReplayEndpoint, ReplayJob
from improve.replaying.problems import sentence
from kindgi.access.admin_base import ReadOnlyAdmin, TenantScopedAdmin
from kindgi.runs.admin.tables import BigTableAdmin, ListedFilter, NewestChoice


@admin.register(ReplayEndpoint)
class ReplayEndpointAdmin(ReadOnlyAdmin, TenantScopedAdmin):
    """Where agents are replayed. Project admins set that over /v1 or in the console."""

    list_display = ("agent_id", "project", "url", "set_by", "updated_at", "rotated_at")
    list_select_related = ("project",)
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter))
    search_fields = ("agent_id__startswith",)
    search_help_text = "The beginning of the agent's id, or the whole id of the endpoint or the project."
    id_search_fields = ("pk", "project_id")
    fields = (
        "agent_id", "project", "tenant", "url", "set_by",
        "created_at", "updated_at", "rotated_at", "previous_until", "id",
    )  # fmt: skip


@admin.register(ReplayJob)
class ReplayJobAdmin(ReadOnlyAdmin, BigTableAdmin):
    """How far each is, and why one failed."""

    list_display = ("created_at", "agent_id", "version", "project", "state", "progress", "heartbeat_at")
    list_select_related = ("project",)
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter), ("state", NewestChoice))
    search_fields = ("pk",)
    search_help_text = "The whole id of the job or the project."
    id_search_fields = ("pk", "project_id")
    readonly_fields = ("progress", "why")
    fieldsets = (
        (None, {"fields": ("agent_id", "version", "project", "tenant", "asked_by")}),
        ("How it stands", {"fields": ("state", "progress", "why", "answered", "refused", "failed", "of")}),
        ("When", {"fields": ("created_at", "heartbeat_at", "finished_at", "cancelled_by", "turn", "settling_tries")}),
        (None, {"fields": ("id",)}),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        """The jobs, without what they carry."""
        return super().get_queryset(request).defer("change", "blocks")

    @admin.display
    def progress(self, obj: ReplayJob) -> str:
        """How many replays are over."""
        return f"{obj.done} of {obj.of}"

    @admin.display(description="why it failed")
    def why(self, obj: ReplayJob) -> str:
        """The problem's sentence."""
        return sentence(obj.problem, obj.detail) if obj.problem else ""
