"""Doing a job of replays: a worker asks the agent's endpoint, one request at a time (contract, section 7).

What is done stands in the rows. A job is done in turns, each of which takes it from the one before:
``turn`` in its row is the number of the last one, and only the worker whose number that is asks
and writes. While a turn goes on, the row's ``heartbeat_at`` is moved every second or so. Once it
stands still for ``REPLAY_STALE_SECONDS`` the worker is gone, or as good as, and another takes the
next turn (docs/concurrency.md). So a worker that is killed loses the request that is in flight,
which is sent again, and nothing that was answered.

A turn lasts ten seconds and one request at most, and only so many go on at once in a process
(:mod:`improve.replaying.places`): endpoints that hang keep no thread from others' work for long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import Error, connections, transaction
from django.db.models import F
from django.db.models.functions import Now

from improve.models import CaseReplay, JobState, ReplayJob, ReplayState
from improve.replaying.asking import MOST_REQUESTS, Failed, Message, Outcome, Refused, Target, ask, request_body
from improve.replaying.places import Places, Turn, places_of
from improve.replaying.problems import Problem
from improve.replaying.transport import Limits
from improve.secrets import SecretUnreadable
from improve.selectors.endpoints import replay_endpoint_of
from improve.selectors.replays import failures_before, replay_next, tenant_replaying
from improve.services.ending import job_end
from improve.services.endpoints import keys_of
from kindgi.api.times import now
from kindgi.runs.content import pack, unpack
from kindgi.sql import execute

# A worker has few threads, and others' work waits for one: a job gives it back so often.
TURN_SECONDS = 10.0
FAILED_IN_A_ROW = 10
# An endpoint that says to come back later than that isn't waited for with a thread.
WAITED_SECONDS = 3.0
# Taken up at once, each at the cost of a message; those that nobody has looked at for longest.
MOST_RESUMED = 100
_NAP = 0.1
_places = Places(places_of(settings.CELERY_WORKER_CONCURRENCY))
_ALIVE = """
UPDATE improve_replayjob SET heartbeat_at = clock_timestamp() WHERE id = (
    SELECT id FROM improve_replayjob WHERE id = %s AND turn = %s AND state = 'running' FOR NO KEY UPDATE SKIP LOCKED
)
"""


class StaleJob(NamedTuple):
    """A job that nobody seems to work on, and its last turn."""

    id: UUID
    turn: int


class _Stopped(Exception):
    """This turn is over in the midst of a replay, which stays as it is."""


class _Later(Exception):
    """This turn is over, since nobody shall ask again for so many ``seconds``."""

    def __init__(self, seconds: float) -> None:
        """From now."""
        super().__init__(seconds)
        self.seconds = seconds


def job_turn_placed(*, job_id: UUID, turn: int, go_on: Callable[[], bool]) -> StaleJob | None:
    """:func:`job_turn` where there is a place for it in this process. Who is next, for the caller to send.

    Where there is none, the job waits for one that ends here, or to be found by :func:`jobs_stale`.
    """
    tenant_id = tenant_replaying(job_id=job_id, turn=turn)
    if tenant_id is None or not _places.take(mine := Turn(job_id, turn, tenant_id)):
        return None
    then: int | None = None
    try:
        then = job_turn(job_id=job_id, turn=turn, go_on=go_on)
    finally:
        following = _places.leave(mine, then=then)
    return None if following is None else StaleJob(following.job_id, following.turn)


def job_turn(*, job_id: UUID, turn: int, go_on: Callable[[], bool] = lambda: True) -> int | None:
    """Take a job from its ``turn`` and go on with it for a while, while ``go_on()``. Call outside of a transaction.

    What to call it with again, or ``None`` where that is of no use: it is over, another has taken
    it, or it is to be found by :func:`jobs_stale` once its endpoint wants to be asked again.
    """
    job = _take(job_id, turn)
    if job is None:
        return None
    ends = time.monotonic() + TURN_SECONDS
    try:
        with _signs_of_life(job):
            while _step(job, go_on, ends):
                if time.monotonic() >= ends or not go_on():
                    return job.turn
    except _Stopped:
        return job.turn
    except _Later as later:
        _leave_until(job, later.seconds)
    return None


def _leave_until(job: ReplayJob, seconds: float) -> None:
    """Have the job count as abandoned after ``seconds``, and no sooner; nothing else moves its heartbeat by now."""
    mine = ReplayJob.objects.filter(pk=job.pk, turn=job.turn, state=JobState.RUNNING)
    mine.update(heartbeat_at=Now() + timedelta(seconds=seconds - settings.REPLAY_STALE_SECONDS))


def jobs_stale() -> list[StaleJob]:
    """The jobs that nobody seems to work on, which the caller sends anew; they won't be found again at once.

    At most ``MOST_RESUMED``, those that nobody has looked at for longest.
    """
    since = Now() - timedelta(seconds=settings.REPLAY_STALE_SECONDS)
    stale = ReplayJob.objects.filter(state=JobState.RUNNING, heartbeat_at__lte=since).order_by("heartbeat_at")
    locked = stale.select_for_update(skip_locked=True, no_key=True)[:MOST_RESUMED]
    found = list(locked.values_list("pk", "turn"))
    ReplayJob.objects.filter(pk__in=[pk for pk, _turn in found]).update(heartbeat_at=Now())
    return [StaleJob(pk, turn) for pk, turn in found]


def _take(job_id: UUID, turn: int) -> ReplayJob | None:
    """The job in its next turn, if ``turn`` was its last and it isn't over."""
    last = ReplayJob.objects.filter(pk=job_id, state=JobState.RUNNING, turn=turn)
    if not last.update(turn=turn + 1, heartbeat_at=Now()):
        return None
    return ReplayJob.objects.select_related("project").get(pk=job_id)


