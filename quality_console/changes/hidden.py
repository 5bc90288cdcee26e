"""Whose corrections a suggested change's page doesn't tell who corrects blind (contract, sections 7 and 10)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from corrections.selectors import corrections_standing
from judging.selectors.run_items import runs_waiting
from quality_console.frame import Frame
from quality_console.said.blindness import is_blind


def hidden_runs(frame: Frame, run_ids: Collection[UUID]) -> set[UUID]:
    """The runs that still wait for a correction, which whoever looks could give without knowing what others said.

    Of the others nobody's opinion is asked any more, and who decides on a suggested change has to
    know what it rests on. Two statements, none where nothing is hidden from them.
    """
    if not run_ids or not is_blind(frame, has_own=False, can_be_corrected=True):
        return set()
    waiting = runs_waiting(project=frame.project, run_ids=run_ids)
    if not waiting:
        return set()
    standing = corrections_standing(caller=frame.caller, run_ids=waiting)
    return {run_id for run_id in waiting if run_id not in standing or not standing[run_id].own}
