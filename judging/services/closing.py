"""Items close as their runs are corrected, in the correction's own transaction (contract, section 6)."""

from __future__ import annotations

from uuid import UUID

from corrections.hooks import CorrectedRun
from corrections.selectors import live_tallies
from judging.selectors.queue import queued_projects
from judging.services.locking import rules_read_lock
from judging.services.queueing import items_lock, items_save
from kindgi.api.times import now


def items_judge(corrected: list[CorrectedRun]) -> None:
    """Count what is said of the runs now, and close those items of theirs that want nothing more.

    An item that has closed doesn't open again by a verdict's going. Whoever corrected a run lets go of it.
    """
    by_tenant: dict[UUID, dict[UUID, str]] = {}
    for run in corrected:
        by_tenant.setdefault(run.tenant_id, {})[run.run_id] = run.actor
    for tenant_id, actors in by_tenant.items():
        projects = queued_projects(tenant_id=tenant_id, run_ids=list(actors))
        if projects:
            rules_read_lock(projects)
            _judge(tenant_id, actors)


def _judge(tenant_id: UUID, actors: dict[UUID, str]) -> None:
    items = items_lock(tenant_id=tenant_id, run_ids=list(actors))
    said = live_tallies(tenant_id=tenant_id, run_ids=[locked.item.run_id for locked in items])
    at = now()
    for locked in items:
        actor = actors[locked.item.run_id]
        locked.tallies, locked.by = said.get(locked.item.run_id, {}), actor
        locked.judge(at)
        if locked.item.held_by == actor:
            locked.let_go()
    items_save(items, at=at)
