"""What reads catch-ups, and the runs that they go through (contract, section 6)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from judging import errors
from judging.models import CatchUp, CatchUpState, JudgingRule
from judging.selectors.previews import NEWEST, OF_PROJECT
from judging.selectors.rules import matcher_of
from kindgi.access.models import Project
from kindgi.api.ids import parse_id
from kindgi.sql import fetch

LOOK_SECONDS = 0.1
_FIRST = datetime.min.replace(tzinfo=UTC)

# One statement, so that all of it is of one moment. The order is that of the index.
_WINDOW = """
WITH found AS NOT MATERIALIZED (
    SELECT run.completed_at, run.id {of_project} AND run.completed_at >= %s {newest})
SELECT oldest.completed_at, oldest.id, newest.completed_at, newest.id, (SELECT count(*) FROM found)
FROM (SELECT * FROM found ORDER BY completed_at, id LIMIT 1) AS oldest,
    (SELECT * FROM found ORDER BY completed_at DESC, id DESC LIMIT 1) AS newest
"""
_AFTER = f"""
SELECT run.id, run.completed_at, {{takes}} {OF_PROJECT}
    AND (run.completed_at, run.id) > (%s, %s) AND (run.completed_at, run.id) <= (%s, %s)
ORDER BY run.completed_at, run.id LIMIT %s
"""


class Window(NamedTuple):
    """The runs that a catch-up goes through: after ``at`` and up to ``until``, by the end and then our id."""

    at: datetime
    at_id: UUID
    until: datetime
    until_id: UUID
    of: int


class Candidate(NamedTuple):
    """A run that a catch-up comes by, and whether the rule takes it; it isn't locked."""

    id: UUID
    completed_at: datetime
    taken: bool


def window_of(*, project: Project, last: int | None, since: datetime | None) -> Window:
    """The ``last`` of the project's runs that ended at or after ``since``; all of these without ``last``.

    Runs that a rule could be about: not those that another run started, nor replays.
    """
    newest, limit = ("", []) if last is None else (NEWEST, [last])
    window = _WINDOW.format(of_project=OF_PROJECT, newest=newest)
    found = fetch(window, [project.pk, since or _FIRST, *limit])
    if not found:
        at = since or _FIRST
        return Window(at, UUID(int=0), at, UUID(int=0), 0)
    begin, begin_id, until, until_id, of = found[0]
    return Window(begin, UUID(int=begin_id.int - 1), until, until_id, of)


def candidates_after(job: CatchUp, *, limit: int) -> list[Candidate]:
    """The next runs that a catch-up comes by, by the rule as it is now; one statement, by index."""
    takes, parameters = matcher_of(job.rule).takes_sql("run")
    places = [job.at, job.at_id, job.until, job.until_id]
    return [Candidate(*row) for row in fetch(_AFTER.format(takes=takes), [*parameters, job.project_id, *places, limit])]


def catch_up_get(*, rule: JudgingRule, catch_up_id: str) -> CatchUp:
    """A catch-up of the rule; raises :class:`CatchUpNotFound`."""
    parsed = parse_id(catch_up_id)
    found = CatchUp.objects.filter(rule=rule, pk=parsed).first() if parsed else None
    if found is None:
        raise errors.CatchUpNotFound
    return found


def catch_up_wait(*, catch_up_id: UUID, seconds: float) -> CatchUp:
    """The catch-up when it is finished, or after ``seconds`` as it is then."""
    deadline = time.monotonic() + seconds
    while True:
        found = CatchUp.objects.get(pk=catch_up_id)
        left = deadline - time.monotonic()
        if found.state != CatchUpState.RUNNING or left <= 0:
            return found
        time.sleep(min(LOOK_SECONDS, left))
