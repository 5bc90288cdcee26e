"""The rows of the queue, in words (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _

from corrections.selectors import RunStanding, corrections_standing
from judging.lanes import tallies_read, unmet_rules
from judging.models import QueueItem, State
from judging.policies import can_dismiss, can_reopen
from judging.queue_view import QueueView
from judging.selectors.queue_pages import QueueRows
from judging.words import items as words
from judging.words.rules import who
from kindgi.access.selectors import people_named
from quality_console.frame import Frame
from quality_console.queue.asked import run_address
from quality_console.said.blindness import is_blind
from quality_console.times import sentence_with_time


class Holder(NamedTuple):
    """Who has an item open, and since when."""

    name: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An item as its row shows it. ``sign`` is the ring's: ``""``, ``part``, ``done`` or ``off``.

    ``asked_for`` is the suggested change that asked for its correction, where no rule did.
    """

    item: QueueItem
    what: str
    address: str
    rules: list[tuple[UUID, str]]
    asked_for: UUID | None
    sign: str
    stands: str
    so_far: int
    holder: Holder | None
    can_dismiss: bool
    can_reopen: bool

    @property
    def name(self) -> str:
        """What tells the row from others: ``Retail desk 2.4.0, dc736ec5``."""
        return f"{self.what}, {str(self.item.run_id)[:8]}"


def what_ran(item: QueueItem, flow_version: str = "") -> str:
    """The agent and its version, or the flow, with its version where that is known."""
    return f"{item.agent_id} {item.agent_version}" if item.agent_id else f"{item.flow_id} {flow_version}".rstrip()


def rows_in_words(frame: Frame, view: QueueView, found: QueueRows, *, at: datetime) -> list[Row]:
    """The rows of a page as they stand at ``at``; two statements at most, whatever they are."""
    said = _Said(frame, view, found, at)
    return [said.row(item) for item in found.rows]


class _Said:
    """What the rows of a page need to be said, read for all of them together."""

    def __init__(self, frame: Frame, view: QueueView, found: QueueRows, at: datetime) -> None:
        self.caller, self.view, self.found, self.at = frame.caller, view, found, at
        self.classes: dict[UUID | None, str | None] = {None: None, **{one.pk: one.name for one in frame.classes}}
        tenant_id = frame.caller.tenant_id
        actors = {actor for item in found.rows for actor in (self.closer(item), self.holder(item)) if actor}
        self.names = people_named(tenant_id=tenant_id, actors=actors)
        judged = [item.run_id for item in found.rows if item.state == State.JUDGED]
        self.standing: Mapping[UUID, RunStanding] = (
            corrections_standing(caller=frame.caller, run_ids=judged) if judged else {}
        )
        # As on the run's own page. Whether it can be corrected yet isn't read for it: of one that can't any more a row
        # says too little, and its page says the rest.
        self.hides = is_blind(frame, has_own=False, can_be_corrected=True)

    @staticmethod
    def closer(item: QueueItem) -> str:
        return item.closed_by if item.state == State.DISMISSED else ""

    def holder(self, item: QueueItem) -> str:
        return item.held_by if item.held_until is not None and item.held_until > self.at else ""

    def who(self, actor: str) -> str:
        return who(actor, name=self.names.get(actor), me=self.caller.actor)

    def row(self, item: QueueItem) -> Row:
        rule_ids = self.found.rules[item.pk]
        so_far = sum(count for count, _right in tallies_read(item.counted).values())
        sign, stands = self.stands(item, rule_ids)
        holder = self.holder(item)
        return Row(
            item=item,
            what=what_ran(item, self.found.flow_versions.get(item.run_id, "")),
            address=run_address(self.view, item.run_id),
            rules=[(rule_id, self.found.names[rule_id]) for rule_id in rule_ids],
            asked_for=item.asked_for,
            sign=sign,
            stands=stands,
            so_far=so_far,
            holder=Holder(self.who(holder), item.held_since) if holder and item.held_since else None,
            can_dismiss=can_dismiss(self.caller, item),
            can_reopen=can_reopen(self.caller, item),
        )

    def stands(self, item: QueueItem, rule_ids: list[UUID]) -> tuple[str, str]:
        """The ring's sign, and the sentence beside it."""
        if item.state == State.OPEN:
            return self.needs(item, rule_ids)
        if item.state == State.DISMISSED:
            return "off", _at(item, partial(_dismissed, self.who(item.closed_by), item.reason or ""))
        if item.state == State.ERASED:
            return "off", _at(item, _erased)
        standing = self.standing.get(item.run_id)
        if standing is None:
            return "done", _at(item, _taken_back)
        is_hidden = self.hides and not standing.own
        return "done", _("Corrected") if is_hidden else words.corrected_and(standing.status)

    def needs(self, item: QueueItem, rule_ids: list[UUID]) -> tuple[str, str]:
        tallies = tallies_read(item.counted)
        unmet = unmet_rules(rule_ids, self.found.wants, tallies)
        wanted = [self.classes.get(self.found.wants[rule_id]) for rule_id in rule_ids if rule_id in unmet]
        so_far = [(self.classes.get(one), count) for one, (count, _right) in tallies.items()]
        return "part" if tallies else "", words.needs(wanted, so_far)


def _at(item: QueueItem, sentence: Callable[[str], str]) -> str:
    """The sentence of when the item left the queue, as a page has it."""
    return sentence_with_time(sentence, item.closed_at) if item.closed_at else sentence("")


def _dismissed(by: str, reason: str, when: str) -> str:
    return words.dismissed(by=by, at=when, reason=reason)


def _erased(when: str) -> str:
    return words.erased(at=when)


def _taken_back(when: str) -> str:
    return _("Corrected until %(when)s, and taken back since") % {"when": when}
