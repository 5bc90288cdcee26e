"""How a correction stands, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from corrections.models import Correction, SortedTo, Status
from corrections.transitions import RECORDED_RIGHT
from judging.words.classes import class_label
from judging.words.parts import joined, number

STATUSES = {
    Status.OPEN: pgettext_lazy("where a correction stands", "Open"),
    Status.BEING_FIXED: pgettext_lazy("where a correction stands", "Being fixed"),
    Status.WITH_OWNER: pgettext_lazy("where a correction stands", "With the owner"),
    Status.FIXED: pgettext_lazy("where a correction stands", "Fixed"),
    Status.WONT_FIX: pgettext_lazy("where a correction stands", "Won't be fixed"),
    Status.REMOVED: pgettext_lazy("where a correction stands", "Removed"),
}
SORTED_TO = {
    SortedTo.IMPROVE: pgettext_lazy("who works on it", "Improve"),
    SortedTo.DEVELOPER: pgettext_lazy("who works on it", "A developer"),
    SortedTo.OWNER: pgettext_lazy("who works on it", "The agent's owner"),
}
NOBODY = pgettext_lazy("who works on it", "Nobody yet")
SHOWS_LATER = gettext_lazy("What they said shows once you have saved yours.")
_SIGNS = {
    Status.OPEN: ("", ""),
    Status.BEING_FIXED: ("live", "edit"),
    Status.WITH_OWNER: ("wait", "history"),
    Status.FIXED: ("right", "check"),
    Status.WONT_FIX: ("", "dismiss"),
    Status.REMOVED: ("", "trash"),
}


class Tag(NamedTuple):
    """A state in a word, with its sign: a class of the stylesheet, and an icon."""

    text: str
    kind: str
    icon: str


def status_tag(correction: Correction) -> Tag:
    """How the correction stands."""
    status = Status(correction.status)
    if correction.superseded_by_id is not None:
        return Tag(pgettext("where a correction stands", "Replaced"), "", "history")
    if status == Status.FIXED and is_recorded_right(correction.fixed_in):
        return Tag(gettext("Recorded as right"), "", "check")
    if status == Status.FIXED:
        return Tag(fixed_words(correction.fixed_in), *_SIGNS[status])
    return Tag(str(STATUSES[status]), *_SIGNS[status])


def is_recorded_right(fixed_in: Mapping[str, Any] | None) -> bool:
    """Whether nothing was wrong, so that nothing had to be fixed."""
    return bool(fixed_in) and fixed_in is not None and fixed_in.get("how") == RECORDED_RIGHT


def fixed_words(fixed_in: Mapping[str, Any] | None) -> str:
    """``Fixed in 1.2.0``."""
    if is_recorded_right(fixed_in):
        return gettext("Recorded as right")
    version = (fixed_in or {}).get("version")
    return gettext("Fixed in %(version)s") % {"version": version} if version else str(STATUSES[Status.FIXED])


def sorted_words(sorted_to: str | None) -> str:
    """Who works on it."""
    return str(SORTED_TO[SortedTo(sorted_to)] if sorted_to else NOBODY)


def link_words(link: Mapping[str, Any]) -> str:
    """What a correction is linked to, as a link's text or beside none."""
    if link.get("kind") == "pull-request":
        return str(link.get("url", "")).partition("://")[2]
    what = gettext("Improve run") if link.get("kind") == "improve-run" else gettext("Suggested change")
    return f"{what} {link.get('id', '')}"


def corrected_by(corrections: Sequence[Correction], classes: Mapping[Any, str]) -> str:
    """How many others corrected a run and as what: ``2 people corrected this run, both unclassified.``

    ``classes`` are the names of judge classes by id; of one correction or more.
    """
    given = Counter(class_label(classes.get(one.judge_class_id)) for one in corrections)
    judges = len({(one.made_by_kind, one.made_by_id) for one in corrections})
    said = {"judges": judges_counted(corrections), "classes": _classes(given)}
    if len(given) > 1:
        return gettext("%(judges)s corrected this run: %(classes)s.") % said
    if judges == 1:
        return gettext("%(judges)s corrected this run, %(classes)s.") % said
    if judges == 2:
        return gettext("%(judges)s corrected this run, both %(classes)s.") % said
    return gettext("%(judges)s corrected this run, all %(classes)s.") % said


def judges_counted(corrections: Sequence[Correction]) -> str:
    """``2 people``, or where services are among them ``3 others``."""
    judges = {(one.made_by_kind, one.made_by_id) for one in corrections}
    if all(kind == "user" for kind, _ in judges):
        message = ngettext("%(count)s person", "%(count)s people", len(judges))
    else:
        message = ngettext("%(count)s other", "%(count)s others", len(judges))
    return message % {"count": number(len(judges))}


def _classes(given: Mapping[str, int]) -> str:
    if len(given) == 1:
        return next(iter(given))
    return joined(
        gettext("%(count)s %(judge_class)s") % {"count": number(count), "judge_class": name}
        for name, count in given.items()
    )
