"""What people say when they act on a suggested change (contract, section 7)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from improve.suggesting import LONGEST_TEXT
from kindgi.runs.blocks import LONGEST
from quality_console.forms.rule_fields import LinesField
from quality_console.presenting.diffs import even

LONGEST_VERSION = 100
_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]


class EvaluateForm(forms.Form):
    """Which corrected runs it is tried on, and how often each."""

    repetitions = forms.TypedChoiceField(
        choices=[(1, _("once")), (2, _("twice")), (3, _("3 times")), (4, _("4 times")), (5, _("5 times"))],
        coerce=int,
        initial=1,
        label=_("Replay each case"),
        help_text=_("More often tells a change from an agent that answers a little differently each time."),
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


def focus_on_error(form: forms.Form) -> None:
    """Have the browser begin at the first field that something is wrong with."""
    faulty = next((name for name in form.fields if name in form.errors), None)
    if faulty is not None:
        form.fields[faulty].widget.attrs["autofocus"] = True


class WordsField(forms.CharField):
    """A text of some lines, whose ends count once whatever browser sends them."""

    def __init__(self, *, rows: int = 2, **kwargs: Any) -> None:
        """With room for so many rows."""
        kwargs.setdefault("max_length", LONGEST_TEXT)
        super().__init__(widget=forms.Textarea({"rows": rows, "dir": "auto"}), **kwargs)

    def to_python(self, value: Any) -> str:
        """The text with line ends as they are kept."""
        return even(super().to_python(value) or "").strip()


class NothingForm(forms.Form):
    """Nothing is to be said."""


class WhyForm(forms.Form):
    """Why, if somebody says so."""

    reason = WordsField(required=False, label=_("Why"))


class WithdrawForm(forms.Form):
    """Why it is withdrawn, which others read."""

    reason = WordsField(label=_("Why"), error_messages={"required": _("Say why: others read it in the history.")})


class DecideForm(WhyForm):
    """Yes or no; a no says why."""

    decision = forms.ChoiceField(choices=[("approve", "approve"), ("reject", "reject")])

    def clean(self) -> dict[str, Any]:
        """A no without a reason is none."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("decision") == "reject" and not self.errors and not cleaned.get("reason"):
            self.add_error("reason", _("Say why you reject it: who suggested it reads it."))
        return cleaned


class DraftForm(forms.Form):
    """A change of one block: what it would hold, what that should improve, and the corrections that speak for it.

    ``evidence`` are the ids of the verdicts that are offered.
    """

    content = forms.CharField(
        strip=False,
        max_length=LONGEST,
        widget=forms.Textarea({"rows": 16, "class": "input mono", "spellcheck": "false", "dir": "auto"}),
    )
    hypothesis = WordsField(
        rows=4,
        label=_("Why it should help"),
        help_text=_("What should get better, and why. Its first sentence is what the change is called by."),
        error_messages={"required": _("Say what should get better, and why.")},
    )
    evidence = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, label=_("Evidence"))

    def __init__(self, *args: Any, evidence: Collection[str], label: str, **kwargs: Any) -> None:
        """With the verdicts to choose from, and what the content is called."""
        super().__init__(*args, **kwargs)
        self.fields["evidence"].choices = [(one, one) for one in evidence]  # type: ignore[attr-defined]
        self.fields["content"].label = label
