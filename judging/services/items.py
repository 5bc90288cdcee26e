"""Taking items out of the queue by hand, and putting them back (contract, section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from judging import errors
from judging.models import QueueItem, State
from judging.policies import check_change_queue
from judging.selectors.queue import queue_item_get
from judging.services.locking import rules_read_lock
from judging.services.queueing import LockedItem, items_lock, items_save
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.times import now


def queue_item_dismiss(*, caller: Caller, project: Project, run_id: str, reason: str | None) -> QueueItem:
    """Take an open item out of the queue, as not worth a correction; needs write access.

    Raises :class:`JudgingItemNotFound`, :class:`JudgingItemNotOpen`, ``PermissionDenied``.
    """
    (locked,) = _lock(caller, project, [run_id])
    if locked.item.state != State.OPEN:
        raise errors.JudgingItemNotOpen(f'Run "{locked.item.run_id}" doesn\'t wait: it is {locked.item.state}.')
    at = now()
    locked.close(State.DISMISSED, at)
    locked.item.reason, locked.item.closed_by, locked.by = reason, caller.actor, caller.actor
    items_save([locked], at=at)
    return locked.item


def queue_item_reopen(*, caller: Caller, project: Project, run_id: str) -> QueueItem:
    """Put a dismissed item back, as :func:`queue_items_reopen` does."""
    (item,) = queue_items_reopen(caller=caller, project=project, run_ids=[run_id])
    return item


def queue_items_reopen(*, caller: Caller, project: Project, run_ids: Sequence[str]) -> list[QueueItem]:
    """Put dismissed items back, all or none; needs write access.

    One whose run was corrected meanwhile so that it wants nothing more is judged at once.
    Raises :class:`JudgingItemNotFound`, :class:`JudgingItemNotOpen`, ``PermissionDenied``.
    """
    rules_read_lock([project.pk])
    items, at = _lock(caller, project, run_ids), now()
    for locked in items:
        item = locked.item
        _check_reopens(item)
        item.state, item.closed_at, item.reason = State.OPEN, None, None
        item.closed_by = locked.by = caller.actor
        locked.judge(at)
    items_save(items, at=at)
    return [locked.item for locked in items]


def _check_reopens(item: QueueItem) -> None:
    if item.state != State.DISMISSED:
        raise errors.JudgingItemNotOpen(f'Only a dismissed item reopens; that of run "{item.run_id}" is {item.state}.')
    if item.gone_at is not None:
        raise errors.JudgingItemNotOpen(
            f'The content of run "{item.run_id}" is gone; there\'s nothing to correct any more.'
        )


def _lock(caller: Caller, project: Project, run_ids: Sequence[str]) -> list[LockedItem]:
    seen = [queue_item_get(project=project, run_id=run_id).run_id for run_id in run_ids]
    check_change_queue(caller, project)
    return items_lock(tenant_id=project.tenant_id, run_ids=seen)
