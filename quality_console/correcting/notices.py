"""What the form says of a sending that didn't go through, and how to go on (contract, section 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from corrections.models import Correction
from judging.models import QueueItem, State
from kindgi.api.errors import ApiError
from kindgi.runs.errors import RunErased
from quality_console.times import clock, sentence_with_time


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
    message = (
        _("%(who)s dismissed this run at %(time)s.")
        if item.state == State.DISMISSED
        else _("%(who)s closed this item at %(time)s.")
    )
    head = _at(item.closed_at, lambda time: message % {"who": by, "time": time})
    text = _("Your correction still counts. Nothing you typed is lost.")
    return Notice("wait", "info", head, text, _("Save anyway"), action)


def corrected_meanwhile(correction: Correction, *, action: str) -> Notice:
    """That the same person has corrected the run elsewhere since the form was opened."""
    message = _("You corrected this run at %(time)s, in another window.")
    head = _at(correction.created_at, lambda time: message % {"time": time})
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


def _at(at: datetime | None, sentence: Callable[[str], str]) -> str:
    return sentence("") if at is None else sentence_with_time(sentence, at, clock)
