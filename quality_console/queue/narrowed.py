"""What narrows a list of the queue, by the name that people know it by: a rule, or a suggested change."""

from __future__ import annotations

from typing import NamedTuple

from improve.selectors.proposals import hypothesis_of
from judging.queue_view import QueueView
from quality_console.changes.rows import title_of
from quality_console.frame import Frame


class Narrowing(NamedTuple):
    """What queued the runs of a list, or asked for them, where that ``is_change``."""

    name: str
    is_change: bool


def narrowing_of(frame: Frame, view: QueueView) -> Narrowing | None:
    """What of the page's project narrows the view, if anything does; one statement where that is none of its rules."""
    if view.rule_id is None:
        return None
    rule = next((one for one in frame.rules if one.pk == view.rule_id), None)
    if rule is not None:
        return Narrowing(rule.name, is_change=False)
    hypothesis = hypothesis_of(project=view.project, proposal_id=view.rule_id)
    return None if hypothesis is None else Narrowing(title_of(hypothesis), is_change=True)