@contextmanager
def _signs_of_life(job: ReplayJob) -> Iterator[None]:
    """Move the heartbeat meanwhile, from a thread, since a request may take longer than a job may be silent."""
    over = Event()

    def beat() -> None:
        while not over.wait(settings.REPLAY_STALE_SECONDS / 4):
            try:
                execute(_ALIVE, [job.pk, job.turn])
            except Error:  # which the turn itself runs into, if it lasts
                connections.close_all()
        connections.close_all()

    thread = Thread(target=beat, name="replay-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _step(job: ReplayJob, go_on: Callable[[], bool], ends: float) -> bool:
    """Do the next replay, or end the job; whether there may be more to do. Raises :class:`_Stopped`, :class:`_Later`.

    A replay may be asked for in several turns, each of which makes one request of it at least.
    """
    replay = replay_next(job)
    if replay is None:
        problem, detail = _verdict(job)
    else:
        problem, detail = _hopeless(job, replay)
    if replay is None or problem:
        job_end(job_id=job.pk, turn=job.turn, problem=problem, detail=detail)
        return False
    outcome = ask(
        _message(job, replay),
        target=lambda: _begin_request(job, replay, go_on),
        limits=Limits(seconds=settings.REPLAY_SECONDS, allowed=settings.REPLAY_ALLOWED_NETWORKS),
        sleep=lambda seconds: _sleep(seconds, go_on, ends),
        most=max(1, MOST_REQUESTS - replay.attempts),
    )
    _record(job, replay, outcome)
    return True


def _verdict(job: ReplayJob) -> tuple[str, str]:
    """Why a job failed that is through; nothing if it didn't."""
    job.refresh_from_db(fields=["answered", "refused", "failed"])
    answered = job.answered + job.refused
    return (Problem.TOO_FEW_ANSWERED, f"{answered}/{job.done}") if answered * 2 < job.done else ("", "")


def _hopeless(job: ReplayJob, replay: CaseReplay) -> tuple[str, str]:
    """Why nobody should go on with ``replay``; nothing if somebody should."""
    if now() - job.created_at > timedelta(hours=settings.REPLAY_JOB_HOURS):
        return Problem.OUT_OF_TIME, f"{settings.REPLAY_JOB_HOURS:g}"
    failures = failures_before(replay, limit=FAILED_IN_A_ROW)
    if len(failures) < FAILED_IN_A_ROW:
        return "", ""
    return Problem.FAILED_IN_A_ROW, f"{FAILED_IN_A_ROW} {failures[0].problem} {failures[0].detail}"[:300]


def _message(job: ReplayJob, replay: CaseReplay) -> Message:
    said = unpack(replay.content.input) if replay.content else None
    return Message(
        str(replay.pk), request_body(said or b"null", version=job.version, change=job.change, blocks=job.blocks)
    )


def _begin_request(job: ReplayJob, replay: CaseReplay, go_on: Callable[[], bool]) -> Target | Failed:
    """Where to send a request to that is begun now. Raises :class:`_Stopped` where none is to be.

    The endpoint is read for each: it may be changed, rotated or removed while a job goes on.
    """
    mine = ReplayJob.objects.filter(pk=job.pk, turn=job.turn, state=JobState.RUNNING)
    if not go_on() or not mine.update(heartbeat_at=Now()):
        raise _Stopped
    endpoint = replay_endpoint_of(project=job.project, agent_id=job.agent_id)
    if endpoint is None:
        return Failed(Problem.ENDPOINT_REMOVED)
    try:
        target = Target(endpoint.url, keys_of(endpoint))
    except SecretUnreadable:
        return Failed(Problem.SECRET_UNREADABLE)
    waiting = CaseReplay.objects.filter(pk=replay.pk, state=ReplayState.WAITING, erased_at__isnull=True)
    if not waiting.update(attempts=F("attempts") + 1):
        raise _Stopped
    return target


def _sleep(seconds: float, go_on: Callable[[], bool], turn_ends: float) -> None:
    """Wait between two requests; where that is long, or the turn is over by then, another turn makes the second."""
    if seconds > WAITED_SECONDS:
        raise _Later(seconds)
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        if not go_on():
            raise _Stopped
        time.sleep(min(left, _NAP))
    if time.monotonic() >= turn_ends:
        raise _Stopped


@transaction.atomic
def _record(job: ReplayJob, replay: CaseReplay, outcome: Outcome) -> None:
    """Write what came of a replay, and count it, once: while it waits, its run has words and this turn lasts."""
    mine = ReplayJob.objects.filter(pk=job.pk, turn=job.turn, state=JobState.RUNNING)
    if not list(mine.select_for_update(no_key=True).values_list("pk")):
        return
    waiting = CaseReplay.objects.filter(pk=replay.pk, state=ReplayState.WAITING, erased_at__isnull=True)
    state, values = _written(outcome)
    if waiting.update(state=state, took_ms=outcome.took_ms, over_at=now(), **values):
        mine.update(**{str(state): F(str(state)) + 1}, heartbeat_at=Now())


def _written(outcome: Outcome) -> tuple[ReplayState, dict[str, Any]]:
    if isinstance(outcome, Failed):
        return ReplayState.FAILED, {"problem": outcome.problem, "detail": outcome.detail}
    if isinstance(outcome, Refused):
        return ReplayState.REFUSED, {"calls": pack(outcome.calls)}
    return ReplayState.ANSWERED, {"calls": pack(outcome.calls), "output": pack(outcome.output)}
