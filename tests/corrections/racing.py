"""Making races sure to happen, and taking away what makes them harmless."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

from corrections.models import Correction, CorrectionChange
from kindgi.runs import selectors

PATIENCE = 0.4


@contextmanager
def meeting(target: str, count: int, *, after: bool = True) -> Iterator[None]:
    """Let ``count`` threads meet after (or before) they call ``target``, for as long as ``PATIENCE``.

    Where a lock lets only one of them get so far, that one goes on alone after a while, and so do the rest.
    """
    barrier = threading.Barrier(count)

    def wait() -> None:
        with suppress(threading.BrokenBarrierError):
            barrier.wait(timeout=PATIENCE)

    with _wrapped(target, wait, after=after):
        yield


@contextmanager
def pausing(target: str, until: threading.Event, *, reached: threading.Event, after: bool = True) -> Iterator[None]:
    """Let whoever calls ``target`` say so, and wait after (or before) it, until the event or for ``PATIENCE``."""

    def wait() -> None:
        reached.set()
        until.wait(timeout=PATIENCE)

    with _wrapped(target, wait, after=after):
        yield


@contextmanager
def _wrapped(target: str, wait: Callable[[], None], *, after: bool) -> Iterator[None]:
    module, _, name = target.rpartition(".")
    original: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not after:
            wait()
        result = original(*args, **kwargs)
        if after:
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
