"""What a run's page reads of the queue (contract, section 8)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from judging.models import QueueEntry, QueueItem, State
from kindgi.access.models import Project


def entries_of_run(*, project: Project, run_id: UUID) -> list[QueueEntry]:
    """Why a run is, or was, in the project's queue: an entry a rule, with the rule and the item; one statement."""
    entries = QueueEntry.objects.filter(
        item__tenant_id=project.tenant_id, item__run_id=run_id, item__project=project, rule__project=project
    )
    return list(entries.select_related("item", "rule").order_by("created_at", "id"))


def item_asked_for(*, project: Project, run_id: UUID) -> QueueItem | None:
    """The item of a run that no rule queued: something asked for its correction; one statement."""
    items = QueueItem.objects.filter(tenant_id=project.tenant_id, run_id=run_id, project=project)
    return items.filter(asked_for__isnull=False).first()


def runs_waiting(*, project: Project, run_ids: Collection[UUID]) -> set[UUID]:
    """Those of the runs that wait for a correction in the project's queue; one statement."""
    items = QueueItem.objects.filter(tenant_id=project.tenant_id, run_id__in=run_ids, project=project)
    return set(items.filter(state=State.OPEN).values_list("run_id", flat=True))
