"""Fields of a rule's form: names in lines or ticked, and a share as people say it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

LONGEST_NAME = 200
_RAREST = 1e-9
_MOST_RUNS = 10**12


class LinesField(forms.CharField):
    """Names, one a line; what surrounds them is none of them, and a name counts once."""

    def __init__(self, *, longest: int, **kwargs: Any) -> None:
        """Of names up to so long."""
        super().__init__(required=False, widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}), **kwargs)
        self.longest = longest

    def prepare_value(self, value: Any) -> Any:
        """The lines of a list."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """The list of the lines."""
        return list(dict.fromkeys(line.strip() for line in str(value or "").splitlines() if line.strip()))

    def validate(self, value: Any) -> None:
        """Up to 50 names, none too long."""
        if any(len(name) > self.longest for name in value):
            message = ngettext(
                "A name here has up to %(count)d character.",
                "A name here has up to %(count)d characters.",
                self.longest,
            )
            raise ValidationError(message % {"count": self.longest})

    def run_validators(self, value: Any) -> None:
        """Each line as a text of its own."""
        for name in value:
            super().run_validators(name)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the lines are others."""
        return bool(self.to_python(data) != (initial or []))


class NamesField(forms.MultipleChoiceField):
    """Names that are ticked; whatever is ticked may be: those that are offered are only those that are known."""

    widget = forms.CheckboxSelectMultiple

    def valid_value(self, value: Any) -> bool:
        """Any name that isn't too long."""
        return len(str(value)) <= LONGEST_NAME


def share_read(text: str, *, unit: str) -> float:
    """The share that is typed, in ``percent`` or as the whole number of ``one-in``; raises ``ValidationError``."""
    try:
        value = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        raise ValidationError(_("Type a number.")) from None
    if unit == "one-in":
        if not (value.is_finite() and 1 <= value <= _MOST_RUNS and value == value.to_integral_value()):
            raise ValidationError(_("1 in how many? A whole number, 1 or more."))
        return 1 / int(value)
    if not (value.is_finite() and 0 < value <= 100):
        raise ValidationError(_("A share is over 0, and up to 100 percent."))
    share = float(value / 100)
    if share == 0:
        raise ValidationError(_("This share is too small."))
    return share


def share_typed(sample: float) -> tuple[str, str]:
    """A share as it would be typed, with its unit; what is typed so is the very same number."""
    percent = (Decimal(repr(sample)) * 100).normalize()
    runs = round(1 / sample) if sample > _RAREST else 0
    is_short = len(percent.as_tuple().digits) <= 4
    if runs and 1 / runs == sample and not is_short:
        return str(runs), "one-in"
    return f"{percent:f}", "percent"
