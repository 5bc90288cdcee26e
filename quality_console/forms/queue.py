"""What is typed about runs of the queue."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

REASON = 500


class Lines(forms.CharField):
    """A text of some lines, which end as the browser counts them: by one character."""

    def to_python(self, value: Any) -> str:
        """The text without blanks around it."""
        text = super().to_python(value)
        return "" if text is None else text.replace("\r\n", "\n")


class ReasonForm(forms.Form):
    """Why runs aren't worth a correction."""

    reason = Lines(
        label=_("Reason"),
        required=False,
        max_length=REASON,
        widget=forms.Textarea(attrs={"rows": 2, "autofocus": True}),
    )
