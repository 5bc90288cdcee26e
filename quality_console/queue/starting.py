"""Going on to the next run that waits: one that nobody else has open (contract, section 10)."""

from __future__ import annotations

from django.utils.translation import ngettext

from judging.queue_view import QueueView
from judging.selectors.queue_list import QueueQuery, held_by_others
from judging.selectors.queue_next import held_by, open_items_of
from judging.services.holds import queue_item_next
from judging.words import items as words
from judging.words.parts import number
from kindgi.access.callers import Caller
from kindgi.api.times import now
from quality_console.queue.asked import run_address
from quality_console.times import clock


def next_run(*, caller: Caller, view: QueueView) -> tuple[str | None, str]:
    """The address of the oldest run of the list that nobody holds, which the caller now holds; or why there is none.

    Goes by the list's filters, of what waits. Raises ``PermissionDenied``.
    """
    query = open_items_of(view)
    item = queue_item_next(caller=caller, query=query)
    return (None, _why_none(caller, query)) if item is None else (run_address(view, item.run_id), "")


def own_run(*, caller: Caller, view: QueueView) -> str | None:
    """The address of the run of the list that the caller has had open the longest, if they have any."""
    item = held_by(open_items_of(view), caller=caller, at=now())
    return None if item is None else run_address(view, item.run_id)


def _why_none(caller: Caller, query: QueueQuery) -> str:
    held, until = held_by_others(query, caller=caller, at=now())
    if not held or until is None:
        return str(words.NOTHING_WAITS)
    message = ngettext(
        "%(count)s is held by others until %(time)s.",
        "%(count)s are held by others, the first of them until %(time)s.",
        held,
    )
    return message % {"count": number(held), "time": clock(until)}
