"""What the runs app tells the apps above it, in the transaction in which it happens.

A hook's functions take a list, since one statement for a batch of 1,000 runs is as good as one
for a single run; they must not commit, and what they raise rolls the change back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import UUID

from kindgi.runs.models import Run

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


class Kept:
    """A question to the apps above: which of these rows do they still name?"""

    def __init__(self) -> None:
        """Start with nobody to ask."""
        self._answerers: list[Callable[[list[UUID]], set[UUID]]] = []

    def register(self, answerer: Callable[[list[UUID]], set[UUID]]) -> None:
        """Ask ``answerer`` from now on."""
        self._answerers.append(answerer)

    def __call__(self, ids: list[UUID]) -> set[UUID]:
        """Those of ``ids`` that anybody names; nobody is asked about none."""
        return set().union(*(answerer(ids) for answerer in self._answerers)) if ids else set()


run_ended: Hook[Run] = Hook()
"""Runs that reached a final status, after the row has it."""

run_erased: Hook[Run] = Hook()
"""Runs whose content was just erased."""

runs_purging: Hook[Run] = Hook()
"""Runs that retention is about to delete, of one project; their rows are locked and still there."""

content_kept = Kept()
"""Which of the content rows of runs that are purged must stay; asked with the runs' rows locked."""
