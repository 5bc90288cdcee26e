"""What an erasure or a purge of runs does to their items (contract, sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from judging.models import State
from judging.services.queueing import items_lock, items_save
from kindgi.api import idempotency
from kindgi.api.times import now
from kindgi.runs.models import Run
from kindgi.sql import execute

_REASONS = "UPDATE judging_queueitemchange SET reason = NULL WHERE item_id = ANY(%s) AND reason IS NOT NULL"


def items_erase_for_runs(runs: Iterable[Run]) -> None:
    """Close the waiting items of ``runs``, which are locked, and take every reason that somebody gave.

    What remains is structure: which run it was, and how it was counted. A retry of what was
    answered about an item learns only that it succeeded.
    """
    by_tenant: dict[UUID, list[UUID]] = {}
    for run in runs:
        by_tenant.setdefault(run.tenant_id, []).append(run.run_id)
    for tenant_id, run_ids in by_tenant.items():
        _erase(tenant_id, run_ids)


def _erase(tenant_id: UUID, run_ids: list[UUID]) -> None:
    items, at = items_lock(tenant_id=tenant_id, run_ids=run_ids), now()
    for locked in items:
        locked.item.gone_at, locked.item.reason = at, None
        if locked.item.state == State.OPEN:
            locked.close(State.ERASED, at)
    items_save(items, at=at)
    if items:
        item_ids = [locked.item.pk for locked in items]
        execute(_REASONS, [item_ids])
        # Kept by the item's id, not the run's: what was answered about corrections stays when the run is purged.
        idempotency.forget(tenant_id=tenant_id, subject_ids=item_ids)
