"""Retention: whole runs go when they are old; what was said about them stays (contract, section 3).

Nobody waits for it for long. A batch is found without a lock, and then takes only locks that are
free. Its size follows the time that the last ones took; one that takes too long is given up,
undone, and tried again smaller.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import NamedTuple
from uuid import UUID

from django.db import OperationalError, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable, QueryCanceled

from kindgi.access.models import Project
from kindgi.api import idempotency
from kindgi.api.times import now
from kindgi.runs import hooks
from kindgi.runs.models import Run
from kindgi.sql import execute, fetch

logger = logging.getLogger(__name__)

FIRST_SIZE, MOST = 20, 2000
# In seconds. Locks are held for at most LAST_CALL + STATEMENT, that is 180 ms, and the end of the transaction.
TARGET, LAST_CALL, STATEMENT = 0.1, 0.1, 0.08

# The setting is read again by each batch, so that raising it stops a purge that is under way.
_CUTOFF = """(
    SELECT %s - make_interval(days => retention_days) FROM access_project
    WHERE id = %s AND retention_days IS NOT NULL)"""
# Only runs that ended have a completed_at (run_ended_when_final), and it doesn't change again.
_FIND = f"""
SELECT id, completed_at FROM runs_run
WHERE project_id = %s AND completed_at < {_CUTOFF} AND (completed_at, id) > (%s, %s)
ORDER BY completed_at, id LIMIT %s
"""  # noqa: S608 - ours
_LOCK = f"""
SELECT run.* FROM runs_run AS run WHERE run.id = ANY(%s) AND run.completed_at < {_CUTOFF}
ORDER BY run.run_id FOR UPDATE OF run SKIP LOCKED
"""  # noqa: S608 - ours
_DELETE_RUNS = "DELETE FROM runs_run WHERE id = ANY(%s)"
_DELETE_CONTENTS = "DELETE FROM runs_runcontent WHERE id = ANY(%s)"
# What is lost of a purge when the machine fails is purged the next time: no lock need wait for the disk.
_LIMITS = "SELECT set_config('statement_timeout', %s, true), set_config('synchronous_commit', 'off', true)"


class Place(NamedTuple):
    """A run's place in the order in which a project's runs are purged: the first to end goes first."""

    id: UUID
    completed_at: datetime


START = Place(UUID(int=0), datetime.min.replace(tzinfo=UTC))


class TooSlowError(Exception):
    """The batch has held its locks for long enough."""


@dataclass(slots=True)
class Pace:
    """How many runs a batch has, by how long the last ones took."""

    size: int = FIRST_SIZE
    most: int = MOST

    def measured(self, seconds: float) -> None:
        """Grow while batches are fast, shrink when they take longer than ``TARGET``."""
        if seconds > TARGET:
            self.size = max(1, int(self.size * TARGET / seconds / 2))
        elif seconds < TARGET / 2:
            self.size = min(self.most, self.size * 2)

    def given_up(self) -> bool:
        """Shrink after a batch that took too long; whether it could."""
        was, self.size = self.size, max(1, self.size // 4)
        return was > 1


def project_purge(*, project: Project, most: int = MOST, go_on: Callable[[], bool] = lambda: True) -> int:
    """Delete the project's runs that ended more than its ``retention_days`` ago, oldest first; how many it were.

    Batch by batch, each a transaction of its own, of up to ``most`` runs, for as long as
    ``go_on()``. A run that somebody else has locked, such as one that is being corrected, is left
    for the next time. 0 also where the project has no retention. Call outside of a transaction.
    """
    pace, after, total = Pace(min(FIRST_SIZE, most), most), START, 0
    while go_on() and (found := _oldest(project, after, pace.size)):
        try:
            with _timed(pace), transaction.atomic():
                execute(_LIMITS, [f"{int(STATEMENT * 1000)}ms"])
                total += _purge(project, found, give_up_at=monotonic() + LAST_CALL)
        except TooSlowError:
            if pace.given_up():
                continue
            logger.warning("The run %s of project %s takes too long to purge; it is left out.", found[0].id, project.pk)
        after = found[-1]
    return total


def runs_purge_all(
    projects: Iterable[Project] | None = None, *, most: int = MOST, go_on: Callable[[], bool] = lambda: True
) -> Iterator[tuple[Project, int]]:
    """Purge ``projects``, or else each that has a retention, one after the other; how many runs of each it were."""
    if projects is None:
        projects = Project.objects.filter(retention_days__isnull=False).select_related("tenant")
        projects = projects.order_by("tenant__slug", "slug")
    for project in projects:
        yield project, project_purge(project=project, most=most, go_on=go_on)


def runs_purge(*, project: Project, limit: int) -> int:
    """One batch of :func:`project_purge`, of up to ``limit`` runs, in the caller's transaction, however long it takes.

    A run's content goes too, unless an app above answers ``hooks.content_kept`` with it. The kept
    answers to those who reported the runs are withheld; what was answered about corrections, which stay, is not.
    """
    found = _oldest(project, START, limit)
    return _purge(project, found, give_up_at=None) if found else 0


def _oldest(project: Project, after: Place, limit: int) -> list[Place]:
    """The first runs after a place that are past the project's retention; nothing is locked."""
    parameters = [project.pk, now(), project.pk, after.completed_at, after.id, limit]
    return [Place(*row) for row in fetch(_FIND, parameters)]


def _purge(project: Project, found: list[Place], *, give_up_at: float | None) -> int:
    """Delete those of ``found`` that nobody has locked; how many it were. Raises :class:`TooSlowError`."""
    runs = list(Run.objects.raw(_LOCK, [[place.id for place in found], now(), project.pk]))
    if not runs:
        return 0
    _check_time(give_up_at)
    hooks.runs_purging(runs)
    contents = [run.content_id for run in runs if run.content_id is not None]
    # Nobody can begin to name these contents now: whoever does locks the run first, and finds none.
    kept = hooks.content_kept(contents)
    _check_time(give_up_at)
    execute(_DELETE_RUNS, [[run.pk for run in runs]])
    _check_time(give_up_at)
    execute(_DELETE_CONTENTS, [[content_id for content_id in contents if content_id not in kept]])
    _check_time(give_up_at)
    idempotency.forget(tenant_id=project.tenant_id, subject_ids=[run.pk for run in runs])
    _check_time(give_up_at)
    return len(runs)


def _check_time(give_up_at: float | None) -> None:
    if give_up_at is not None and monotonic() > give_up_at:
        raise TooSlowError


@contextmanager
def _timed(pace: Pace) -> Iterator[None]:
    """Tell ``pace`` how long the block took; a statement that was cancelled, or waited in vain, was too slow."""
    begun = monotonic()
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled | LockNotAvailable | DeadlockDetected):
            raise TooSlowError from error
        raise
    pace.measured(monotonic() - begun)
