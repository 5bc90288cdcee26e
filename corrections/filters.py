"""What lists of corrections and classes can be narrowed by (contract, sections 4 and 5)."""

from __future__ import annotations

from hashlib import md5
from typing import Any, ClassVar

import django_filters
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import MD5

from corrections.models import ANSWER_KEY, DECISIONS_KEY, How, Outcome, SortedTo, Status, Verdict
from kindgi.api.errors import BadInput
from kindgi.api.filters import FlagFilter, IdFilter, InstantFilter, ScopedFilterSet

_SAID = [("right", "right"), ("wrong", "wrong")]


class SaidFilter(ScopedFilterSet):
    """What both doors' lists are narrowed by; ``of`` leads from a row to its correction."""

    of: ClassVar[str] = ""

    runId = IdFilter("run_id", help_text="Of this run.")
    agentId = django_filters.CharFilter(method="by_agent", strip=False, help_text="Of this agent's runs.")
    agentVersion = django_filters.CharFilter(
        method="by_agent_version", strip=False, help_text="Of this version's runs."
    )
    flowId = django_filters.CharFilter(method="by_flow", strip=False, help_text="Of this flow's runs.")
    participantId = django_filters.CharFilter(method="by_participant", strip=False, help_text="Made for this end user.")

    def by_agent(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Of an agent's runs."""
        return rows.filter(**{f"{self.of}subject_kind": "agent", f"{self.of}subject_id": value})

    def by_agent_version(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Of a version of an agent."""
        return rows.filter(**{f"{self.of}subject_kind": "agent", f"{self.of}subject_version": value})

    def by_flow(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Of a flow's runs."""
        return rows.filter(**{f"{self.of}subject_kind": "flow", f"{self.of}subject_id": value})

    def by_participant(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """For an end user, by the corrections' index over the digest, which ids of any length fit."""
        digested: QuerySet[Any] = rows.annotate(participant_digest=MD5(f"{self.of}participant_id"))
        return digested.filter(**{"participant_digest": _md5(value), f"{self.of}participant_id": value})


class CorrectionFilter(SaidFilter):
    """`GET /v1/corrections`."""

    status = django_filters.MultipleChoiceFilter(choices=Status.choices, help_text="How they stand; may be repeated.")
    sortedTo = django_filters.ChoiceFilter("sorted_to", choices=SortedTo.choices, help_text="Who works on them.")
    correctorGroupId = IdFilter("judge_class_id", help_text="Recorded under this corrector group.")
    madeBy = IdFilter("made_by_id", help_text="Made by this user or service token, by id.")
    decisions = django_filters.ChoiceFilter(method="by_said", choices=_SAID, help_text="What they say of decisions.")
    answer = django_filters.ChoiceFilter(method="by_said", choices=_SAID, help_text="What they say of the answer.")
    createdAfter = InstantFilter("created_at", lookup_expr="gt", help_text="Made after this instant.")
    createdBefore = InstantFilter("created_at", lookup_expr="lt", help_text="Made before this instant.")
    include = django_filters.CharFilter(
        method="by_life", help_text="`removed`, `superseded` or both, with a comma: besides the live ones."
    )

    def by_said(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """By a verdict of theirs that counts with them: a live correction's live one, any of one that is gone."""
        key = DECISIONS_KEY if name == "decisions" else ANSWER_KEY
        said = Verdict.objects.filter(correction=OuterRef("pk"), item_key=key, right=value == "right")
        counts = Q(unregistered_at__isnull=True) | Q(correction__unregistered_at__isnull=False)
        return rows.filter(Exists(said.filter(counts)))

    def by_life(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Checked here, applied in :meth:`filter_queryset`, which also runs where it isn't given."""
        if set(value.split(",")) - {"removed", "superseded"}:
            raise BadInput("include takes removed and superseded.", details={"parameter": name})
        return rows

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Live ones unless more are asked for; asking for the status removed asks for the removed."""
        rows = super().filter_queryset(queryset)
        included = set((self.form.cleaned_data.get("include") or "").split(","))
        if Status.REMOVED in (self.form.cleaned_data.get("status") or []):
            included.add("removed")
        if "removed" not in included:
            rows = rows.exclude(status=Status.REMOVED)
        if "superseded" not in included:
            rows = rows.filter(superseded_by__isnull=True)
        return rows


class JudgmentFilter(SaidFilter):
    """`GET /v1/judgments`."""

    of = "correction__"

    verdict = django_filters.ChoiceFilter(
        method="by_verdict", choices=[("yes", "yes"), ("no", "no")], help_text="What they say."
    )
    judgeClassId = IdFilter("judge_class_id", help_text="Recorded under this judge class.")

    def by_verdict(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """By right and wrong."""
        return rows.filter(right=value == "yes")

    def by_participant(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """The corrections' index begins with their tenant, which is the verdicts'."""
        return super().by_participant(rows.filter(correction__tenant_id=F("tenant_id")), name, value)


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


class JudgeClassFilter(django_filters.FilterSet):
    """`GET /v1/judge-classes`."""

    scopeKind = django_filters.ChoiceFilter(
        method="by_kind",
        choices=[("tenant", "tenant"), ("project", "project"), ("agent", "agent")],
        help_text="Classes for the whole tenant, for a project, or for an agent in one.",
    )
    projectId = IdFilter("project_id", help_text="Classes for this project, or for an agent in it.")
    scopeId = IdFilter("project_id", help_text="The same as `projectId`.")
    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Classes for this agent.")
    name = django_filters.CharFilter("name", strip=False, help_text="Classes of this name.")
    includeUnregistered = FlagFilter(method="by_life", help_text="`true`: the retired ones too.")

    def by_life(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Applied in :meth:`filter_queryset`."""
        return rows

    def by_kind(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """By where they apply."""
        kinds = {"tenant": Q(project__isnull=True), "agent": ~Q(agent_id="")}
        return rows.filter(kinds.get(value, Q(project__isnull=False, agent_id="")))

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Live ones unless the retired are asked for."""
        rows = super().filter_queryset(queryset)
        if self.form.cleaned_data.get("includeUnregistered") != "true":
            rows = rows.filter(unregistered_at__isnull=True)
        return rows


class TestRunFilter(django_filters.FilterSet):
    """`GET /v1/projects/{projectId}/test-runs`."""

    agentId = django_filters.CharFilter("agent_id", strip=False, help_text="Of this agent.")
    version = django_filters.CharFilter("version", strip=False, help_text="Of this version.")
    how = django_filters.ChoiceFilter("how", choices=How.choices, help_text="How the project came to run it.")


class TestResultFilter(django_filters.FilterSet):
    """`GET /v1/projects/{projectId}/test-runs/{testRunId}/results`."""

    outcome = django_filters.ChoiceFilter("outcome", choices=Outcome.choices, help_text="How they came out.")
    expert = FlagFilter(method="by_expert", help_text="`true`: experts' corrections; `false`: the others'.")
    runId = IdFilter("run_id", help_text="Corrections of this run.")
    correctionId = IdFilter("correction_id", help_text="This correction.")

    def by_expert(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Experts' or others'."""
        return rows.filter(expert=value == "true")
