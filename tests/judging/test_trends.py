"""What a rule's groups show: versions, ranges, comparisons, and what stays apart (contract, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.intervals import wilson
from judging.results import Group, Tally, counts
from judging.trends import Comparison, Trend, VersionTrend, Weight, newest_first, trend

EXPERT, BOT, PEER = (UUID(int=number) for number in (1, 2, 3))
WEIGHTS: dict[UUID | None, float] = {EXPERT: 3.0, BOT: 1.0, PEER: 1.0}
NAMES = {EXPERT: "expert", BOT: "bot", PEER: "peer"}


def group(agent_version: str | None, right: int, wrong: int = 0, *, rule_version: int = 1, **more: Any) -> Group:
    """A group of so many runs with one unclassified verdict each."""
    return group_of(agent_version, [verdict(1)] * right + [verdict(0)] * wrong, rule_version, **more)


def verdict(right: int, judge_class: UUID | None = None) -> Tally:
    """A run with one verdict."""
    return {judge_class: (1, right)}


def group_of(agent_version: str | None, runs: Sequence[Tally], rule_version: int = 1, skipped: int = 0) -> Group:
    return Group(
        rule_version=rule_version,
        agent_version=agent_version,
        open=0,
        judged=len(runs),
        dismissed=0,
        erased=0,
        skipped_by_cap=skipped,
        **counts(runs)._asdict(),
    )


def trend_of(*groups: Group, rule_version: int = 1) -> Trend:
    return trend(groups, rule_version=rule_version, weights=WEIGHTS, names=NAMES)


def versions_of(*groups: Group) -> dict[str | None, VersionTrend]:
    return {one.agent_version: one for one in trend_of(*groups).latest.versions}


def test_the_contracts_check():
    runs: list[Tally] = [verdict(1, EXPERT)] * 4 + [verdict(1)] * 7 + [verdict(0)]
    shown = versions_of(group_of("1.1.0", runs))["1.1.0"]
    assert (shown.judgments, shown.runs, shown.share, shown.effective_runs) == (12, 12, 0.95, 400 / 44)
    assert shown.range == wilson(0.95, 400 / 44)
    assert shown.by_class == shown.group.by_class


def test_a_version_shows_from_10_verdicts():
    shown = versions_of(group("1.0.0", 9), group("1.1.0", 10), group("1.2.0", 0))
    assert [(name, one.too_few, one.range is None) for name, one in shown.items()] == [
        ("1.2.0", True, True),
        ("1.1.0", False, False),
        ("1.0.0", True, True),
    ]
    assert shown["1.0.0"].share == 1.0
    assert shown["1.2.0"].share is None


def test_ten_verdicts_on_one_run_show_with_the_range_of_one_run():
    shown = versions_of(group_of("1.0.0", [{None: (10, 10)}]))["1.0.0"]
    assert (shown.runs, shown.range) == (1, wilson(1.0, 1.0))


def test_verdicts_that_weigh_nothing_are_no_chart():
    runs: list[Tally] = [{EXPERT: (1, 1)}] * 12
    shown = trend([group_of("1.0.0", runs)], rule_version=1, weights={EXPERT: 0.0}, names=NAMES).latest
    assert [(one.share, one.range, one.too_few) for one in shown.versions] == [(None, None, False)]
    assert shown.charted == []


def test_versions_whose_ranges_are_apart_compare_the_better_first():
    shown = trend_of(group("1.0.0", 3, 9), group("1.1.0", 12)).latest
    assert shown.comparisons == [Comparison("1.1.0", "1.0.0")]
    assert trend_of(group("1.1.0", 3, 9), group("1.0.0", 12)).latest.comparisons == [Comparison("1.0.0", "1.1.0")]
    assert not shown.all_overlap


def test_versions_whose_ranges_overlap_do_not_compare():
    shown = trend_of(group("1.0.0", 8, 4), group("1.1.0", 12)).latest
    assert (shown.comparisons, shown.all_overlap) == ([], True)


@pytest.mark.parametrize("others", [[], [group("1.0.0", 0, 9)], [group(None, 0, 50)]])
def test_a_version_alone_is_not_compared(others: list[Group]):
    assert trend_of(group("1.1.0", 20), *others).latest.comparisons == []


def test_one_range_alone_overlaps_nothing():
    assert not trend_of(group("1.1.0", 20), group("1.0.0", 0, 9)).latest.all_overlap


def test_each_pair_compares_once_in_the_order_of_the_versions():
    groups = [group("1.0.0", 1, 40), group("1.1.0", 20, 20), group("1.2.0", 40, 1), group("1.3.0", 39, 1)]
    expected = [
        Comparison("1.3.0", "1.1.0"),
        Comparison("1.3.0", "1.0.0"),
        Comparison("1.2.0", "1.1.0"),
        Comparison("1.2.0", "1.0.0"),
        Comparison("1.1.0", "1.0.0"),
    ]
    for order in permutations(groups):
        assert trend_of(*order).latest.comparisons == expected


def test_earlier_versions_of_the_rule_are_apart_and_never_compared_with_it():
    found = trend_of(
        group("1.0.0", 0, 30, rule_version=1),
        group("1.1.0", 30, rule_version=3, skipped=2),
        group("1.1.0", 7, 23, rule_version=2, skipped=1),
        group("1.0.0", 5, rule_version=3, skipped=1),
        rule_version=3,
    )
    assert [one.agent_version for one in found.latest.versions] == ["1.1.0", "1.0.0"]
    assert (found.latest.rule_version, found.latest.comparisons, found.latest.skipped_by_cap) == (3, [], 3)
    assert [(one.rule_version, one.skipped_by_cap, len(one.versions)) for one in found.earlier] == [
        (2, 1, 1),
        (1, 0, 1),
    ]
    assert found.earlier[0].versions[0].share == 7 / 30


def test_a_rule_that_just_changed_shows_nothing_of_its_latest_version():
    found = trend_of(group("1.0.0", 30), rule_version=2)
    assert (found.latest.versions, found.latest.charted, found.latest.skipped_by_cap) == ([], [], 0)
    assert [one.rule_version for one in found.earlier] == [1]


def test_the_classes_that_gave_verdicts_have_their_weights_said():
    runs: list[Tally] = [{PEER: (1, 1)}, {EXPERT: (1, 1), None: (1, 1)}]
    assert trend_of(group_of("1.0.0", runs)).weights == [Weight(EXPERT, "expert", 3.0), Weight(PEER, "peer", 1.0)]
    assert trend_of(group("1.0.0", 20)).weights == []


ORDERED = ["10.0.0", "2.10.0", "2.9.0", "2.9.0+b", "2.9.0-rc.10", "2.9.0-rc.2", "1.0.0", "1.0", "main", "v3.0.0", None]


@given(st.permutations(ORDERED))
def test_versions_are_in_the_order_that_a_person_expects(versions: list[str | None]):
    assert newest_first(versions) == ORDERED
