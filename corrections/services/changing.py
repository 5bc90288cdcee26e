"""A correction's life after it was saved: status, sorting, notes (contract, section 4)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from corrections.models import Correction
from corrections.services.erasure import runs_erased
from corrections.services.history import by, save_change, state_of, time_of_change
from corrections.services.locking import check_live, correction_lock
from corrections.submissions import Text
from kindgi.access.callers import Caller
from kindgi.access.policies import check_write
from kindgi.api.errors import BadInput
from kindgi.api.operations import Body
from kindgi.api.times import wire
from kindgi.runs.errors import RunErased
from kindgi.runs.models import Run

_FIELDS = ("status", "sorted_to", "status_note", "link")


OurId = Annotated[str, Meta(max_length=200, pattern=r"^[A-Za-z0-9._:-]+(?!\n)$", description="An id, and no text.")]


class LinkToOurs(Struct, tag_field="kind", tag="improve-run", rename="camel", forbid_unknown_fields=True):
    """An Improve run that works on it."""

    id: OurId


class LinkToChange(Struct, tag_field="kind", tag="suggested-change", rename="camel", forbid_unknown_fields=True):
    """A suggested change that is to fix it."""

    id: OurId


class LinkToPullRequest(Struct, tag_field="kind", tag="pull-request", rename="camel", forbid_unknown_fields=True):
    """A pull request that is to fix it."""

    url: Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"^https?://\S+(?!\s)$")]


Link = LinkToOurs | LinkToChange | LinkToPullRequest


class ChangeBody(Body):
    """What to change; `reason` says why. `null` unsorts, or takes the note or the link away."""

    status: Literal["open", "being-fixed", "with-owner", "wont-fix"] | UnsetType = UNSET
    sorted_to: Literal["improve", "developer", "owner"] | UnsetType | None = UNSET
    reason: Text | UnsetType = UNSET
    status_note: Annotated[str, Meta(min_length=1, max_length=4000)] | UnsetType | None = UNSET
    link: Link | UnsetType | None = UNSET


def correction_change(*, caller: Caller, correction_id: str, body: ChangeBody) -> Correction:
    """Change a live correction by hand, and note it in its history; needs write access.

    A status set by hand clears ``fixedIn`` and ``reopenedIn``; a re-sort alone keeps them. What
    is already so is no change. Raises ``CorrectionRemoved`` and ``CorrectionSuperseded``.
    """
    if all(getattr(body, name) is UNSET for name in _FIELDS):
        raise BadInput("Name at least one of status, sortedTo, statusNote and link.")
    correction, run = correction_lock(caller=caller, correction_id=correction_id)
    check_write(caller, correction.project_id)
    check_live(correction)
    if _has_words(body) and _is_erased(correction, run):
        raise RunErased(f'The content of run "{correction.run_id}" was erased; nothing is written about it any more.')
    before, at = state_of(correction), time_of_change(correction)
    _set(caller, correction, body, at)
    if state_of(correction) != before:
        correction.updated_at = at
        reason = body.reason if isinstance(body.reason, str) else None
        save_change(caller=caller, correction=correction, kind="changed", before=before, why=reason)
    return correction


def _has_words(body: ChangeBody) -> bool:
    """Whether the change holds free text: what an erasure takes must not come back."""
    return bool(body.reason or body.status_note) or isinstance(body.link, LinkToPullRequest)


def _is_erased(correction: Correction, run: Run | None) -> bool:
    """Whether the run was erased: as it says itself or, once it is purged, as its copy does."""
    if run is not None:
        return run.content_erased_at is not None
    return correction.run_id in runs_erased(tenant_id=correction.tenant_id, run_ids=[correction.run_id])


def _set(caller: Caller, correction: Correction, body: ChangeBody, at: datetime) -> None:
    if not isinstance(body.status, UnsetType):
        correction.status = body.status
        correction.fixed_in = correction.reopened_in = None
    if not isinstance(body.sorted_to, UnsetType) and (body.sorted_to or "") != correction.sorted_to:
        correction.sorted_to = body.sorted_to or ""
        correction.sorted_by = by(caller) if body.sorted_to else None
        correction.sorted_at = at if body.sorted_to else None
        correction.sorted_reason = body.reason if body.sorted_to and isinstance(body.reason, str) else None
    if not isinstance(body.status_note, UnsetType) and body.status_note != (correction.status_note or {}).get("text"):
        note = body.status_note
        correction.status_note = {"text": note, "by": by(caller), "at": wire(at)} if note else None
    if not isinstance(body.link, UnsetType):
        correction.link = _link(body.link)


def _link(link: Link | None) -> dict[str, Any] | None:
    if link is None:
        return None
    if isinstance(link, LinkToPullRequest):
        return {"kind": "pull-request", "url": link.url}
    return {"kind": "improve-run" if isinstance(link, LinkToOurs) else "suggested-change", "id": link.id}
