"""The sentences about results, items and classes: the reference's own, to the letter, and others in their voice."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.intervals import Range, wilson
from judging.results import Group, Tally
from judging.results import counts as counts_of
from judging.trends import VersionTrend, trend
from judging.words import classes, items, parts, results

EXPERT = UUID(int=1)
REASON = "A test order"
AT = "24 Oct 2026, 9 PM EDT"


def shown(agent_version: str | None, *, expert: int, right: int, wrong: int, weight: float = 3.0) -> VersionTrend:
    """A version with a verdict a run: of experts, all right, and unclassified ones."""
    tallies: list[Tally] = [{judge_class: (1, 1)} for judge_class in [EXPERT] * expert + [None] * right]
    tallies += [{None: (1, 0)} for _ in range(wrong)]
    group = Group(
        rule_version=1,
        agent_version=agent_version,
        open=0,
        judged=len(tallies),
        dismissed=0,
        erased=0,
        skipped_by_cap=0,
        **counts_of(tallies)._asdict(),
    )
    found = trend([group], rule_version=1, weights={EXPERT: weight}, names={EXPERT: "expert"})
    return found.latest.versions[0]


VERSION_LINES: list[tuple[VersionTrend, str]] = [
    (
        shown("1.1.0", expert=4, right=7, wrong=1),
        "1.1.0: about 95% marked right, from 12 corrections (12 runs corrected so far); range 64–100%",
    ),
    (shown("1.0.0", expert=0, right=1, wrong=1), "1.0.0: too few corrections to say (2 so far)"),
    (shown("1.2.0", expert=0, right=0, wrong=0), "1.2.0: too few corrections to say (0 so far)"),
    (shown(None, expert=0, right=9, wrong=0), "No version: too few corrections to say (9 so far)"),
    (
        shown("1.0.0", expert=12, right=0, wrong=0, weight=0.0),
        "1.0.0: none of its 12 corrections counts, by the weight of their judge class",
    ),
    (
        shown("1.0.0", expert=0, right=1999, wrong=1),
        "1.0.0: about 99% marked right, from 2,000 corrections (2,000 runs corrected so far); range 99–100%",
    ),
]


@pytest.mark.parametrize(("version", "line"), VERSION_LINES, ids=[line for _, line in VERSION_LINES])
def test_a_versions_line(version: VersionTrend, line: str):
    assert results.version_line(version) == line


def test_one_of_a_kind_is_said_of_one():
    line = results.marked_right("2.0.0", share=1.0, found=Range(0.5, 1.0), judgments=1, runs=1)
    assert line == "2.0.0: about 100% marked right, from 1 correction (1 run corrected so far); range 50–100%"
    line = "2.0.0: none of its 1 correction counts, by the weight of their judge class"
    assert results.nothing_weighs("2.0.0", judgments=1) == line


def test_many_verdicts_may_be_on_one_run():
    line = results.marked_right("2.0.0", share=0.25, found=Range(0.05, 0.7), judgments=12, runs=1)
    assert line == "2.0.0: about 25% marked right, from 12 corrections (1 run corrected so far); range 5–70%"


def test_the_references_sentences_about_results():
    assert results.comparison(better="1.1.0", worse="1.0.0") == "1.1.0 is marked right more often than 1.0.0."
    assert results.too_few_to_chart() == "Too few corrections to chart yet: a version shows from 10 corrections."
    assert str(results.SHOWN_APART) == "shown apart, never added in"
    assert results.skipped_by_cap(1) == (
        "1 matched run wasn't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times."
    )
    assert results.skipped_by_cap(1003) == (
        "1,003 matched runs weren't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times."
    )


def test_a_chart_is_told_to_who_does_not_see_it():
    versions = [
        shown("1.1.0", expert=4, right=7, wrong=1),
        shown("1.0.0", expert=0, right=1, wrong=0),
        shown("0.9.0", expert=12, right=0, wrong=0, weight=0.0),
    ]
    told = "share marked right by version: 1.1.0 95%, range 64 to 100%; 1.0.0 too few corrections; 0.9.0 nothing counts"
    assert results.chart_title("Retail sample", versions) == f"Retail sample, {told}"
    assert results.earlier_chart_title("Retail sample", 2, versions) == f"Retail sample, rule version 2, {told}"


def test_the_counts_of_each_class():
    said = results.right_by_class([("expert", 26, 28), (None, 12, 14)])
    assert said == "expert 26 of 28, unclassified 12 of 14"


SHARES: list[tuple[float, str, str]] = [
    (0.0, "0%", "0.0%"),
    (0.0001, "1%", "0.1%"),
    (0.25, "25%", "25.0%"),
    (0.5655, "57%", "56.6%"),
    (0.918, "92%", "91.8%"),
    (0.95, "95%", "95.0%"),
    (0.995, "99%", "99.5%"),
    (0.9999, "99%", "99.9%"),
    (1.0, "100%", "100.0%"),
]


@pytest.mark.parametrize(("share", "whole", "tenths"), SHARES)
def test_a_share_is_all_or_none_only_where_it_is(share: float, whole: str, tenths: str):
    assert (parts.percent(share), parts.percent_in_tenths(share)) == (whole, tenths)


@given(st.floats(0, 1), st.floats(0, 1e9))
def test_a_share_is_said_to_be_in_its_range(share: float, n: float):
    found = wilson(share, n)
    assert parts.low_end(found) <= int(parts.percent(share)[:-1]) <= parts.high_end(found)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Range(0.6375, 0.9952), "64–100%"),
        (Range(0.9969, 0.9971), "99–100%"),
        (Range(0.002, 0.004), "0–1%"),
        (Range(0.0, 1.0), "0–100%"),
    ],
)
def test_a_range_is_in_whole_percents(found: Range, said: str):
    assert parts.percent_range(found) == said


NEEDS: list[tuple[list[str | None], list[tuple[str | None, int]], str]] = [
    (["expert"], [(None, 1)], "Needs an expert correction (1 so far, unclassified)"),
    (["expert"], [], "Needs an expert correction"),
    (["expert"], [(None, 0)], "Needs an expert correction"),
    (["expert"], [(None, 2)], "Needs an expert correction (2 so far, unclassified)"),
    (["expert"], [("peer", 1)], "Needs an expert correction (1 so far, peer)"),
    (["expert"], [(None, 2), ("peer", 1)], "Needs an expert correction (3 so far: 2 unclassified, 1 peer)"),
    ([None], [], "Needs any correction"),
    (["expert", None], [], "Needs an expert correction"),
    ([None, "expert", "expert"], [], "Needs an expert correction"),
    (["expert", "bot"], [(None, 1)], "Needs an expert correction and a bot correction (1 so far, unclassified)"),
    (["legal", "expert", "bot"], [], "Needs a legal correction, an expert correction and a bot correction"),
]


@pytest.mark.parametrize(("wants", "so_far", "said"), NEEDS)
def test_what_an_item_needs(wants: list[str | None], so_far: list[tuple[str | None, int]], said: str):
    assert items.needs(wants, so_far) == said


ENDED: list[tuple[str, str]] = [
    (items.dismissed(by="you", at=AT, reason=REASON), "Dismissed by you 24 Oct 2026, 9 PM EDT: A test order"),
    (items.dismissed(by="Jonas Weber", at=AT, reason=""), "Dismissed by Jonas Weber 24 Oct 2026, 9 PM EDT"),
    (items.dismissed(by="you", at=AT, reason="100 % %s"), "Dismissed by you 24 Oct 2026, 9 PM EDT: 100 % %s"),
    (items.corrected(by="Jonas Weber", at=AT), "Corrected by Jonas Weber 24 Oct 2026, 9 PM EDT"),
    (items.corrected_and("with-owner"), "Corrected: with the owner"),
    (items.erased(at=AT), "Erased 24 Oct 2026, 9 PM EDT"),
    (items.others_wait(2), "2 more wait for other judges."),
    (items.others_wait(1), "1 more waits for other judges."),
    (items.runs_dismissed(count=2, reason=REASON), "2 runs dismissed: A test order."),
    (items.runs_dismissed(count=2, reason="A test order."), "2 runs dismissed: A test order."),
    (items.runs_dismissed(count=1, reason="Whose is it?"), "1 run dismissed: Whose is it?"),
    (items.runs_dismissed(count=1, reason=""), "1 run dismissed."),
    (
        items.left_queue(rule="Retail sample", judge_class="expert"),
        "The run left the queue: Retail sample has its expert correction.",
    ),
    (items.left_queue(rule="Everything", judge_class=None), "The run left the queue: Everything has its correction."),
]


@pytest.mark.parametrize(("said", "expected"), ENDED, ids=[expected for _, expected in ENDED])
def test_how_an_item_ended(said: str, expected: str):
    assert said == expected


def test_the_weights_of_a_trend():
    assert classes.weighted_by([("expert", 3.0), ("bot", 1.0)]) == (
        "Weighted by judge class: An expert's correction counts 3× an unclassified one;"
        " a bot's correction counts the same as an unclassified one."
    )
    assert classes.weighted_by([("sales", 0.0), ("ops", 1 / 3)]) == (
        "Weighted by judge class: A sales' correction counts for nothing;"
        " an ops' correction counts about 0.3333× an unclassified one."
    )


WEIGHTS: list[tuple[float, str]] = [
    (3.0, "Counts 3× an unclassified one"),
    (1.0, "Counts the same as an unclassified one"),
    (0.0, "Counts for nothing"),
    (0.5, "Counts 0.5× an unclassified one"),
    (2.5, "Counts 2.5× an unclassified one"),
    (1.005, "Counts 1.005× an unclassified one"),
    (1 / 3, "Counts about 0.3333× an unclassified one"),
    (12_000.0, "Counts 12,000× an unclassified one"),
    (1e308, "Counts 1e+308× an unclassified one"),
]


@pytest.mark.parametrize(("weight", "said"), WEIGHTS)
def test_how_much_a_class_counts(weight: float, said: str):
    assert classes.counts(weight) == said


GIVEN_BY: list[tuple[dict[str, Any], str]] = [
    ({}, "Anyone who may correct"),
    ({"kinds": ["user"]}, "Only people"),
    ({"kinds": ["service"]}, "Only services"),
    ({"kinds": ["user", "service"]}, "Only people and services"),
    ({"kinds": ["user"], "min_reviewer_role": "senior"}, "Only people, senior reviewers or above"),
    ({"min_reviewer_role": "senior"}, "Only senior reviewers or above"),
    ({"min_reviewer_role": "standard"}, "Only reviewers of any role"),
    ({"min_reviewer_role": "admin"}, "Only admin reviewers"),
    ({"kinds": ["user"], "principal_count": 4}, "4 named people"),
    ({"kinds": ["user"], "principal_count": 1}, "1 named person"),
    ({"kinds": ["service"], "principal_count": 2}, "2 named services"),
    ({"principal_count": 2}, "2 named people or services"),
    ({"principal_count": 2, "min_reviewer_role": "admin"}, "2 named people or services, admin reviewers"),
]


@pytest.mark.parametrize(("restriction", "said"), GIVEN_BY)
def test_who_may_give_a_class(restriction: dict[str, Any], said: str):
    assert classes.given_by(**{"kinds": [], "min_reviewer_role": "", "principal_count": 0, **restriction}) == said


def test_where_a_class_applies():
    assert classes.applies_to(project=True, agent=None) == "This project"
    assert classes.applies_to(project=False, agent=None) == "The whole workspace"
    assert classes.applies_to(project=True, agent="Retail desk") == "Retail desk in this project"


def test_what_removing_a_class_says():
    assert classes.removing_strands(["Echo half", "Support sample"]) == (
        "2 rules want its correction (Echo half, Support sample): change them first,"
        " or their items wait for a class nobody can give."
    )
    assert classes.removing_strands(["Echo half"]) == (
        "1 rule wants its correction (Echo half): change it first, or its items wait for a class nobody can give."
    )


SENTENCES: list[tuple[Any, str]] = [
    (
        items.HEADER,
        "Answers waiting for a correction, where each corrected one stands, and the judging rules that pick them.",
    ),
    (classes.A_SHARE_WEIGHTS, "A share weights each correction by its class."),
    (
        classes.EXPERTS_CORRECTIONS,
        'Corrections in a restricted class are the experts\' corrections: "Count only experts" counts only those.',
    ),
    (
        classes.REMOVING_KEEPS,
        "No new correction can name it. Corrections that named it keep it, and still count with its weight in trends.",
    ),
]


@pytest.mark.parametrize(("said", "expected"), SENTENCES)
def test_the_references_other_sentences(said: Any, expected: str):
    assert str(said) == expected


AN = ["expert", "Expert", "agent", "end user", "LLM", "AI", "SME", "HR", "EU lawyer", "L1", "X-ray reader", "hour"]
AN += ["honest", "8th grader", "11", "éditeur", '"outside"', "uninformed", "unimportant", "MIT", "onerous", "A"]
A = ["bot", "peer", "user", "unit", "European", "one-time", "QA", "UX", "UI", "NASA", "hospital", "Retail", "URL"]
A += ["1st line", "T2", "uniform", "", "编辑", "utility", "B", "SQLite"]


@pytest.mark.parametrize(("article", "names"), [("an", AN), ("a", A)])
def test_an_article_goes_by_how_a_name_is_said(article: str, names: list[str]):
    assert [items.wanted(name) for name in names] == [f"{article} {name} correction" for name in names]
    weights = [classes.weighted_by([(name, 0.0)]) for name in names]
    assert [said.split()[4] for said in weights] == [article.title()] * len(names)
