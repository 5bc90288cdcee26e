"""What a queue item comes to: whose correction it still wants, its lane, and what it adds to the counts.

Pure, but for the words that the models give to states and measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from judging.models import Measure

Tallies = Mapping[UUID | None, tuple[int, int]]
"""A run's live verdicts by class: how many, and how many of them say right."""


class LaneKey(NamedTuple):
    """What makes a lane: items that agree in it are alike to every filter but time."""

    project_id: UUID
    agent_id: str
    flow_id: str
    rule_ids: tuple[UUID, ...]
    unmet_rule_ids: tuple[UUID, ...]
    corrected: bool

    @property
    def id(self) -> UUID:
        """The lane's id, made of the rest: two transactions that make the same lane make the same row."""
        said = (
            self.project_id.hex,
            self.agent_id,
            self.flow_id,
            ",".join(rule_id.hex for rule_id in self.rule_ids),
            ",".join(rule_id.hex for rule_id in self.unmet_rule_ids),
            str(self.corrected),
        )
        # No part but an agent's and a flow's id can hold a newline, so their lengths go with them.
        text = "\n".join((str(len(self.agent_id)), str(len(self.flow_id)), *said))
        return UUID(bytes=sha256(text.encode()).digest()[:16])


class Taken(NamedTuple):
    """A rule's taking a run: at which version, and when."""

    rule_id: UUID
    rule_version: int
    at: datetime


class RuleCountKey(NamedTuple):
    """What a rule's count is of (:class:`judging.models.RuleCount`)."""

    rule_id: UUID
    rule_version: int
    agent_version: str | None
    day: date
    measure: str
    judge_class_id: UUID | None = None
    other_class_id: UUID | None = None


class LaneCountKey(NamedTuple):
    """What a lane's count is of (:class:`judging.models.LaneCount`)."""

    project_id: UUID
    lane_id: UUID
    state: str


@dataclass(slots=True)
class Counts:
    """What something adds to the counts; subtracting gives what a change of it adds."""

    lanes: Counter[LaneCountKey] = field(default_factory=Counter)
    rules: Counter[RuleCountKey] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add ``other``."""
        self.lanes.update(other.lanes)
        self.rules.update(other.rules)

    def take(self, other: Counts) -> None:
        """Take ``other`` away."""
        self.lanes.subtract(other.lanes)
        self.rules.subtract(other.rules)


@dataclass(frozen=True, slots=True)
class Standing:
    """A queue item as far as it is counted, at one moment."""

    project_id: UUID
    lane_id: UUID
    agent_version: str | None
    state: str
    taken: tuple[Taken, ...]
    tallies: Tallies

    def counts(self) -> Counts:
        """What the item adds to its lane's and its rules' counts."""
        counts = Counts()
        counts.lanes[LaneCountKey(self.project_id, self.lane_id, self.state)] += 1
        measured = measures(self.state, self.tallies)
        for taken in self.taken:
            version, day = self.agent_version, taken.at.date()
            for (measure, one, other), n in measured.items():
                key = RuleCountKey(taken.rule_id, taken.rule_version, version, day, measure, one, other)
                counts.rules[key] += n
        return counts


def measures(state: str, tallies: Tallies) -> dict[tuple[str, UUID | None, UUID | None], int]:
    """What one run in ``state`` adds to the measures of each rule that took it, by measure and classes."""
    found: dict[tuple[str, UUID | None, UUID | None], int] = {(Measure(state), None, None): 1}
    if tallies:
        found[Measure.CORRECTED, None, None] = 1
    for one, (judgments, yes) in tallies.items():
        found[Measure.JUDGMENTS, one, None] = judgments
        found[Measure.YES, one, None] = yes
        for other, (of_other, _) in tallies.items():
            found[Measure.PAIRS, one, other] = judgments * of_other
    return found


def unmet_rules(
    rule_ids: Iterable[UUID], wants: Mapping[UUID, UUID | None], given: Collection[UUID | None]
) -> frozenset[UUID]:
    """The rules whose want isn't met: a correction of their class, or any where they name none.

    ``given`` are the classes of the run's live verdicts, ``None`` among them for one without a class.
    """
    return frozenset(
        rule_id for rule_id in rule_ids if (wants[rule_id] not in given if wants[rule_id] is not None else not given)
    )


def tallies_stored(tallies: Tallies) -> dict[str, list[int]]:
    """Tallies as an item keeps them; no class is the empty text."""
    return {str(one or ""): [judgments, yes] for one, (judgments, yes) in tallies.items()}


def tallies_read(stored: Mapping[str, list[int]]) -> dict[UUID | None, tuple[int, int]]:
    """What :func:`tallies_stored` has kept."""
    return {UUID(one) if one else None: (counted[0], counted[1]) for one, counted in stored.items()}
