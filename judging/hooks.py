"""What the judging app asks the apps above it."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from kindgi.access.callers import Caller
from kindgi.runs.hooks import Question


class Asker(NamedTuple):
    """Who looks at the queue of a project."""

    caller: Caller
    project_id: UUID


asked_for_by: Question[Asker] = Question()
"""By whose ids runs are asked for (:attr:`judging.models.QueueItem.asked_for`) so that they are for this person."""
