"""Lists of a million rows: what their filters and searches may cost is bounded.

What an index narrows (tenant, project, agent, and by them the time) narrows the whole table.
Everything else is looked for among the newest rows alone, as many as the list counts and pages.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin import helpers
from django.contrib.admin.exceptions import NotRegistered
from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse

from kindgi.access.admin_base import COUNTED, TenantScopedAdmin, tenant_of
from kindgi.access.models import Project, Tenant
from kindgi.api.errors import BadInput

LISTED = 100
AT_ONCE = 100


def tenant_ids(request: HttpRequest) -> list[UUID]:
    """The tenants that the person sees, named one by one, since the indexes begin with the tenant."""
    own = tenant_of(request)
    return list(Tenant.objects.values_list("pk", flat=True)) if own is None else [own]


def project_ids(request: HttpRequest) -> list[UUID]:
    """The projects that the person sees."""
    own = tenant_of(request)
    projects = Project.objects.all() if own is None else Project.objects.filter(tenant_id=own)
    return list(projects.values_list("pk", flat=True))


def is_narrowed(request: HttpRequest) -> bool:
    """Whether the list is of one tenant or project, whose rows an index has in the order of their time."""
    asked = ("tenant__id__exact", "project__id__exact")
    return tenant_of(request) is not None or any(name in request.GET for name in asked)


class BigTableAdmin(TenantScopedAdmin):
    """Newest first: by time in a tenant or project, by id over all; nothing is counted for filters."""

    show_facets = admin.ShowFacets.NEVER

    class Media:
        """How ids and content look."""

        css = {"all": ("admin/kindgi/records.css",)}  # noqa: RUF012 - as Django declares it

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, each of its queries planned for the very values that are asked for.

        Prepared statements get a plan for any values after a few uses, which reads a million rows
        where the wanted ones are few.
        """
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            return super().changelist_view(request, extra_context)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """The order that an index has."""
        return ("-created_at", "-pk") if is_narrowed(request) else ("-pk",)

    def newest(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The newest of ``rows``, to look for what no index knows; those of the oldest's instant are among them."""
        order = self.get_ordering(request)
        by = order[0].removeprefix("-")
        for oldest in rows.order_by(*order).values_list(by, flat=True)[COUNTED - 1 : COUNTED]:
            return rows.filter(**{f"{by}__gte": oldest})
        return rows

    def confirmed(self, request: HttpRequest, rows: QuerySet[Any], *, question: str) -> TemplateResponse | None:
        """The page that asks before an action does something for good; ``None`` once it was answered with yes.

        Raises ``BadInput`` for more rows than one page of the list shows.
        """
        chosen = list(rows[: AT_ONCE + 1])
        if len(chosen) > AT_ONCE:
            raise BadInput(f"Choose up to {AT_ONCE} at once.")
        if "confirmed" in request.POST:
            return None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Are you sure?",
            "question": question,
            "rows": chosen,
            "action": request.POST["action"],
            "checkbox": helpers.ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/kindgi/confirm_action.html", context)


class AmongNewest(admin.FieldListFilter):
    """Mixed in before a field's filter that no index serves."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: type[Model], model_admin: Any, field_path: str
    ) -> None:
        """Say in the title how far it looks."""
        super().__init__(field, request, params, model, model_admin, field_path)
        self._admin: BigTableAdmin = model_admin
        self.title = f"{self.title} (newest {COUNTED:,})"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """The matches among the newest rows."""
        return super().queryset(request, self._admin.newest(request, queryset) if self.used_parameters else queryset)


class NewestChoice(AmongNewest, admin.ChoicesFieldListFilter):
    """A choice."""


class NewestFlag(AmongNewest, admin.BooleanFieldListFilter):
    """Yes or no."""


class NewestEmpty(AmongNewest, admin.EmptyFieldListFilter):
    """Set or not."""


class CreatedFilter(admin.DateFieldListFilter):
    """When: by the index of the tenant or project, and else among the newest rows."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: type[Model], model_admin: Any, field_path: str
    ) -> None:
        """Keep whose filter it is."""
        super().__init__(field, request, params, model, model_admin, field_path)
        self._admin: BigTableAdmin = model_admin

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        """The rows of that time."""
        rows = queryset if is_narrowed(request) or not self.used_parameters else self._admin.newest(request, queryset)
        return super().queryset(request, rows)


class ListedFilter(admin.RelatedFieldListFilter):
    """A tenant, project or class, of the first that the person sees; others are reached from their own pages."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        """Up to ``LISTED`` choices; for who sees several tenants, which may name theirs alike, with the tenant."""
        try:
            rows = model_admin.admin_site.get_model_admin(field.related_model).get_queryset(request)
        except NotRegistered:
            return []
        if field.related_model is Tenant or tenant_of(request) is not None:
            return [(str(row.pk), str(row)) for row in rows.order_by("name", "pk")[:LISTED]]
        named = rows.select_related("tenant").order_by("name", "pk")[:LISTED]
        return [(str(row.pk), f"{row} · {row.tenant}") for row in named]


class NewestListed(AmongNewest, ListedFilter):
    """A related row that no index leads by."""
