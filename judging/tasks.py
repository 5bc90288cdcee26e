"""What a worker does for rules and the queue."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from judging.services.catch_up import catch_up_run, catch_ups_stale
from judging.services.counting import counts_fold
from kindgi.celery import app, going_on, send


@app.task(name="judging.catch_up")
def catch_up(catch_up_id: str) -> None:
    """Go on with a catch-up. It may be sent twice, and done by two at once."""
    catch_up_run(catch_up_id=UUID(catch_up_id), go_on=going_on)


@app.task(name="judging.resume_catch_ups")
def resume_catch_ups() -> None:
    """Take up the catch-ups whose worker was killed, or whose message was lost."""
    with transaction.atomic():
        for catch_up_id in catch_ups_stale():
            send(catch_up, str(catch_up_id))


@app.task(name="judging.fold_counts")
def fold_counts() -> None:
    """Fold the counts' rows, so that they stay few."""
    found = 1
    while found and going_on():
        with transaction.atomic():
            found = counts_fold()
