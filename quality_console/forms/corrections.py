"""What is changed of a correction after it was saved (contract, section 4)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import UNSET, UnsetType

from corrections.models import SortedTo, Status
from corrections.services.changing import ChangeBody, LinkToPullRequest

MOST_CHARACTERS = 4000
BY_HAND = (Status.OPEN, Status.BEING_FIXED, Status.WITH_OWNER, Status.WONT_FIX)
NOBODY = "nobody"


class ChangeForm(forms.Form):
    """A change of one thing; ``body`` is what the service takes."""

    def body(self) -> ChangeBody:
        """The change, once the form is valid."""
        raise NotImplementedError


class StatusForm(ChangeForm):
    """Where it stands, and why if somebody says so."""

    status = forms.ChoiceField(choices=[(status, status) for status in BY_HAND], widget=forms.HiddenInput)
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=MOST_CHARACTERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True, "dir": "auto"}),
        help_text=gettext_lazy("Others read it in the history."),
    )

    def body(self) -> ChangeBody:
        """The status with its reason."""
        return ChangeBody(status=self.cleaned_data["status"], reason=_given(self.cleaned_data["reason"]))


class SortForm(ChangeForm):
    """Who works on it."""

    sorted_to = forms.ChoiceField(choices=[(one, one) for one in (*SortedTo.values, NOBODY)])

    def body(self) -> ChangeBody:
        """Who, or nobody."""
        chosen = self.cleaned_data["sorted_to"]
        return ChangeBody(sorted_to=None if chosen == NOBODY else chosen)


class NoteForm(ChangeForm):
    """The note beside the status; empty takes it away."""

    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=MOST_CHARACTERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "autofocus": True, "dir": "auto"}),
    )

    def body(self) -> ChangeBody:
        """The note."""
        return ChangeBody(status_note=self.cleaned_data["note"] or None)


class LinkForm(ChangeForm):
    """The pull request that is to fix it; empty takes the link away."""

    url = forms.CharField(
        label=gettext_lazy("Address of the pull request"),
        max_length=2000,
        required=False,
        widget=forms.URLInput(attrs={"autofocus": True, "placeholder": "https://"}),
    )

    def clean_url(self) -> str:
        """An address that a browser finds a host in."""
        url: str = self.cleaned_data["url"]
        if url and not _leads_somewhere(url):
            raise forms.ValidationError(_("Write an address that begins with https://."))
        return url

    def body(self) -> ChangeBody:
        """The link."""
        url = self.cleaned_data["url"]
        return ChangeBody(link=LinkToPullRequest(url=url) if url else None)


FORMS: dict[str, type[ChangeForm]] = {"status": StatusForm, "sort": SortForm, "note": NoteForm, "link": LinkForm}


def _leads_somewhere(url: str) -> bool:
    """Whether the address is one of https with a host, and the same host to whoever reads it and to every browser."""
    # Of these browsers make something else than they are: a backslash is a slash to them, and blanks are left out.
    if not url.startswith("https://") or "\\" in url or any(sign.isspace() or not sign.isprintable() for sign in url):
        return False
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is none
    except ValueError:
        return False
    # What stands before an @ reads like the host and isn't it.
    return bool(parts.hostname) and "@" not in parts.netloc


def _given(text: str) -> str | UnsetType:
    return text if text else UNSET


def initial_of(what: str, correction: Any) -> dict[str, str]:
    """What the form of a dialog holds at first."""
    note, link = correction.status_note or {}, correction.link or {}
    return {
        "status": {"status": Status.WONT_FIX},
        "note": {"note": note.get("text", "")},
        "link": {"url": link.get("url", "")},
    }.get(what, {})
