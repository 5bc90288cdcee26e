"""The store of Idempotency-Keys in Django admin: for superusers, to be looked at. Answers aren't shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from kindgi.api.ids import parse_id
from kindgi.api.models import IdempotencyKey

if TYPE_CHECKING:
    KeyPaginatorBase = Paginator[IdempotencyKey]
    KeyAdminBase = admin.ModelAdmin[IdempotencyKey]
else:
    KeyPaginatorBase = Paginator
    KeyAdminBase = admin.ModelAdmin

COUNTED = 10_000


class KeyPaginator(KeyPaginatorBase):
    """Counts and pages the newest keys only."""

    @cached_property
    def count(self) -> int:
        """How many there are to page through."""
        rows = self.object_list
        return rows.order_by()[:COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class StateFilter(admin.SimpleListFilter):
    """How a key stands, among the newest."""

    title = f"state (newest {COUNTED:,})"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """The states."""
        return IdempotencyKey.State.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[IdempotencyKey]) -> QuerySet[IdempotencyKey]:
        """The keys that stand so."""
        state = self.value()
        return newest(queryset).filter(state=state) if state else queryset


def newest(keys: QuerySet[IdempotencyKey]) -> QuerySet[IdempotencyKey]:
    """The newest of ``keys``, to look for what no index knows."""
    for oldest in keys.order_by("-expires_at").values_list("expires_at", flat=True)[COUNTED - 1 : COUNTED]:
        return keys.filter(expires_at__gte=oldest)
    return keys


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(KeyAdminBase):
    """Sorted by when they expire, which an index gives. A key has no page of its own: it is a hash."""

    list_display = ("hash_begins", "state", "status", "held_at", "finished_at", "expires_at", "tenant_id", "subject_id")
    list_display_links = None
    list_filter = (StateFilter,)
    search_fields = ("subject_id",)
    search_help_text = "The whole id of the tenant, or of what the answer tells of, such as a run (among the newest)."
    ordering = ("-expires_at",)
    sortable_by = ()
    list_per_page = 50
    paginator = KeyPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def get_queryset(self, request: HttpRequest) -> QuerySet[IdempotencyKey]:
        """Without the answers."""
        keys: QuerySet[IdempotencyKey] = super().get_queryset(request)
        return keys.defer("answer")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[IdempotencyKey], search_term: str
    ) -> tuple[QuerySet[IdempotencyKey], bool]:
        """By an id, among the newest; nothing is found by what is no id."""
        term = search_term.strip()
        parsed = parse_id(term)
        if parsed is None:
            return (queryset.none() if term else queryset), False
        return newest(queryset).filter(Q(tenant_id=parsed) | Q(subject_id=parsed)), False

    @admin.display(description="key")
    def hash_begins(self, obj: IdempotencyKey) -> str:
        """The beginning of the hash over tenant, caller, method, path and key."""
        return f"{bytes(obj.key_hash).hex()[:12]}…"

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Superusers only."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Superusers see the list, and nobody a key by itself."""
        user = request.user
        return user.is_active and user.is_staff and user.is_superuser and obj is None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False
