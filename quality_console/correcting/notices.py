"""What the form says of a sending that didn't go through, and how to go on (contract, section 10)."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from corrections.models import Correction
from judging.models import QueueItem, State
from kindgi.api.errors import ApiError
from kindgi.runs.errors import RunErased
from quality_console.times import clock


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice on the form: ``action`` is what its button sends, ``href`` where its link leads."""

    tone: str
    icon: str
    head: str
    text: str
    label: str = ""
    action: str = ""
    href: str = ""


def closed_meanwhile(item: QueueItem, *, by: str, action: str) -> Notice:
    """That the run left the queue while it was looked at."""
    at = clock(item.closed_at) if item.closed_at else ""
    if item.state == State.DISMISSED:
        head = _("%(who)s dismissed this run at %(time)s.") % {"who": by, "time": at}
    else:
        head = _("%(who)s closed this item at %(time)s.") % {"who": by, "time": at}
    text = _("Your correction still counts. Nothing you typed is lost.")
    return Notice("wait", "info", head, text, _("Save anyway"), action)


def corrected_meanwhile(correction: Correction, *, action: str) -> Notice:
    """That the same person has corrected the run elsewhere since the form was opened."""
    head = _("You corrected this run at %(time)s, in another window.") % {"time": clock(correction.created_at)}
    text = _("Saving this replaces it. Nothing you typed is lost.")
    return Notice("wait", "info", head, text, _("Save anyway"), action)


def somebody_else(name: str, *, action: str) -> Notice:
    """That another person has signed in since the form was opened."""
    head = _("You are signed in as %(name)s now.") % {"name": name}
    text = _("This was typed by somebody else, and would be saved as yours. Nothing that was typed is lost.")
    return Notice("wait", "alert", head, text, _("Save it as mine"), action)


def refused(refusal: ApiError, *, next_run: str, request_id: str) -> Notice:
    """Why the correction was refused."""
    if isinstance(refusal, RunErased):
        head = _("This run was erased.")
        text = _("It can't be corrected any more. What you typed stays here until you leave, so that you can copy it.")
        return Notice("wrong", "alert", head, text, _("Next run"), href=next_run)
    text = _("%(why)s Request %(id)s.") % {"why": refusal.message, "id": request_id}
    return Notice("wrong", "alert", _("Not saved."), text)
