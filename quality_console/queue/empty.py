"""What a list of the queue says that has no row: what was asked for, and what there is instead."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from judging.models import State
from judging.queue_view import QueueView
from judging.selectors.queue_waiting import StateCount, queue_state_counts
from judging.words import items as words
from judging.words.items import others_wait
from judging.words.parts import number
from quality_console.frame import Frame
from quality_console.queue.asked import Asked, is_narrowed, widened
from quality_console.queue.narrowed import Narrowing


@dataclass(frozen=True, slots=True)
class Empty:
    """A head, a sentence, and links: each its label and address, the first of them the plainest way on."""

    head: str
    text: str
    links: list[tuple[str, str]]


def empty_said(frame: Frame, asked: Asked, count: StateCount, narrowed_by: Narrowing | None) -> Empty:
    """What is said in the place of rows; one statement where filters narrow the list."""
    view = asked.view
    everyones = [(_("Look at everyone's"), asked.address(whose="everyone"))] if view.for_me and count.everyones else []
    if is_narrowed(view):
        links = [(_("Clear the filters"), asked.address("rule", "agent")), *everyones]
        text = f"{_nothing(view, narrowed_by)} {_in_all(view)}".rstrip()
        return Empty(_("No run matches these filters"), text, links)
    if view.state != State.OPEN:
        return Empty(str(_NOTHING[State(view.state)][0 if view.for_me else 1]), "", everyones)
    if not view.for_me:
        return _nothing_at_all(frame, str(_NOTHING[State.OPEN][1]))
    if not count.everyones:
        return _nothing_at_all(frame, str(words.NOTHING_WAITS))
    others = others_wait(count.everyones - count.for_me)
    return Empty(str(words.NOTHING_WAITS), f"{words.ALL_CORRECTED} {others}", everyones)


def _nothing_at_all(frame: Frame, head: str) -> Empty:
    """Where nothing waits for anybody: no rule queues runs, or all that they queued is done."""
    rules = [(_("Look at the rules"), f"{reverse('quality', args=[frame.project.slug])}?tab=rules")]
    if not frame.rules_live:
        return Empty(head, _("This project has no rule that queues runs yet."), rules)
    return Empty(head, _("Every run that a rule queued is corrected, dismissed or erased."), rules)


def _nothing(view: QueueView, narrowed_by: Narrowing | None) -> str:
    """What there isn't, with what was asked for: ``Nothing is waiting for you that Retail desk ran.``"""
    nothing = str(_NOTHING[State(view.state)][0 if view.for_me else 1])
    by = narrowed_by or Narrowing(_("of another project"), is_change=False)
    said = {"nothing": nothing, "by": by.name, "agent": view.subject.id if view.subject else ""}
    if view.rule_id is None:
        return _("%(nothing)s that %(agent)s ran.") % said
    if by.is_change and view.subject is None:
        return _("%(nothing)s that was asked for by the suggested change “%(by)s”.") % said
    if by.is_change:
        return _("%(nothing)s that was asked for by the suggested change “%(by)s” and that %(agent)s ran.") % said
    if view.subject is None:
        return _("%(nothing)s that the rule %(by)s queued.") % said
    return _("%(nothing)s that the rule %(by)s queued and that %(agent)s ran.") % said


def _in_all(view: QueueView) -> str:
    """How many there are without the filters."""
    found = queue_state_counts(widened(view))[view.state]
    count = found.for_me if view.for_me else found.everyones
    if not count:
        return ""
    if view.state != State.OPEN:
        return ngettext("There is %(count)s in all.", "There are %(count)s in all.", count) % {"count": number(count)}
    if view.for_me:
        message = ngettext("%(count)s run waits for you in all.", "%(count)s runs wait for you in all.", count)
    else:
        message = ngettext("%(count)s run waits in all.", "%(count)s runs wait in all.", count)
    return message % {"count": number(count)}


_NOTHING = {
    State.OPEN: (gettext_lazy("Nothing is waiting for you"), gettext_lazy("Nothing waits")),
    State.JUDGED: (gettext_lazy("No run for you is corrected"), gettext_lazy("No run is corrected")),
    State.DISMISSED: (gettext_lazy("No run for you is dismissed"), gettext_lazy("No run is dismissed")),
    State.ERASED: (gettext_lazy("No run for you is erased"), gettext_lazy("No run is erased")),
}
