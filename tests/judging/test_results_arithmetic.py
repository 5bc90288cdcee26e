"""The weighted share and the effective number of runs, against sums over single verdicts (contract, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.results import ClassCount, Group, Tally, counts, effective_runs, yes_share

EXPERT = UUID("787b6f6f-30cf-4bac-bf27-ac5ef32cb6d3")
PEER = UUID("2da17046-eb37-4157-b175-3381a926545a")
WEIGHTS: dict[UUID | None, float] = {EXPERT: 3.0, PEER: 1.0}
LEAST, MOST = 5e-324, 1.7976931348623157e308

tally = st.dictionaries(
    st.sampled_from([None, EXPERT, PEER]),
    st.integers(0, 9).flatmap(lambda judgments: st.tuples(st.just(judgments), st.integers(0, judgments))),
)
tallies = st.lists(tally, max_size=12)
weight = st.floats(0, MOST)


def group_of(runs: Sequence[Tally], **more: Any) -> Group:
    states = {"open": len(runs), "judged": 0, "dismissed": 0, "erased": 0, "skipped_by_cap": 0}
    return Group(rule_version=1, agent_version="1.0.0", **{**states, **more}, **counts(runs)._asdict())


def test_the_references_worked_example():
    runs: list[Tally] = [{EXPERT: (1, 1), PEER: (1, 1)}, {PEER: (1, 0)}, {PEER: (1, 1)}, {}]
    group = group_of(runs, open=2, judged=1, dismissed=1)
    assert (group.added, group.judgments, group.runs_with_judgments) == (4, 4, 3)
    assert group.by_class == [ClassCount(PEER, 3, 2), ClassCount(EXPERT, 1, 1)]
    assert yes_share(group, WEIGHTS) == 0.8333333333333334
    assert effective_runs(group, WEIGHTS) == 6**2 / (4**2 + 1 + 1)


def test_the_contracts_check():
    expert: Tally = {EXPERT: (1, 1)}
    right: Tally = {None: (1, 1)}
    wrong: Tally = {None: (1, 0)}
    group = group_of([expert] * 4 + [right] * 7 + [wrong])
    assert (yes_share(group, WEIGHTS), effective_runs(group, WEIGHTS)) == (0.95, 400 / 44)


@pytest.mark.parametrize("runs", [[], [{}, {}], [{EXPERT: (0, 0)}]])
def test_no_verdict_has_no_share_and_is_no_run(runs: list[Tally]):
    group = group_of(runs)
    assert (yes_share(group, WEIGHTS), effective_runs(group, WEIGHTS)) == (None, 0.0)
    assert (group.by_class, group.pairs, group.runs_with_judgments) == ([], {}, 0)


def test_verdicts_that_weigh_nothing_have_no_share():
    group = group_of([{EXPERT: (2, 1)}])
    assert (yes_share(group, {EXPERT: 0.0}), effective_runs(group, {EXPERT: 0.0})) == (None, 0.0)


def test_a_class_without_a_weight_is_a_mistake():
    with pytest.raises(KeyError):
        yes_share(group_of([{EXPERT: (1, 1)}]), {})


@pytest.mark.parametrize(
    ("expert", "share", "runs"),
    [(MOST, 1.0, 1.0), (LEAST, LEAST, 1.0), (0.0, 0.0, 1.0), (0.1 + 0.2, 0.23076923076923078, 1.5504587155963303)],
)
def test_a_weight_may_be_as_large_or_small_as_a_number_can(expert: float, share: float, runs: float):
    group = group_of([{EXPERT: (1, 1)}, {None: (1, 0)}])
    assert yes_share(group, {EXPERT: expert}) == share
    assert effective_runs(group, {EXPERT: expert}) == runs


@pytest.mark.parametrize("scale", [LEAST, 1e-300, 1.0, 1e300])
def test_only_the_ratio_of_weights_counts(scale: float):
    group = group_of([{EXPERT: (1, 1), PEER: (2, 1)}, {PEER: (1, 0)}])
    weights: dict[UUID | None, float] = {EXPERT: 3 * scale, PEER: scale}
    assert yes_share(group, weights) == 4 / 6
    assert effective_runs(group, weights) == 6**2 / (5**2 + 1)


def test_many_verdicts_on_one_run_are_one_run():
    assert effective_runs(group_of([{EXPERT: (40, 20), None: (9, 9)}]), WEIGHTS) == 1.0


@given(tallies, weight, weight)
def test_both_are_what_sums_over_single_verdicts_give(runs: list[Tally], expert: float, peer: float):
    weights: dict[UUID | None, float] = {EXPERT: expert, PEER: peer}
    exact = {None: Fraction(1), EXPERT: Fraction(expert), PEER: Fraction(peer)}
    verdicts = [
        (number, exact[one], place < yes)
        for number, run in enumerate(runs)
        for one, (judgments, yes) in run.items()
        for place in range(judgments)
    ]
    total = sum(weight for _, weight, _ in verdicts)
    summed = [sum(weight for of, weight, _ in verdicts if of == number) for number in range(len(runs))]
    group = group_of(runs)
    assert group.judgments == len(verdicts)
    if not total:
        assert (yes_share(group, weights), effective_runs(group, weights)) == (None, 0.0)
        return
    assert yes_share(group, weights) == float(sum(weight for _, weight, right in verdicts if right) / total)
    assert effective_runs(group, weights) == float(total**2 / sum(one**2 for one in summed))


@given(tallies, weight, weight)
def test_a_share_is_a_share_and_no_more_runs_are_found_than_there_are(runs: list[Tally], expert: float, peer: float):
    group = group_of(runs)
    share, size = yes_share(group, {EXPERT: expert, PEER: peer}), effective_runs(group, {EXPERT: expert, PEER: peer})
    assert (share is None) == (size == 0)
    assert share is None or (0 <= share <= 1 and 1 <= size <= group.runs_with_judgments)


@given(tallies)
def test_without_weights_it_is_the_plain_share(runs: list[Tally]):
    group = group_of(runs)
    yes = sum(count.yes for count in group.by_class)
    assert yes_share(group, {EXPERT: 1.0, PEER: 1.0}) == (yes / group.judgments if group.judgments else None)


@given(tallies)
def test_pairs_are_there_in_both_orders_and_runs_are_counted_once(runs: list[Tally]):
    group = group_of(runs)
    assert all(group.pairs[other, one] == product for (one, other), product in group.pairs.items())
    assert group.runs_with_judgments == sum(sum(judgments for judgments, _ in run.values()) > 0 for run in runs)


def test_the_unclassified_come_last():
    found = counts([{None: (9, 0), EXPERT: (1, 1), PEER: (2, 1)}]).by_class
    assert [count.judge_class_id for count in found] == [PEER, EXPERT, None]
