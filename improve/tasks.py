"""What a worker does for suggested changes."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from improve.services.jobs import REPLAY_JOB
from improve.services.pin_tests_again import pin_tests_resume
from improve.services.running import job_turn_placed, jobs_stale
from kindgi.celery import app, going_on, send


@app.task(name=REPLAY_JOB)
def replay_job(job_id: str, turn: int = 0) -> None:
    """Go on with a job of replays for a while. Whoever has waited longest for the place is next.

    It may be sent twice: a turn is taken once.
    """
    following = job_turn_placed(job_id=UUID(job_id), turn=turn, go_on=going_on)
    if following is not None:
        send(replay_job, str(following.id), following.turn)


@app.task(name="improve.resume_jobs")
def resume_jobs() -> None:
    """Take up the jobs of replays whose worker was killed, whose message was lost, or that wait to be asked for.

    And begin the tests of versions anew that failed, once their pause is over.
    """
    with transaction.atomic():
        for job in jobs_stale():
            send(replay_job, str(job.id), job.turn)
    pin_tests_resume()
