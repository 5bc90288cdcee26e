"""What reads queue items one by one, and which of them there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from judging import errors
from judging.models import JudgingRule, Lane, QueueItem, State
from kindgi.access.models import Project
from kindgi.api.ids import parse_id
from kindgi.runs.hooks import GoneRun
from kindgi.sql import fetch

# Before every correction, so it is written out.
_PROJECTS = "SELECT run_id, project_id FROM judging_queueitem WHERE tenant_id = %s AND run_id = ANY(%s)"
_STATES = "SELECT run_id, state FROM judging_queueitem WHERE tenant_id = %s AND run_id = ANY(%s)"
# A run that a cap kept out is counted for ever too.
_KNOWN = f"""
{_PROJECTS} UNION
SELECT skipped.run_id, rule.project_id FROM judging_skippedrun AS skipped
JOIN judging_judgingrule AS rule ON rule.id = skipped.rule_id
WHERE rule.tenant_id = %s AND skipped.run_id = ANY(%s)
"""  # noqa: S608 - ours


def queued_projects(*, tenant_id: UUID, run_ids: Collection[UUID]) -> set[UUID]:
    """The projects of those runs that are in the queue, however they stand there; one statement."""
    return {project_id for _, project_id in fetch(_PROJECTS, [tenant_id, list(run_ids)])}


def queue_states(*, tenant_id: UUID, run_ids: Collection[UUID]) -> dict[UUID, str]:
    """How those runs stand in the queue that are in it; one statement."""
    return dict(fetch(_STATES, [tenant_id, list(run_ids)]))


def queued_runs(*, project: Project, run_ids: Collection[UUID]) -> set[UUID]:
    """Those of the runs that are in the project's queue, however they stand there; one statement."""
    found = fetch(_PROJECTS, [project.tenant_id, list(run_ids)])
    return {run_id for run_id, project_id in found if project_id == project.pk}


def projects_of_matched_runs(gone: Iterable[GoneRun]) -> dict[UUID, UUID]:
    """The projects of those runs that rules took, queued or kept out by a cap, by their public ids.

    One statement a tenant.
    """
    by_tenant: dict[UUID, list[UUID]] = {}
    for one in gone:
        by_tenant.setdefault(one.tenant_id, []).append(one.run_id)
    return {
        run_id: project_id
        for tenant_id, run_ids in by_tenant.items()
        for run_id, project_id in fetch(_KNOWN, [tenant_id, run_ids, tenant_id, run_ids])
    }


def queue_item_get(*, project: Project, run_id: str) -> QueueItem:
    """The item of a run; raises :class:`JudgingItemNotFound`."""
    parsed = parse_id(run_id)
    items = QueueItem.objects.filter(tenant_id=project.tenant_id, project=project)
    found = items.filter(run_id=parsed).first() if parsed else None
    if found is None:
        raise errors.JudgingItemNotFound(run_id)
    return found


def corrected_runs_waiting_for(rule: JudgingRule) -> list[UUID]:
    """The public ids of the runs that wait for a rule, among others, and of which something is said already."""
    lanes = Lane.objects.filter(project_id=rule.project_id, rule_ids__contains=[rule.pk], corrected=True)
    items = QueueItem.objects.filter(lane__in=lanes, state=State.OPEN)
    return list(items.values_list("run_id", flat=True))


def others_wait(rule: JudgingRule, *, agent_id: str) -> bool:
    """Whether runs of other agents, or of flows, wait for the rule."""
    lanes = Lane.objects.filter(project_id=rule.project_id, rule_ids__contains=[rule.pk]).exclude(agent_id=agent_id)
    return QueueItem.objects.filter(lane__in=lanes, state=State.OPEN).exists()
