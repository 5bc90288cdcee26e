"""Who corrects blind: until they have said something of a run themselves, what others said of it is hidden.

Contract, section 10. What can't be seen can't be changed either.
"""

from __future__ import annotations

from collections.abc import Iterable

from corrections.models import Correction
from corrections.policies import is_made_by
from kindgi.access.callers import Caller
from quality_console.frame import Frame


def is_blind(frame: Frame, *, has_own: bool, can_be_corrected: bool) -> bool:
    """Whether whoever looks doesn't see what others said of a run of the page's project."""
    return frame.project.blind and frame.may_write and can_be_corrected and not has_own


def own_among(caller: Caller, rows: Iterable[Correction]) -> bool:
    """Whether one of a run's corrections is live and says what the caller thinks.

    What somebody recorded for an end user says nothing of what they think themselves.
    """
    return any(row.live and not row.participant_id and is_made_by(caller, row) for row in rows)
