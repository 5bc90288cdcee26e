"""The arithmetic of a rule's results (contract, section 6; docs/statistics.md). Knows no database.

A weight is any finite number from 0. Weights are made whole before they are summed, so that a
figure has one rounding, at its end, and neither huge weights nor tiny ones are lost or overflow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

Tally = Mapping[UUID | None, tuple[int, int]]  # a run's verdicts and those of them that say right, by class


@dataclass(frozen=True, slots=True)
class ClassCount:
    """The verdicts of one judge class, and how many of them say right; no id for the unclassified ones."""

    judge_class_id: UUID | None
    judgments: int
    yes: int


class Counts(NamedTuple):
    """What runs' live verdicts come to; see :class:`Group`."""

    runs_with_judgments: int
    by_class: list[ClassCount]
    pairs: dict[tuple[UUID | None, UUID | None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The runs that one version of a rule took of one agent version, and the verdicts on them.

    ``pairs[(c, d)]`` is the sum over the runs of the run's verdicts of class c times its verdicts
    of class d, with both orders present: what the sum of the squares of the runs' weights needs.
    """

    rule_version: int
    agent_version: str | None
    open: int
    judged: int
    dismissed: int
    erased: int
    skipped_by_cap: int
    runs_with_judgments: int
    by_class: list[ClassCount]
    pairs: dict[tuple[UUID | None, UUID | None], int]

    @property
    def added(self) -> int:
        """The runs that were queued, whatever became of them."""
        return self.open + self.judged + self.dismissed + self.erased

    @property
    def judgments(self) -> int:
        """The verdicts on them."""
        return sum(count.judgments for count in self.by_class)


def counts(tallies: Sequence[Tally]) -> Counts:
    """What runs come to, from a tally of each; the class with the most verdicts first, the unclassified last."""
    verdicts: Counter[UUID | None] = Counter()
    yes: Counter[UUID | None] = Counter()
    pairs: Counter[tuple[UUID | None, UUID | None]] = Counter()
    for tally in tallies:
        for judge_class, (judgments, right) in tally.items():
            verdicts[judge_class] += judgments
            yes[judge_class] += right
            for other, (others, _) in tally.items():
                pairs[judge_class, other] += judgments * others
    order = sorted(+verdicts, key=lambda one: (one is None, -verdicts[one], str(one)))
    return Counts(
        runs_with_judgments=sum(any(judgments for judgments, _ in tally.values()) for tally in tallies),
        by_class=[ClassCount(one, verdicts[one], yes[one]) for one in order],
        pairs=dict(+pairs),
    )


def yes_share(group: Group, weights: Mapping[UUID | None, float]) -> float | None:
    """The weighted share of the verdicts that say right, 0 to 1; ``None`` where nothing weighs.

    ``weights`` has each class that gave a verdict, retired ones too. An unclassified verdict weighs 1.
    """
    whole = _whole(group, weights)
    total = sum(whole[count.judge_class_id] * count.judgments for count in group.by_class)
    return sum(whole[count.judge_class_id] * count.yes for count in group.by_class) / total if total else None


def effective_runs(group: Group, weights: Mapping[UUID | None, float]) -> float:
    """How many runs of equal weight say as much: (sum of W)² / sum of W², W a run's summed weight.

    At most the runs that have verdicts; 0 where nothing weighs.
    """
    whole = _whole(group, weights)
    total = sum(whole[count.judge_class_id] * count.judgments for count in group.by_class)
    squares = sum(whole[one] * whole[other] * product for (one, other), product in group.pairs.items())
    return total * total / squares if squares else 0.0


def _whole(group: Group, weights: Mapping[UUID | None, float]) -> dict[UUID | None, int]:
    """The classes' weights times one number that makes all of them whole: it cancels out of what is worked out.

    There is such a number, since a float is a whole number divided by a power of two.
    """
    classes = {count.judge_class_id for count in group.by_class}
    ratios = {one: (1, 1) if one is None else weights[one].as_integer_ratio() for one in classes}
    common = max((denominator for _, denominator in ratios.values()), default=1)
    return {one: numerator * (common // denominator) for one, (numerator, denominator) in ratios.items()}
