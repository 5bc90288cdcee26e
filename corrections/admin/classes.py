"""Judge classes: made, changed and retired through the services, never deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from corrections.models import JudgeClass
from corrections.services.classes import (
    ClassBody,
    ClassChangeBody,
    judge_class_change,
    judge_class_create,
    judge_class_unregister,
)
from kindgi.access.admin_base import adopt, caller_in
from kindgi.api.jsontext import decode, encode
from kindgi.runs.admin.tables import BigTableAdmin, ListedFilter

if TYPE_CHECKING:
    ClassModelForm = forms.ModelForm[JudgeClass]
else:
    ClassModelForm = forms.ModelForm

_SCOPE = ("tenant", "project", "agent_id")
_RESTRICTION = ("min_reviewer_role", "principal_kinds", "principal_ids")
_KINDS = (("user", "People"), ("service", "Services"))


class JudgeClassForm(ClassModelForm):
    """A class; what its fields may hold is for the services to say."""

    principal_kinds = forms.MultipleChoiceField(choices=_KINDS, widget=forms.CheckboxSelectMultiple, required=False)

    class Meta:
        """What is typed."""

        model = JudgeClass
        fields = (*_SCOPE, "name", "weight", "description", *_RESTRICTION)
        widgets = {"principal_ids": forms.Textarea(attrs={"rows": 3, "cols": 80})}  # noqa: RUF012
        help_texts = {  # noqa: RUF012 - as Django declares it
            "project": "Empty for a class of the whole tenant.",
            "agent_id": "Empty for a class of the whole project.",
            "weight": "How much a correction of this class counts: 0 or more.",
            "principal_ids": "Users' ids or service tokens' ids, with commas between them; up to 100.",
        }

    def validate_constraints(self) -> None:
        """The services refuse in words what the database holds."""


@admin.register(JudgeClass)
class JudgeClassAdmin(BigTableAdmin):
    """A retired class is only read: it keeps its weight in results."""

    form = JudgeClassForm
    list_display = ("name", "weight", "tenant", "project", "agent_id", "is_restricted", "created_at", "unregistered_at")
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter), ("unregistered_at", admin.EmptyFieldListFilter))
    list_select_related = ("tenant", "project")
    search_fields = ("name__startswith", "=agent_id")
    search_help_text = "The beginning of the name, an agent's whole id, or the whole id of the class or the project."
    id_search_fields = ("pk", "project_id")
    autocomplete_fields = ("tenant", "project")
    fieldsets = (
        (None, {"fields": ("name", "weight", "description")}),
        ("Whose runs it is for", {"fields": _SCOPE}),
        ("Who may give it: each that is set must hold", {"fields": _RESTRICTION}),
    )
    actions = ("retire",)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        made = (None, {"fields": ("id", "created_at", "updated_at", "unregistered_at")})
        return self.fieldsets if obj is None else (*self.fieldsets, made)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """A class stays in its scope."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else list(_SCOPE))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """While it isn't retired."""
        is_retired = isinstance(obj, JudgeClass) and obj.unregistered_at is not None
        return super().has_change_permission(request, obj) and not is_retired

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: corrections name it."""
        return False

    @admin.display(description="restricted", boolean=True)
    def is_restricted(self, obj: JudgeClass) -> bool:
        """Whether it says who may give it."""
        return obj.restricted

    def save_model(self, request: HttpRequest, obj: JudgeClass, form: Any, change: bool) -> None:
        """Make or change the class by the rules of /v1."""
        caller = caller_in(request, obj.tenant_id)
        said: dict[str, Any] = {"name": obj.name, "weight": obj.weight, "description": obj.description}
        restriction = _restriction(obj)
        if change:
            changes = decode(encode({**said, "assertableBy": restriction}), ClassChangeBody)
            adopt(obj, judge_class_change(caller=caller, judge_class_id=str(obj.pk), body=changes))
            return
        if restriction:
            said["assertableBy"] = restriction
        body = decode(encode({**said, "scope": _scope(obj)}), ClassBody)
        adopt(obj, judge_class_create(caller=caller, body=body))

    @admin.action(description="Retire the selected judge classes", permissions=["change"])
    def retire(self, request: HttpRequest, queryset: QuerySet[JudgeClass]) -> HttpResponse | None:
        """No new correction can name them, once that was confirmed."""
        question = "Retire these classes? No new correction can name them any more; what was recorded keeps its weight."
        asked = self.confirmed(request, queryset, question=question)
        if asked is not None:
            return asked
        retired = list(queryset.filter(unregistered_at__isnull=True))
        for judge_class in retired:
            caller = caller_in(request, judge_class.tenant_id)
            judge_class_unregister(caller=caller, judge_class_id=str(judge_class.pk))
            self.log_change(request, judge_class, "Retired.")
        self.message_user(request, f"{len(retired)} judge classes retired.", messages.SUCCESS)
        return None


def _scope(judge_class: JudgeClass) -> dict[str, Any]:
    """The scope as /v1 takes it; an agent without a project is refused there for want of one."""
    if judge_class.agent_id:
        project_id = str(judge_class.project_id) if judge_class.project_id else ""
        return {"kind": "agent", "projectId": project_id, "agentId": judge_class.agent_id}
    if judge_class.project_id:
        return {"kind": "project", "projectId": str(judge_class.project_id)}
    return {"kind": "tenant"}


def _restriction(judge_class: JudgeClass) -> dict[str, Any] | None:
    """The whole restriction as /v1 takes it, or ``None`` where nothing is set."""
    parts = {
        "minReviewerRole": judge_class.min_reviewer_role,
        "principalKinds": judge_class.principal_kinds,
        "principalIds": judge_class.principal_ids,
    }
    return {name: value for name, value in parts.items() if value} or None
