"""The dialog that asks before runs are dismissed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from judging.errors import JudgingItemNotFound
from judging.models import State
from judging.selectors.queue import queue_item_get, queue_states
from kindgi.api.ids import parse_id
from quality_console.forms.queue import ReasonForm
from quality_console.frame import Frame
from quality_console.queue.acts import dialog_text, dialog_title
from quality_console.queue.asked import asked_of
from quality_console.queue.rows import what_ran


@dataclass(frozen=True, slots=True)
class Dismissing:
    """The dialog. ``what`` names the run, where it is one; ``address`` dismisses, ``back`` is the list without it."""

    title: str
    what: str
    explains: str
    runs: Sequence[str]
    form: ReasonForm
    address: str
    back: str


def dismissing(frame: Frame, query: QueryDict, runs: Sequence[str], form: ReasonForm) -> Dismissing:
    """The dialog over the list that ``query`` asks for; one statement where it is about one run."""
    asked = asked_of(frame, query)
    address = f"{reverse('queue-dismiss', args=[frame.project.slug])}?{asked.query()}"
    what = _named(frame, runs[0]) if len(runs) == 1 else ""
    return Dismissing(dialog_title(len(runs)), what, dialog_text(len(runs)), runs, form, address, asked.address())


def still_open(frame: Frame, runs: Sequence[str]) -> list[str]:
    """Those of the runs that wait still: others needn't be asked about. One statement."""
    ids = [one for one in map(parse_id, runs) if one is not None]
    states = queue_states(tenant_id=frame.project.tenant_id, run_ids=ids)
    return [run for run in runs if (one := parse_id(run)) is not None and states.get(one) == State.OPEN]


def _named(frame: Frame, run_id: str) -> str:
    try:
        item = queue_item_get(project=frame.project, run_id=run_id)
    except JudgingItemNotFound:
        return ""
    return f"{what_ran(item)}, {str(item.run_id)[:8]}"
