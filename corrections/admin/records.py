"""Verdicts, copies and history, each in a list of its own: looked at, and never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from corrections.admin.corrections import correction_ids_of_run
from corrections.admin.people import with_maker
from corrections.models import Correction, CorrectionChange, RunCopy, Verdict
from corrections.services.history import KINDS
from corrections.services.removing import judgment_remove
from kindgi.access.admin_base import COUNTED, ReadOnlyAdmin, caller_in, may_use, tenant_of
from kindgi.api.ids import parse_id
from kindgi.api.jsontext import encode
from kindgi.runs.admin.content import shown_stored
from kindgi.runs.admin.runs import lock_runs
from kindgi.runs.admin.tables import BigTableAdmin, NewestEmpty, NewestFlag, NewestListed, project_ids, tenant_ids

SHOWN_CHARS = 200


class RecordAdmin(ReadOnlyAdmin, BigTableAdmin):
    """Found by whole ids alone: the row's, its run's or its correction's. Newest first by id, in every list."""

    search_fields = ("pk",)
    search_help_text = "The whole id of the row, its correction or its run."

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """By id: their only order that an index has."""
        return ("-pk",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By the indexes of the ids; nothing is found by what is no id."""
        term = search_term.strip()
        parsed = parse_id(term)
        if parsed is None:
            return (queryset.none() if term else queryset), False
        corrections = [parsed, *correction_ids_of_run(request, parsed)]
        return queryset.filter(Q(pk=parsed) | Q(correction_id__in=corrections)), False


@admin.register(Verdict)
class VerdictAdmin(RecordAdmin):
    """Verdicts by whichever door they came in; each can be removed by itself."""

    list_display = ("created_at", "item_key", "right", "run_id", "judge_class", "made_by", "is_live")
    list_display_links = ("created_at", "item_key")
    list_filter = (
        ("right", NewestFlag),
        ("judge_class", NewestListed),
        ("unregistered_at", NewestEmpty),
    )
    list_select_related = ("judge_class",)
    fieldsets = (
        (None, {"fields": ("item_key", "right", "pointer", "rank", "value")}),
        ("Of what", {"fields": ("run_id", "correction", "position", "project_id", "tenant_id")}),
        ("Who said it", {"fields": ("made_by", "made_by_kind", "made_by_id", "participant_id", "judge_class")}),
        ("When", {"fields": ("created_at", "unregistered_at", "superseded_by")}),
        (None, {"fields": ("id",)}),
    )
    readonly_fields = ("made_by", "value")
    actions = ("remove",)

    def scoped(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A tenant's by its projects, which have an index."""
        return rows if tenant_of(request) is None else rows.filter(project_id__in=project_ids(request))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With who made them, and without what they point at."""
        return with_maker(super().get_queryset(request)).defer("item_value")

    @admin.display(description="counts", boolean=True)
    def is_live(self, obj: Verdict) -> bool:
        """Whether it is neither removed nor superseded."""
        return obj.unregistered_at is None

    @admin.display(description="made by")
    def made_by(self, obj: Any) -> str:
        """The user's email or the service's name, else the id."""
        return obj.maker or f"{obj.made_by_kind}:{obj.made_by_id}"

    @admin.display(description="what it points at")
    def value(self, obj: Verdict) -> SafeString | str:
        """The item as it was in the output, laid out."""
        return shown_stored(obj.item_value)

    def has_remove_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list, as for corrections."""
        return may_use(request)

    @admin.action(description="Remove the selected verdicts", permissions=["remove"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Verdict]) -> HttpResponse | None:
        """They count no more, once that was confirmed; a correction with none left is removed with its last."""
        question = "Remove these verdicts? They stay readable, count no more, and can't come back."
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        verdicts = list(queryset.order_by("tenant_id", "run_id", "pk"))
        lock_runs(verdicts)
        for verdict in verdicts:
            judgment_remove(caller=caller_in(request, verdict.tenant_id), judgment_id=str(verdict.pk))
            self.log_change(request, verdict, "Removed.")
        self.message_user(request, f"{len(verdicts)} verdicts removed.", messages.SUCCESS)
        return None


@admin.register(RunCopy)
class RunCopyAdmin(RecordAdmin):
    """What was kept of runs, for as long as their corrections stay."""

    tenant_path = "tenant_id"
    list_display = ("run_id", "correction_id", "created_at")
    fields = ("run_id", "correction", "created_at", "input", "output", "calls", "id")
    readonly_fields = ("input", "output", "calls")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By its own id or its run's."""
        parsed = parse_id(search_term.strip())
        if parsed is None:
            return super().get_search_results(request, queryset, search_term)
        of_run = RunCopy.objects.filter(tenant_id__in=tenant_ids(request), run_id=parsed).values_list("pk", flat=True)
        return queryset.filter(pk__in=[parsed, *of_run]), False

    @admin.display
    def input(self, obj: RunCopy) -> SafeString | str:
        """The input, laid out."""
        return shown_stored(getattr(obj.content, "input", None))

    @admin.display
    def output(self, obj: RunCopy) -> SafeString | str:
        """The output, laid out."""
        return shown_stored(getattr(obj.content, "output", None))

    @admin.display
    def calls(self, obj: RunCopy) -> SafeString | str:
        """The calls, laid out."""
        return shown_stored(getattr(obj.content, "calls", None))


class KindFilter(admin.SimpleListFilter):
    """What kind of change, among the newest."""

    title = f"kind (newest {COUNTED:,})"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The kinds of change."""
        return [(kind, kind) for kind in KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """The changes of the kind."""
        kind, history = self.value(), CorrectionChangeAdmin(CorrectionChange, admin.site)
        return history.newest(request, queryset).filter(kind=kind) if kind else queryset


@admin.register(CorrectionChange)
class CorrectionChangeAdmin(RecordAdmin):
    """History; a tenant's is that of its newest corrections, others' is on their own pages."""

    tenant_path = "correction__tenant"
    list_display = ("created_at", "correction_id", "revision", "kind", "what")
    list_filter = (KindFilter,)
    fields = ("correction", "revision", "kind", "by", "before", "after", "why", "id", "created_at")

    def newest(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """In a tenant, whose history no index has together, the history of its newest corrections."""
        own = tenant_of(request)
        if own is None:
            return super().newest(request, rows)
        corrections = Correction.objects.filter(tenant_id=own).order_by("-created_at", "-pk")
        for oldest in corrections.values_list("created_at", flat=True)[COUNTED - 1 : COUNTED]:
            return rows.filter(correction__created_at__gte=oldest)
        return rows

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Without a search, the newest of the tenant."""
        if search_term.strip() or tenant_of(request) is None:
            return super().get_search_results(request, queryset, search_term)
        return self.newest(request, queryset), False

    @admin.display(description="what changed")
    def what(self, obj: CorrectionChange) -> str:
        """Each thing that changed, from what to what."""
        names = dict.fromkeys([*obj.before, *obj.after])
        steps = (f"{name}: {_said(obj.before.get(name))} → {_said(obj.after.get(name))}" for name in names)
        return Truncator("; ".join(steps)).chars(SHOWN_CHARS)


def _said(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else encode(value).decode()
