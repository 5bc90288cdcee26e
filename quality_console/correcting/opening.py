"""A run opened to be corrected: what a form for it begins with, and what was seen when it was opened."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from corrections.models import Correction
from corrections.policies import class_refusal, is_made_by
from judging.models import QueueItem
from quality_console.correcting.earlier import typed_of
from quality_console.correcting.form import CorrectionForm, calls_by_number
from quality_console.correcting.rows import Corrected
from quality_console.correcting.typed import Typed, typed_in
from quality_console.frame import ConsoleRequest
from quality_console.run_page import RunOnPage
from quality_console.run_queue import QueuePlace


@dataclass
class Opened:
    """A run that somebody has open, with its corrections, newest first, and its place in the queue."""

    request: ConsoleRequest
    run: RunOnPage
    place: QueuePlace
    corrections: Sequence[Correction]

    @cached_property
    def corrected(self) -> Corrected:
        """The run as the form needs it."""
        answer = self.run.shown().answer
        said = None if answer is None else answer.full_text
        return Corrected(str(self.run.id), self.run.run.agent_id, self.run.texts, self.run.tools, said)

    @property
    def item(self) -> QueueItem | None:
        """The run's item in the queue."""
        return self.place.item

    @cached_property
    def own(self) -> Correction | None:
        """The newest live correction that the person has made of the run for themselves."""
        caller = self.request.frame.caller
        mine = (one for one in self.corrections if one.live and is_made_by(caller, one) and not one.participant_id)
        return next(mine, None)

    @property
    def seen(self) -> dict[str, str]:
        """What was seen when the form was opened, as fields of it."""
        item = self.item
        return {
            "seen-person": str(self.request.user.pk),
            "seen-own": str(self.own.pk) if self.own else "",
            "seen-item": str(item.state) if item else "",
        }

    def form(self, typed: Typed | None = None, seen: dict[str, str] | None = None) -> CorrectionForm:
        """The form with what was typed; without, as it is begun: as the person's last one, or empty."""
        frame = self.request.frame
        action = reverse("run-correct", args=[frame.project.slug, self.run.id]) + self._list_query
        return CorrectionForm(
            caller=frame.caller,
            corrected=self.corrected,
            classes=frame.classes_here,
            typed=self._begun() if typed is None else typed,
            action=action,
            seen=self.seen if seen is None else seen,
        )

    @property
    def _list_query(self) -> str:
        return "?" + self.place.query.removeprefix("&") if self.place.query else ""

    def sent_form(self, sent: QueryDict) -> CorrectionForm:
        """The form as it was sent, with what had been seen then."""
        seen = {name: sent.get(name, "") for name in self.seen}
        return self.form(typed_in(sent, calls_by_number(self.corrected)), seen)

    def _begun(self) -> Typed:
        asked = self.request.GET.get("from", "")
        caller = self.request.frame.caller
        begun = next((one for one in self.corrections if str(one.pk) == asked and is_made_by(caller, one)), self.own)
        if begun is not None:
            return typed_of(begun, calls_by_number(self.corrected))
        return Typed(class_id=self._wanted_class())

    def _wanted_class(self) -> str:
        """The heaviest class that the run waits for and the person may give: most who open it were sent for that."""
        wanted = _wanted(self.place)
        frame = self.request.frame
        giveable = [one for one in frame.classes_here if one.pk in wanted and class_refusal(frame.caller, one) is None]
        heaviest = max(giveable, key=lambda one: (one.weight, one.name), default=None)
        return str(heaviest.pk) if heaviest else ""


def _wanted(place: QueuePlace) -> Collection[UUID]:
    if not place.waits:
        return ()
    return {entry.rule.judge_class_id for entry in place.entries if entry.rule.judge_class_id is not None}
