"""Agents, their versions and pins. Registering and pinning go through the services; history is only read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import F, Func, IntegerField, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from msgspec import to_builtins

from kindgi.access.admin_base import ReadOnlyAdmin, ScopedInline, TenantScopedAdmin, adopt, caller_in
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode, encode
from kindgi.runs.admin.tables import ListedFilter
from kindgi.runs.api.schemas import VersionBody
from kindgi.runs.models import Agent, AgentPin, AgentVersion, PinChange
from kindgi.runs.selectors import blocks_of
from kindgi.runs.services.agents import agent_pin_remove, agent_pin_set, agent_version_register

if TYPE_CHECKING:
    PinModelForm = forms.ModelForm[AgentPin]
else:
    PinModelForm = forms.ModelForm


class IndentedEncoder(json.JSONEncoder):
    """JSON as people edit it."""

    def __init__(self, **options: Any) -> None:
        """One thing a line."""
        super().__init__(**{**options, "indent": 2})


class VersionInline(ReadOnlyAdmin, ScopedInline):
    """The agent's versions, while they are few."""

    model = AgentVersion
    tenant_path = "agent__tenant"
    fields = ("version", "created_at", "updated_at")
    readonly_fields = fields
    show_change_link = True


@admin.register(Agent)
class AgentAdmin(ReadOnlyAdmin, TenantScopedAdmin):
    """An agent is there once one of its versions is registered, and stays."""

    list_display = ("agent_id", "tenant", "latest", "created_at")
    list_filter = (("tenant", ListedFilter),)
    list_select_related = ("tenant", "latest")
    search_fields = ("agent_id__startswith",)
    search_help_text = "The beginning of the agent's id, or the whole id of the row."
    inlines = (VersionInline,)
    fields = ("tenant", "agent_id", "latest", "id", "created_at")


@admin.register(AgentVersion)
class AgentVersionAdmin(TenantScopedAdmin):
    """A version is registered for good; its tools may be said anew."""

    tenant_path = "agent__tenant"
    list_display = ("agent", "version", "how_many_tools", "is_latest", "created_at", "updated_at")
    list_select_related = ("agent",)
    search_fields = ("agent__agent_id__startswith", "=version")
    search_help_text = "The beginning of the agent's id, a whole version, or the whole id of the row or the agent's."
    id_search_fields = ("pk", "agent_id")
    autocomplete_fields = ("agent",)
    fields = ("agent", "version", "tools")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of tools, so that the list needn't read them."""
        length = Func(F("tools"), function="jsonb_array_length", output_field=IntegerField())
        versions: QuerySet[Any] = super().get_queryset(request).annotate(tool_count=length).defer("tools")
        return versions

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The tools, laid out."""
        if db_field.name == "tools":
            kwargs = {"encoder": IndentedEncoder, "widget": AdminTextareaWidget(attrs={"rows": 16})}
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "blocks", "id", "created_at", "updated_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Only the tools change."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["agent", "version", "blocks"])

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: runs name it."""
        return False

    @admin.display(description="blocks", empty_value="none")
    def blocks(self, obj: AgentVersion) -> SafeString | None:
        """Each block that it pins, with its version and content, and its parameters or schema."""
        shown = [(f"{one} ({one.kind})", one.content, one.declares) for one in blocks_of(obj)]
        return format_html_join("", "<p>{}</p><pre>{}</pre><pre>{}</pre>", shown) if shown else None

    @admin.display(description="tools", empty_value="not said")
    def how_many_tools(self, obj: Any) -> int | None:
        """How many tools it has, where its reporter said."""
        count: int | None = obj.tool_count
        return count

    @admin.display(description="latest", boolean=True)
    def is_latest(self, obj: AgentVersion) -> bool:
        """Whether projects without a pin follow it."""
        return obj.agent.latest_id == obj.pk

    def save_model(self, request: HttpRequest, obj: AgentVersion, form: Any, change: bool) -> None:
        """Register it, as a runtime would."""
        body = decode(encode({} if obj.tools is None else {"tools": obj.tools}), VersionBody)
        tools: Any = to_builtins(body.tools) if body.tools else None if obj.tools is None else []
        caller = caller_in(request, obj.agent.tenant_id)
        saved, _ = agent_version_register(caller=caller, agent_id=obj.agent.agent_id, version=obj.version, tools=tools)
        adopt(obj, saved)


class PinForm(PinModelForm):
    """Which version of which agent a project runs; the version by its number, which is what people know."""

    version_number = forms.CharField(label="Version", max_length=100, help_text="As it is registered, such as 2.0.0.")

    class Meta:
        """The version is found from its number."""

        model = AgentPin
        fields = ("project", "agent")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Begin with what is pinned."""
        super().__init__(*args, **kwargs)
        if self.instance.version_id is not None:
            self.fields["version_number"].initial = self.instance.version.version


@admin.register(AgentPin)
class AgentPinAdmin(TenantScopedAdmin):
    """Pinning and unpinning, each noted in the pins' history."""

    tenant_path = "project__tenant"
    list_display = ("project", "agent", "version", "pinned_by", "created_at")
    list_filter = (("project", ListedFilter),)
    list_select_related = ("project", "agent", "version")
    search_fields = ("agent__agent_id__startswith",)
    search_help_text = "The beginning of the agent's id, or the whole id of the pin, the project or the agent's row."
    id_search_fields = ("pk", "project_id", "agent_id")
    form = PinForm
    autocomplete_fields = ("project", "agent")
    fields = ("project", "agent", "version_number")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "pinned_by", "id", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Only the version changes."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["project", "agent"])

    def save_model(self, request: HttpRequest, obj: AgentPin, form: Any, change: bool) -> None:
        """Pin the version."""
        if obj.agent.tenant_id != obj.project.tenant_id:
            raise BadInput("The agent is another tenant's than the project.")
        caller, version = caller_in(request, obj.project.tenant_id), form.cleaned_data["version_number"]
        adopt(obj, agent_pin_set(caller=caller, project=obj.project, agent_id=obj.agent.agent_id, version=version))

    def delete_model(self, request: HttpRequest, obj: AgentPin) -> None:
        """Unpin."""
        caller = caller_in(request, obj.project.tenant_id)
        agent_pin_remove(caller=caller, project=obj.project, agent_id=obj.agent.agent_id)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[AgentPin]) -> None:
        """Unpin all of them."""
        for pin in queryset:
            self.delete_model(request, pin)


@admin.register(PinChange)
class PinChangeAdmin(ReadOnlyAdmin, TenantScopedAdmin):
    """The pins' history."""

    tenant_path = "project__tenant"
    list_display = ("created_at", "project", "agent", "__str__", "by")
    list_filter = (("project", ListedFilter),)
    list_select_related = ("project", "agent")
    search_fields = ("agent__agent_id__startswith",)
    search_help_text = "The beginning of the agent's id, or the whole id of the entry, the project or the agent's row."
    id_search_fields = ("pk", "project_id", "agent_id")
    fields = ("project", "agent", "from_version", "to_version", "by", "id", "created_at")
