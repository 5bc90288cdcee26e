"""The store of Idempotency-Keys in Django admin: for superusers, to be looked at. Answers aren't shown."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
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


class StrictChangeList(ChangeList):
    """A list that is filtered by its filters and sorted in its own order, whatever else an address asks for.

    Django takes any lookup of any field, such as a scan by a regular expression or a look at a hash. Here what no
    filter has taken is refused as Django refuses what it can't read: by the whole list, with ``?e=1``.
    """

    def get_filters(self, request: HttpRequest) -> Any:
        """The filters, and nothing beside them; raises ``IncorrectLookupParameters``."""
        if any("\0" in text for _, texts in request.GET.lists() for text in texts):
            raise IncorrectLookupParameters
        found: Any = super().get_filters(request)
        specs, _, left, *_ = found
        if left:
            raise IncorrectLookupParameters
        for spec in specs:
            if isinstance(spec, admin.DateFieldListFilter):
                times: Any = (said for name, said in spec.used_parameters.items() if not name.endswith("__isnull"))
                if not all(_is_instant(text) for values in times for text in values):
                    raise IncorrectLookupParameters
        return found

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """The admin's own, which an index has."""
        self.params.pop(ORDER_VAR, None)
        return super().get_ordering(request, queryset)


def _is_instant(text: str) -> bool:
    """Whether it is a time with an offset, as the filters' own links have it, and UTC has it too."""
    try:
        instant = parse_datetime(text)
        return instant is not None and instant.tzinfo is not None and bool(instant.astimezone(UTC))
    except (ValueError, OverflowError):
        return False


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

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """By its filter alone."""
        return StrictChangeList

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
