"""How a test run moves a correction's status (contract, section 4). Pure; docs/corrections.md has the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corrections.models import How, Outcome, SortedTo, Status

UNFIXED = frozenset({Status.OPEN, Status.BEING_FIXED, Status.WITH_OWNER})
RECORDED_RIGHT = "recorded-right"
# Whoever goes back pins a version, and whoever unpins follows Latest from then on.
_FIXED_BY = {How.PIN: "pin", How.WENT_BACK: "pin", How.UNPIN: "latest", How.LATEST: "latest"}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a correction stands; ``fixed_in`` and ``reopened_in`` as they are stored and sent."""

    status: str
    sorted_to: str = ""
    fixed_in: dict[str, Any] | None = None
    reopened_in: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Tested:
    """That ``version`` came to run in ``how``, by whom (``{kind, id}``, where known), at ``at`` (as it is sent)."""

    version: str
    how: str
    by: dict[str, Any] | None
    at: str

    @property
    def in_version(self) -> dict[str, Any]:
        """``reopenedIn``, or all of ``fixedIn`` but its ``how``; nobody moves Latest by hand."""
        who = {"by": self.by} if self.by is not None and self.how != How.LATEST else {}
        return {"version": self.version, "how": self.how, **who, "at": self.at}


def after_test(standing: Standing, outcome: str, tested: Tested) -> Standing | None:
    """Where the correction stands after its replay came out as ``outcome``; ``None`` where that changes nothing.

    Right fixes what stood open. Wrong reopens what a version had fixed, and nothing else: what
    was recorded as right has nothing to be fixed, and what a person decided stays decided.
    """
    if outcome == Outcome.RIGHT and standing.status in UNFIXED:
        fixed_in = {**tested.in_version, "how": _FIXED_BY[How(tested.how)]}
        return Standing(Status.FIXED, standing.sorted_to, fixed_in, None)
    if outcome == Outcome.WRONG and standing.status == Status.FIXED and _was_fixed(standing):
        status = Status.WITH_OWNER if standing.sorted_to == SortedTo.OWNER else Status.OPEN
        return Standing(status, standing.sorted_to, standing.fixed_in, tested.in_version)
    return None


def _was_fixed(standing: Standing) -> bool:
    return standing.fixed_in is not None and standing.fixed_in["how"] != RECORDED_RIGHT
