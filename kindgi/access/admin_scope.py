"""Who may see and change what in Django admin.

Superusers see everything. Staff who are tenant admins see and change what is in their own tenant,
without any of Django's permissions. Other staff see nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.db import models
from django.http import HttpRequest

from kindgi.access.callers import Caller
from kindgi.access.models import Tenant, User
from kindgi.access.selectors import caller_for_user
from kindgi.api.errors import PermissionDenied

if TYPE_CHECKING:
    BaseAdmin = admin.options.BaseModelAdmin[Any]
else:
    BaseAdmin = object


def may_use(request: HttpRequest) -> bool:
    """Whether the person may see anything at all: superusers, and staff who are tenant admins."""
    user = request.user
    if not isinstance(user, User) or not (user.is_active and user.is_staff):
        return False
    return user.is_superuser or (user.is_tenant_admin and user.tenant_id is not None)


def tenant_of(request: HttpRequest) -> UUID | None:
    """The tenant that the person is confined to; ``None`` for superusers. Ask :func:`may_use` first."""
    user = _person(request)
    return None if user.is_superuser else user.tenant_id


def caller_in(request: HttpRequest, tenant_id: UUID) -> Caller:
    """The person as services take them, acting in the tenant; raises ``PermissionDenied`` where they may not."""
    user = _person(request)
    if user.is_superuser:
        return Caller(tenant_id=tenant_id, kind="user", id=user.pk, principal_id=user.pk, is_tenant_admin=True)
    if not may_use(request) or tenant_id != user.tenant_id:
        raise PermissionDenied
    return caller_for_user(user)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class Scoped(BaseAdmin):
    """Who may, and which rows and choices: for admins and their inlines alike."""

    tenant_path = "tenant"
    """The lookup from the model to its tenant; ``pk`` for the tenant itself."""

    def scoped(self, request: HttpRequest, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """``rows`` that the person may see."""
        if not may_use(request):
            return rows.none()
        tenant_id = tenant_of(request)
        return rows if tenant_id is None else rows.filter(**{self.tenant_path: tenant_id})

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the app is listed."""
        return may_use(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows outside the person's tenant are never found, so that only the person counts."""
        return may_use(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only choices that the person may see; a tenant admin's tenant is their own."""
        related: type[models.Model] = db_field.related_model
        tenant_id = tenant_of(request)
        if related is Tenant and tenant_id is not None:
            own = Tenant.objects.filter(pk=tenant_id)
            return db_field.formfield(queryset=own, initial=tenant_id, empty_label=None)
        try:
            kwargs["queryset"] = self.admin_site.get_model_admin(related).get_queryset(request)
        except NotRegistered:
            if tenant_id is not None:
                kwargs["queryset"] = related._base_manager.none()
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
