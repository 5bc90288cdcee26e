"""The range of a share: Wilson's score interval at 95% (contract, section 6; docs/statistics.md). Knows no database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Range:
    """Where the true share is likely to lie; both ends are shares, 0 to 1, and belong to it."""

    low: float
    high: float

    def overlaps(self, other: Range) -> bool:
        """Whether they have a share in common."""
        return self.low <= other.high and other.low <= self.high


def wilson(share: float, n: float) -> Range:
    """The range of ``share``, 0 to 1, that ``n`` observations give; ``n`` may have a fraction.

    No observation says nothing: 0 to 1. A share of 0 or 1 closes the range on its side, which the
    formula does too, but for the last digit of a float.
    """
    if not n:
        return Range(0.0, 1.0)
    middle = share * n + _Z**2 / 2
    reach = _Z * sqrt(share * (1 - share) * n + _Z**2 / 4)
    low = (middle - reach) / (n + _Z**2)
    high = (middle + reach) / (n + _Z**2)
    return Range(max(0.0, min(low, share)) if share else 0.0, min(1.0, max(high, share)) if share < 1 else 1.0)


def effective_size(weights: Iterable[Fraction]) -> float:
    """How many observations of equal weight say as much: (sum of W)² / sum of W²; 0 where nothing weighs."""
    found = list(weights)
    squares = sum(weight * weight for weight in found)
    return float(sum(found) ** 2 / squares) if squares else 0.0
