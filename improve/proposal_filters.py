"""What lists of suggested changes can be narrowed by (contract, section 7)."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import QuerySet

from improve.selectors.statuses import with_status
from improve.statuses import Status
from improve.suggesting import TIERS
from kindgi.api.filters import ScopedFilterSet
from kindgi.api.times import now


class ProposalFilter(ScopedFilterSet):
    """`GET /v1/proposals`."""

    status = django_filters.ChoiceFilter(
        method="by_status", choices=[(one.value, one.value) for one in Status], help_text="Where they stand now."
    )
    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Of this agent.")
    tier = django_filters.ChoiceFilter(
        method="by_tier", choices=[(tier, tier) for tier in TIERS.values()], help_text="What kind of block they change."
    )

    def by_status(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Those that stand so at this instant."""
        return with_status(rows, now()).filter(stands=value)

    def by_tier(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Of blocks of the kind."""
        return rows.filter(kind__in=[kind.value for kind, tier in TIERS.items() if tier == value])
