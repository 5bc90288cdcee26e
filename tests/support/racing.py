"""Making races sure to happen, by watching who waits for a lock, and taking away what makes them harmless."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from django.db import connection

from corrections.models import Correction, CorrectionChange
from kindgi.runs import selectors

PATIENCE = 10.0
# Not who waits a moment for its table to get longer ("extend"), nor PostgreSQL's own workers.
_WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend'
  AND wait_event_type = 'Lock' AND wait_event <> 'extend'
"""


def waiting() -> int:
    """How many connections wait for a lock right now."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        count: int = cursor.fetchone()[0]
    return count


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when ``condition`` holds, or after ``PATIENCE``."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


@contextmanager
def meeting(target: str, count: int, *others: str) -> Iterator[None]:
    """Let ``count`` threads meet after they call a target: all go on when each has been there or waits for a lock."""
    arrived: list[object] = []

    def wait() -> None:
        arrived.append(None)
        wait_until(lambda: len(arrived) + waiting() >= count)

    with ExitStack() as stack:
        for one in (target, *others):
            stack.enter_context(_wrapped(one, wait))
        yield


@contextmanager
def pausing(target: str, *, reached: threading.Event, until: threading.Event | None = None) -> Iterator[None]:
    """Let whoever calls ``target`` first say so, and then wait until somebody waits for them, or for the event."""

    def wait() -> None:
        if reached.is_set():
            return
        reached.set()
        wait_until(lambda: waiting() > 0 or (until is not None and until.is_set()))

    with _wrapped(target, wait):
        yield


@contextmanager
def _wrapped(target: str, wait: Callable[[], None]) -> Iterator[None]:
    module, _, name = target.rpartition(".")
    original: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        wait()
        return result

    with mock.patch(target, wrapped):
        yield


@contextmanager
def without_the_runs_lock() -> Iterator[None]:
    """Correct runs without locking their rows."""
    lock = "FOR NO KEY UPDATE OF run"
    assert lock in selectors._FOR_CORRECTION
    with mock.patch.object(selectors, "_FOR_CORRECTION", selectors._FOR_CORRECTION.replace(lock, "")):
        yield


def histories_are_gapless(run_id: str) -> bool:
    """Whether each correction of the run has changes 1 to its revision, each once."""
    return all(
        sorted(CorrectionChange.objects.filter(correction=one).values_list("revision", flat=True))
        == list(range(1, one.revision + 1))
        for one in Correction.objects.filter(run_id=run_id)
    )
