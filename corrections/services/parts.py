"""What becomes of a correction of which only a part counts still (docs/concurrency.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from corrections.models import Correction, Status
from corrections.services.history import KindOfChange, save_change, state_of, time_of_change
from corrections.transitions import RECORDED_RIGHT, UNFIXED
from kindgi.access.callers import Caller
from kindgi.api.times import wire


def part_ended(
    *, caller: Caller, correction: Correction, last_wrong: bool, kind: KindOfChange, said: dict[str, Any], at: datetime
) -> None:
    """Note that some of a locked correction's verdicts ended at ``at``, and others are left.

    Where the last of what it said was wrong was among them (``last_wrong``), what wasn't fixed yet
    is ``fixed`` as ``recorded-right``: no version could fix it any more, and nobody sets that
    status by hand. What was made for an end user stays as it stands, as it does when it is made.
    ``said`` is what the history's entry says of what ended.
    """
    before = state_of(correction)
    correction.updated_at = time_of_change(correction, at)
    if last_wrong and not correction.participant_id and correction.status in UNFIXED:
        correction.status = Status.FIXED
        correction.fixed_in = {"how": RECORDED_RIGHT, "at": wire(correction.updated_at)}
        correction.reopened_in = None
    save_change(caller=caller, correction=correction, kind=kind, before=before, also=said)
