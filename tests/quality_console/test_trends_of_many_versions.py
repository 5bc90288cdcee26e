"""A rule that saw many versions is brief until all of it is asked for, and says what it leaves out."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.http import QueryDict

from judging.models import JudgingRule
from judging.results import Group, counts
from quality_console.presenting.rule_trends import BRIEF, COMPARISONS, WHOLE, Card, Known, Length, card_of


def groups_of(versions: int, *, rule_version: int = 1) -> list[Group]:
    """Of agent versions of which every other is all right, and the ones between all wrong."""
    found = []
    for number in range(versions):
        tallies = counts([{None: (1, number % 2)}] * 20)
        states: dict[str, Any] = {"open": 0, "judged": 20, "dismissed": 0, "erased": 0, "skipped_by_cap": 0}
        found.append(Group(rule_version=rule_version, agent_version=f"{number}.0.0", **states, **tallies._asdict()))
    return found


def card(groups: list[Group], length: Length, *, version: int = 1) -> Card:
    """The card of a rule that has them."""
    rule = JudgingRule(id=uuid4(), name="Everything", version=version, when={"agentIds": ["shop.desk"]})
    return card_of(rule, groups, open_now=0, known=Known({}, QueryDict(f"counts={rule.pk}"), length))


def test_a_brief_card_has_the_newest_versions_and_says_how_many_older_ones_there_are():
    found = card(groups_of(60), BRIEF)
    assert found.latest.chart is not None
    assert [row.name for row in found.latest.chart.rows] == [f"{number}.0.0" for number in range(59, 51, -1)]
    assert found.counts is not None
    assert len(found.latest.chart.marks) == len(found.latest.lines) == len(found.counts.rows) == 8
    assert found.left_out == "Not shown here: 52 older agent versions."


def test_a_whole_card_has_all_of_them():
    found = card(groups_of(60), WHOLE)
    assert found.latest.chart is not None
    assert found.counts is not None
    assert len(found.latest.chart.marks) == len(found.latest.lines) == len(found.counts.rows) == 60
    assert found.left_out == ""


def test_versions_that_differ_are_named_as_far_as_anybody_reads_them():
    found = card(groups_of(60), WHOLE).latest.verdicts
    assert found[0] == "59.0.0 is marked right more often than 58.0.0."
    assert found[COMPARISONS:] == ["888 more pairs are apart."]  # 30 · 30 are


def test_only_versions_that_are_shown_are_compared():
    found = card(groups_of(9), BRIEF).latest.verdicts
    assert not any(" 0.0.0." in sentence for sentence in found)
    assert len([sentence for sentence in found if "more often" in sentence]) == COMPARISONS


def test_only_the_latest_of_many_earlier_rule_versions_are_on_a_brief_card():
    groups = [one for version in range(1, 7) for one in groups_of(1, rule_version=version)]
    found = card(groups, BRIEF, version=6)
    assert [part.rule_version for part in found.earlier] == [5, 4]
    assert found.left_out == "Not shown here: 3 earlier rule versions."
    assert [part.rule_version for part in card(groups, WHOLE, version=6).earlier] == [5, 4, 3, 2, 1]


def test_a_versions_own_markup_is_text():
    [group] = groups_of(1)
    named = Group(**{name: getattr(group, name) for name in Group.__slots__} | {"agent_version": "<b>1</b>"})
    [line] = card([named], BRIEF).latest.lines
    assert "&lt;b&gt;1&lt;/b&gt;: about 0%" in line
    assert line.endswith('<span class="nowrap">0–16%</span>')
