"""Locking jobs of replays, which is how they are ended: by the worker that is through, or by whoever cancels."""

from __future__ import annotations

from uuid import UUID

from improve.models import JobState, Proposal, ReplayJob


def job_lock(job_id: UUID) -> ReplayJob | None:
    """The job, locked, or ``None`` where it is over.

    Whoever is told that it is over writes to the suggested change that it is for; who acts on one
    locks it before anything else. So it is locked first here, too.
    """
    changes = Proposal.objects.filter(evaluations__job_id=job_id).order_by("pk")
    list(changes.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    running = ReplayJob.objects.filter(pk=job_id, state=JobState.RUNNING)
    return running.select_for_update(of=("self",), no_key=True).first()
