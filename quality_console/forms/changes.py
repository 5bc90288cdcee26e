"""What people say when they act on a suggested change (contract, section 7)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quality_console.forms.rule_fields import LinesField

MOST_CHARACTERS = 4000
LONGEST_VERSION = 100
_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]
_WHY: dict[str, Any] = {"rows": 2, "dir": "auto"}


class EvaluateForm(forms.Form):
    """Which corrected runs it is tried on, and how often each."""

    repetitions = forms.TypedChoiceField(
        choices=[(number, str(number)) for number in range(1, 6)],
        coerce=int,
        empty_value=None,
        required=False,
        initial=1,
        label=_("Replay each case"),
        help_text=_("Times. More of them tell a change from an agent that answers a little differently each time."),
    )
    experts_only = forms.BooleanField(required=False, label=_("Count only experts"))
    versions = LinesField(
        longest=LONGEST_VERSION,
        label=_("Only runs of these versions"),
        help_text=_("A version a line. Empty: corrected runs of every version."),
    )
    since = forms.DateTimeField(
        required=False,
        input_formats=_TIMES,
        label=_("Only runs completed since"),
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Its fields' ids begin with ``evaluate``."""
        super().__init__(*args, **{"auto_id": "evaluate-%s", **kwargs})
        self.fields["since"].help_text = _("In %(zone)s.") % {"zone": timezone.get_current_timezone_name()}

    @property
    def says_more(self) -> bool:
        """Whether anything but the usual is asked for."""
        return self.is_bound and (bool(self.errors) or any(self.data.get(name) for name in ("versions", "since")))


class NothingForm(forms.Form):
    """Nothing is to be said."""


class WhyForm(forms.Form):
    """Why, if somebody says so."""

    reason = forms.CharField(
        required=False, max_length=MOST_CHARACTERS, label=_("Why"), widget=forms.Textarea(_WHY), empty_value=""
    )


class WithdrawForm(forms.Form):
    """Why it is withdrawn, which others read."""

    reason = forms.CharField(
        max_length=MOST_CHARACTERS,
        label=_("Why"),
        widget=forms.Textarea(_WHY),
        error_messages={"required": _("Say why: others read it in the history.")},
    )


class DecideForm(WhyForm):
    """Yes or no; a no says why."""

    decision = forms.ChoiceField(choices=[("approve", "approve"), ("reject", "reject")])

    def clean(self) -> dict[str, Any]:
        """A no without a reason is none."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("decision") == "reject" and not self.errors and not cleaned.get("reason"):
            self.add_error("reason", _("Say why you refuse it: who suggested it reads it."))
        return cleaned
