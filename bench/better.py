"""How often a candidate that is no different is called better, by making evaluations up (docs/statistics.md).

Recorded runs and candidate draw their answers from the same chances, so each "better" is a false one:

    .venv/bin/python bench/better.py [--trials 1500]

The first table is the promise: all that is answered is judged. The others show what the promise takes:
what happens while only the recorded answers are judged, and where only wrong runs were corrected.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import django

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("KINDGI_ENV", "development")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kindgi.settings")
django.setup()

from improve.comparing import Comparison, Outcome, Tried, WhyNot, compared, outcome  # noqa: E402 - after the setup
from improve.models import ReplayState  # noqa: E402
from improve.scoring import Part, Scored, Tally  # noqa: E402

CASES = (10, 30, 100)
REPETITIONS = (1, 3)
WEIGHTS = {"1": (1,), "1 and 3": (1, 1, 3)}
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
Case = Callable[[Random, float, int, int], Outcome]


@cache
def case_of(weight: int, before: bool, after: tuple[bool | None, ...]) -> Outcome:
    """A case of one verdict, by whether it was right before and in each repetition; ``None`` is unjudged."""
    baseline = _tally(weight, before)
    parts = [Part("answer", None, False, baseline, None if one is None else _tally(weight, one)) for one in after]
    tried = [Tried(number, ReplayState.ANSWERED, Scored([part])) for number, part in enumerate(parts, 1)]
    return outcome(tried, recorded=baseline)


def _tally(weight: int, right: bool) -> Tally:
    return Tally(Fraction(weight * right), Fraction(weight))


def all_judged(random: Random, share: float, weight: int, repetitions: int) -> Outcome:
    """Whatever is answered, people have judged it."""
    before, *after = (random.random() < share for _ in range(repetitions + 1))
    return case_of(weight, before, tuple(after))


def as_recorded(random: Random, share: float, weight: int, repetitions: int) -> Outcome:
    """Only what was said of the recorded runs is known: a right answer, the wrong one that was given, no other."""
    before, *after = (random.random() < share for _ in range(repetitions + 1))
    known = (True if right else False if not before and random.random() < 0.5 else None for right in after)
    return case_of(weight, before, tuple(known))


def wrong_ones(random: Random, share: float, weight: int, repetitions: int) -> Outcome:
    """All is judged, but people have corrected only runs that went wrong."""
    return case_of(weight, False, tuple(random.random() < share for _ in range(repetitions)))


def found(
    random: Random, case: Case, *, cases: int, share: float, weights: tuple[int, ...], repetitions: int
) -> Comparison:
    """One evaluation."""
    outcomes = [case(random, share, random.choice(weights), repetitions) for _ in range(cases)]
    return compared(outcomes, repetitions=repetitions)


def rates(comparisons: Iterable[Comparison]) -> tuple[float, float]:
    """The share of them that are called better, and of those that would be without a thought for what nobody judged."""
    whole = list(comparisons)
    return (
        sum(one.is_better for one in whole) / len(whole),
        sum(one.why_not in (None, WhyNot.UNJUDGED) for one in whole) / len(whole),
    )


def table(random: Random, case: Case, trials: int) -> None:
    """A line for each number of cases, repetitions and weights, over all shares; the highest share's rate is last."""
    print("| cases | repetitions | weights | better, mean | highest of the shares | without the last condition, mean |")
    print("| --- | --- | --- | --- | --- | --- |")
    for cases in CASES:
        for repetitions in REPETITIONS:
            for name, weights in WEIGHTS.items():
                of_shares = [
                    rates(
                        found(random, case, cases=cases, share=share, weights=weights, repetitions=repetitions)
                        for _ in range(trials)
                    )
                    for share in SHARES
                ]
                better, naive = ([one[side] for one in of_shares] for side in (0, 1))
                cells = (sum(better) / len(better), max(better), sum(naive) / len(naive))
                print(f"| {cases} | {repetitions} | {name} | " + " | ".join(f"{cell:.1%}" for cell in cells) + " |")


def main() -> None:
    """Print a table for each way in which answers come to be judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1500)
    trials = parser.parse_args().trials
    for case, so_many in ((all_judged, trials), (as_recorded, trials // 5), (wrong_ones, trials // 15)):
        print(f"\n{case.__doc__}\n")
        table(Random(1), case, so_many)


if __name__ == "__main__":
    main()
