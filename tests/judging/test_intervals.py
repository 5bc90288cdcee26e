"""Wilson's score interval, against another's and by what must hold of it (contract, section 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from judging.intervals import Range, wilson

SHARES = st.floats(0, 1)
SIZES = st.floats(0, 1e308)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 37, 100, 1000, 100_000])
def test_it_is_the_interval_that_statsmodels_gives(n: int):
    for yes in {0, 1, n // 3, n // 2, n - 1, n}:
        expected = proportion_confint(yes, n, method="wilson")
        found = wilson(yes / n, n)
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_the_contracts_example():
    found = wilson(0.95, 20 * 20 / 44)
    assert (round(found.low, 4), round(found.high, 4)) == (0.6375, 0.9952)


def test_nothing_observed_says_nothing():
    assert wilson(0.5, 0) == wilson(1.0, 0) == Range(0.0, 1.0)


@given(st.floats(5e-324, 1e308))
def test_a_share_of_all_or_none_closes_its_side(n: float):
    assert wilson(0.0, n).low == 0.0
    assert wilson(1.0, n).high == 1.0


@given(SHARES, SIZES)
def test_the_share_is_in_its_range_and_the_range_is_one_of_shares(share: float, n: float):
    found = wilson(share, n)
    assert 0.0 <= found.low <= share <= found.high <= 1.0


@given(SHARES, SIZES, SIZES)
def test_more_observations_make_no_wider_range(share: float, one: float, other: float):
    few, many = wilson(share, min(one, other)), wilson(share, max(one, other))
    assert many.high - many.low <= few.high - few.low + 1e-12


@given(SHARES, st.floats(0.01, 1e6))
def test_twice_the_observations_make_a_narrower_range(share: float, n: float):
    few, many = wilson(share, n), wilson(share, 2 * n)
    assert many.high - many.low < few.high - few.low


@given(SHARES, st.floats(0, 1e6))
def test_the_share_wrong_has_the_mirrored_range(share: float, n: float):
    right, wrong = wilson(share, n), wilson(1 - share, n)
    assert (wrong.low, wrong.high) == pytest.approx((1 - right.high, 1 - right.low), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (Range(0.1, 0.4), Range(0.5, 0.9), False),
        (Range(0.1, 0.5), Range(0.5, 0.9), True),
        (Range(0.1, 0.6), Range(0.5, 0.9), True),
        (Range(0.1, 0.9), Range(0.5, 0.6), True),
    ],
)
def test_ranges_overlap_where_they_have_a_share_in_common(one: Range, other: Range, overlap: bool):
    assert one.overlaps(other) == other.overlaps(one) == overlap
