"""A correction's history as a time line: what changed, who did it, when and why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext, pgettext

from corrections.models import Correction, CorrectionChange, SortedTo, Status
from judging.words.parts import joined, joined_clauses
from quality_console.said.names import Names
from quality_console.said.words import STATUSES, fixed_words, is_recorded_right, link_words, sorted_words


class Event(NamedTuple):
    """Something that became of a correction."""

    what: str
    who: str
    at: datetime
    why: str


def history_of(correction: Correction, names: Names) -> list[Event]:
    """What became of it, newest first. Who saves it and where it is sorted then are two events of one moment."""
    events: list[Event] = []
    for change in correction.changes.all():
        if change.kind == "made":
            events += _made(change, names)
        else:
            events.append(Event(_what(change), names.by(change.by), change.created_at, change.why or ""))
    return events


def _made(change: CorrectionChange, names: Names) -> list[Event]:
    saved = Event(pgettext("a correction", "Saved"), names.by(change.by), change.created_at, "")
    sorted_to = change.after.get("sortedTo")
    if not sorted_to:
        return [saved]
    why = (
        gettext("wrong tool calls go to the agent's owner")
        if sorted_to == SortedTo.OWNER
        else gettext("a wrong answer or item goes to Improve")
    )
    status = str(STATUSES[Status(change.after["status"])])
    what = status if sorted_to == SortedTo.OWNER else gettext("%(status)s, for Improve") % {"status": status}
    return [Event(what, names.by({"kind": "rule"}), change.created_at, why), saved]


def _what(change: CorrectionChange) -> str:
    items = joined(change.after.get("items", []))
    whole = {
        "superseded": gettext("Replaced by a later correction"),
        "removed": pgettext("a correction", "Removed"),
        "part-superseded": gettext("Replaced in part by a later correction: %(items)s") % {"items": items},
        "part-removed": gettext("Taken back in part: %(items)s") % {"items": items},
        "reopened": _reopened(change.after),
        "fixed": fixed_words(change.after.get("fixedIn")),
    }
    return whole.get(change.kind) or _changes(change.before, change.after)


def _reopened(after: Mapping[str, Any]) -> str:
    version = (after.get("reopenedIn") or {}).get("version", "")
    return gettext("Open again: %(version)s got it wrong") % {"version": version}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What somebody set by hand."""
    said = []
    if "status" in after:
        said.append(str(STATUSES[Status(after["status"])]))
    if "sortedTo" in before or "sortedTo" in after:
        said.append(gettext("Sorted to: %(whom)s") % {"whom": sorted_words(after.get("sortedTo"))})
    if "statusNote" in before or "statusNote" in after:
        note = after.get("statusNote")
        said.append(gettext("Note: %(note)s") % {"note": note} if note else gettext("Note taken away"))
    if "link" in before or "link" in after:
        link = after.get("link")
        said.append(gettext("Linked to %(what)s") % {"what": link_words(link)} if link else gettext("Link taken away"))
    if not said and is_recorded_right(after.get("fixedIn")):
        said.append(fixed_words(after.get("fixedIn")))
    return joined_clauses(said) or gettext("Changed")
