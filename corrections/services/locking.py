"""Locking a correction that is about to change (docs/concurrency.md)."""

from __future__ import annotations

from corrections import errors
from corrections.models import Correction, Status
from corrections.selectors import correction_get
from kindgi.access.callers import Caller
from kindgi.runs.models import Run


def correction_lock(*, caller: Caller, correction_id: str) -> tuple[Correction, Run | None]:
    """The correction and its run, if that is still there; raises :class:`CorrectionNotFound`.

    The run is locked first, as recording and erasing do: changing, superseding and erasing the
    same correction wait for each other, in one order.
    """
    seen = correction_get(caller=caller, correction_id=correction_id)
    runs = Run.objects.select_for_update(no_key=True).filter(tenant_id=seen.tenant_id, run_id=seen.run_id)
    run = runs.first()
    return Correction.objects.select_for_update(no_key=True).get(pk=seen.pk), run


def check_live(correction: Correction) -> None:
    """Raise ``CorrectionRemoved`` or ``CorrectionSuperseded`` for one that counts no more."""
    if correction.status == Status.REMOVED:
        raise errors.CorrectionRemoved
    if not correction.live:
        raise errors.CorrectionSuperseded
