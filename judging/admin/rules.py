"""Rules: made, changed and removed through the services of /v1, never deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corrections.errors import JudgeClassNotFound
from corrections.selectors import judge_classes_of
from judging.admin.told import TellingAdmin, class_names, moment, named, names_of
from judging.admin.versions import VersionInline, in_words, lines, rule_said
from judging.models import JudgingRule, State
from judging.selectors.rules import open_of_rules
from judging.services.rules import rule_change, rule_create, rule_unregister
from judging.submissions import RuleBody, RuleChangeBody, check_rule
from judging.words import rules as words
from kindgi.access.admin_base import COUNTED, adopt, caller_in, tenant_of
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode, encode
from kindgi.runs.admin.tables import ListedFilter, project_ids

if TYPE_CHECKING:
    RuleModelForm = forms.ModelForm[JudgingRule]
else:
    RuleModelForm = forms.ModelForm

_LISTS = {"agent_ids": "agentIds", "flow_ids": "flowIds", "versions": "versions"}
_PLACES = {
    "/name": "name",
    "/sample": "sample",
    "/maxOpen": "max_open",
    "/when/agentIds": "agent_ids",
    "/when/flowIds": "flow_ids",
    "/when/versions": "versions",
}
_IN_WORDS = {"sample": "A share is over 0 and up to 1."}
_RUNS = (*_LISTS, "include_dry_runs")
_HOW_MANY = ("sample", "max_open", "judge_class", "enabled")
_MADE = ("versioned", "created_at", "unregistered_at", "id")


class LinesField(forms.CharField):
    """Names, one a line; what surrounds them is none of them."""

    widget = forms.Textarea(attrs={"rows": 3, "cols": 60})

    def prepare_value(self, value: Any) -> Any:
        """The lines of a list."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """The list of the lines."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the lines are others."""
        return bool(self.to_python(data) != (initial or []))


