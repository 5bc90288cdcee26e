"""What the To correct tab shows, read together (contract, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from judging.models import State
from judging.queue_view import QueueView, Sort
from judging.selectors.queue_pages import QueueRows, queue_page
from judging.selectors.queue_waiting import StateCount, queue_agents, queue_state_counts
from judging.words.items import others_wait
from judging.words.parts import number
from kindgi.api.errors import BadInput
from kindgi.api.times import now
from quality_console.filters.queue import STATES, WHOSE, subject_text
from quality_console.frame import Frame
from quality_console.queue.asked import Asked, asked_of
from quality_console.queue.empty import Empty, empty_said
from quality_console.queue.narrowed import Narrowing, narrowing_of
from quality_console.queue.rows import rows_in_words
from quality_console.tables.queue import QueueTable, order_in_words, sorts_of

ROWS = 25


class Choice(NamedTuple):
    """A link that narrows the list; ``has`` is how many it then has."""

    label: str
    address: str
    has: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The tab: its filters, its rows, and the pages beside them."""

    asked: Asked
    states: list[Choice]
    whose: list[Choice]
    others: str
    table: QueueTable
    sorts: list[tuple[str, str, bool]]
    range: str
    previous: str
    next: str
    empty: Empty | None

    @property
    def is_dismissed(self) -> bool:
        """Whether the rows are the dismissed ones."""
        return self.asked.view.state == State.DISMISSED


def board_read(frame: Frame, query: QueryDict) -> Board:
    """The tab as an address asks for it; five statements at most besides the frame's, and one that names a change."""
    asked = asked_of(frame, query)
    view = asked.view
    counts = queue_state_counts(view)
    narrowed_by = narrowing_of(frame, view)
    _offer(frame, asked, narrowed_by)
    found = _page(view, query)
    table = QueueTable(
        rows_in_words(frame, view, found, at=now()), view=view, dismissing=asked.address(dialog="dismiss"), query=query
    )
    total = _count(view, counts[view.state])
    table.caption = _caption(view)
    return Board(
        asked=asked,
        states=_states(asked, counts),
        whose=_whose(asked, counts[view.state]),
        others=_others(view, counts[view.state]),
        table=table,
        sorts=sorts_of(view),
        range=_range(view, found, total),
        previous=asked.address(before=found.previous) if found.previous else "",
        next=asked.address(after=found.next) if found.next else "",
        empty=None if found.rows else empty_said(frame, asked, counts[view.state], narrowed_by),
    )


def _offer(frame: Frame, asked: Asked, narrowed_by: Narrowing | None) -> None:
    """What the fields offer to choose from."""
    rules = sorted(frame.rules, key=lambda rule: (rule.unregistered_at is not None, rule.name.casefold(), rule.pk))
    removed = _("%(rule)s (removed)")
    names = [one.name if one.unregistered_at is None else removed % {"rule": one.name} for one in rules]
    choices = [(str(one.pk), name) for one, name in zip(rules, names, strict=True)]
    if narrowed_by is not None and narrowed_by.is_change:
        choices.append((str(asked.view.rule_id), _("Suggested change: %(change)s") % {"change": narrowed_by.name}))
    asked.filters.offer("rule", _("Any rule"), choices)
    subjects = queue_agents(frame.project)
    asked.filters.offer("agent", _("Any agent"), [(subject_text(one), one.id) for one in subjects])


def _page(view: QueueView, query: QueryDict) -> QueueRows:
    """The rows after the place that is asked for, or before it; the first ones, where there is no such place."""
    after, before = query.get("after"), query.get("before")
    try:
        if after and not before:
            found = queue_page(view, after=after, limit=ROWS)
            if found.rows:
                return found
        elif before and not after:
            found = queue_page(view, before=before, limit=ROWS)
            # Near the beginning the rows before a place may be few; the first page has all that belong there.
            if found.previous:
                return found
    except BadInput:
        pass  # a place that the list never gave: the first page is shown, as where none is named
    return queue_page(view, limit=ROWS)


def _count(view: QueueView, count: StateCount) -> int:
    return count.for_me if view.for_me else count.everyones


def _states(asked: Asked, counts: dict[str, StateCount]) -> list[Choice]:
    # Nobody holds what is closed.
    left_out = ["sort"] if asked.view.sort == Sort.HELD else []
    return [
        Choice(
            str(label),
            asked.address(*left_out, state=None if state == State.OPEN else name),
            number(_count(asked.view, counts[state])),
            state == asked.view.state,
        )
        for name, (state, label) in STATES.items()
    ]


def _whose(asked: Asked, count: StateCount) -> list[Choice]:
    view, usual = asked.view, asked.view.judge.writes
    return [
        Choice(
            str(label),
            asked.address(whose=None if (name == "mine") == usual else name),
            number(count.for_me if name == "mine" else count.everyones),
            (name == "mine") == view.for_me,
        )
        for name, label in WHOSE.items()
    ]


def _others(view: QueueView, count: StateCount) -> str:
    others = count.everyones - count.for_me
    return others_wait(others) if view.for_me and view.state == State.OPEN and others > 0 else ""


def _range(view: QueueView, found: QueueRows, total: int) -> str:
    """Which rows these are of how many, in which order."""
    size = len(found.rows)
    said = {
        "last": number(size),
        "total": number(max(total, size)),
        "order": order_in_words(view.sort, falls=view.descending),
    }
    if found.previous is None and size > 1:
        return _("1 to %(last)s of %(total)s. %(order)s") % said
    return _("%(last)s of %(total)s. %(order)s") % said


def _caption(view: QueueView) -> str:
    """What the table lists, for who hears it."""
    label = next(label for state, label in STATES.values() if state == view.state)
    whose = WHOSE["mine" if view.for_me else "everyone"]
    return _("%(state)s, %(whose)s: %(order)s") % {
        "state": label,
        "whose": whose,
        "order": order_in_words(view.sort, falls=view.descending),
    }
