"""Whether a candidate is better: the sign test, the shares, the noise of repetitions, and how each case is called."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.comparing import Comparison, Outcome, Tried, WhyNot, as_float, compared, outcome, result_stored
from improve.models import CaseLabel, ReplayState
from improve.scoring import Tally
from improve.sign_test import sign_test
from judging.intervals import effective_size, wilson
from tests.improve.scores import Case, came_out, said

B, W, S, C = CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.SAME, CaseLabel.CHANGED


def tally(right: float, total: float) -> Tally:
    return Tally(Fraction(right), Fraction(total))


def case(before: float, after: float, weight: float = 1) -> Outcome:
    """A case of one repetition, by its two shares."""
    label = B if after > before else W if after < before else S
    pair = (tally(before * weight, weight), tally(after * weight, weight))
    return Outcome(label, *pair, {1: pair})


def many(better: int, worse: int, same: int = 0) -> Comparison:
    return compared([case(0, 1)] * better + [case(1, 0)] * worse + [case(1, 1)] * same, repetitions=1)


@pytest.mark.parametrize("differing", range(13))
def test_the_sign_test_is_the_share_of_all_splits_that_are_as_one_sided(differing: int) -> None:
    splits = [sum(ways) for ways in product((0, 1), repeat=differing)]
    for better in range(differing + 1):
        most = max(better, differing - better)
        as_one_sided = sum(max(one, differing - one) >= most for one in splits)
        assert sign_test(better, differing - better) == Fraction(as_one_sided, 2**differing)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_is_the_same_for_both_sides(better: int, worse: int) -> None:
    p = sign_test(better, worse)
    assert p == sign_test(worse, better) and 0 < p <= 1


def test_it_is_better_from_six_cases_to_none_on() -> None:
    assert [many(n, 0).is_better for n in (4, 5, 6, 7)] == [False, False, True, True]
    assert many(5, 0).why_not == WhyNot.CHANCE
    assert [many(n, 2).is_better for n in (9, 10)] == [False, True]
    assert many(12, 2).one_in == 77


def test_one_time_in_how_many_ends_at_a_thousand_million() -> None:
    assert [many(n, 0).one_in for n in (30, 31, 32, 70, 1000)] == [2**29, *[10**9] * 4]
    assert result_stored(many(70, 0))["oneIn"] == 10**9


def test_nothing_to_compare_is_not_better() -> None:
    found = compared([Outcome(C), Outcome(CaseLabel.FAILED)], repetitions=1)
    assert (found.why_not, found.cases, found.delta, found.p) == (WhyNot.NOTHING, 0, None, Fraction(1))
    assert compared([], repetitions=1).why_not == WhyNot.NOTHING
    assert result_stored(found)["baseline"] == {"share": None, "low": None, "high": None, "n": 0}


def test_more_cases_but_less_weight_is_not_better() -> None:
    found = compared([case(0, 1)] * 12 + [case(1, 0, weight=20)], repetitions=1)
    assert (found.p <= Fraction(1, 20), found.why_not) == (True, WhyNot.NOT_MORE)


def test_a_case_weighs_the_same_on_both_sides_whatever_was_found_of_it() -> None:
    heavy = Case({"matches": ["a", "b"]}).judge("k0", True, 20, pointer="/matches/0")
    heavy.judge("k1", False, pointer="/matches/1")
    light = [came_out(wrong().scored(said("yes")))] * 8
    found = compared([came_out(heavy.scored({"matches": ["b"]})), *light], repetitions=1)
    assert (found.baseline.share, found.candidate.share) == (Fraction(20, 28), Fraction(8, 28))
    assert found.baseline.n == found.candidate.n == effective_size([Fraction(20)] + [Fraction(1)] * 8)
    assert (found.labels[B], found.labels[W], found.why_not) == (8, 1, WhyNot.NOT_MORE)


def test_cases_that_are_all_the_same_make_no_difference_however_much_was_said_since() -> None:
    since = Case(said("new"))
    for _ in range(4):
        since.answer(True)
    other = came_out(Case(said("old")).answer(True).scored(said("new"), also=[since.judged]))
    kept = came_out(Case(said("no")).answer(False, why="No.").again())
    found = compared([other] * 3 + [kept] * 3, repetitions=1)
    assert (found.labels[S], found.delta) == (6, Fraction())


def test_ranges_are_wilsons_of_the_effective_number_of_cases() -> None:
    found = compared([case(1, 1, weight=3)] * 4 + [case(1, 1)] * 7 + [case(0, 1)], repetitions=1)
    assert (found.baseline.share, found.baseline.n) == (Fraction(19, 20), 400 / 44)
    assert found.baseline.range == wilson(0.95, 400 / 44)
    assert effective_size([]) == 0.0


def repeated(*pairs: tuple[float, float]) -> Outcome:
    """A case by its share before and in each repetition."""
    before = pairs[0][0]
    tallies = {number: (tally(one, 1), tally(after, 1)) for number, (one, after) in enumerate(pairs, 1)}
    after = sum((Fraction(one) for _, one in pairs), Fraction()) / len(pairs)
    label = B if after > before else W if after < before else S
    return Outcome(label, tally(before, 1), Tally(after, Fraction(1)), tallies)


def test_several_repetitions_must_gain_more_than_they_are_apart() -> None:
    steady = [repeated((0, 1), (0, 1))] * 8
    wavering = [repeated((0, 1), (0, 0))] * 8
    assert compared(steady, repetitions=2).is_better
    found = compared(wavering, repetitions=2)
    assert (list(found.shares), found.spread, found.delta) == ([Fraction(1), Fraction(0)], Fraction(1), Fraction(1, 2))
    assert found.why_not == WhyNot.CHANCE, "in the second repetition nothing differs"
    apart = [repeated((0, 1), (0, 0.25))] * 8
    assert compared(apart, repetitions=2).why_not == WhyNot.SPREAD
    assert many(8, 0).spread is None


def test_each_repetition_is_tested_by_itself() -> None:
    found = compared([repeated((0, 1), (0, 1))] * 8 + [repeated((1, 1), (1, 0))] * 2, repetitions=2)
    assert (found.labels[B], found.labels[W], found.p) == (8, 2, sign_test(8, 2))
    two_ways = compared([repeated((0.5, 1), (0.5, 0))] * 8, repetitions=2)
    assert two_ways.p == 1


def test_answers_that_changed_from_right_may_all_be_wrong() -> None:
    right = came_out(Case(said("yes")).answer(True).scored(said("other")))
    wrong_before = came_out(wrong().scored(said("other")))
    assert (right.label, right.changed_from_right, wrong_before.changed_from_right) == (C, True, False)
    found = compared([case(0, 1)] * 8 + [right] * 2 + [wrong_before] * 9, repetitions=1)
    assert (found.p <= Fraction(1, 20), found.changed_from_right, found.why_not) == (True, 2, WhyNot.UNJUDGED)
    assert not found.is_better
    assert compared([case(0, 1)] * 9 + [right], repetitions=1).is_better
    assert compared([case(0, 1)] * 8 + [wrong_before] * 9, repetitions=1).is_better


def ended(*states: str, recorded: Tally) -> Outcome:
    """A case whose repetitions ended so; one that was answered does what the run did."""
    done = {"answered": Case("x").answer(True).again()}
    return outcome([Tried(n, ReplayState(one), done.get(one)) for n, one in enumerate(states, 1)], recorded=recorded)


@pytest.mark.parametrize("state", ["refused", "failed"])
def test_what_was_right_and_has_no_answer_now_may_be_worse(state: str) -> None:
    right, mixed, wrong_before = (ended(state, recorded=tally(one, 2)) for one in (2, 1, 0))
    assert [one.baseline for one in (right, mixed, wrong_before)] == [tally(2, 2), tally(1, 2), tally(0, 2)]
    found = compared([case(0, 1)] * 6 + [right] * 40, repetitions=1)
    assert (found.is_better, found.why_not, found.unanswered_from_right) == (False, WhyNot.UNANSWERED, 40)
    assert result_stored(found)["unansweredFromRight"] == 40
    assert compared([case(0, 1)] * 8 + [mixed] * 2, repetitions=1).why_not == WhyNot.UNANSWERED
    assert compared([case(0, 1)] * 9 + [right], repetitions=1).is_better
    assert compared([case(0, 1)] * 6 + [wrong_before] * 40, repetitions=1).is_better


@pytest.mark.parametrize("state", ["refused", "failed"])
def test_a_repetition_without_an_answer_may_be_worse_among_others_that_have_one(state: str) -> None:
    gains = [repeated((0, 1), (0, 1), (0, 1))] * 8
    assert compared(gains, repetitions=3).is_better
    once = ended("answered", state, "answered", recorded=tally(1, 1))
    assert (once.label, set(once.unanswered), once.is_compared) == (S, {2}, True)
    found = compared([*gains, *[once] * 2], repetitions=3)
    assert (found.why_not, found.unanswered_from_right) == (WhyNot.UNANSWERED, 2)
    assert list(found.splits_unanswered) == [(8, 0), (8, 2), (8, 0)]
    # Other repetitions that lose an answer each lose it in their own test.
    apart = [ended(*states.split(), recorded=tally(1, 1)) for states in (f"{state} answered", f"answered {state}")]
    assert compared([repeated((0, 1), (0, 1))] * 9 + apart, repetitions=2).is_better


def test_what_changed_from_right_beside_something_that_stays_wrong_may_be_wrong_too() -> None:
    two = Case({"a": "x", "b": "y"}).judge("first", True, pointer="/a").judge("second", False, pointer="/b")
    partly = came_out(two.scored({"a": "z", "b": "y"}))
    assert (partly.label, partly.changed_from_right, partly.at_worst) == (S, True, {1: W})
    assert compared([case(0, 1)] * 8 + [partly] * 2, repetitions=1).why_not == WhyNot.UNJUDGED
    kept = came_out(two.scored({"a": "x", "b": "z"}))
    assert (kept.label, kept.changed_from_right, kept.at_worst) == (C, False, {1: S})
    assert compared([case(0, 1)] * 8 + [kept] * 40, repetitions=1).is_better


outcomes = st.lists(
    st.one_of(
        st.builds(case, st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1e6)),
        st.builds(Outcome, st.sampled_from([C, CaseLabel.REFUSED, CaseLabel.FAILED, CaseLabel.ERASED])),
    ),
    max_size=30,
)


@given(outcomes, st.randoms(use_true_random=False))
def test_the_order_of_cases_says_nothing(found: list[Outcome], random: Random) -> None:
    whole = compared(found, repetitions=1)
    random.shuffle(found)
    assert compared(found, repetitions=1) == whole


@given(outcomes)
def test_swapping_the_two_sides_swaps_what_is_found(found: list[Outcome]) -> None:
    swap = {B: W, W: B}
    swapped = [
        Outcome(
            swap.get(one.label, one.label), one.candidate, one.baseline, {n: (b, a) for n, (a, b) in one.pairs.items()}
        )
        for one in found
    ]
    one, other = compared(found, repetitions=1), compared(swapped, repetitions=1)
    assert (one.baseline, one.candidate, one.p) == (other.candidate, other.baseline, other.p)
    assert (one.labels[B], one.labels[W]) == (other.labels[W], other.labels[B])
    assert not (one.is_better and other.is_better)


@given(outcomes)
def test_what_is_in_neither_share_changes_none(found: list[Outcome]) -> None:
    among = [one for one in found if one.is_compared]
    whole, part = compared(found, repetitions=1), compared(among, repetitions=1)
    assert (whole.baseline, whole.candidate, whole.cases) == (part.baseline, part.candidate, len(among))
    assert sum(whole.labels.values()) == len(found)


def wrong() -> Case:
    return Case(said("no")).answer(False, should_say="yes")


def test_repetitions_of_which_some_are_changed() -> None:
    right, changed, same = (wrong().scored(said(word)) for word in ("yes", "other", "no"))
    assert came_out(right, right, changed).label == C, "the others were right, and nobody knows of this one"
    found = came_out(right, changed, same)
    assert (found.label, found.candidate) == (B, Tally(Fraction(1, 2), Fraction(1)))
    assert sorted(found.pairs) == [1, 3]


@pytest.mark.parametrize(
    ("states", "label"),
    [
        ("failed", CaseLabel.FAILED),
        ("refused", CaseLabel.REFUSED),
        ("failed refused", CaseLabel.REFUSED),
        ("answered failed", B),
        ("refused answered", B),
    ],
)
def test_a_case_that_was_never_answered_is_as_it_ended(states: str, label: CaseLabel) -> None:
    tried: list[Any] = []
    for number, state in enumerate(states.split(), 1):
        scored = wrong().scored(said("yes")) if state == "answered" else None
        tried.append(Tried(number, ReplayState(state), scored))
    assert outcome(tried, recorded=tally(0, 1)).label == label


def test_a_sum_beyond_all_floats_is_the_largest() -> None:
    assert as_float(Fraction(1.7e308) * 2) == pytest.approx(1.797e308, rel=1e-3)
