"""Taking back a correction that was just made, so that what its maker had said before stands again.

What was removed or superseded can't come back (contract, section 4), so it is said again: each
correction by its own door, with what counted of it, and with where it stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corrections.decision_check import Expected
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction, Door, Status, Verdict
from corrections.said import Said, Thing
from corrections.selectors import corrections_replaced_by
from corrections.services.changing import ChangeBody, correction_change
from corrections.services.recording import said_record
from corrections.services.removing import correction_remove
from kindgi.access.callers import Caller
from kindgi.api.jsontext import decode, encode

_BY_HAND = (Status.OPEN, Status.BEING_FIXED, Status.WITH_OWNER, Status.WONT_FIX)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A correction that another one has replaced, and those of its verdicts that counted until then."""

    row: Correction
    verdicts: list[Verdict]


def can_be_taken_back(correction: Correction) -> bool:
    """Whether all that the correction has replaced can be said again as it stood.

    That it was fixed by a version nobody can say by hand, nor give a class that was retired.
    """
    return all(_can_be_said_again(earlier) for earlier in replaced(correction))


def _can_be_said_again(earlier: Earlier) -> bool:
    row = earlier.row
    fixed = row.status == Status.FIXED and any(not verdict.right for verdict in earlier.verdicts)
    retired = row.judge_class is not None and row.judge_class.unregistered_at is not None
    return not (fixed or retired or row.args_erased_at or row.reopened_in)


def correction_take_back(*, caller: Caller, correction_id: str) -> list[Correction]:
    """Remove the correction, and record again what it had replaced, oldest first; those.

    Raises ``CorrectionNotFound``, ``CorrectionRemoved``, ``CorrectionSuperseded``, ``PermissionDenied``
    and what recording raises.
    """
    correction = correction_remove(caller=caller, correction_id=correction_id)
    return [_say_again(caller, earlier) for earlier in replaced(correction)]


def replaced(correction: Correction) -> list[Earlier]:
    """What a correction has replaced, oldest first."""
    found = []
    for row in corrections_replaced_by(correction):
        # A verdict ends when its successor is made; one that its maker had taken back before stays so.
        counted = [one for one in row.verdicts.all() if one.unregistered_at in (None, correction.created_at)]
        found.append(Earlier(row, counted))
    return found


def _say_again(caller: Caller, earlier: Earlier) -> Correction:
    row = earlier.row
    made = said_record(caller=caller, said=_said(row, earlier.verdicts))
    change = {name: value for name, value in _standing(row).items() if value != _standing(made)[name]}
    if row.status not in _BY_HAND or not change:
        return made
    return correction_change(caller=caller, correction_id=str(made.pk), body=decode(encode(change), ChangeBody))


def _standing(row: Correction) -> dict[str, Any]:
    return {
        "status": row.status,
        "sortedTo": row.sorted_to or None,
        "statusNote": (row.status_note or {}).get("text"),
        "link": row.link,
    }


def _said(row: Correction, verdicts: Sequence[Verdict]) -> Said:
    """What counted of it, as it was said."""
    keys = {verdict.item_key for verdict in verdicts}
    decisions, answer = DECISIONS_KEY in keys, ANSWER_KEY in keys
    should_call = row.should_call if decisions else None
    never = row.must_not_call if decisions else None
    return Said(
        door=Door(row.door),
        run_id=str(row.run_id),
        class_id=str(row.judge_class_id) if row.judge_class_id else None,
        participant_id=row.participant_id,
        things=list(_things(verdicts)),
        should_call=should_call,
        must_not_call=never,
        tools=Expected.of(should_call=should_call, must_not_call=never or []).tools,
        should_say=row.should_say if answer else None,
        why=row.why,
    )


def _things(verdicts: Iterable[Verdict]) -> Iterable[Thing]:
    for one in sorted(verdicts, key=lambda verdict: verdict.position):
        yield Thing(one.item_key, one.right, one.pointer, one.rank)
