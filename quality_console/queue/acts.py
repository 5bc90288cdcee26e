"""What was done to several runs at once, in words, and what of it couldn't be (contract, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.errors import JudgingItemNotOpen
from judging.models import State
from judging.selectors.queue import queue_states
from judging.services.items import Refused, Several
from judging.words.items import DISMISSING, runs_dismissed
from judging.words.parts import number
from kindgi.api.ids import parse_id


def dismissing_said(done: Several, *, tenant_id: UUID, reason: str) -> str:
    """What dismissing came to: ``2 runs dismissed: A test order. 1 had been corrected meanwhile.``"""
    first = [runs_dismissed(count=len(done.done), reason=reason)] if done.done else []
    return " ".join([*first, *_left(done.refused, tenant_id, _already_dismissed)])


def reopening_said(done: Several, *, tenant_id: UUID) -> str:
    """What reopening came to. One that has what its rules want was closed as corrected at once."""
    back = sum(item.state == State.OPEN for item in done.done)
    closed = len(done.done) - back
    said = []
    if back:
        message = ngettext("%(count)s run is back in the queue.", "%(count)s runs are back in the queue.", back)
        said.append(message % {"count": number(back)})
    if closed:
        message = ngettext(
            "%(count)s has the corrections that it needs, and is with the corrected ones.",
            "%(count)s have the corrections that they need, and are with the corrected ones.",
            closed,
        )
        said.append(message % {"count": number(closed)})
    return " ".join([*said, *_left(done.refused, tenant_id, _content_gone)])


def _left(refused: Collection[Refused], tenant_id: UUID, dismissed: Callable[[int], str]) -> list[str]:
    """How those stand that were left as they are; one statement, or none where there are none."""
    there = {parse_id(one.run_id) for one in refused if isinstance(one.why, JudgingItemNotOpen)} - {None}
    states = queue_states(tenant_id=tenant_id, run_ids=[one for one in there if one is not None]) if there else {}
    counts = Counter(states.values())
    counts[""] = sum(not isinstance(one.why, JudgingItemNotOpen) for one in refused)
    said = {**_MEANWHILE, State.DISMISSED: dismissed}
    return [said[state](counts[state]) % {"count": number(counts[state])} for state in said if counts[state]]


def _waits(count: int) -> str:
    return ngettext("%(count)s waits already.", "%(count)s wait already.", count)


def _corrected(count: int) -> str:
    return ngettext("%(count)s had been corrected meanwhile.", "%(count)s had been corrected meanwhile.", count)


def _erased(count: int) -> str:
    return ngettext("%(count)s had been erased meanwhile.", "%(count)s had been erased meanwhile.", count)


def _unknown(count: int) -> str:
    return ngettext("%(count)s isn't in the queue.", "%(count)s aren't in the queue.", count)


def _already_dismissed(count: int) -> str:
    return ngettext("%(count)s had been dismissed already.", "%(count)s had been dismissed already.", count)


def _content_gone(count: int) -> str:
    return ngettext(
        "%(count)s can't come back: its content is gone.", "%(count)s can't come back: their content is gone.", count
    )


_MEANWHILE: dict[str, Callable[[int], str]] = {
    State.OPEN: _waits,
    State.JUDGED: _corrected,
    State.ERASED: _erased,
    "": _unknown,
}


def dialog_title(count: int) -> str:
    """What the dialog asks before runs are dismissed."""
    if count == 1:
        return _("Dismiss this run?")
    return ngettext("Dismiss %(count)s run?", "Dismiss %(count)s runs?", count) % {"count": number(count)}


def dialog_text(count: int) -> str:
    """What dismissing does."""
    if count == 1:
        return str(DISMISSING)
    return _(
        "They leave the queue for everyone and are counted as dismissed."
        " No rule queues them again by itself; Reopen puts them back."
    )
