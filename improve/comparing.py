"""A candidate beside the recorded runs: how each case came out, and whether it is better (docs/statistics.md).

Pure. A case's tallies are the means of its repetitions that count. The test is an exact two-sided
sign test on the cases that came out differently; of several repetitions each is tested by itself,
and the weakest counts, since the mean of several answers differs from one answer without any change.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import comb
from typing import Any

from improve.models import CaseLabel, ReplayState
from improve.scoring import NOTHING, Scored, Tally, together
from judging.intervals import Range, effective_size, wilson

LEVEL = Fraction(1, 20)
COMPARED = frozenset({CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.SAME})


class WhyNot(StrEnum):
    """Why a candidate isn't better, the first that holds."""

    NOTHING = "nothing-to-compare"
    NOT_MORE = "not-more-right"
    CHANCE = "may-be-chance"
    SPREAD = "within-spread"
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

    ``was_right`` says of a changed one that nothing was wrong in the recorded run.
    """

    label: CaseLabel
    baseline: Tally = NOTHING
    candidate: Tally = NOTHING
    pairs: Mapping[int, tuple[Tally, Tally]] = field(default_factory=dict)
    was_right: bool = False

    @property
    def is_compared(self) -> bool:
        """Whether it is in both shares."""
        return self.label in COMPARED and self.baseline.total > 0 and self.candidate.total > 0


def outcome(tried: Sequence[Tried]) -> Outcome:
    """How a case came out, from its repetitions; one that was never answered is as it ended.

    Where some repetitions are changed and the others have nothing wrong, the case is changed: people
    have judged only those of its answers that were right before.
    """
    answered = [(one.repetition, one.scored) for one in tried if one.scored is not None]
    pairs = {number: (scored.baseline, scored.candidate) for number, scored in answered if scored.counts}
    changed = any(scored.has_changed and not scored.counts for _, scored in answered)
    if changed and not any(candidate.has_wrong for _, candidate in pairs.values()):
        return Outcome(CaseLabel.CHANGED, was_right=not any(_was_wrong(scored) for _, scored in answered))
    if pairs:
        baseline, candidate = (_mean([pair[side] for pair in pairs.values()]) for side in (0, 1))
        return Outcome(_label(baseline, candidate), baseline, candidate, pairs)
    if answered:
        return Outcome(CaseLabel.SAME)
    refused = any(one.state == ReplayState.REFUSED for one in tried)
    return Outcome(CaseLabel.REFUSED if refused else CaseLabel.FAILED)


def _was_wrong(scored: Scored) -> bool:
    return any(part.baseline.has_wrong for part in scored.parts)


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

    ``splits`` are how many cases got better and worse in each repetition. ``changed_from_right`` are
    the cases with nothing wrong before whose answers nobody has judged now.
    """

    baseline: Side
    candidate: Side
    labels: Mapping[CaseLabel, int]
    cases: int
    splits: Sequence[tuple[int, int]]
    shares: Sequence[Fraction] = ()
    several: bool = False
    changed_from_right: int = 0

    @property
    def p(self) -> Fraction:
        """The sign test's, of several repetitions the highest; 1 where they don't all point the same way."""
        return _weakest(self.splits)

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
        return None if self._holds_at_worst else WhyNot.UNJUDGED

    @property
    def is_better(self) -> bool:
        """Whether it beats the recorded runs by more than chance and noise, whatever people have yet to say."""
        return self.why_not is None

    @property
    def _holds_at_worst(self) -> bool:
        """Whether the split is still more than chance if each of the answers that changed from right is wrong.

        Of a run that was wrong it is known what would be right, of one that was right nothing else is:
        an agent that only answers differently each time would else seem to get better.
        """
        at_worst = [(better, worse + self.changed_from_right) for better, worse in self.splits]
        return all(better > worse for better, worse in at_worst) and _weakest(at_worst) <= LEVEL

    @property
    def one_in(self) -> int:
        """A candidate that is no different would differ so much about 1 time in this many."""
        return round(1 / self.p)


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
        splits=[_split(among, number) for number in range(1, repetitions + 1)],
        shares=_shares(among, repetitions),
        several=repetitions > 1,
        changed_from_right=sum(one.was_right for one in outcomes),
    )


def sign_test(better: int, worse: int) -> Fraction:
    """How likely it is that of so many differing cases, each as likely to go either way, as many go one way, or more.

    Exact, and two-sided: 1 where none differs.
    """
    differing, most = better + worse, max(better, worse)
    tail = sum(comb(differing, k) for k in range(most, differing + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**differing))


def _split(among: Sequence[Outcome], repetition: int) -> tuple[int, int]:
    """How many cases got better and worse in a repetition."""
    labels = Counter(_label(*one.pairs[repetition]) for one in among if repetition in one.pairs)
    return labels[CaseLabel.BETTER], labels[CaseLabel.WORSE]


def _weakest(splits: Sequence[tuple[int, int]]) -> Fraction:
    ways = {better > worse for better, worse in splits}
    return max(sign_test(*split) for split in splits) if len(ways) == 1 else Fraction(1)


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
    }


def _side_stored(side: Side) -> dict[str, Any]:
    if side.share is None or side.range is None:
        return {"share": None, "low": None, "high": None, "n": 0}
    return {"share": float(side.share), "low": side.range.low, "high": side.range.high, "n": side.n}
