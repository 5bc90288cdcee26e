"""Erasing a run: a person's words go, the structure stays (contract, section 3)."""

from __future__ import annotations

from kindgi.access.callers import Caller
from kindgi.access.policies import check_administer
from kindgi.api import idempotency
from kindgi.api.times import now
from kindgi.runs import hooks
from kindgi.runs.models import Run, RunContent
from kindgi.runs.selectors import run_lock


def run_erase(*, caller: Caller, run_id: str) -> Run:
    """Erase a run's input, output, calls and failure message, and what the apps above keep of them.

    Needs an admin of the project. Erasing again changes nothing. The kept answers of
    Idempotency-Keys that tell of the run go too: their replays are withheld.
    """
    run = run_lock(caller=caller, run_id=run_id)
    check_administer(caller, run.project_id)
    if run.content_erased_at is not None:
        return run
    run.content_erased_at = run.updated_at = now()
    run.failure_message = None
    run.save(update_fields=["content_erased_at", "updated_at", "failure_message"])
    if run.content_id is not None:
        RunContent.objects.filter(pk=run.content_id).update(input=None, output=None, calls=None)
    hooks.run_erased([run])
    # Last: what the hooks waited for, such as a change of a correction, has kept its answer by now.
    idempotency.forget(tenant_id=run.tenant_id, subject_ids=[run.run_id])
    return run
