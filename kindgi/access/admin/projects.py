"""Projects and people's roles in them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from kindgi.access.admin_base import ScopedInline, TenantScopedAdmin, adopt, caller_in
from kindgi.access.models import Membership, Project
from kindgi.access.services.memberships import membership_add, membership_change, membership_remove
from kindgi.access.services.projects import project_create, project_delete, project_update

_SETTINGS = ("name", "slug", "description", "blind", "retention_days")


class MembershipInline(ScopedInline):
    """The project's people, while they are few."""

    model = Membership
    tenant_path = "project__tenant"
    autocomplete_fields = ("user",)
    fields = ("user", "role")
    settled_field = "user"


@admin.register(Project)
class ProjectAdmin(TenantScopedAdmin):
    """Deleted only while it is empty, and never the default one."""

    list_display = ("name", "slug", "tenant", "is_default", "blind", "retention_days", "created_at")
    list_filter = ("is_default", "blind")
    list_select_related = ("tenant",)
    search_fields = ("slug__startswith", "name__startswith")
    search_help_text = "The beginning of the slug or the name, or the whole id."
    autocomplete_fields = ("tenant",)
    inlines = (MembershipInline,)
    fields = ("tenant", *_SETTINGS)
    readonly_fields = ("is_default", "people")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "is_default", "people", "id", "created_at", "updated_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """A project stays in its tenant."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["tenant"])

    @admin.display(description="All its people")
    def people(self, obj: Project) -> str:
        """A link to their list."""
        url = reverse(f"{self.admin_site.name}:access_membership_changelist")
        return format_html('<a href="{}?q={}">List them</a>', url, obj.pk)

    def save_model(self, request: HttpRequest, obj: Project, form: Any, change: bool) -> None:
        """Make or change the project."""
        caller = caller_in(request, obj.tenant_id)
        changed = {name: form.cleaned_data[name] for name in _SETTINGS if name in form.changed_data}
        if change:
            adopt(obj, project_update(caller=caller, project=obj, **changed))
            return
        made = project_create(caller=caller, name=obj.name, slug=obj.slug, description=obj.description)
        adopt(obj, project_update(caller=caller, project=made, blind=obj.blind, retention_days=obj.retention_days))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Give, change and take the roles."""
        caller = caller_in(request, form.instance.tenant_id)
        formset.save(commit=False)
        for membership in formset.deleted_objects:
            membership_remove(caller=caller, membership=membership)
        for membership, _ in formset.changed_objects:
            membership_change(caller=caller, membership=membership, role=membership.role)
        for new in formset.new_objects:
            adopt(new, membership_add(caller=caller, project=form.instance, user=new.user, role=new.role))
        formset.save_m2m()

    def delete_model(self, request: HttpRequest, obj: Project) -> None:
        """Delete it while it is empty."""
        project_delete(caller=caller_in(request, obj.tenant_id), project=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Project]) -> None:
        """Delete all of them, or none when one may not be."""
        for project in queryset:
            self.delete_model(request, project)


@admin.register(Membership)
class MembershipAdmin(TenantScopedAdmin):
    """Every role of every person, for projects with many people and people with many projects."""

    tenant_path = "project__tenant"
    list_display = ("user", "project", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "project")
    search_fields = ("pk",)
    search_related = ("user", "project")
    search_help_text = "The beginning of the person's email or the project's slug, or the whole id of one of them."
    id_search_fields = ("pk", "user_id", "project_id")
    autocomplete_fields = ("user", "project")
    fields = ("project", "user", "role")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "id", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Only the role changes."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["project", "user"])

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        """Give or change the role."""
        caller = caller_in(request, obj.project.tenant_id)
        if change:
            membership_change(caller=caller, membership=obj, role=obj.role)
        else:
            adopt(obj, membership_add(caller=caller, project=obj.project, user=obj.user, role=obj.role))

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        """Take the role away."""
        membership_remove(caller=caller_in(request, obj.project.tenant_id), membership=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """Take them all away."""
        for membership in queryset:
            self.delete_model(request, membership)
