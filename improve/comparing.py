"""A candidate beside the recorded runs: how each case came out, and whether it is better (docs/statistics.md).

Pure. A case's tallies are the means of its repetitions that count. The test is an exact two-sided
sign test on the cases that came out differently; of several repetitions each is tested by itself,
and the weakest counts, since the mean of several answers differs from one answer without any change.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from improve.models import CaseLabel, ReplayState
from improve.scoring import NOTHING, Scored, Tally, together
from improve.sign_test import LEVEL, holds, weakest
from judging.intervals import Range, effective_size, wilson

MOST_ONE_IN = 1_000_000_000
COMPARED = frozenset({CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.SAME})
_WORST_FIRST = (CaseLabel.WORSE, CaseLabel.SAME, CaseLabel.BETTER)


class WhyNot(StrEnum):
    """Why a candidate isn't better, the first that holds."""

    NOTHING = "nothing-to-compare"
    NOT_MORE = "not-more-right"
    CHANCE = "may-be-chance"
    SPREAD = "within-spread"
    UNANSWERED = "right-not-answered"
    UNJUDGED = "changed-not-judged"


@dataclass(frozen=True, slots=True)
class Tried:
    """How one repetition of a case ended; ``scored`` is what it came to where it was answered."""

    repetition: int
    state: ReplayState
    scored: Scored | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case came out; ``pairs`` has both tallies of each repetition that counts, by its number.

    A case that isn't compared has the recorded run's own tally as its ``baseline``. ``unanswered`` are
    the repetitions without an answer, of a run that had something right; ``at_worst`` is how each of
    which something isn't known came out, were all of that wrong. ``changed_from_right`` says that
    something that was right is another now, which nobody has judged.
    """

    label: CaseLabel
    baseline: Tally = NOTHING
    candidate: Tally = NOTHING
    pairs: Mapping[int, tuple[Tally, Tally]] = field(default_factory=dict)
    at_worst: Mapping[int, CaseLabel] = field(default_factory=dict)
    unanswered: frozenset[int] = frozenset()
    changed_from_right: bool = False

    @property
    def is_compared(self) -> bool:
        """Whether it is in both shares."""
        return self.label in COMPARED and self.baseline.total > 0 and self.candidate.total > 0

    def known(self, repetition: int) -> CaseLabel | None:
        """How a repetition came out that counts; ``None`` of another."""
        return _label(*self.pairs[repetition]) if self.is_compared and repetition in self.pairs else None


def outcome(tried: Sequence[Tried], *, recorded: Tally) -> Outcome:
    """How a case came out, from its repetitions and what counts of the ``recorded`` run.

    One that was never answered is as it ended. Where some repetitions are changed and the others
    have nothing wrong, the case is changed: people have judged only those of its answers that were
    right before.
    """
    answered = {one.repetition: one.scored for one in tried if one.scored is not None}
    pairs = {number: (scored.baseline, scored.candidate) for number, scored in answered.items() if scored.counts}
    lost = frozenset(one.repetition for one in tried if one.scored is None) if recorded.right else frozenset()
    at_worst = {number: _at_worst(scored) for number, scored in answered.items() if scored.has_changed}
    label = _ended(tried, answered.values(), pairs.values())
    found = Outcome(
        label=label or CaseLabel.SAME,
        baseline=recorded,
        at_worst=at_worst | dict.fromkeys(lost, CaseLabel.WORSE),
        unanswered=lost,
        changed_from_right=any(scored.has_changed_from_right for scored in answered.values()),
    )
    if label is not None:
        return found
    baseline, candidate = (_mean([pair[side] for pair in pairs.values()]) for side in (0, 1))
    return replace(found, label=_label(baseline, candidate), baseline=baseline, candidate=candidate, pairs=pairs)


def _ended(
    tried: Iterable[Tried], answered: Collection[Scored], pairs: Collection[tuple[Tally, Tally]]
) -> CaseLabel | None:
    """What a case is that isn't compared; ``None`` of one that is."""
    changed = any(scored.has_changed and not scored.counts for scored in answered)
    if changed and not any(candidate.has_wrong for _, candidate in pairs):
        return CaseLabel.CHANGED
    if pairs:
        return None
    if answered:
        return CaseLabel.SAME
    refused = any(one.state == ReplayState.REFUSED for one in tried)
    return CaseLabel.REFUSED if refused else CaseLabel.FAILED


def _at_worst(scored: Scored) -> CaseLabel:
    """How it came out if all that nobody has judged were wrong; never better than by what is known."""
    baseline = together(part.baseline for part in scored.parts)
    candidate = together(part.candidate or Tally(total=part.baseline.total) for part in scored.parts)
    found = [_label(baseline, candidate), *([_label(scored.baseline, scored.candidate)] if scored.counts else [])]
    return min(found, key=_WORST_FIRST.index)


def _mean(tallies: Sequence[Tally]) -> Tally:
    whole = together(tallies)
    return Tally(whole.right / len(tallies), whole.total / len(tallies))


def _label(baseline: Tally, candidate: Tally) -> CaseLabel:
    before, after = baseline.share, candidate.share
    if before is None or after is None or before == after:
        return CaseLabel.SAME
    return CaseLabel.BETTER if after > before else CaseLabel.WORSE


