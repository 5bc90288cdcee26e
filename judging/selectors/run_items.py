"""What a run's page reads of the queue (contract, section 8)."""

from __future__ import annotations

from uuid import UUID

from judging.models import QueueEntry
from kindgi.access.models import Project


def entries_of_run(*, project: Project, run_id: UUID) -> list[QueueEntry]:
    """Why a run is, or was, in the project's queue: an entry a rule, with the rule and the item; one statement."""
    entries = QueueEntry.objects.filter(
        item__tenant_id=project.tenant_id, item__run_id=run_id, item__project=project, rule__project=project
    )
    return list(entries.select_related("item", "rule").order_by("created_at", "id"))
