"""A rule takes the share that it says, of any ids, independently of other rules; a larger share keeps a smaller one.

The ids are the same in each run of the tests, so what passes once passes always. Of samples that are just what they
should be, one choice of ids in a thousand has a chi-square above the critical value; other samples are far above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from random import Random
from statistics import NormalDist
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.sampling import PLACES, Sample
from tests.judging.matching_cases import agents_run, flows_run, matcher

LEVEL = 0.001
CRITICAL = {1: 10.83, 99: 148.23, 1000: 1143.92}  # of chi-square at LEVEL, by its degrees of freedom
BINS = 100
SIDE = 1000  # rules, and runs: a million pairs
SHARES = (0.01, 0.05, 0.5)


def random_ids(number: int, *, seed: int) -> list[UUID]:
    random = Random(seed)
    return [UUID(int=random.getrandbits(128), version=4) for _ in range(number)]


def following_ids(number: int, *, seed: int) -> list[UUID]:
    """Ids of which each is the next, as those of one moment may be."""
    first = Random(seed).getrandbits(96) << 32
    return [UUID(int=first + more) for more in range(number)]


def chi_square(counts: Iterable[float], expected: Iterable[float]) -> float:
    return sum((count - awaited) ** 2 / awaited for count, awaited in zip(counts, expected, strict=True))


def of_bins(places: Sequence[int]) -> float:
    """How unevenly the places lie, with 99 degrees of freedom."""
    counted = Counter(place * BINS // PLACES for place in places)
    return chi_square((counted[number] for number in range(BINS)), [len(places) / BINS] * BINS)


def of_share(taken: int, among: int, share: float) -> float:
    """How far from ``share`` so many are, with 1 degree of freedom."""
    return chi_square((taken, among - taken), (share * among, (1 - share) * among))


@pytest.mark.parametrize("ids", [random_ids, following_ids])
def test_a_million_pairs_lie_evenly(ids: Callable[..., list[UUID]]):
    runs = ids(SIDE, seed=1)
    places = [place(run) for place in (Sample(rule, 1.0).place for rule in ids(SIDE, seed=2)) for run in runs]
    assert len(places) == 1_000_000
    assert of_bins(places) < CRITICAL[99]
    for share in SHARES:
        taken = [place < share * PLACES for place in places]
        assert of_share(sum(taken), len(places), share) < CRITICAL[1]
        by_rule = [sum(taken[start : start + SIDE]) for start in range(0, len(taken), SIDE)]
        by_run = [sum(taken[start::SIDE]) for start in range(SIDE)]
        for counts in (by_rule, by_run):  # each rule has its share, and no run is everybody's
            assert sum(of_share(count, SIDE, share) for count in counts) < CRITICAL[1000]


def test_places_that_are_no_hash_would_be_noticed():
    runs = following_ids(SIDE, seed=1)
    assert of_bins([(rule.int ^ run.int) % PLACES for rule in random_ids(10, seed=2) for run in runs]) > CRITICAL[99]
    assert of_share(5_600, 100_000, 0.05) > CRITICAL[1]


def together(one: int, other: int, among: int) -> float:
    """Chi-square of the table of what two rules take of ``among`` runs (a bit each), with 1 degree of freedom."""
    both, first, second = (one & other).bit_count(), one.bit_count(), other.bit_count()
    expected = [a * b / among for a in (first, among - first) for b in (second, among - second)]
    return chi_square((both, first - both, second - both, among - first - second + both), expected)


@pytest.fixture(scope="module")
def taken() -> dict[float, list[int]]:
    """By share, what each of 25 rules takes of 10,000 runs, a bit a run."""
    rules, runs = following_ids(25, seed=3), following_ids(10_000, seed=4)

    def taken_by(sample: Sample) -> int:
        return int("".join("1" if sample.takes(run) else "0" for run in runs), 2)

    return {share: [taken_by(Sample(rule, share)) for rule in rules] for share in (0.05, 0.5)}


@pytest.mark.parametrize(("one", "other"), [(0.05, 0.05), (0.5, 0.5), (0.05, 0.5), (0.5, 0.05)])
def test_what_a_rule_takes_says_nothing_of_what_another_takes(taken: dict[float, list[int]], one: float, other: float):
    pairs = [(taken[one][first], taken[other][second]) for first, second in combinations(range(25), 2)]
    found = [together(*pair, 10_000) for pair in pairs]
    assert max(found) < NormalDist().inv_cdf(1 - LEVEL / len(pairs) / 2) ** 2, "the largest of 300, by Bonferroni"
    assert 0.8 < sum(found) / len(found) < 1.2, "on the average a chi-square is its degrees of freedom"


def test_rules_that_take_the_same_would_be_noticed(taken: dict[float, list[int]]):
    assert together(taken[0.5][0], taken[0.5][0], 10_000) == pytest.approx(10_000)
    assert together(taken[0.05][0], taken[0.5][0], 10_000) > 100


shares = st.floats(0, 1, exclude_min=True)


@given(st.uuids(), st.uuids(), shares, shares)
def test_a_larger_share_keeps_what_a_smaller_one_took(rule_id: UUID, run_id: UUID, one: float, other: float):
    smaller, larger = sorted((one, other))
    if Sample(rule_id, smaller).takes(run_id):
        assert Sample(rule_id, larger).takes(run_id)


def test_raising_the_share_step_by_step_keeps_all_and_adds_more():
    rule_id, runs = UUID(int=7), following_ids(1000, seed=5)
    steps = [{run for run in runs if Sample(rule_id, percent / 100).takes(run)} for percent in range(5, 101, 5)]
    assert all(before < after for before, after in pairwise(steps))
    assert steps[-1] == set(runs)


def test_only_the_ids_count_whatever_a_version_of_the_rule_asks_for_and_the_run_was():
    rule_id, runs = UUID(int=8), following_ids(500, seed=6)
    first = matcher(rule_id=rule_id, sample=0.3)
    second = matcher(rule_id=rule_id, sample=0.3, flowIds=["intake"], includeDryRuns=True)
    taken = {run for run in runs if first.takes(agents_run(run_id=run))}
    assert taken == {run for run in runs if second.takes(flows_run(run_id=run, dry_run=True))}
    assert taken == {run for run in runs if Sample(rule_id, 0.3).takes(run)}
    assert taken != {run for run in runs if Sample(UUID(int=9), 0.3).takes(run)}
