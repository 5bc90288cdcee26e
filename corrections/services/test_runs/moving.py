"""Moving corrections' statuses by compare-and-swap, each move with its entry in the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from corrections.models import CorrectionChange, Status
from corrections.transitions import Standing
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import as_jsonb, fresh, insert
from kindgi.sql import fetch

# The revision stands for the whole state that the move was decided on.
_MOVE = """
UPDATE corrections_correction AS correction
SET status = new.status, fixed_in = new.fixed_in, reopened_in = new.reopened_in,
    updated_at = greatest(correction.updated_at, %s), revision = correction.revision + 1
FROM (SELECT * FROM unnest(%b::uuid[], %b::int[], %b::text[], %b::jsonb[], %b::jsonb[]))
     AS new(id, revision, status, fixed_in, reopened_in)
WHERE correction.id = new.id AND correction.revision = new.revision AND correction.unregistered_at IS NULL
RETURNING correction.id, correction.revision, correction.updated_at
"""


@dataclass(frozen=True, slots=True)
class Move:
    """A correction that was read at ``revision``, and where it shall stand."""

    id: UUID
    revision: int
    before: Standing
    after: Standing


def corrections_move(moves: Sequence[Move], *, by: dict[str, Any], test_run_id: UUID) -> set[UUID]:
    """Make the moves of corrections that are still as they were read, in two statements; which ones these were.

    The corrections' runs, or of runs that are gone they themselves, must be locked.
    """
    if not moves:
        return set()
    moved = fetch(
        _MOVE,
        [
            now(),
            [move.id for move in moves],
            [move.revision for move in moves],
            [move.after.status for move in moves],
            [_json(move.after.fixed_in) for move in moves],
            [_json(move.after.reopened_in) for move in moves],
        ],
    )
    by_id = {move.id: move for move in moves}
    insert([_change(by_id[pk], revision, at, by, test_run_id) for pk, revision, at in moved], same=("by", "why"))
    return {row[0] for row in moved}


def _change(move: Move, revision: int, at: datetime, by: dict[str, Any], test_run_id: UUID) -> CorrectionChange:
    """What the history tells of a move."""
    return fresh(
        CorrectionChange,
        id=new_id(),
        created_at=at,
        correction_id=move.id,
        revision=revision,
        kind="fixed" if move.after.status == Status.FIXED else "reopened",
        by=by,
        before=_noted(move.before),
        after={**_noted(move.after), "testRunId": str(test_run_id)},
    )


def _json(value: dict[str, Any] | None) -> Jsonb | None:
    return None if value is None else as_jsonb(value)


def _noted(standing: Standing) -> dict[str, Any]:
    """What the history tells of where a correction stood."""
    noted = {"status": standing.status, "fixedIn": standing.fixed_in, "reopenedIn": standing.reopened_in}
    return {name: value for name, value in noted.items() if value is not None}
