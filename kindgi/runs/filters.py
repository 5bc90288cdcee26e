"""What lists of runs can be narrowed by (contract, section 3)."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Q, QuerySet

from kindgi.api.filters import FlagFilter, IdFilter, InstantFilter, ScopedFilterSet
from kindgi.runs.models import RunStatus

_IS_REPLAY = Q(replay_of__isnull=False) | ~Q(eval_run_id="")


class RunFilter(ScopedFilterSet):
    """`GET /v1/runs`."""

    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Runs of this agent.")
    agentVersion = django_filters.CharFilter(
        "agent_version", strip=False, help_text="Runs of this version of the agent."
    )
    flowId = django_filters.CharFilter(
        "flow_id", strip=False, help_text="Runs of this flow; `agent.turn` for agents' own."
    )
    flowVersion = django_filters.CharFilter("flow_version", strip=False, help_text="Runs of this version of the flow.")
    status = django_filters.MultipleChoiceFilter(
        choices=RunStatus.choices, help_text="Runs that stand so; may be repeated."
    )
    createdAfter = InstantFilter("created_at", lookup_expr="gt", help_text="Created after this instant.")
    createdBefore = InstantFilter("created_at", lookup_expr="lt", help_text="Created before this instant.")
    topLevel = FlagFilter(method="by_level", help_text="`true`: without the runs that another run started.")
    parentRunId = IdFilter("parent_run_id", help_text="Runs that this run started.")
    evalRunId = django_filters.CharFilter("eval_run_id", strip=False, help_text="Runs of this run on test cases.")
    replays = django_filters.ChoiceFilter(
        method="by_replay",
        choices=[("include", "include"), ("exclude", "exclude"), ("only", "only")],
        help_text="Replays: `include` (the default), `exclude` or `only`.",
    )

    def by_level(self, runs: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Only top-level runs, or only the others."""
        return runs.filter(parent_run_id__isnull=value == "true")

    def by_replay(self, runs: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """With, without or only replays."""
        return {"include": runs, "exclude": runs.exclude(_IS_REPLAY), "only": runs.filter(_IS_REPLAY)}[value]
