"""The queue: looked at, dismissed and reopened by the services of /v1; never a run's content."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from judging.admin.told import TellingAdmin, TellingInline, class_names, moment, named, names_of
from judging.admin.versions import lines
from judging.lanes import tallies_read
from judging.models import JudgingRule, Lane, QueueEntry, QueueItem, QueueItemChange, State
from judging.services.items import queue_item_dismiss, queue_items_reopen
from judging.services.locking import rules_read_lock
from judging.services.queueing import items_lock
from judging.words import items as words
from kindgi.access.admin_base import COUNTED, ReadOnlyAdmin, ScopedInline, caller_in, may_use, tenant_of
from kindgi.access.models import Project
from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.runs.admin.tables import (
    LISTED,
    CreatedFilter,
    ListedFilter,
    is_narrowed,
    project_ids,
    tenant_ids,
)

REASON_LENGTH = 500
_STATE = "state__exact"


class ReasonForm(forms.Form):
    """Why items are dismissed."""

    reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        error_messages={"max_length": f"A reason has up to {REASON_LENGTH} characters."},
    )


class StateFilter(admin.ChoicesFieldListFilter):
    """Where an item stands: in a tenant or project by an index, and else among the newest."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        """Keep whose filter it is."""
        super().__init__(field, request, params, model, model_admin, field_path)
        self._admin: QueueItemAdmin = model_admin

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """The items that stand so."""
        by_index = is_narrowed(request) or RuleFilter.parameter_name in request.GET or not self.used_parameters
        return super().queryset(request, queryset if by_index else self._admin.newest(request, queryset))


class RuleFilter(admin.SimpleListFilter):
    """The rule that queued the run: the newest that it took, by an index."""

    title = "rule"
    parameter_name = "rule"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The first rules that the person sees; others are reached from their own pages."""
        rules = model_admin.admin_site.get_model_admin(JudgingRule).get_queryset(request).select_related("project")
        return [(str(rule.pk), f"{rule} · {rule.project}") for rule in rules.order_by("name", "pk")[:LISTED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """Its items; of the open ones the newest of these."""
        rule = self.value()
        if not rule:
            return queryset
        entries = QueueEntry.objects.filter(rule_id=parse_id(rule)).order_by("-created_at")
        if request.GET.get(_STATE) == State.OPEN:
            entries = entries.filter(open=True)
        return queryset.filter(pk__in=entries.values("item_id")[:COUNTED])


class EntryInline(ReadOnlyAdmin, ScopedInline):
    """The rules that queued the run, each at the version that did."""

    model = QueueEntry
    tenant_path = "rule__tenant"
    verbose_name_plural = "rules"
    fields = ("rule", "rule_version", "created_at")
    readonly_fields = fields
    ordering = ("created_at", "pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the rules."""
        entries: QuerySet[Any] = super().get_queryset(request).select_related("rule")
        return entries


class ChangeInline(TellingInline):
    """The item's history."""

    model = QueueItemChange
    tenant_path = "item__tenant"
    verbose_name_plural = "history"
    fields = ("created_at", "before", "after", "who", "reason")
    readonly_fields = fields
    ordering = ("created_at", "pk")

    def tell(self, rows: list[Any]) -> None:
        """Who made each change; two statements."""
        names = names_of(row.by for row in rows)
        for row in rows:
            row.told_by = named(row.by, names)

    @admin.display
    def who(self, obj: Any) -> str:
        """By whom, where it was somebody's doing."""
        told: str = obj.told_by
        return told


@admin.register(QueueItem)
class QueueItemAdmin(ReadOnlyAdmin, TellingAdmin):
    """Items are named by their runs; what was said in these is on the run's own page."""

    list_display = ("created_at", "what", "stands", "rules", "run_id", "project")
    list_display_links = ("created_at", "run_id")
    list_filter = (
        ("tenant", ListedFilter),
        ("project", ListedFilter),
        ("state", StateFilter),
        RuleFilter,
        ("created_at", CreatedFilter),
    )
    search_fields = ("run_id",)
    search_help_text = "The whole id of an item or its run, or an agent's or a flow's whole id (among the newest)."
    inlines = (EntryInline, ChangeInline)
    actions = ("dismiss", "reopen")
    fieldsets = (
        (None, {"fields": ("run", "project", "tenant", "what", "completed_at")}),
        ("Where it stands", {"fields": ("stands", "state", "closed_at", "gone_at", "holder", "held_until")}),
        ("When", {"fields": ("created_at",)}),
        (None, {"fields": ("id",)}),
    )
    readonly_fields = ("run", "what", "stands", "holder")

    def scoped(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A tenant's by its projects, which have an index."""
        return rows if tenant_of(request) is None else rows.filter(project_id__in=project_ids(request))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With their projects and lanes, and the rules that queued them."""
        entries = Prefetch("entries", QueueEntry.objects.select_related("rule"))
        items: QuerySet[Any] = super().get_queryset(request).select_related("project", "lane").prefetch_related(entries)
        return items

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By an id by its index; by an agent or a flow among the newest, as everything in a tenant is."""
        term = search_term.strip()
        parsed = parse_id(term)
        if parsed is not None:
            of_run = QueueItem.objects.filter(tenant_id__in=tenant_ids(request), run_id=parsed)
            return queryset.filter(pk__in=[parsed, *of_run.order_by().values_list("pk", flat=True)]), False
        if not term:
            is_wide = not is_narrowed(request) or RuleFilter.parameter_name in request.GET
            return (queryset if is_wide else self.newest(request, queryset)), False
        named_so = Lane.objects.filter(agent_id=term) | Lane.objects.filter(agent_id="", flow_id=term)
        return self.newest(request, queryset).filter(lane__in=named_so), False

    def newest(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The newest; in a tenant or project by the index of each project's states, merged."""
        if not is_narrowed(request):
            return super().newest(request, rows)
        states = [request.GET[_STATE]] if request.GET.get(_STATE) in State.values else State.values
        of_project = [QueueItem.objects.filter(project_id=one) for one in self._asked_projects(request)]
        first, *others = [items.filter(state=state) for items in of_project for state in states] or [rows.none()]
        times = [one.order_by().values_list("created_at", flat=True) for one in (first, *others)]
        among = rows.filter(state__in=states)
        for oldest in times[0].union(*times[1:], all=True).order_by("-created_at")[COUNTED - 1 : COUNTED]:
            return among.filter(created_at__gte=oldest)
        return among

    def _asked_projects(self, request: HttpRequest) -> list[UUID]:
        """The projects that the person sees, and of them those that the list is narrowed to."""
        projects = Project.objects.filter(pk__in=project_ids(request))
        for name, field in (("project__id__exact", "pk"), ("tenant__id__exact", "tenant_id")):
            if name in request.GET:
                projects = projects.filter(**{field: request.GET[name]})
        return list(projects.values_list("pk", flat=True))

    def tell(self, rows: list[Any]) -> None:
        """Where each stands, and who holds it; four statements."""
        closed_by = _closed_by(rows)
        names = names_of(actor for row in rows for actor in (row.closed_by, row.held_by, closed_by.get(row.pk, "")))
        entries = [entry for row in rows for entry in row.entries.all()]
        tallied = [one for row in rows for one in tallies_read(row.counted)]
        classes = class_names([*(entry.rule.judge_class_id for entry in entries), *tallied])
        for row in rows:
            by = named(row.closed_by if row.state == State.DISMISSED else closed_by.get(row.pk, ""), names)
            row.told_stands = _stands(row, by, classes)
            row.told_holder = named(row.held_by, names)

    @admin.display(description="what ran")
    def what(self, obj: QueueItem) -> str:
        """The agent and its version, or the flow."""
        return f"{obj.agent_id} {obj.agent_version}" if obj.agent_id else obj.flow_id

    @admin.display
    def rules(self, obj: QueueItem) -> SafeString:
        """The rules that queued it, each at the version that did."""
        return lines([f"{entry.rule} · version {entry.rule_version}" for entry in obj.entries.all()])

    @admin.display(description="where it stands")
    def stands(self, obj: Any) -> str:
        """What it still needs, or how it closed."""
        told: str = obj.told_stands
        return told

    @admin.display(description="held by")
    def holder(self, obj: Any) -> str:
        """Who has it open."""
        return obj.told_holder or "-"

    @admin.display
    def run(self, obj: QueueItem) -> SafeString:
        """A link to the run, which may be gone."""
        url = reverse(f"{self.admin_site.name}:runs_run_changelist")
        return format_html('<a href="{}?q={}">{}</a>', url, obj.run_id, obj.run_id)

    def has_dismiss_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list: superusers and tenant admins, who may write in every project."""
        return may_use(request)

    @admin.action(description="Dismiss the selected items", permissions=["dismiss"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[QueueItem]) -> HttpResponse | None:
        """Take them out of the queue, once a reason was asked for; one that doesn't wait keeps all of them."""
        question = (
            "Dismiss these runs? They leave the queue for everyone and are counted as dismissed. "
            "No rule queues them again by itself; Reopen puts them back."
        )
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            asked.template_name = "admin/judging/dismiss.html"
            return asked
        reason = _reason(request)
        items = _locked(queryset)
        for item in items:
            caller = caller_in(request, item.tenant_id)
            queue_item_dismiss(caller=caller, project=item.project, run_id=str(item.run_id), reason=reason or None)
            self.log_change(request, item, "Dismissed.")
        self.message_user(request, words.runs_dismissed(count=len(items), reason=reason), messages.SUCCESS)
        return None

    @admin.action(description="Reopen the selected items", permissions=["dismiss"])
    def reopen(self, request: HttpRequest, queryset: QuerySet[QueueItem]) -> HttpResponse | None:
        """Put dismissed ones back, once that was confirmed; another one keeps all of them."""
        question = "Reopen these runs? They go back into the queue; one that was corrected meanwhile closes at once."
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        rules_read_lock(queryset.order_by().values_list("project_id", flat=True))
        items = sorted(_locked(queryset), key=attrgetter("project_id"))
        for _, of_project in groupby(items, key=attrgetter("project_id")):
            together = list(of_project)
            caller, project = caller_in(request, together[0].tenant_id), together[0].project
            queue_items_reopen(caller=caller, project=project, run_ids=[str(item.run_id) for item in together])
        for item in items:
            self.log_change(request, item, "Reopened.")
        self.message_user(request, f"{len(items)} runs reopened.", messages.SUCCESS)
        return None


def _reason(request: HttpRequest) -> str:
    """Why they are dismissed, or nothing; raises ``BadInput`` for what no reason may be."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        raise BadInput(" ".join(str(said) for said in form.errors["reason"]))
    reason: str = form.cleaned_data["reason"]
    return reason


def _locked(chosen: QuerySet[QueueItem]) -> list[QueueItem]:
    """The items, all locked before the first is changed, in the order of their tenants' ids and their runs'."""
    items = list(chosen.select_related("project").order_by("tenant_id", "run_id"))
    for tenant_id, of_tenant in groupby(items, key=attrgetter("tenant_id")):
        items_lock(tenant_id=tenant_id, run_ids=[item.run_id for item in of_tenant])
    return items


def _closed_by(rows: list[Any]) -> dict[UUID, str]:
    """Whose correction closed each of the judged items, where it was anybody's; one statement."""
    judged = [row.pk for row in rows if row.state == State.JUDGED]
    changes = QueueItemChange.objects.filter(item_id__in=judged, after=State.JUDGED).order_by("created_at", "pk")
    return dict(changes.values_list("item_id", "by"))


def _stands(item: Any, by: str, classes: dict[UUID | None, str | None]) -> str:
    """Where an item stands; of a closed one ``by`` is who closed it, nobody where a rule's change did."""
    at = moment(item.closed_at)
    if item.state == State.OPEN:
        unmet = [entry.rule for entry in item.entries.all() if entry.rule_id in item.lane.unmet_rule_ids]
        so_far = [(classes[one], judgments) for one, (judgments, _) in tallies_read(item.counted).items()]
        return words.needs([classes[rule.judge_class_id] for rule in unmet], so_far)
    if item.state == State.DISMISSED:
        return words.dismissed(by=by, at=at, reason=item.reason or "")
    if item.state == State.ERASED:
        return words.erased(at=at)
    return words.corrected(by=by, at=at) if by else f"Has what its rules want since {at}"