@dataclass(frozen=True, slots=True)
class Side:
    """One side's share, its range, and how many cases of equal weight say as much."""

    share: Fraction | None
    range: Range | None
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What an evaluation found. ``spread`` and ``shares``, one a repetition, only where it has several.

    ``splits`` are how many cases got better and worse in each repetition: by what is known, with each
    repetition that has no answer taken for worse where something was right before
    (``splits_unanswered``), and with all that nobody has judged taken for wrong (``splits_at_worst``).
    ``changed_from_right`` and ``unanswered_from_right`` are the cases in which there is any of it.
    """

    baseline: Side
    candidate: Side
    labels: Mapping[CaseLabel, int]
    cases: int
    splits: Sequence[tuple[int, int]]
    splits_unanswered: Sequence[tuple[int, int]]
    splits_at_worst: Sequence[tuple[int, int]]
    shares: Sequence[Fraction] = ()
    several: bool = False
    changed_from_right: int = 0
    unanswered_from_right: int = 0

    @property
    def p(self) -> Fraction:
        """The sign test's, of several repetitions the highest; 1 where they don't all point the same way."""
        return weakest(self.splits)

    @property
    def delta(self) -> Fraction | None:
        """How much higher the candidate's share is."""
        if self.baseline.share is None or self.candidate.share is None:
            return None
        return self.candidate.share - self.baseline.share

    @property
    def spread(self) -> Fraction | None:
        """The noise of the candidate's own repetitions: the highest of their shares less the lowest."""
        return max(self.shares) - min(self.shares) if self.several and self.shares else None

    @property
    def why_not(self) -> WhyNot | None:
        """Why it isn't better, ``None`` where it is."""
        delta = self.delta
        if delta is None:
            return WhyNot.NOTHING
        if self.labels[CaseLabel.BETTER] <= self.labels[CaseLabel.WORSE] or delta <= 0:
            return WhyNot.NOT_MORE
        if self.p > LEVEL:
            return WhyNot.CHANCE
        if self.spread is not None and delta <= self.spread:
            return WhyNot.SPREAD
        if not holds(self.splits_unanswered):
            return WhyNot.UNANSWERED
        return None if holds(self.splits_at_worst) else WhyNot.UNJUDGED

    @property
    def is_better(self) -> bool:
        """Whether it beats the recorded runs by more than chance and noise, whatever people have yet to say.

        Of a run that was wrong it is known what would be right, of one that was right nothing else is:
        an agent that only answers differently each time, or answers less, would else seem to get better.
        """
        return self.why_not is None

    @property
    def one_in(self) -> int:
        """A candidate that is no different would differ so much about 1 time in this many, or in more at the most."""
        return min(round(1 / self.p), MOST_ONE_IN)


def compared(outcomes: Sequence[Outcome], *, repetitions: int) -> Comparison:
    """What the outcomes of all cases come to; their order says nothing."""
    among = [one for one in outcomes if one.is_compared]
    labels = Counter(one.label for one in outcomes)
    counts = {label: labels[label] for label in CaseLabel}
    return Comparison(
        baseline=_side([one.baseline for one in among]),
        candidate=_side([one.candidate for one in among]),
        labels=counts,
        cases=len(among),
        splits=_splits(outcomes, repetitions, Outcome.known),
        splits_unanswered=_splits(outcomes, repetitions, _unanswered_wrong),
        splits_at_worst=_splits(outcomes, repetitions, _unknown_wrong),
        shares=_shares(among, repetitions),
        several=repetitions > 1,
        changed_from_right=sum(one.changed_from_right for one in outcomes),
        unanswered_from_right=sum(bool(one.unanswered) for one in outcomes),
    )


def _splits(
    outcomes: Sequence[Outcome], repetitions: int, label_of: Callable[[Outcome, int], CaseLabel | None]
) -> list[tuple[int, int]]:
    """How many cases got better and worse in each repetition."""
    splits = []
    for number in range(1, repetitions + 1):
        labels = Counter(label_of(one, number) for one in outcomes)
        splits.append((labels[CaseLabel.BETTER], labels[CaseLabel.WORSE]))
    return splits


def _unanswered_wrong(one: Outcome, repetition: int) -> CaseLabel | None:
    return CaseLabel.WORSE if repetition in one.unanswered else one.known(repetition)


def _unknown_wrong(one: Outcome, repetition: int) -> CaseLabel | None:
    return one.at_worst.get(repetition) or one.known(repetition)


def _side(tallies: Sequence[Tally]) -> Side:
    share = together(tallies).share
    n = effective_size([one.total for one in tallies])
    return Side(share, None if share is None else wilson(float(share), n), n)


def _shares(among: Sequence[Outcome], repetitions: int) -> list[Fraction]:
    """The candidate's share in each repetition."""
    each = (
        together(one.pairs[number][1] for one in among if number in one.pairs) for number in range(1, repetitions + 1)
    )
    return [share for tally in each if (share := tally.share) is not None]


def as_float(value: Fraction) -> float:
    """The nearest float; the largest one for what is beyond them all."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max


def result_stored(found: Comparison) -> dict[str, Any]:
    """What an evaluation keeps of a comparison beside its columns."""
    return {
        "baseline": _side_stored(found.baseline),
        "candidate": _side_stored(found.candidate),
        "labels": {label.value: found.labels[label] for label in CaseLabel},
        "p": float(found.p),
        "oneIn": found.one_in if found.labels[CaseLabel.BETTER] != found.labels[CaseLabel.WORSE] else None,
        "shares": [float(share) for share in found.shares] if found.several else [],
        "whyNot": found.why_not,
        "changedFromRight": found.changed_from_right,
        "unansweredFromRight": found.unanswered_from_right,
    }


def _side_stored(side: Side) -> dict[str, Any]:
    if side.share is None or side.range is None:
        return {"share": None, "low": None, "high": None, "n": 0}
    return {"share": float(side.share), "low": side.range.low, "high": side.range.high, "n": side.n}
