"""Who has an item open: told to others, and stopping nobody from correcting (contract, section 10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from judging import errors
from judging.models import QueueItem, State
from judging.policies import check_change_queue
from judging.selectors.queue import queue_item_get
from judging.selectors.queue_list import QueueQuery, queue_rows
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.pages import Cursor
from kindgi.api.times import now

HOLD = timedelta(minutes=5)
_LOOK = 20


def queue_item_next(*, caller: Caller, query: QueueQuery) -> QueueItem | None:
    """The oldest open item of those asked for that nobody holds, now held by the caller; ``None`` if there is none.

    Two callers at the same moment get two items: whoever locks one first has it, and the other
    goes on to the next. Raises ``PermissionDenied``.
    """
    check_change_queue(caller, query.project)
    at, after = now(), None
    unheld = replace(query, states=[state for state in query.states if state == State.OPEN], unheld_at=at)
    while seen := queue_rows(unheld, after=after, limit=_LOOK):
        claimed = _claim(caller, [item.pk for item in seen], at)
        if claimed is not None:
            return claimed
        after = Cursor(seen[-1].created_at, seen[-1].pk)
    return None


def _claim(caller: Caller, pks: list[UUID], at: datetime) -> QueueItem | None:
    """Hold the first of these that is still open and free; one that somebody is changing is passed over.

    No other is locked: what nobody is changing is there for the next who asks.
    """
    items = QueueItem.objects.filter(pk__in=pks, state=State.OPEN).exclude(held_until__gt=at)
    first = items.order_by("created_at", "pk").select_for_update(skip_locked=True, no_key=True)[:1]
    return next((_hold(caller, item, at) for item in first), None)


def queue_item_hold(*, caller: Caller, project: Project, run_id: str) -> QueueItem:
    """Hold an open item for five minutes, or five more; what somebody else holds stays theirs, and says so.

    Raises :class:`JudgingItemNotFound`, :class:`JudgingItemNotOpen`, ``PermissionDenied``.
    """
    item, at = _locked(caller, project, run_id), now()
    if item.state != State.OPEN:
        raise errors.JudgingItemNotOpen(f'Run "{item.run_id}" doesn\'t wait: it is {item.state}.')
    return item if is_held_by_another(caller, item, at) else _hold(caller, item, at)


def queue_item_release(*, caller: Caller, project: Project, run_id: str) -> None:
    """Let go of an item; what somebody else holds stays theirs. Again changes nothing.

    Raises :class:`JudgingItemNotFound`, ``PermissionDenied``.
    """
    item = _locked(caller, project, run_id)
    if item.held_by == caller.actor:
        item.held_by, item.held_since, item.held_until = "", None, None
        _save(item)


def is_held_by_another(caller: Caller, item: QueueItem, at: datetime) -> bool:
    """Whether somebody else has the item open at ``at``."""
    return item.held_by not in ("", caller.actor) and item.held_until is not None and item.held_until > at


def _hold(caller: Caller, item: QueueItem, at: datetime) -> QueueItem:
    goes_on = item.held_by == caller.actor and item.held_until is not None and item.held_until > at
    item.held_since = item.held_since if goes_on else at
    item.held_by, item.held_until = caller.actor, at + HOLD
    _save(item)
    return item


def _save(item: QueueItem) -> None:
    item.save(update_fields=["held_by", "held_since", "held_until"])


def _locked(caller: Caller, project: Project, run_id: str) -> QueueItem:
    seen = queue_item_get(project=project, run_id=run_id)
    check_change_queue(caller, project)
    return QueueItem.objects.select_for_update(no_key=True).get(pk=seen.pk)
