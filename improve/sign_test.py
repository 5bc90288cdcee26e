"""The exact sign test on cases that came out differently, of one repetition or several (docs/statistics.md). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

LEVEL = Fraction(1, 20)


def sign_test(better: int, worse: int) -> Fraction:
    """How likely it is that of so many differing cases, each as likely to go either way, as many go one way, or more.

    Exact, and two-sided: 1 where none differs.
    """
    differing, most = better + worse, max(better, worse)
    tail = sum(comb(differing, k) for k in range(most, differing + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**differing))


def weakest(splits: Sequence[tuple[int, int]]) -> Fraction:
    """The highest p of several tests; 1 where they don't all point the same way."""
    ways = {better > worse for better, worse in splits}
    return max(sign_test(*split) for split in splits) if len(ways) == 1 else Fraction(1)


def holds(splits: Sequence[tuple[int, int]]) -> bool:
    """Whether more got better than worse in each repetition, and chance alone seldom does that."""
    return all(better > worse for better, worse in splits) and weakest(splits) <= LEVEL
