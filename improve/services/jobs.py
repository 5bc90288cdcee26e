"""Jobs of replays: begun as rows, done by a worker, and cancelled (contract, section 7).

A job stands in its row and its replays' rows before it is a task: whatever becomes of the message,
:mod:`improve.services.running` finds it and goes on from what the rows say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from improve import hooks
from improve.models import CaseReplay, JobState, ReplayJob
from improve.services.ending import job_lock
from kindgi.access.models import Project
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.celery import app, send
from kindgi.rows import fresh, insert

# By its name: a task is an entry, which knows the services and not the other way round.
REPLAY_JOB = "improve.replay_job"
_SAME = ("created_at", "job_id", "tenant_id")


class CaseToReplay(NamedTuple):
    """A run to be replayed, by its public id, and its content's row; ``None`` for one without."""

    run_id: UUID
    content_id: UUID | None


def job_begin(
    *,
    project: Project,
    agent_id: str,
    version: str,
    change: str | None,
    blocks: str | None,
    cases: Sequence[CaseToReplay],
    repetitions: int = 1,
    asked_by: str,
) -> ReplayJob:
    """A new job of each case ``repetitions`` times, for a worker to do once this transaction commits.

    A case's position is its index. ``change`` and ``blocks`` are the JSON texts that each request carries.
    """
    job = ReplayJob.objects.create(
        tenant_id=project.tenant_id,
        project=project,
        agent_id=agent_id,
        version=version,
        change=change,
        blocks=blocks,
        asked_by=asked_by,
        of=len(cases) * repetitions,
    )
    insert([_replay(job, index, case, number) for index, case in enumerate(cases) for number in range(repetitions)])
    send(app.signature(REPLAY_JOB), str(job.pk))
    return job


def _replay(job: ReplayJob, position: int, case: CaseToReplay, number: int) -> CaseReplay:
    return fresh(
        CaseReplay,
        id=new_id(),
        created_at=job.created_at,
        job_id=job.pk,
        position=position,
        repetition=number + 1,
        tenant_id=job.tenant_id,
        run_id=case.run_id,
        content_id=case.content_id,
    )


def job_cancel(*, job_id: UUID, by: str) -> bool:
    """Stop a job before its next request; whether it ran until now. ``by`` is the actor.

    What has been answered stays, an answer that is still on its way counts no more. Whoever listens
    for jobs that are over is told in this transaction. A caller that locks a suggested change locks
    it before.
    """
    job = job_lock(job_id)
    if job is None:
        return False
    job.state, job.cancelled_by, job.finished_at = JobState.CANCELLED, by, now()
    job.save(update_fields=["state", "cancelled_by", "finished_at"])
    hooks.job_ended([job])
    return True
