"""Tenants: for superusers."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from kindgi.access.admin_base import TenantScopedAdmin, adopt, may_use, tenant_of
from kindgi.access.models import Tenant
from kindgi.access.services.tenants import tenant_create


@admin.register(Tenant)
class TenantAdmin(TenantScopedAdmin):
    """Made with a default project; never deleted."""

    tenant_path = "pk"
    list_display = ("name", "slug", "created_at")
    search_fields = ("slug__startswith", "name__startswith")
    search_help_text = "The beginning of the slug or the name, or the whole id."
    fields = ("name", "slug", "id", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has no id yet."""
        return self.fields if obj else ("name", "slug")

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Superusers only."""
        return may_use(request) and tenant_of(request) is None

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Superusers only."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Superusers only."""
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Superusers only."""
        return self.has_module_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: what it holds would go with it."""
        return False

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        """Save it; a new one gets its default project."""
        if change:
            super().save_model(request, obj, form, change)
        else:
            adopt(obj, tenant_create(name=obj.name, slug=obj.slug))
