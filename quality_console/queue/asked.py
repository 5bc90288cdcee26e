"""What of the queue an address asks for, and the address that asks for it: the list's, and a run's in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from judging.models import State
from judging.queue_view import QueueView, Sort
from judging.selectors.queue_waiting import judge_of
from quality_console.filters.queue import STATES, QueueFilter, subject_read, subject_text
from quality_console.frame import Frame

_STATE_NAMES = {state: name for name, (state, _label) in STATES.items()}


@dataclass(frozen=True, slots=True)
class Asked:
    """The view of the queue that an address asks for, the columns it names, and the filters as fields."""

    view: QueueView
    columns: tuple[str, ...]
    filters: QueueFilter

    def query(self, *left_out: str, **changed: str | None) -> str:
        """What an address says to ask for the same but for what is changed: ``rule=…&sort=-finished``."""
        said = {**view_said(self.view), **changed}
        pairs = [(name, value) for name, value in said.items() if value and name not in left_out]
        if "columns" not in left_out:
            pairs += [("columns", name) for name in self.columns]
        return urlencode(pairs)

    def address(self, *left_out: str, **changed: str | None) -> str:
        """The tab's address that asks for the same but for what is changed."""
        return tab_address(self.view.project.slug, self.query(*left_out, **changed))


def asked_of(frame: Frame, query: QueryDict) -> Asked:
    """What ``query`` asks of the queue of the page's project; what it can't ask for is as if it weren't there.

    Nothing said is what waits for whoever looks, or everyone's where they may not correct anything.
    """
    filters = QueueFilter(query)
    given = filters.cleaned
    asked_for = frame.asked_for.get(frame.project.pk, [])
    judge = judge_of(caller=frame.caller, project=frame.project, classes=frame.classes, asked_for=asked_for)
    sort = given.get("sort", str(Sort.ADDED))
    view = QueueView(
        project=frame.project,
        judge=judge,
        state=STATES[given.get("state", "waiting")][0],
        for_me=given["whose"] == "mine" if "whose" in given else judge.writes,
        rule_id=given.get("rule"),
        subject=subject_read(given["agent"]) if "agent" in given else None,
        sort=Sort(sort.removeprefix("-")),
        descending=sort.startswith("-"),
    )
    return Asked(view, tuple(query.getlist("columns")), filters)


def view_said(view: QueueView) -> dict[str, str]:
    """How an address asks for the view, by the names in it; what goes without saying is left out."""
    said: dict[str, str] = {}
    if view.state != State.OPEN:
        said["state"] = _STATE_NAMES[State(view.state)]
    if view.for_me != view.judge.writes:
        said["whose"] = "mine" if view.for_me else "everyone"
    if view.rule_id is not None:
        said["rule"] = str(view.rule_id)
    if view.subject is not None:
        said["agent"] = subject_text(view.subject)
    if view.sort != Sort.ADDED or view.descending:
        said["sort"] = f"{'-' if view.descending else ''}{view.sort}"
    return said


def is_narrowed(view: QueueView) -> bool:
    """Whether a rule or what ran narrows it."""
    return view.rule_id is not None or view.subject is not None


def widened(view: QueueView) -> QueueView:
    """The same of any rule and of whatever ran."""
    return replace(view, rule_id=None, subject=None)


def tab_address(slug: str, query: str = "") -> str:
    """The tab's address in a project."""
    return f"{reverse('quality', args=[slug])}?tab=to-correct{'&' if query else ''}{query}"


def run_address(view: QueueView, run_id: object) -> str:
    """A run's Corrections tab, which goes on in the view as a list."""
    said: Mapping[str, str] = {name: text for name, text in view_said(view).items() if name != "state"}
    address = reverse("run", args=[view.project.slug, run_id])
    return f"{address}?{urlencode({'tab': 'corrections', **said})}"
