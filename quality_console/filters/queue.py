"""What the To correct tab can be narrowed to and sorted by (contract, section 8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import django_filters
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.models import QueueItem, State
from judging.queue_view import Sort, Subject

STATES = {
    "waiting": (State.OPEN, _("Waiting")),
    "corrected": (State.JUDGED, _("Corrected")),
    "dismissed": (State.DISMISSED, _("Dismissed")),
    "erased": (State.ERASED, _("Erased")),
}
WHOSE = {"mine": _("For me"), "everyone": _("Everyone's")}
_SORTS = [(f"{way}{sort}", f"{way}{sort}") for sort in Sort for way in ("", "-")]
_LONGEST, _BEGINNING = 60, 40
_FLOW, _AGENT = "flow:", "agent:"


class QueueFilter(django_filters.FilterSet):
    """The filters as the address has them; ``cleaned`` leaves out what they can't be."""

    state = django_filters.ChoiceFilter(choices=[(name, label) for name, (_state, label) in STATES.items()])
    whose = django_filters.ChoiceFilter(choices=list(WHOSE.items()))
    rule = django_filters.UUIDFilter(label=_("Rule"), widget=forms.Select(attrs={"id": "f-rule"}))
    agent = django_filters.CharFilter(label=_("Agent"), strip=False, widget=forms.Select(attrs={"id": "f-agent"}))
    sort = django_filters.ChoiceFilter(choices=_SORTS)

    class Meta:
        """Fields of the address, none of the model."""

        model = QueueItem
        fields: ClassVar[list[str]] = []

    def __init__(self, query: QueryDict) -> None:
        """Read ``query``."""
        super().__init__(query)
        self.form.is_valid()

    @property
    def cleaned(self) -> dict[str, Any]:
        """What is asked for, by name; what nobody could ask for counts as not asked."""
        return {name: value for name, value in self.form.cleaned_data.items() if value}

    def offer(self, name: str, anything: str, choices: Iterable[tuple[str, str]]) -> None:
        """Let the field choose between ``anything`` and the choices; one that is asked for is among them."""
        given, offered = self.cleaned.get(name), list(choices)
        if given is not None and str(given) not in {value for value, _label in offered}:
            offered.append((str(given), str(given)))
        widget = self.form.fields[name].widget
        widget.choices = [("", anything), *((value, _shortened(label)) for value, label in offered)]
        whole = dict(offered).get(str(given), "")
        if whole != _shortened(whole):
            widget.attrs["title"] = whole


def _shortened(label: str) -> str:
    """A label as a field offers it among many: long ones differ at their ends as often as where they begin."""
    return label if len(label) <= _LONGEST else f"{label[:_BEGINNING]}…{label[_BEGINNING + 1 - _LONGEST :]}"


def subject_text(subject: Subject) -> str:
    """What ran, as the address spells it: an agent by its id, a flow as ``flow:<id>``."""
    if subject.kind == "flow":
        return f"{_FLOW}{subject.id}"
    return f"{_AGENT}{subject.id}" if subject.id.startswith((_FLOW, _AGENT)) else subject.id


def subject_read(text: str) -> Subject:
    """What :func:`subject_text` has spelled."""
    if text.startswith(_FLOW):
        return Subject("flow", text.removeprefix(_FLOW))
    return Subject("agent", text.removeprefix(_AGENT))
