"""Corrections: looked at with their verdicts, history and copies, and removed; nothing else changes here."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.utils import display_for_value
from django.db.models import QuerySet, Value
from django.db.models.functions import MD5
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corrections.admin.people import with_maker
from corrections.models import Correction, CorrectionChange, Verdict
from corrections.selectors import run_copy
from corrections.services.removing import correction_remove
from kindgi.access.admin_base import COUNTED, ReadOnlyAdmin, ScopedInline, caller_in, may_use
from kindgi.api.ids import parse_id
from kindgi.runs.admin.content import shown_json, shown_stored
from kindgi.runs.admin.runs import lock_runs
from kindgi.runs.admin.tables import (
    BigTableAdmin,
    CreatedFilter,
    ListedFilter,
    NewestChoice,
    NewestEmpty,
    NewestListed,
    tenant_ids,
)


def correction_ids_of_run(request: HttpRequest, run_id: UUID) -> QuerySet[Any]:
    """The ids of the visible corrections of a run."""
    found = Correction.objects.filter(tenant_id__in=tenant_ids(request), run_id=run_id)
    return found.order_by().values_list("pk", flat=True)


class VerdictInline(ReadOnlyAdmin, ScopedInline):
    """What the correction says, thing by thing."""

    model = Verdict
    tenant_path = "tenant_id"
    fields = ("item_key", "right", "pointer", "rank", "unregistered_at", "superseded_by")
    readonly_fields = fields
    ordering = ("position",)
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without what they point at."""
        verdicts: QuerySet[Any] = super().get_queryset(request).select_related("superseded_by").defer("item_value")
        return verdicts


