"""A correction's history: each change of its row is written together with its entry (contract, section 4)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

from corrections.models import Correction, CorrectionChange
from kindgi.access.callers import Caller
from kindgi.api.ids import new_id
from kindgi.api.times import now

KindOfChange = Literal[
    "made", "changed", "fixed", "reopened", "part-superseded", "part-removed", "superseded", "removed"
]
KINDS: tuple[KindOfChange, ...] = get_args(KindOfChange)


def by(caller: Caller) -> dict[str, Any]:
    """The caller as ``madeBy`` and the history name them."""
    return {"kind": caller.kind, "id": str(caller.id)}


def time_of_change(correction: Correction, at: datetime | None = None) -> datetime:
    """When a locked correction changes: ``at`` or now, but never before its last change, which another clock may say.

    Whoever changes a correction takes its times from here.
    """
    return max(correction.updated_at, at or now())


def state_of(correction: Correction) -> dict[str, Any]:
    """What the history compares: everything about where a correction stands that can change, as it is sent."""
    return {
        "status": correction.status,
        "sortedTo": correction.sorted_to or None,
        "statusNote": (correction.status_note or {}).get("text"),
        "link": correction.link,
        "fixedIn": correction.fixed_in,
        "reopenedIn": correction.reopened_in,
    }


def save_change(
    *,
    caller: Caller,
    correction: Correction,
    kind: KindOfChange,
    before: dict[str, Any],
    also: dict[str, Any] | None = None,
    why: str | None = None,
) -> None:
    """Write the locked row and its history's next entry: how it differs from the state ``before``.

    ``also`` is what else the entry says of the change. The correction has its new ``updated_at``.
    """
    after = state_of(correction)
    changed = [name for name in after if before[name] != after[name]]
    correction.revision += 1
    correction.save()
    CorrectionChange.objects.create(
        id=new_id(),
        created_at=correction.updated_at,
        correction=correction,
        revision=correction.revision,
        kind=kind,
        by=by(caller),
        before=_only(before, changed),
        after=(also or {}) | _only(after, changed),
        why=why,
    )


def _only(state: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: state[name] for name in names if state[name] is not None}
