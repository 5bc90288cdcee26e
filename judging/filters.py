"""What the queue can be narrowed by (contract, section 6)."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import QuerySet

from judging.models import JudgingRule, State
from kindgi.api.filters import FlagFilter, InstantFilter
from kindgi.api.ids import parse_id


class QueueFilter(django_filters.FilterSet):
    """`GET /v1/projects/{projectId}/judging-queue`: narrows the lanes; of state and times only the values are read."""

    state = django_filters.ChoiceFilter(method="of_items", choices=State.choices, help_text="Items that stand so.")
    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Runs of this agent.")
    ruleId = django_filters.CharFilter(method="by_rule", help_text="Runs that this rule queued.")
    judgeClassId = django_filters.CharFilter(method="by_class", help_text="Items of which a rule wants this class.")
    forMe = FlagFilter(
        method="of_items",
        help_text="`true`: items that you can close: those that still want any correction, or one of a class that "
        "you may correct as, and answers of suggested changes that you review. Open ones, "
        "unless `state` says which: of closed ones those that wanted either.",
    )
    addedAfter = InstantFilter("created_at", method="of_items", help_text="Added after this instant.")
    closedAfter = InstantFilter("closed_at", method="of_items", help_text="Closed after this instant.")

    def of_items(self, lanes: QuerySet[Any], name: str, value: Any) -> QuerySet[Any]:
        """Not of lanes: the selector reads it."""
        return lanes

    def by_rule(self, lanes: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Lanes of a rule."""
        parsed = parse_id(value)
        return lanes.filter(rule_ids__contains=[parsed]) if parsed else lanes.none()

    def by_class(self, lanes: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Lanes of the rules whose latest version wants a class."""
        parsed = parse_id(value)
        if parsed is None:
            return lanes.none()
        wanting = JudgingRule.objects.filter(judge_class_id=parsed).values_list("pk", flat=True)
        return lanes.filter(rule_ids__overlap=list(wanting))
