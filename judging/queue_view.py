"""What a person asks of the queue in the console, and where they are in it (contract, sections 6 and 8). Pure."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

from django.db.models import TextChoices

from judging.models import QueueItem, State
from kindgi.access.models import Project
from kindgi.api.errors import BadInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LAYOUT = struct.Struct(">BBBqq16s16s")
_VERSION = 1
_NOTHING = UUID(int=0)
_MALFORMED = "The place in the list is malformed; use a page's next or previous as it is."


class Sort(TextChoices):
    """What a list is sorted by; each but the first two has the oldest first among those that are alike."""

    ADDED = "added", "when it was added"
    FINISHED = "finished", "when its run finished"
    RAN = "ran", "the agent's or the flow's id"
    WHY = "why", "the names of its rules, in the order of the alphabet"
    STANDS = "stands", "whether it has any correction, then the names of the classes that are still wanted"
    HELD = "held", "those first that somebody has open"


KEYED = frozenset({Sort.RAN, Sort.WHY, Sort.STANDS})
"""Sorts by what a whole lane has in common."""


class Subject(NamedTuple):
    """What ran: an agent or a flow, by its id."""

    kind: Literal["agent", "flow"]
    id: str


@dataclass(frozen=True, slots=True)
class Judge:
    """Whoever looks: whether they may correct in the project at all, and as which classes.

    ``asked_for`` is what asks them for corrections, besides rules (:mod:`judging.hooks`).
    """

    writes: bool
    class_ids: tuple[UUID, ...]
    asked_for: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """The items of a project that stand so, of a rule or of what ran, for ``judge`` alone or everyone's, sorted."""

    project: Project
    judge: Judge
    state: str = State.OPEN
    for_me: bool = True
    rule_id: UUID | None = None
    subject: Subject | None = None
    sort: Sort = Sort.ADDED
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A row's place in a list, which is there whether the row still is or not.

    ``lane_id`` is the row's lane, where lanes have an order. ``held`` says whether somebody had it
    open at ``seen_at``: all pages of one list go by the holds of that moment.
    """

    sort: Sort
    at: datetime
    id: UUID
    lane_id: UUID = _NOTHING
    held: bool = False
    seen_at: datetime = _EPOCH

    @classmethod
    def of(cls, item: QueueItem, *, sort: Sort, seen_at: datetime) -> Place:
        """Where the item is."""
        if sort == Sort.HELD:
            held = item.held_until is not None and item.held_until > seen_at
            return cls(sort, item.created_at, item.pk, held=held, seen_at=seen_at)
        at = item.completed_at if sort == Sort.FINISHED else item.created_at
        return cls(sort, at, item.pk, item.lane_id if sort in KEYED else _NOTHING)

    def encode(self) -> str:
        """The opaque text that a page's address has."""
        at, seen_at = ((one - _EPOCH) // _MICROSECOND for one in (self.at, self.seen_at))
        number = Sort.values.index(self.sort)
        packed = _LAYOUT.pack(_VERSION, number, self.held, at, seen_at, self.id.bytes, self.lane_id.bytes)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str, *, sort: Sort) -> Place:
        """Read ``text`` back; raises :class:`BadInput` for anything that :meth:`encode` didn't make for the sort."""
        try:
            packed = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
            _, _, held, at, seen_at, raw_id, lane_id = _LAYOUT.unpack(packed)
            instants = [_EPOCH + timedelta(microseconds=one) for one in (at, seen_at)]
        except (UnicodeEncodeError, binascii.Error, struct.error, OverflowError):
            raise BadInput(_MALFORMED) from None
        place = cls(sort, instants[0], UUID(bytes=raw_id))
        if sort == Sort.HELD:
            place = cls(sort, place.at, place.id, held=held == 1, seen_at=instants[1])
        elif sort in KEYED:
            place = cls(sort, place.at, place.id, UUID(bytes=lane_id))
        # What the sort has no use for, another version and another sort would be written differently.
        if place.encode() != text:
            raise BadInput(_MALFORMED)
        return place


def unknown_place() -> BadInput:
    """The refusal of a place that no list of the project has."""
    return BadInput(_MALFORMED)
