"""Catch-ups: asked for here as over /v1, looked at while they go on, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime
from django.db.models import QuerySet
from django.http import HttpRequest

from judging.admin.told import TellingAdmin, moment, named, names_of
from judging.models import CatchUp, CatchUpState
from judging.services.catch_up import catch_up_begin
from judging.submissions import QueueRecentBody, check_queue_recent
from judging.tasks import catch_up
from judging.words import catch_ups as words
from judging.words.rules import CATCHES_UP_ALONE
from kindgi.access.admin_base import adopt, caller_in, tenant_of
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode, encode
from kindgi.celery import send
from kindgi.runs.admin.tables import ListedFilter, NewestChoice, project_ids

if TYPE_CHECKING:
    CatchUpModelForm = forms.ModelForm[CatchUp]
else:
    CatchUpModelForm = forms.ModelForm


class CatchUpForm(CatchUpModelForm):
    """How far back a rule is brought."""

    last = forms.IntegerField(
        required=False, help_text="So many of the project's runs, the newest by their end: 1 to 1,000."
    )
    since = forms.SplitDateTimeField(
        required=False, widget=AdminSplitDateTime, help_text="Runs that ended then or later, in UTC."
    )

    class Meta:
        """What is typed."""

        model = CatchUp
        fields = ("rule", "last", "since")

    def clean(self) -> dict[str, Any]:
        """Refuse what /v1 refuses, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                check_queue_recent(self.body())
            except BadInput as refused:
                place = str(refused.details.get("path", "")) if refused.details else ""
                self.add_error("last" if place == "/last" else None, refused.message.removeprefix(f"{place}: "))
        return cleaned

    def body(self) -> QueueRecentBody:
        """How far back, as /v1 takes it; raises ``BadInput``."""
        said = {name: self.cleaned_data[name] for name in ("last", "since") if self.cleaned_data[name] is not None}
        return decode(encode(said), QueueRecentBody)


@admin.register(CatchUp)
class CatchUpAdmin(TellingAdmin):
    """How far each is, and what it did; one that was begun doesn't change."""

    form = CatchUpForm
    list_display = ("created_at", "rule", "project", "asked", "state", "progress")
    list_display_links = ("created_at", "rule")
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter), ("state", NewestChoice))
    list_select_related = ("rule", "project")
    search_fields = ("pk",)
    search_related = ("rule",)
    search_help_text = "The beginning of the rule's name, or the whole id of the catch-up, the rule or the project."
    id_search_fields = ("pk", "rule_id", "project_id")
    autocomplete_fields = ("rule",)
    fieldsets = ((None, {"fields": ("rule", "last", "since"), "description": CATCHES_UP_ALONE}),)
    readonly_fields = ("asked", "progress")

    def scoped(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A tenant's by its projects, which have an index."""
        return rows if tenant_of(request) is None else rows.filter(project_id__in=project_ids(request))

    def tell(self, rows: list[Any]) -> None:
        """Who asked for each; two statements."""
        names = names_of(row.asked_by for row in rows)
        for row in rows:
            row.told_by = named(row.asked_by, names)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        if obj is None:
            return self.fieldsets
        return (
            (None, {"fields": ("rule", "project", "tenant", "asked", "last", "since")}),
            ("How it stands", {"fields": ("progress", "state", "done", "of")}),
            ("What it did", {"fields": ("queued", "already_queued", "already_reviewed")}),
            ("When", {"fields": ("created_at", "heartbeat_at", "finished_at")}),
            (None, {"fields": ("id",)}),
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    @admin.display(description="asked by")
    def asked(self, obj: Any) -> str:
        """Who asked for it."""
        told: str = obj.told_by
        return told

    @admin.display
    def progress(self, obj: CatchUp) -> str:
        """How far it is, and what it did of that."""
        counts = {name: getattr(obj, name) for name in ("queued", "already_queued", "already_reviewed")}
        said, since = words.caught_up(**counts), None if obj.since is None else moment(obj.since)
        if obj.state == CatchUpState.DONE:
            return words.caught_up_among(said, matches=sum(counts.values()), last=obj.last, since=since)
        so_far = words.catching_up(said, done=obj.done, of=obj.of)
        return so_far if obj.state == CatchUpState.RUNNING else f"{so_far}. The rule was removed meanwhile."

    def save_model(self, request: HttpRequest, obj: CatchUp, form: Any, change: bool) -> None:
        """Begin it, for a worker to do."""
        rule = obj.rule
        caller = caller_in(request, rule.tenant_id)
        begun = catch_up_begin(caller=caller, project=rule.project, rule_id=str(rule.pk), body=form.body())
        adopt(obj, begun)
        if begun.state == CatchUpState.RUNNING:
            send(catch_up, str(begun.pk))
