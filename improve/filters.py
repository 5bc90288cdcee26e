"""What lists of suggested changes and of what they rest on can be narrowed by (contract, section 7)."""

from __future__ import annotations

import django_filters

from improve.models import CaseLabel


class TestSetFilter(django_filters.FilterSet):
    """`GET /v1/projects/{projectId}/test-sets`."""

    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Of this agent.")


class CaseResultFilter(django_filters.FilterSet):
    """`GET /v1/proposals/{proposalId}/evaluations/{evalRunId}/cases`."""

    label = django_filters.ChoiceFilter("label", choices=CaseLabel.choices, help_text="Those that came out so.")
