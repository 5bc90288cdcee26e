"""Ending a job of replays: by the worker that is through with it, or by whoever cancels it (contract, section 7)."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from improve import hooks
from improve.models import JobState, Proposal, ReplayJob
from improve.replaying.problems import Problem
from kindgi.api.times import now

logger = logging.getLogger(__name__)

SETTLING_TRIES = 5


def job_lock(job_id: UUID) -> ReplayJob | None:
    """The job, locked, or ``None`` where it is over.

    Whoever is told that it is over writes to the suggested change that it is for; who acts on one
    locks it before anything else. So it is locked first here, too.
    """
    changes = Proposal.objects.filter(evaluations__job_id=job_id).order_by("pk")
    list(changes.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    running = ReplayJob.objects.filter(pk=job_id, state=JobState.RUNNING)
    return running.select_for_update(of=("self",), no_key=True).first()


def job_end(*, job_id: UUID, turn: int, problem: str = "", detail: str = "") -> None:
    """End a job that is in its worker's ``turn``: done, or failed by ``problem``. Call outside of a transaction.

    What rests on it is settled in the same transaction. That it is tried is written before, since a
    worker may be killed by it. Where it can't be done, nothing else is written, and it is tried again
    once the job counts as abandoned; after ``SETTLING_TRIES`` it is failed, so that nobody waits for ever.
    """
    tries = _begin_try(job_id, turn)
    if tries is None:
        return
    if tries > SETTLING_TRIES:
        _give_up(job_id, turn, told=tries == SETTLING_TRIES + 1)
        return
    try:
        _end(job_id, turn, problem, detail)
    except Exception:
        logger.exception("What came out of the replay job %s could not be stored.", job_id)
        if tries == SETTLING_TRIES:
            _begin_try(job_id, turn)
            _give_up(job_id, turn)


def _begin_try(job_id: UUID, turn: int) -> int | None:
    """How many tries there were with this one, which is written at once; ``None`` where nobody shall try any more."""
    mine = ReplayJob.objects.filter(pk=job_id, turn=turn, state=JobState.RUNNING)
    mine.update(settling_tries=F("settling_tries") + 1, heartbeat_at=Now())
    return mine.values_list("settling_tries", flat=True).first()


def _give_up(job_id: UUID, turn: int, *, told: bool = True) -> None:
    """Fail it, and tell who listens; who can't take even that, or took a worker with it, isn't told."""
    try:
        _end(job_id, turn, Problem.NOT_SETTLED, "", told=told)
    except Exception:
        logger.exception("The replay job %s is failed, and nobody is told.", job_id)
        _end(job_id, turn, Problem.NOT_SETTLED, "", told=False)


@transaction.atomic
def _end(job_id: UUID, turn: int, problem: str, detail: str, *, told: bool = True) -> None:
    job = job_lock(job_id)
    if job is None or job.turn != turn:
        return
    job.state = JobState.FAILED if problem else JobState.DONE
    job.problem, job.detail, job.finished_at = problem, detail, now()
    if problem != Problem.NOT_SETTLED:
        job.settling_tries -= 1  # this one stores it
    job.save(update_fields=["state", "problem", "detail", "finished_at", "settling_tries"])
    if told:
        hooks.job_ended([job])
