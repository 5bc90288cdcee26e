"""Where a run is in the queue: which rules queued it, who holds it, and what comes before and after it there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode
from uuid import UUID

from django.utils.translation import gettext

from judging.models import QueueEntry, QueueItem, State
from judging.queue_view import QueueView
from judging.selectors.queue_pages import Neighbours, queue_neighbours
from judging.selectors.run_items import entries_of_run, item_asked_for
from judging.words.parts import number
from kindgi.api.times import now
from quality_console.frame import ConsoleRequest
from quality_console.queue.asked import asked_of, run_address, tab_address, view_said
from quality_console.run_page import RunOnPage

# What of the queue's address a run's keeps, so that next and back lead on in the same list.
KEPT = ("whose", "rule", "agent", "sort")


@dataclass(frozen=True)
class QueueList:
    """The list of the queue that a run is looked at in, and the run's neighbours there."""

    view: QueueView
    neighbours: Neighbours

    @property
    def back(self) -> str:
        """The list's address."""
        return tab_address(self.view.project.slug, urlencode(view_said(self.view)))

    @property
    def previous(self) -> str | None:
        """The address of the run before this one."""
        return self._address(self.neighbours.previous_run_id)

    @property
    def next(self) -> str | None:
        """The address of the run after this one."""
        return self._address(self.neighbours.next_run_id)

    def _address(self, run_id: UUID | None) -> str | None:
        return None if run_id is None else run_address(self.view, run_id)

    @property
    def words(self) -> str:
        """Where in the list the run is: ``8 of 36 for me``."""
        said = {"total": number(self.neighbours.total)}
        if self.neighbours.position is None:
            message = gettext("%(total)s wait for me") if self.view.for_me else gettext("%(total)s wait")
            return message % said
        said["position"] = number(self.neighbours.position)
        message = (
            gettext("%(position)s of %(total)s for me") if self.view.for_me else gettext("%(position)s of %(total)s")
        )
        return message % said


@dataclass(frozen=True)
class QueuePlace:
    """A run's item with its entries, none where no rule queued it; ``list`` where it is looked at in one.

    ``asked`` is the item of a run that a suggested change has asked for.
    """

    entries: list[QueueEntry]
    me: str
    list: QueueList | None = None
    asked: QueueItem | None = None

    @property
    def item(self) -> QueueItem | None:
        """The run's item."""
        return self.entries[0].item if self.entries else self.asked

    @property
    def waits(self) -> bool:
        """Whether the run waits for a correction."""
        return self.item is not None and self.item.state == State.OPEN

    @property
    def query(self) -> str:
        """The list as the addresses of the run's page have it after their own: ``&whose=mine``; empty for none."""
        if self.list is None:
            return ""
        view = self.list.view
        said = {"whose": "mine" if view.for_me else "everyone", **view_said(view)}
        return "&" + urlencode({name: said[name] for name in KEPT if name in said})

    @cached_property
    def held(self) -> bool:
        """Whether anybody has it open."""
        item = self.item
        return item is not None and item.held_until is not None and item.held_until > now()

    @property
    def held_by_me(self) -> bool:
        """Whether that is who looks."""
        return self.held and self.item is not None and self.item.held_by == self.me

    @property
    def holder(self) -> tuple[str, str] | None:
        """Who else holds it, by kind and id."""
        if not self.held or self.held_by_me or self.item is None:
            return None
        kind, _, holder_id = self.item.held_by.partition(":")
        return kind, holder_id

    @property
    def held_since(self) -> datetime | None:
        """Since when somebody holds it."""
        return self.item.held_since if self.held and self.item is not None else None


def queue_place(request: ConsoleRequest, run: RunOnPage, *, in_list: bool) -> QueuePlace:
    """The run's place in the project's queue; one statement, and three more where it is looked at in a list.

    That is where the address says so, or ``in_list``. Of a try-out one more: it may have been asked for.
    """
    frame = request.frame
    entries = entries_of_run(project=frame.project, run_id=run.id)
    tried_out = not entries and bool(run.run.eval_run_id)
    asked = item_asked_for(project=frame.project, run_id=run.id) if tried_out else None
    place = QueuePlace(entries, frame.caller.actor, asked=asked)
    if place.item is None or not (in_list or any(name in request.GET for name in KEPT)):
        return place
    view = replace(asked_of(frame, request.GET).view, state=State.OPEN)
    return replace(place, list=QueueList(view, queue_neighbours(view, place.item)))
