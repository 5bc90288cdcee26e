"""Taking items out of the queue by hand, and putting them back (contract, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from judging import errors
from judging.models import QueueItem, State
from judging.policies import check_change_queue
from judging.selectors.queue import queue_item_get, queued_runs
from judging.services.locking import rules_read_lock
from judging.services.queueing import LockedItem, items_lock, items_save
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.errors import ApiError, BadInput
from kindgi.api.ids import parse_id
from kindgi.api.times import now

MOST_AT_ONCE = 100


class Refused(NamedTuple):
    """A run whose item was left as it is, by the id that was asked for, and why."""

    run_id: str
    why: ApiError


class Several(NamedTuple):
    """What became of several items: those that were changed, by their runs' ids, and those that weren't."""

    done: list[QueueItem]
    refused: list[Refused]


def queue_item_dismiss(*, caller: Caller, project: Project, run_id: str, reason: str | None) -> QueueItem:
    """Take an open item out of the queue, as not worth a correction; needs write access.

    Raises :class:`JudgingItemNotFound`, :class:`JudgingItemNotOpen`, ``PermissionDenied``.
    """
    (locked,) = _lock(caller, project, [run_id])
    _check_dismisses(locked.item)
    at = now()
    _dismiss(locked, caller, reason, at)
    items_save([locked], at=at)
    return locked.item


def queue_items_dismiss(*, caller: Caller, project: Project, run_ids: Sequence[str], reason: str | None) -> Several:
    """Take those of the items out of the queue that are open; the others are refused, and stay as they are.

    Each is refused as :func:`queue_item_dismiss` would refuse it. Up to 100 at once, or ``BadInput``;
    raises ``PermissionDenied``.
    """
    items, refused = _lock_each(caller, project, run_ids, _check_dismisses)
    at = now()
    for locked in items:
        _dismiss(locked, caller, reason, at)
    items_save(items, at=at)
    return Several([locked.item for locked in items], refused)


def _check_dismisses(item: QueueItem) -> None:
    if item.state != State.OPEN:
        raise errors.JudgingItemNotOpen(f'Run "{item.run_id}" doesn\'t wait: it is {item.state}.')


def _dismiss(locked: LockedItem, caller: Caller, reason: str | None, at: datetime) -> None:
    locked.close(State.DISMISSED, at)
    locked.item.reason, locked.item.closed_by, locked.by = reason, caller.actor, caller.actor


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
        _check_reopens(locked.item)
        _reopen(locked, caller, at)
    items_save(items, at=at)
    return [locked.item for locked in items]


def queue_items_reopen_each(*, caller: Caller, project: Project, run_ids: Sequence[str]) -> Several:
    """Put those of the items back that can be; the others are refused, and stay as they are.

    Each is refused, or judged at once, as :func:`queue_items_reopen` would. Up to 100 at once, or
    ``BadInput``; raises ``PermissionDenied``.
    """
    rules_read_lock([project.pk])
    items, refused = _lock_each(caller, project, run_ids, _check_reopens)
    at = now()
    for locked in items:
        _reopen(locked, caller, at)
    items_save(items, at=at)
    return Several([locked.item for locked in items], refused)


def _reopen(locked: LockedItem, caller: Caller, at: datetime) -> None:
    item = locked.item
    item.state, item.closed_at, item.reason = State.OPEN, None, None
    item.closed_by = locked.by = caller.actor
    locked.judge(at)


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


def _lock_each(
    caller: Caller, project: Project, run_ids: Sequence[str], check: Callable[[QueueItem], None]
) -> tuple[list[LockedItem], list[Refused]]:
    """The project's items of those runs that pass ``check``, locked, and the other runs in the order asked for."""
    check_change_queue(caller, project)
    if len(run_ids) > MOST_AT_ONCE:
        raise BadInput(f"Up to {MOST_AT_ONCE} runs can be changed at once.")
    asked = {parse_id(run_id) or run_id: run_id for run_id in run_ids}
    queued = queued_runs(project=project, run_ids=[run_id for run_id in asked if isinstance(run_id, UUID)])
    why: dict[UUID | str, ApiError] = {
        run_id: errors.JudgingItemNotFound(text) for run_id, text in asked.items() if run_id not in queued
    }
    items = []
    for locked in items_lock(tenant_id=project.tenant_id, run_ids=queued):
        try:
            check(locked.item)
        except ApiError as refusal:
            why[locked.item.run_id] = refusal
        else:
            items.append(locked)
    return items, [Refused(asked[run_id], why[run_id]) for run_id in asked if run_id in why]
