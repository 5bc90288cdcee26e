"""Where an item of the queue stands, in words (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from judging.words.classes import class_label
from judging.words.parts import joined, listed, number, takes_an

HEADER = gettext_lazy(
    "Answers waiting for a correction, where each corrected one stands, and the judging rules that pick them."
)
NOTHING_WAITS = gettext_lazy("Nothing waits for you")
ALL_CORRECTED = gettext_lazy("Every run that a rule queued for you is corrected.")
DISMISSING = gettext_lazy(
    "It leaves the queue for everyone and is counted as dismissed."
    " No rule queues it again by itself; Reopen puts it back."
)

_ENDS = (".", "!", "?", "…")


def wanted(judge_class: str | None) -> str:
    """Whose correction is wanted, by the class's name: ``an expert correction``, ``any correction``."""
    if judge_class is None:
        return gettext("any correction")
    message = (
        gettext("an %(judge_class)s correction") if takes_an(judge_class) else gettext("a %(judge_class)s correction")
    )
    return message % {"judge_class": judge_class}


def needs(wants: Sequence[str | None], so_far: Sequence[tuple[str | None, int]]) -> str:
    """What a waiting item needs: ``Needs an expert correction (1 so far, unclassified)``.

    ``wants`` are the names of the classes that are still wanted, ``None`` for any correction: where
    a class is wanted too, its correction is any correction, and this isn't said. ``so_far`` are the
    corrections that it has, by class.
    """
    classes = [name for name in dict.fromkeys(wants) if name is not None]
    needed = listed([wanted(name) for name in classes]) if classes else wanted(None)
    given = [(class_label(name), count) for name, count in so_far if count]
    if not given:
        return gettext("Needs %(corrections)s") % {"corrections": needed}
    return gettext("Needs %(corrections)s (%(so_far)s)") % {"corrections": needed, "so_far": _so_far(given)}


def _so_far(given: Sequence[tuple[str, int]]) -> str:
    total = number(sum(count for _, count in given))
    if len(given) == 1:
        return gettext("%(count)s so far, %(judge_class)s") % {"count": total, "judge_class": given[0][0]}
    classes = joined(
        gettext("%(count)s %(judge_class)s") % {"count": number(count), "judge_class": name} for name, count in given
    )
    return gettext("%(count)s so far: %(classes)s") % {"count": total, "classes": classes}


def dismissed(*, by: str, at: str, reason: str) -> str:
    """Who took an item out of the queue, when, and why if they said so.

    ``by`` is as :func:`judging.words.rules.who` has it, and ``at`` a time in words, here as in what follows.
    """
    if reason:
        return gettext("Dismissed by %(who)s %(when)s: %(reason)s") % {"who": by, "when": at, "reason": reason}
    return gettext("Dismissed by %(who)s %(when)s") % {"who": by, "when": at}


def corrected(*, by: str, at: str) -> str:
    """Whose correction closed an item, and when."""
    return gettext("Corrected by %(who)s %(when)s") % {"who": by, "when": at}


def corrected_and(status: str) -> str:
    """Where the correction that closed an item stands, by its status: ``Corrected: with the owner``."""
    return gettext("Corrected: %(stands)s") % {"stands": _STANDS[status]}


_STANDS = {
    "open": pgettext_lazy("where a correction stands", "open"),
    "being-fixed": pgettext_lazy("where a correction stands", "being fixed"),
    "with-owner": pgettext_lazy("where a correction stands", "with the owner"),
    "fixed": pgettext_lazy("where a correction stands", "fixed"),
    "wont-fix": pgettext_lazy("where a correction stands", "won't be fixed"),
}


def erased(*, at: str) -> str:
    """When the run's content went, and the item with it."""
    return gettext("Erased %(when)s") % {"when": at}


def others_wait(count: int) -> str:
    """How many items wait that this person can't close; of one or more."""
    message = ngettext("%(count)s more waits for other judges.", "%(count)s more wait for other judges.", count)
    return message % {"count": number(count)}


def runs_dismissed(*, count: int, reason: str) -> str:
    """What dismissing did, right after it; a reason that is a sentence already keeps its own end."""
    if reason.endswith(_ENDS):
        message = ngettext("%(count)s run dismissed: %(reason)s", "%(count)s runs dismissed: %(reason)s", count)
    elif reason:
        message = ngettext("%(count)s run dismissed: %(reason)s.", "%(count)s runs dismissed: %(reason)s.", count)
    else:
        message = ngettext("%(count)s run dismissed.", "%(count)s runs dismissed.", count)
    return message % {"count": number(count), "reason": reason}


def left_queue(*, rule: str, judge_class: str | None) -> str:
    """Why a correction closed an item that one rule had queued."""
    if judge_class is None:
        return gettext("The run left the queue: %(rule)s has its correction.") % {"rule": rule}
    message = gettext("The run left the queue: %(rule)s has its %(judge_class)s correction.")
    return message % {"rule": rule, "judge_class": judge_class}