class RuleForm(RuleModelForm):
    """A rule as it is typed; what its fields may hold is what /v1 takes, and said beside each of them."""

    agent_ids = LinesField(required=False, help_text="Runs of these agents: an id a line. Agents or flows, not both.")
    flow_ids = LinesField(required=False, help_text="Runs of these flows: an id a line.")
    versions = LinesField(
        required=False, help_text="These versions, one a line; live for runs of the agent's live version."
    )
    include_dry_runs = forms.BooleanField(required=False, label="Dry runs too")

    class Meta:
        """What is typed."""

        model = JudgingRule
        fields = ("project", "name", *_HOW_MANY)
        labels = {"sample": "Share"}  # noqa: RUF012 - as Django declares it
        help_texts = {  # noqa: RUF012
            "sample": "The share of matching runs that is queued, over 0 and up to 1: 0.1 for 1 in 10.",
            "judge_class": "Whose correction it wants; any correction does when this is empty.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Begin with what the rule is about."""
        super().__init__(*args, **kwargs)
        when = self.instance.when
        for name, key in _LISTS.items():
            self.initial[name] = when.get(key, [])
        self.initial["include_dry_runs"] = when.get("includeDryRuns", False)

    def clean(self) -> dict[str, Any]:
        """Refuse what /v1 refuses, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            self._check_body()
            self._check_class()
        return cleaned

    def _check_body(self) -> None:
        try:
            check_rule(self.body() if self.instance._state.adding else self.change())
        except BadInput as refused:
            place = str(refused.details.get("path", "")) if refused.details else ""
            field = next((name for begin, name in _PLACES.items() if place.startswith(begin)), "")
            said = _IN_WORDS.get(field, refused.message.removeprefix(f"{place}: "))
            self.add_error(field or None, said if field else refused.message)

    def _check_class(self) -> None:
        """A class of another project, or one that was removed."""
        chosen = self.cleaned_data["judge_class"]
        if chosen is not None and "judge_class" in self.changed_data:
            project = self.cleaned_data.get("project") or self.instance.project
            if not judge_classes_of(project).filter(pk=chosen.pk, unregistered_at__isnull=True).exists():
                self.add_error("judge_class", JudgeClassNotFound.default_message)

    def validate_constraints(self) -> None:
        """The services refuse in words what the database holds."""

    def body(self) -> RuleBody:
        """The new rule as /v1 takes it; raises ``BadInput``."""
        return decode(encode({"when": self._when(), **self._said(("name", *_HOW_MANY))}), RuleBody)

    def change(self) -> RuleChangeBody:
        """What was changed, and nothing else, as /v1 takes it; raises ``BadInput``."""
        changed = self.changed_data
        said = self._said([name for name in ("name", *_HOW_MANY) if name in changed])
        if not set(changed).isdisjoint(_RUNS):
            said["when"] = self._when()
        return decode(encode(said), RuleChangeBody)

    def _said(self, names: Any) -> dict[str, Any]:
        typed = self.cleaned_data
        judge_class = typed["judge_class"]
        values = {
            "name": typed["name"],
            "sample": typed["sample"],
            "maxOpen": typed["max_open"],
            "judgeClassId": None if judge_class is None else str(judge_class.pk),
            "enabled": typed["enabled"],
        }
        keys = {"max_open": "maxOpen", "judge_class": "judgeClassId"}
        return {keys.get(name, name): values[keys.get(name, name)] for name in names}

    def _when(self) -> dict[str, Any]:
        """Which runs; what this form doesn't show stays as it is."""
        shown = {*_LISTS.values(), "includeDryRuns"}
        when = {key: value for key, value in self.instance.when.items() if key not in shown}
        when |= {key: self.cleaned_data[name] for name, key in _LISTS.items() if self.cleaned_data[name]}
        return {**when, "includeDryRuns": True} if self.cleaned_data["include_dry_runs"] else when


@admin.register(JudgingRule)
class JudgingRuleAdmin(TellingAdmin):
    """A removed rule is only read: its versions, and the runs that it queued, stay."""

    form = RuleForm
    list_display = ("name", "says", "open_now", "enabled", "removed", "version", "project")
    list_filter = (
        ("tenant", ListedFilter),
        ("project", ListedFilter),
        "enabled",
        ("unregistered_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("project",)
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the name, or the whole id of the rule or the project."
    id_search_fields = ("pk", "project_id")
    autocomplete_fields = ("project", "judge_class")
    inlines = (VersionInline,)
    actions = ("remove",)
    fieldsets = (
        (None, {"fields": ("project", "name"), "description": words.APPLIES_FROM_NOW}),
        ("Which runs", {"fields": _RUNS, "description": words.RULES_TAKE}),
        ("How many, and what it wants", {"fields": _HOW_MANY}),
    )
    readonly_fields = ("in_words", "open_now", "versioned", "all_versions")

    def scoped(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A tenant's by its projects, which have an index."""
        return rows if tenant_of(request) is None else rows.filter(project_id__in=project_ids(request))

    def tell(self, rows: list[Any]) -> None:
        """What each says, who said so last, and how many of its items are open; four statements."""
        classes = class_names(row.judge_class_id for row in rows)
        names = names_of(row.versioned_by for row in rows)
        waiting = open_of_rules({row.pk: COUNTED for row in rows}) if rows else {}
        for row in rows:
            row.told = rule_said(row, classes)
            row.told_by = named(row.versioned_by, names)
            row.told_open = waiting[row.pk]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new rule has only what is typed, and a removed one only what it said."""
        if obj is None:
            return self.fieldsets
        stands = (None, {"fields": ("in_words", "open_now", "all_versions", *_MADE)})
        if not self.has_change_permission(request, obj):
            return ((None, {"fields": ("project", "name")}), stands)
        return (*self.fieldsets, stands)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """A rule stays in its project."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["project"])

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """While it isn't removed."""
        is_removed = isinstance(obj, JudgingRule) and obj.unregistered_at is not None
        return super().has_change_permission(request, obj) and not is_removed

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: the runs that it queued name it."""
        return False

    @admin.display(description="what it takes and wants")
    def says(self, obj: Any) -> SafeString:
        """Which runs, many agents or flows only counted; how many of these, the cap and the want."""
        told = obj.told
        which = words.which_runs_in_brief(told.runs)
        return lines([which, words.takes(told.sample), words.cap(told.max_open), words.wants(told.wants)])

    @admin.display(description="removed")
    def removed(self, obj: JudgingRule) -> str:
        """When it was removed."""
        return moment(obj.unregistered_at)

    @admin.display(description="open now")
    def open_now(self, obj: Any) -> SafeString:
        """A link to its open items, of which no more are counted than a list counts."""
        query = {"rule": obj.pk, "state__exact": State.OPEN.value}
        url = reverse(f"{self.admin_site.name}:judging_queueitem_changelist", query=query)
        more = " or more" if obj.told_open == COUNTED else ""
        return format_html('<a href="{}">{}{}</a>', url, words.open_now(obj.told_open), more)

    @admin.display(description="in words")
    def in_words(self, obj: Any) -> SafeString:
        """All that it says, a setting each."""
        return lines(in_words(obj.told))

    @admin.display(description="latest version")
    def versioned(self, obj: Any) -> str:
        """Its number, who wrote it and when."""
        return words.version_head(version=obj.version, by=obj.told_by, at=moment(obj.versioned_at))

    @admin.display(description="every version")
    def all_versions(self, obj: JudgingRule) -> SafeString:
        """A link to their own list."""
        url = reverse(f"{self.admin_site.name}:judging_judgingruleversion_changelist", query={"q": obj.pk})
        return format_html('<a href="{}">Versions</a>', url)

    def save_model(self, request: HttpRequest, obj: JudgingRule, form: Any, change: bool) -> None:
        """Make or change the rule by the rules of /v1; a change of nothing makes no version."""
        caller = caller_in(request, obj.project.tenant_id)
        if change:
            rule_id = str(obj.pk)
            adopt(obj, rule_change(caller=caller, project=obj.project, rule_id=rule_id, body=form.change()))
        else:
            adopt(obj, rule_create(caller=caller, project=obj.project, body=form.body()))

    @admin.action(description="Remove the selected judging rules", permissions=["change"])
    def remove(self, request: HttpRequest, queryset: QuerySet[JudgingRule]) -> HttpResponse | None:
        """They queue nothing more, once that was confirmed."""
        question = "Remove these rules? They queue nothing more; their versions and the runs that they queued stay."
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        removed = list(queryset.filter(unregistered_at__isnull=True).select_related("project").order_by("project_id"))
        for rule in removed:  # a project's rules are locked with it, and projects in the order of their ids
            caller = caller_in(request, rule.tenant_id)
            rule_unregister(caller=caller, project=rule.project, rule_id=str(rule.pk))
            self.log_change(request, rule, "Removed.")
        self.message_user(request, f"{len(removed)} judging rules removed.", messages.SUCCESS)
        return None
