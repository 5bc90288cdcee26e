"""What the runs app tells the apps above it, in the transaction in which it happens.

A hook's functions take a list, since one statement for a batch of 1,000 runs is as good as one
for a single run; they must not commit, and what they raise rolls the change back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.runs.models import Agent, Run

Told = TypeVar("Told")


class Hook(Generic[Told]):
    """A named list of functions, called in the order in which they registered."""

    def __init__(self) -> None:
        """Start with nobody to tell."""
        self._listeners: list[Callable[[list[Told]], None]] = []

    def register(self, listener: Callable[[list[Told]], None]) -> None:
        """Tell ``listener`` from now on."""
        self._listeners.append(listener)

    def __call__(self, told: list[Told]) -> None:
        """Tell everyone, unless there is nothing to tell."""
        if told:
            for listener in self._listeners:
                listener(told)


class Taken(Generic[Told]):
    """Like :class:`Hook`, of functions that answer how much they took, by kind, or nothing."""

    def __init__(self) -> None:
        """Start with nobody to tell."""
        self._listeners: list[Callable[[list[Told]], Mapping[str, int] | None]] = []

    def register(self, listener: Callable[[list[Told]], Mapping[str, int] | None]) -> None:
        """Tell ``listener`` from now on."""
        self._listeners.append(listener)

    def __call__(self, told: list[Told]) -> Counter[str]:
        """Tell everyone, unless there is nothing to tell; what they took together."""
        taken: Counter[str] = Counter()
        if told:
            for listener in self._listeners:
                taken.update(listener(told) or {})
        return taken


class Question(Generic[Told]):
    """A question to the apps above, which each answers with ids."""

    def __init__(self) -> None:
        """Start with nobody to ask."""
        self._answerers: list[Callable[[list[Told]], set[UUID]]] = []

    def register(self, answerer: Callable[[list[Told]], set[UUID]]) -> None:
        """Ask ``answerer`` from now on."""
        self._answerers.append(answerer)

    def __call__(self, about: list[Told]) -> set[UUID]:
        """What anybody answers; nobody is asked about nothing."""
        return set().union(*(answerer(about) for answerer in self._answerers)) if about else set()


class Lookup(Generic[Told]):
    """A question to the apps above, which each answers with an id for each thing that it knows."""

    def __init__(self) -> None:
        """Start with nobody to ask."""
        self._answerers: list[Callable[[list[Told]], Mapping[UUID, UUID]]] = []

    def register(self, answerer: Callable[[list[Told]], Mapping[UUID, UUID]]) -> None:
        """Ask ``answerer`` from now on."""
        self._answerers.append(answerer)

    def __call__(self, about: list[Told]) -> dict[UUID, UUID]:
        """What anybody answers; nobody is asked about nothing."""
        return {key: value for answerer in self._answerers if about for key, value in answerer(about).items()}


class Participant(NamedTuple):
    """An end user of an app, as one project knows them."""

    tenant_id: UUID
    project_id: UUID
    participant_id: str


class GoneRun(NamedTuple):
    """A run that retention has purged, by the id that the world knew it by."""

    tenant_id: UUID
    run_id: UUID


class VersionMoved(NamedTuple):
    """That a project runs another version of an agent.

    ``how`` is ``pin``, ``went-back``, ``unpin`` or ``latest``; ``version`` what it runs since, ``None``
    for none. ``caller`` is whose change that was.
    """

    project: Project
    agent: Agent
    version: str | None
    how: str
    caller: Caller


class LatestMoved(NamedTuple):
    """That an agent has a new Latest, which every project without a pin runs since."""

    agent: Agent
    version: str
    caller: Caller


version_moved: Hook[VersionMoved] = Hook()
"""Pins that were set or removed, after the rows have it, with the agent's row locked."""

version_pinned_again: Hook[VersionMoved] = Hook()
"""Pins that were set to what they pin already, by ``caller``, who so moves nothing; with the agent's row locked."""

latest_moved: Hook[LatestMoved] = Hook()
"""Agents whose Latest has changed, after their rows have it and locked."""

run_ended: Hook[Run] = Hook()
"""Runs that reached a final status, after the row has it."""

run_erased: Taken[Run] = Taken()
"""Runs that are being erased: their rows are locked and say so, their content goes next."""

runs_erased: Hook[Run] = Hook()
"""Runs that were erased, all that one transaction erases at once, after what else it erases is locked."""

participant_erased: Taken[Participant] = Taken()
"""Participants whose runs were just erased: what is kept of them beside these goes now."""

participant_runs: Question[Participant] = Question()
"""The public ids of the runs, purged ones too, about which something is kept that is a participant's."""

gone_run_erased: Taken[GoneRun] = Taken()
"""Runs that are gone, of which what is kept shall be erased."""

gone_run_projects: Lookup[GoneRun] = Lookup()
"""By its public id, the project of each run that is gone and of which something is kept: its id isn't used again."""

runs_purging: Hook[Run] = Hook()
"""Runs that retention is about to delete, of one project; their rows are locked and still there."""

content_kept: Question[UUID] = Question()
"""Which of the content rows of runs that are purged must stay; asked with the runs' rows locked."""
