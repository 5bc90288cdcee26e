"""Verdicts that speak for a suggested change, and those that could (contract, section 7)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import QuerySet

from corrections.models import Verdict
from kindgi.access.models import Project

MOST_OFFERED = 50


def verdicts_named(*, project: Project, ids: Collection[UUID]) -> list[Verdict]:
    """The project's verdicts with these ids, with their corrections and classes, newest first. One statement."""
    return list(_of(project).filter(pk__in=ids)) if ids else []


def verdicts_of_agent(*, project: Project, agent_id: str, ids: Collection[UUID]) -> set[UUID]:
    """Which of these ids are verdicts on the agent's runs in the project, whatever became of them. One statement."""
    found = Verdict.objects.filter(tenant_id=project.tenant_id, project_id=project.pk, pk__in=ids)
    of_agent = found.filter(correction__subject_kind="agent", correction__subject_id=agent_id)
    return set(of_agent.values_list("pk", flat=True)) if ids else set()


def wrong_verdicts(*, project: Project, agent_id: str, version: str) -> list[Verdict]:
    """The newest live verdicts that say that something was wrong in runs of the version: 50 at most. One statement."""
    found = _of(project).filter(unregistered_at__isnull=True, right=False)
    of_version = found.filter(
        correction__subject_kind="agent", correction__subject_id=agent_id, correction__subject_version=version
    )
    return list(of_version[:MOST_OFFERED])


def _of(project: Project) -> QuerySet[Verdict]:
    found = Verdict.objects.filter(tenant_id=project.tenant_id, project_id=project.pk)
    return found.select_related("correction", "judge_class").defer("item_value").order_by("-created_at", "-id")