class ChangeInline(ReadOnlyAdmin, ScopedInline):
    """The correction's history."""

    model = CorrectionChange
    tenant_path = "correction__tenant"
    verbose_name_plural = "history"
    fields = ("revision", "kind", "created_at", "by", "before", "after", "why")
    readonly_fields = fields
    ordering = ("revision",)


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin, BigTableAdmin):
    """The texts and the copies are shown on a correction's own page only."""

    list_display = ("created_at", "run_id", "subject", "status", "sorted_to", "judge_class", "made_by", "is_live")
    list_display_links = ("created_at", "run_id")
    list_filter = (
        ("tenant", ListedFilter),
        ("project", ListedFilter),
        ("created_at", CreatedFilter),
        ("status", NewestChoice),
        ("sorted_to", NewestChoice),
        ("door", NewestChoice),
        ("judge_class", NewestListed),
        ("unregistered_at", NewestEmpty),
    )
    list_select_related = ("judge_class",)
    search_fields = ("run_id",)
    search_help_text = (
        "The whole id of a correction, its run or its maker, a whole participant's id, or the beginning of the "
        "agent's or flow's id (among the newest)."
    )
    inlines = (VerdictInline, ChangeInline)
    actions = ("remove",)
    fieldsets = (
        (None, {"fields": ("run", "project", "tenant", "subject", "door")}),
        (
            "Who said it",
            {"fields": ("made_by", "made_by_kind", "made_by_id", "participant_id", "judge_class", "restricted")},
        ),
        ("What it says", {"fields": ("calls_listed", "must_not_call", "should_say", "why")}),
        ("Where it stands", {"fields": ("status", "status_note", "fixed_in", "reopened_in", "link", "revision")}),
        ("How it is sorted", {"fields": ("sorted_to", "sorted_by", "sorted_reason", "sorted_at")}),
        ("When", {"fields": ("created_at", "updated_at", "unregistered_at", "superseded_by")}),
        ("What was kept of the run", {"fields": ("copied_at", "copied_input", "copied_output", "copied_calls")}),
        (None, {"fields": ("id",)}),
    )  # fmt: skip
    readonly_fields = (
        "run", "subject", "made_by", "calls_listed", "copied_at", "copied_input", "copied_output", "copied_calls",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With who made them, and without the texts."""
        return with_maker(super().get_queryset(request)).defer("should_call", "should_say", "why", "sorted_reason")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By an id or a participant by their indexes; by anything else among the newest."""
        term = search_term.strip()
        if not term:
            return queryset, False
        parsed = parse_id(term)
        found = self._of_participant(request, term)
        if parsed is not None:
            found |= {parsed, *correction_ids_of_run(request, parsed)}
        exact = queryset.filter(pk__in=found)
        if found and exact.exists():
            return exact, False
        newest = self.newest(request, queryset)
        return (newest.filter(made_by_id=parsed) if parsed else newest.filter(subject_id__startswith=term)), False

    def _of_participant(self, request: HttpRequest, participant_id: str) -> set[UUID]:
        made_for = Correction.objects.annotate(digest=MD5("participant_id")).exclude(participant_id="")
        found = made_for.filter(
            tenant_id__in=tenant_ids(request), digest=MD5(Value(participant_id)), participant_id=participant_id
        )
        return set(found.order_by().values_list("pk", flat=True)[:COUNTED])

    @admin.display(description="about")
    def subject(self, obj: Correction) -> str:
        """What the corrected run ran."""
        return f"{obj.subject_id} {obj.subject_version}"

    @admin.display(description="made by")
    def made_by(self, obj: Any) -> str:
        """The user's email or the service's name, else the id."""
        return obj.maker or f"{obj.made_by_kind}:{obj.made_by_id}"

    @admin.display(description="counts", boolean=True)
    def is_live(self, obj: Correction) -> bool:
        """Whether it is neither removed nor superseded."""
        return obj.live

    @admin.display
    def run(self, obj: Correction) -> SafeString:
        """A link to the run, which may be gone."""
        url = reverse(f"{self.admin_site.name}:runs_run_changelist")
        return format_html('<a href="{}?q={}">{}</a>', url, obj.run_id, obj.run_id)

    @admin.display(description="should call")
    def calls_listed(self, obj: Correction) -> SafeString | str:
        """The calls that the agent should have made."""
        return shown_json(None if obj.should_call is None else obj.should_call.encode())

    @admin.display(description="kept at")
    def copied_at(self, obj: Correction) -> str:
        """When the run's first correction kept it."""
        return display_for_value(getattr(_copy(obj), "created_at", None), "-")

    @admin.display(description="input")
    def copied_input(self, obj: Correction) -> SafeString | str:
        """The run's input."""
        return _copied(obj, "input")

    @admin.display(description="output")
    def copied_output(self, obj: Correction) -> SafeString | str:
        """The run's output."""
        return _copied(obj, "output")

    @admin.display(description="calls")
    def copied_calls(self, obj: Correction) -> SafeString | str:
        """The run's calls."""
        return _copied(obj, "calls")

    def has_remove_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list: superusers and tenant admins, who are admins of every project."""
        return may_use(request)

    @admin.action(description="Remove the selected corrections", permissions=["remove"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Correction]) -> HttpResponse | None:
        """They stay readable, and count no more, once that was confirmed."""
        question = "Remove these corrections? They stay readable, count no more, and can't come back."
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        corrections = list(queryset.order_by("tenant_id", "run_id", "pk"))
        lock_runs(corrections)
        for correction in corrections:
            caller = caller_in(request, correction.tenant_id)
            correction_remove(caller=caller, correction_id=str(correction.pk))
            self.log_change(request, correction, "Removed.")
        self.message_user(request, f"{len(corrections)} corrections removed.", messages.SUCCESS)
        return None


def _copy(obj: Any) -> Any:
    """What was kept of the run, read once a page."""
    if not hasattr(obj, "shown_copy"):
        obj.shown_copy = run_copy(obj)
    return obj.shown_copy


def _copied(obj: Correction, name: str) -> SafeString | str:
    copy = _copy(obj)
    return shown_stored(getattr(copy.content, name, None) if copy is not None else None)
