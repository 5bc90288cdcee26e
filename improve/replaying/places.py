"""Who replays in this process at once, and who is next. Knows no database (docs/concurrency.md).

A replay mostly waits for an endpoint, with one of the worker's few threads, and others' work needs
one meanwhile. So there are fewer places than threads, and one tenant gets half of them at most. A
turn that finds no place waits in a line, which costs a line of memory and no thread.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple
from uuid import UUID

# Whoever was called and doesn't come within that time is somewhere else: another is called.
CALLED_SECONDS = 5.0


class Turn(NamedTuple):
    """The last turn of a job, from which somebody shall go on with it."""

    job_id: UUID
    turn: int
    tenant_id: UUID


def places_of(threads: int) -> int:
    """How many of a worker's threads may replay: all but two; of so few, half."""
    return threads - 2 if threads > 2 else max(1, threads // 2)


@dataclass
class Places:
    """So many places, for as many turns at once; half of them at most for one tenant."""

    most: int
    _busy: Counter[UUID] = field(default_factory=Counter)
    # In the order in which they came; with when each was called.
    _line: dict[UUID, tuple[Turn, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, turn: Turn) -> bool:
        """A place, to be given back by :meth:`leave`; without one it waits, where it waited already."""
        with self._lock:
            if self._fits(turn.tenant_id):
                self._line.pop(turn.job_id, None)
                self._busy[turn.tenant_id] += 1
                return True
            self._line[turn.job_id] = (turn, 0.0)
            return False

    def leave(self, turn: Turn, *, then: int | None) -> Turn | None:
        """Give a place back, and wait anew for the turn after ``then``.

        Who is next, to be called: the one that has waited longest of those that fit.
        """
        with self._lock:
            self._busy[turn.tenant_id] -= 1
            if not self._busy[turn.tenant_id]:
                del self._busy[turn.tenant_id]
            if then is not None:
                self._line[turn.job_id] = (turn._replace(turn=then), 0.0)
            return self._next()

    def _next(self) -> Turn | None:
        at = time.monotonic()
        for job_id, (turn, called) in self._line.items():
            if self._fits(turn.tenant_id) and (not called or called < at - CALLED_SECONDS):
                self._line[job_id] = (turn, at)
                return turn
        return None

    def _fits(self, tenant_id: UUID) -> bool:
        return self._busy.total() < self.most and self._busy[tenant_id] < max(1, self.most // 2)


@dataclass
class Trials:
    """``most`` at once who try an endpoint and wait for it, each of another tenant; nobody waits for a place."""

    most: int
    _going_on: set[UUID] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def of(self, tenant_id: UUID) -> Iterator[bool]:
        """Whether there is a place for the tenant, while the block lasts."""
        with self._lock:
            there_is_one = tenant_id not in self._going_on and len(self._going_on) < self.most
            if there_is_one:
                self._going_on.add(tenant_id)
        try:
            yield there_is_one
        finally:
            if there_is_one:
                with self._lock:
                    self._going_on.remove(tenant_id)
