"""Taking back what a caller said before of what they say now (contract, section 1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from corrections.models import Correction, CorrectionChange
from corrections.selectors import LiveVerdict
from corrections.services.history import by
from corrections.services.parts import part_ended
from kindgi.access.callers import Caller
from kindgi.api.ids import new_id
from kindgi.rows import insert
from kindgi.sql import execute, fetch

_SUPERSEDE_VERDICTS = """
UPDATE corrections_verdict AS old SET unregistered_at = %s, superseded_by_id = new.successor_id
FROM (SELECT * FROM unnest(%s::uuid[], %s::uuid[])) AS new(id, successor_id)
WHERE old.id = new.id
"""
_SUPERSEDE_CORRECTIONS = """
UPDATE corrections_correction
SET unregistered_at = greatest(updated_at, %s), updated_at = greatest(updated_at, %s), superseded_by_id = %s,
    revision = revision + 1
WHERE id = ANY(%s)
RETURNING id, revision, updated_at
"""


def supersede(
    *,
    caller: Caller,
    correction: Correction,
    live: Collection[LiveVerdict],
    gone: Collection[LiveVerdict],
    successors: Mapping[str, UUID],
) -> None:
    """End the verdicts ``gone``, and every correction that ``live`` shows to have none left; the run is locked.

    What somebody changed while this waited for its row was changed before it: times only move on.
    """
    if not gone:
        return
    execute(
        _SUPERSEDE_VERDICTS,
        [correction.created_at, [old.id for old in gone], [successors.get(old.item_key) for old in gone]],
    )
    left = set(live).difference(gone)
    counting = {old.correction_id for old in left}
    touched = {old.correction_id for old in gone}
    _end_whole(caller, correction, sorted(touched - counting))
    for pk in sorted(touched & counting):
        ended = [old for old in gone if old.correction_id == pk]
        last_wrong = all(old.right for old in left if old.correction_id == pk) and not all(old.right for old in ended)
        _end_part(caller, correction, pk, items=[old.item_key for old in ended], last_wrong=last_wrong)


def _end_whole(caller: Caller, correction: Correction, ended: list[UUID]) -> None:
    if not ended:
        return
    at = correction.created_at
    changed = fetch(_SUPERSEDE_CORRECTIONS, [at, at, correction.pk, ended])
    after = {"supersededBy": str(correction.pk)}
    insert(
        [
            CorrectionChange(
                id=new_id(),
                created_at=updated_at,
                correction_id=pk,
                revision=revision,
                kind="superseded",
                by=by(caller),
                after=after,
            )
            for pk, revision, updated_at in changed
        ]
    )


def _end_part(caller: Caller, correction: Correction, pk: UUID, *, items: list[str], last_wrong: bool) -> None:
    part_ended(
        caller=caller,
        correction=Correction.objects.select_for_update(no_key=True).get(pk=pk),
        last_wrong=last_wrong,
        kind="part-superseded",
        said={"supersededBy": str(correction.pk), "items": items},
        at=correction.created_at,
    )
