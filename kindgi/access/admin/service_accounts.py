"""Service accounts and their roles in projects."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from kindgi.access.admin_base import ScopedInline, TenantScopedAdmin, adopt, caller_in
from kindgi.access.models import ServiceAccount, ServiceAccountGrant
from kindgi.access.services.service_accounts import (
    service_account_create,
    service_account_grant,
    service_account_ungrant,
    service_account_unregister,
    service_account_update,
)


class GrantInline(ScopedInline):
    """The account's roles in projects, while they are few."""

    model = ServiceAccountGrant
    tenant_path = "project__tenant"
    autocomplete_fields = ("project",)
    fields = ("project", "role")
    settled_field = "project"


@admin.register(ServiceAccount)
class ServiceAccountAdmin(TenantScopedAdmin):
    """Unregistered by an action; from then on only read."""

    list_display = ("name", "tenant", "is_tenant_admin", "created_by", "created_at", "unregistered_at")
    list_filter = ("is_tenant_admin", ("unregistered_at", admin.EmptyFieldListFilter))
    list_select_related = ("tenant",)
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the name, or the whole id."
    autocomplete_fields = ("tenant",)
    inlines = (GrantInline,)
    fields = ("tenant", "name", "description", "is_tenant_admin")
    actions = ("unregister",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "id", "created_by", "created_at", "unregistered_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """An account stays in its tenant."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["tenant"])

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """While it is registered."""
        gone = isinstance(obj, ServiceAccount) and obj.unregistered_at is not None
        return super().has_change_permission(request, obj) and not gone

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: what it recorded keeps its name."""
        return False

    def save_model(self, request: HttpRequest, obj: ServiceAccount, form: Any, change: bool) -> None:
        """Save the account."""
        if change:
            service_account_update(caller=caller_in(request, obj.tenant_id), account=obj)
            return
        made = service_account_create(
            caller=caller_in(request, obj.tenant_id),
            name=obj.name,
            description=obj.description,
            is_tenant_admin=obj.is_tenant_admin,
        )
        adopt(obj, made)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Give and take the roles."""
        account = form.instance
        caller = caller_in(request, account.tenant_id)
        formset.save(commit=False)
        for grant in formset.deleted_objects:
            service_account_ungrant(caller=caller, grant=grant)
        for grant in [*(grant for grant, _ in formset.changed_objects), *formset.new_objects]:
            given = service_account_grant(caller=caller, account=account, project=grant.project, role=grant.role)
            adopt(grant, given)
        formset.save_m2m()

    @admin.action(description="Unregister the selected service accounts", permissions=["change"])
    def unregister(self, request: HttpRequest, queryset: QuerySet[ServiceAccount]) -> None:
        """Their tokens no longer work."""
        for account in queryset:
            service_account_unregister(caller=caller_in(request, account.tenant_id), account=account)


@admin.register(ServiceAccountGrant)
class ServiceAccountGrantAdmin(TenantScopedAdmin):
    """Every role of every service account."""

    tenant_path = "project__tenant"
    list_display = ("service_account", "project", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("service_account", "project")
    search_fields = ("pk",)
    search_related = ("service_account", "project")
    search_help_text = "The beginning of the account's name or the project's slug, or the whole id of one of them."
    id_search_fields = ("pk", "service_account_id", "project_id")
    autocomplete_fields = ("service_account", "project")
    fields = ("service_account", "project", "role")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        return self.fields if obj is None else (*self.fields, "id", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Only the role changes."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["service_account", "project"])

    def save_model(self, request: HttpRequest, obj: ServiceAccountGrant, form: Any, change: bool) -> None:
        """Give the role."""
        caller = caller_in(request, obj.service_account.tenant_id)
        account, project = obj.service_account, obj.project
        adopt(obj, service_account_grant(caller=caller, account=account, project=project, role=obj.role))

    def delete_model(self, request: HttpRequest, obj: ServiceAccountGrant) -> None:
        """Take the role away."""
        service_account_ungrant(caller=caller_in(request, obj.project.tenant_id), grant=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ServiceAccountGrant]) -> None:
        """Take them all away."""
        for grant in queryset:
            self.delete_model(request, grant)
