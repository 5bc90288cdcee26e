"""Taking back what was said: a correction whole, or one judgment of it (contract, section 4)."""

from __future__ import annotations

from corrections import errors, hooks
from corrections.models import Correction, Status, Verdict
from corrections.policies import check_remove
from corrections.selectors import judgment_get, verdicts_of, was_part_removed
from corrections.services.history import save_change, state_of, time_of_change
from corrections.services.locking import check_live, correction_lock
from corrections.services.parts import part_ended
from kindgi.access.callers import Caller


def correction_remove(*, caller: Caller, correction_id: str) -> Correction:
    """Take a correction back, for ever: it stays readable, and counts no more.

    Raises ``CorrectionRemoved`` and ``CorrectionSuperseded``.
    """
    correction, _ = correction_lock(caller=caller, correction_id=correction_id)
    check_remove(caller, correction)
    check_live(correction)
    _remove(caller, correction)
    _tell(caller, correction)
    return correction


def judgment_remove(*, caller: Caller, judgment_id: str) -> Verdict:
    """Take one verdict back, for ever; with the last live one of it, its correction is removed.

    Raises ``JudgmentNotFound``, ``CorrectionRemoved`` and ``CorrectionSuperseded``.
    """
    seen = judgment_get(caller=caller, judgment_id=judgment_id)
    correction, _ = correction_lock(caller=caller, correction_id=str(seen.correction_id))
    check_remove(caller, correction)
    verdicts = verdicts_of(correction)
    (verdict,) = (one for one in verdicts if one.pk == seen.pk)
    _check_counts(verdict, correction)
    left = [one for one in verdicts if one.unregistered_at is None and one is not verdict]
    if left:
        _remove_part(caller, correction, verdict, left)
    else:
        _remove(caller, correction)
    _tell(caller, correction)
    return verdict


def _tell(caller: Caller, correction: Correction) -> None:
    hooks.run_corrected([hooks.CorrectedRun(correction.tenant_id, correction.run_id, caller.actor)])


def _check_counts(verdict: Verdict, correction: Correction) -> None:
    """Refuse a verdict that is gone; one that had no successor went as its correction did, or before that by itself."""
    if verdict.unregistered_at is None:
        return
    superseded = correction.superseded_by_id is not None and not was_part_removed(verdict)
    if verdict.superseded_by_id is not None:
        raise errors.CorrectionSuperseded("A later judgment replaced this one; take that one back instead.")
    if superseded:
        raise errors.CorrectionSuperseded
    raise errors.CorrectionRemoved("The judgment was removed; it can't come back.")


def _remove(caller: Caller, correction: Correction) -> None:
    before = state_of(correction)
    correction.status = Status.REMOVED
    correction.fixed_in = correction.reopened_in = None
    correction.updated_at = correction.unregistered_at = time_of_change(correction)
    Verdict.objects.filter(correction=correction, unregistered_at__isnull=True).update(
        unregistered_at=correction.unregistered_at
    )
    save_change(caller=caller, correction=correction, kind="removed", before=before)


def _remove_part(caller: Caller, correction: Correction, verdict: Verdict, left: list[Verdict]) -> None:
    verdict.unregistered_at = time_of_change(correction)
    verdict.save(update_fields=["unregistered_at"])
    part_ended(
        caller=caller,
        correction=correction,
        last_wrong=not verdict.right and all(one.right for one in left),
        kind="part-removed",
        said={"items": [verdict.item_key]},
        at=verdict.unregistered_at,
    )
