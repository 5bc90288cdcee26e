"""How often the range of a share holds the true share, beside two other ways of counting what was observed.

    .venv/bin/python bench/coverage.py [--reps 1500] [--seed 1]

The first table is of reviews made up: runs with one or more reviewers each, whose opinions of a run
agree always (1), in part, or no more than by chance (0), and whose verdicts weigh 1, or 3 for a
third of them. The target is the weighted share that endless such reviews would have. All three
ranges are Wilson's at 95%, of the same weighted share. They differ in n:

    runs      the contract's: (sum W)²/sum W², W the summed weight of a run's verdicts
    kish      Kish's over verdicts: (sum w)²/sum w², w the weight of a verdict
    verdicts  the plain count of verdicts

A cell is the lowest, the mean and the highest coverage in percents over shares of 0.5 to 0.99 and
10 to 500 verdicts. What follows it looks for why a range does worse, and what a comparison is worth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from judging.intervals import Range, wilson

SHARES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
VERDICTS = (10, 20, 50, 100, 200, 500)
REVIEWERS = ((1,), (2,), (3,), (5,), (1, 2, 3, 4, 5))  # a run has one of these numbers of them, by chance
AGREE = (0.0, 0.3, 0.6, 1.0)
EXPERTS = 1 / 3  # of all verdicts
WAYS = ("runs", "kish", "verdicts")
POOR = 90.0  # percent
Floats = NDArray[np.float64]
Cover = dict[str, float]


@dataclass(frozen=True, slots=True)
class Case:
    """Reviews of one kind. An expert says right less often than another, by the part ``stricter``."""

    reviewers: Sequence[int]
    agree: float
    weight: float
    share: float
    verdicts: int
    stricter: float = 0.0

    @property
    def target(self) -> float:
        """The true weighted share."""
        of_experts = EXPERTS * self.weight / (EXPERTS * self.weight + 1 - EXPERTS)
        return self.share * (1 - of_experts * self.stricter)

    @property
    def many(self) -> str:
        """How many review a run, in words."""
        return "1 to 5" if len(self.reviewers) > 1 else str(self.reviewers[0])


def cases(kinds: Iterable[tuple[Sequence[int], float, float]], *, stricter: float) -> Iterator[list[Case]]:
    """By kind (reviewers, how far they agree, an expert's weight) the cases of all shares and sizes."""
    for reviewers, agree, weight in kinds:
        if reviewers != (1,) or not agree:  # one has nobody to agree with
            yield [Case(reviewers, agree, weight, *size, stricter) for size in product(SHARES, VERDICTS)]


def opinions(share: float, agree: float, shape: tuple[int, ...], chance: np.random.Generator) -> Floats:
    """For each run how likely a verdict on it says right, so that two verdicts on a run correlate by ``agree``."""
    if agree == 0:
        return np.full(shape, share)
    if agree == 1:
        return (chance.random(shape) < share).astype(float)
    spread = (1 - agree) / agree
    return chance.beta(share * spread, (1 - share) * spread, shape)


def coverage(case: Case, *, reps: int, seed: Sequence[int]) -> Cover:
    """The percents of so many reviews whose range holds the target; arrays are of reviews, runs, reviewers."""
    chance = np.random.default_rng(seed)
    runs = max(1, round(case.verdicts / fmean(case.reviewers)))
    there = chance.choice(case.reviewers, (reps, runs, 1)) > np.arange(max(case.reviewers))
    expert = chance.random(there.shape) < EXPERTS
    weights = np.where(expert, case.weight, 1.0) * there
    likely = opinions(case.share, case.agree, (reps, runs, 1), chance) * np.where(expert, 1 - case.stricter, 1.0)
    right = chance.random(there.shape) < likely
    of_run = weights.sum(axis=2)
    total = of_run.sum(axis=1)
    share = (weights * right).sum(axis=(1, 2)) / total
    sizes = {
        "runs": total**2 / (of_run**2).sum(axis=1),
        "kish": total**2 / (weights**2).sum(axis=(1, 2)),
        "verdicts": there.sum(axis=(1, 2)).astype(float),
    }
    return {way: held(case.target, share, n) for way, n in sizes.items()}


def held(target: float, shares: Floats, sizes: Floats) -> float:
    """The percents of ranges that hold the target."""
    ranges = map(wilson, shares.tolist(), sizes.tolist())
    return 100 * fmean(one.low <= target <= one.high for one in ranges)


def ends(covers: Sequence[Cover], way: str) -> str:
    """The lowest, the mean and the highest."""
    found = [cover[way] for cover in covers]
    return f"{min(found):5.1f} {fmean(found):5.1f} {max(found):5.1f}"


def by_kind(*, reps: int, seed: int) -> None:
    """Print the table of all kinds, then the cases where the contract's range is poor."""
    print(f"{'reviewers':>9} {'agree':>5} {'weights':>7}" + "".join(f"  {way:>17}" for way in WAYS))
    poor = []
    everything = []
    for number, kind in enumerate(cases(product(REVIEWERS, AGREE, (1.0, 3.0)), stricter=0.0)):
        covers = [coverage(case, reps=reps, seed=[seed, number, at]) for at, case in enumerate(kind)]
        first = kind[0]
        print(
            f"{first.many:>9} {first.agree:5} {'1 and 3' if first.weight > 1 else '1':>7}"
            + "".join(f"  {ends(covers, way)}" for way in WAYS)
        )
        everything += covers
        poor += [(case, cover) for case, cover in zip(kind, covers, strict=True) if cover["runs"] < POOR]
    print(f"{'all':>23}" + "".join(f"  {ends(everything, way)}" for way in WAYS))
    print(f"\nThe contract's range holds the target in less than {POOR:.0f}% of:")
    for case, cover in poor:
        told = f"share {case.share}, {case.verdicts} verdicts, {case.many} a run, who agree {case.agree}"
        print(f"  {cover['runs']:5.1f}%  {told}, weights up to {case.weight:.0f}")


def chances(n: int, share: float) -> list[float]:
    """How likely each number of n runs to be right is."""
    return [comb(n, right) * share**right * (1 - share) ** (n - right) for right in range(n + 1)]


def ranges_of(n: int) -> list[Range]:
    """The range of each number of n runs to be right."""
    return [wilson(right / n, n) for right in range(n + 1)]


def exactly() -> None:
    """Print what Wilson's range does by itself, without a simulation: one verdict a run, all of weight 1."""
    print("\nWilson's range alone, worked out: one verdict a run, shares of 0.500 to 0.990")
    print(f"{'runs':>5} {'lowest':>7} {'at share':>8} {'mean':>5}  {'part of shares under 90%':>24}")
    for n in (2, 3, 5, 10, 17, 20, 50, 100, 200, 500):
        ranges = ranges_of(n)
        found = []
        for share in np.arange(0.5, 0.9901, 0.001).tolist():
            likely = zip(chances(n, share), ranges, strict=True)
            found.append((100 * sum(chance for chance, one in likely if one.low <= share <= one.high), share))
        lowest, at = min(found)
        under = fmean(cover < POOR for cover, _ in found)
        print(f"{n:5} {lowest:6.1f}% {at:8.3f} {fmean(cover for cover, _ in found):5.1f}  {100 * under:23.1f}%")


def stricter_experts(*, reps: int, seed: int) -> None:
    """Print what becomes of the ranges where experts say right less often than others, and weigh 3."""
    print("\nExperts of weight 3 say right less often than others")
    print(f"{'by':>6}" + "".join(f"  {way:>17}" for way in WAYS))
    for stricter in (0.1, 0.3):
        kinds = cases(product(REVIEWERS, (0.3, 0.6), (3.0,)), stricter=stricter)
        flat = [case for kind in kinds for case in kind]
        covers = [coverage(case, reps=reps // 4, seed=[seed, 1000, at]) for at, case in enumerate(flat)]
        print(f"{100 * stricter:5.0f}%" + "".join(f"  {ends(covers, way)}" for way in WAYS))


def sought_out(*, reps: int, seed: int) -> None:
    """Print what becomes of the contract's range where five review a run that is rather wrong, and one any other."""
    print("\nFive review a run that is rather wrong, one any other: true share by run, by correction, coverage at runs")
    sizes = (10, 50, 200)
    print(f"{'agree':>5} {'by run':>6} {'by correction':>13}" + "".join(f" {size:>6}" for size in sizes))
    for agree, share in product((0.3, 0.6, 1.0), (0.8, 0.9, 0.95)):
        chance = np.random.default_rng([seed, 2000, int(100 * agree), int(100 * share)])
        endless = opinions(share, agree, (1_000_000,), chance)
        many = np.where(endless < share, 5, 1)
        target = float((endless * many).sum() / many.sum())
        covers = []
        for size in sizes:
            likely = opinions(share, agree, (reps, size), chance)
            reviewers = np.where(likely < share, 5, 1)
            total = reviewers.sum(axis=1)
            right = chance.binomial(reviewers, likely).sum(axis=1)
            covers.append(held(target, right / total, total**2 / (reviewers**2).sum(axis=1)))
        print(f"{agree:5} {share:6} {target:13.2f}" + "".join(f" {cover:5.1f}%" for cover in covers))


def comparing() -> None:
    """Print how often two versions' ranges are apart, worked out: one verdict a run, as many runs of each."""
    sizes = (10, 20, 40, 100, 200)
    print("\nTwo versions: how often their ranges are apart, by true shares and by runs of each")
    print(f"{'shares':>12}" + "".join(f" {size:>7}" for size in sizes))
    for one, other in ((0.5, 0.5), (0.9, 0.9), (0.95, 0.9), (0.95, 0.8), (0.95, 0.6), (0.95, 0.25)):
        cells = []
        for size in sizes:
            ranges = ranges_of(size)
            both = product(zip(chances(size, one), ranges, strict=True), zip(chances(size, other), ranges, strict=True))
            cells.append(sum(a * b for (a, first), (b, second) in both if not first.overlaps(second)))
        print(f"{one:5} {other:6}" + "".join(f" {100 * cell:6.1f}%" for cell in cells))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=1500, help="reviews that are made up for each case")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    by_kind(reps=given.reps, seed=given.seed)
    exactly()
    stricter_experts(reps=given.reps, seed=given.seed)
    sought_out(reps=given.reps, seed=given.seed)
    comparing()


if __name__ == "__main__":
    main()
