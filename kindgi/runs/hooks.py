"""What the runs app tells the apps above it, in the transaction in which it happens.

A hook's functions take a list, since one statement for a batch of 1,000 runs is as good as one
for a single run; they must not commit, and what they raise rolls the change back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

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


run_ended: Hook[Run] = Hook()
"""Runs that reached a final status, after the row has it."""

run_erased: Hook[Run] = Hook()
"""Runs whose content was just erased."""
