"""How far back a rule is brought to runs that have ended already (contract, section 6, "queue-recent")."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.submissions import QueueRecentBody

MOST_RUNS = 1000


class QueueRecentForm(forms.Form):
    """So many of the last runs, those since a time of the viewer's zone, or both."""

    last = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
        label=_("How many of the last runs"),
        widget=forms.TextInput({"class": "input", "inputmode": "numeric", "autofocus": True, "autocomplete": "off"}),
        help_text=_("1 to 1,000 of the project's runs, the newest by their end. Empty: all since the time below."),
    )
    since = forms.DateTimeField(
        required=False,
        label=_("Completed since"),
        widget=forms.DateTimeInput({"type": "datetime-local", "class": "input"}, format="%Y-%m-%dT%H:%M"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Its fields' ids begin with ``recent``."""
        super().__init__(*args, **kwargs)
        self.auto_id = "recent-%s"
        self.fields["since"].help_text = _("In %(zone)s.") % {"zone": timezone.get_current_timezone_name()}

    def clean(self) -> dict[str, Any]:
        """One of the two at least."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and cleaned.get("last") is None and cleaned.get("since") is None:
            raise ValidationError(_("Say how far to go back: a number of runs, a time, or both."))
        return cleaned

    def body(self) -> QueueRecentBody:
        """As /v1 takes it."""
        said = {name: self.cleaned_data[name] for name in ("last", "since") if self.cleaned_data[name] is not None}
        return QueueRecentBody(**said)
