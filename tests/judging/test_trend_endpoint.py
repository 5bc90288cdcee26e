"""A rule's trend over /v1, in figures and in the reference's sentences (contract, section 6, "Trends")."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from kindgi.api.times import as_of, wire
from tests.judging.queues import change_rule, import_runs, old_rule, records, rules_path
from tests.support.shops import AGENT, Shop

WRONG = {"answer": "wrong", "why": "It was lost"}
FLOW = {"id": "shop.nightly", "version": "2.0.0"}
ABOUT_95 = "1.1.0: about 95% marked right, from 12 corrections (12 runs corrected so far); range 64\N{EN DASH}100%"
EXPERTS_WEIGH = "Weighted by judge class: An expert's correction counts 3\N{MULTIPLICATION SIGN} an unclassified one"
TOO_FEW_TO_CHART = "Too few corrections to chart yet: a version shows from 10 corrections."
OVERLAP = "The ranges overlap, so none is said to be marked right more often."
ONE_SKIPPED = (
    "1 matched run wasn't queued because the rule already had its most open runs waiting,"
    " so the queued ones lean toward quieter times."
)


def trend(shop: Shop, rule: dict[str, Any], **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = shop.api("viewer").ok("GET", rules_path(shop, rule["ruleId"], "trend"), query=query)
    return found


def latest(shop: Shop, rule: dict[str, Any], **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = trend(shop, rule, **query)["latest"]
    return found


def texts(part: dict[str, Any]) -> list[str]:
    """What is said of a rule version, sentence by sentence."""
    return [*(one["text"] for one in [*part["versions"], *part["comparisons"]]), *part["notes"]]


def runs_of(shop: Shop, number: int, version: str = "1.0.0") -> list[str]:
    """The ids of so many new runs of a version of the agent."""
    made = records(number, agent={"id": AGENT, "version": version, "via": "live"})
    import_runs(shop, *made)
    return [one["id"] for one in made]


def correct_each(shop: Shop, version: str, *, right: int, wrong: int = 0, judge_class: str | None = None) -> None:
    """So many new runs of a version, each with one correction."""
    classed = {} if judge_class is None else {"correctorGroupId": judge_class}
    for number, run_id in enumerate(runs_of(shop, right + wrong, version)):
        shop.correct(run_id, **({} if number < right else WRONG), **classed)


def test_the_contracts_check(undone: Shop):
    rule, expert = old_rule(undone), undone.judge_class("expert", weight=3)
    correct_each(undone, "1.1.0", right=4, judge_class=expert)
    correct_each(undone, "1.1.0", right=7, wrong=1)
    found = trend(undone, rule)
    (shown,) = found["latest"].pop("versions")
    low, high = shown.pop("low"), shown.pop("high")
    assert found == {
        "ruleId": rule["ruleId"],
        "latest": {"ruleVersion": 1, "skippedByCap": 0, "comparisons": [], "notes": []},
        "earlier": [],
        "weights": EXPERTS_WEIGH + ".",
    }
    assert shown == {
        "agentVersion": "1.1.0",
        "judgments": 12,
        "runsWithJudgments": 12,
        "effectiveRuns": 400 / 44,
        "share": 0.95,
        "text": ABOUT_95,
    }
    assert (low, high) == pytest.approx(proportion_confint(0.95 * 400 / 44, 400 / 44, method="wilson"), abs=1e-12)


def test_the_references_two_versions_compare_since_their_ranges_are_apart(undone: Shop):
    rule = old_rule(undone)
    expert, bot = undone.judge_class("expert", weight=3), undone.judge_class("bot", weight=1)
    correct_each(undone, "1.1.0", right=4, judge_class=expert)
    correct_each(undone, "1.1.0", right=7, wrong=1)
    correct_each(undone, "1.0.0", right=1, wrong=3, judge_class=expert)
    correct_each(undone, "1.0.0", right=2, wrong=5)
    correct_each(undone, "1.0.0", right=0, wrong=1, judge_class=bot)
    found = trend(undone, rule)
    assert texts(found["latest"]) == [
        ABOUT_95,
        "1.0.0: about 25% marked right, from 12 corrections (12 runs corrected so far); range 8\N{EN DASH}57%",
        "1.1.0 is marked right more often than 1.0.0.",
    ]
    assert [(one["better"], one["worse"]) for one in found["latest"]["comparisons"]] == [("1.1.0", "1.0.0")]
    assert found["weights"] == f"{EXPERTS_WEIGH}; a bot's correction counts the same as an unclassified one."


def test_versions_whose_ranges_overlap_are_not_compared(undone: Shop):
    rule = old_rule(undone)
    correct_each(undone, "1.1.0", right=10)
    correct_each(undone, "1.0.0", right=8, wrong=2)
    found = latest(undone, rule)
    one, other = found["versions"]
    assert one["low"] < other["high"] < one["share"]
    assert (found["comparisons"], found["notes"]) == ([], [OVERLAP])


def test_of_three_versions_those_compare_that_are_apart(undone: Shop):
    rule = old_rule(undone)
    correct_each(undone, "1.2.0", right=0, wrong=10)
    correct_each(undone, "1.1.0", right=5, wrong=5)
    correct_each(undone, "1.0.0", right=10)
    found = latest(undone, rule)
    assert [one["agentVersion"] for one in found["versions"]] == ["1.2.0", "1.1.0", "1.0.0"]
    assert texts(found)[3:] == ["1.0.0 is marked right more often than 1.2.0."]


def test_a_version_shows_from_10_corrections(undone: Shop):
    rule = old_rule(undone)
    first, *others = runs_of(undone, 9)
    undone.correct(first)
    undone.correct(first, by="editor:2")
    assert texts(latest(undone, rule)) == ["1.0.0: too few corrections to say (2 so far)", TOO_FEW_TO_CHART]
    for run_id in others[:-1]:
        undone.correct(run_id)
    nine = latest(undone, rule)
    assert texts(nine) == ["1.0.0: too few corrections to say (9 so far)", TOO_FEW_TO_CHART]
    assert not nine["versions"][0].keys() & {"share", "low", "high"}
    undone.correct(others[-1])
    assert texts(latest(undone, rule)) == [
        # Ten corrections, but of nine runs of which one has two: (10)² / (4 + 8) runs.
        "1.0.0: about 100% marked right, from 10 corrections (9 runs corrected so far); range 68\N{EN DASH}100%"
    ]


def test_many_corrections_of_one_run_do_not_narrow_its_range(undone: Shop):
    rule = old_rule(undone)
    (run_id,) = runs_of(undone, 1)
    items = [{"key": f"item-{number}", "verdict": "right"} for number in range(12)]
    undone.correct(run_id, answer="right", items=items)
    (shown,) = latest(undone, rule)["versions"]
    assert (shown["judgments"], shown["runsWithJudgments"], shown["effectiveRuns"]) == (13, 1, 1.0)
    assert (shown["low"], shown["high"]) == pytest.approx(proportion_confint(1, 1, method="wilson"), abs=1e-12)
    assert shown["text"].endswith("from 13 corrections (1 run corrected so far); range 21\N{EN DASH}100%")


def test_the_references_rule_after_its_change(undone: Shop):
    rule = old_rule(undone)
    correct_each(undone, "1.1.0", right=12)
    change_rule(undone, rule, maxOpen=1)
    runs_of(undone, 2, "1.2.0")
    found = trend(undone, rule)
    assert found["latest"]["ruleVersion"] == 2
    assert texts(found["latest"]) == [
        "1.2.0: too few corrections to say (0 so far)",
        TOO_FEW_TO_CHART,
        ONE_SKIPPED,
    ]
    (earlier,) = found["earlier"]
    assert (earlier["ruleVersion"], earlier["skippedByCap"]) == (1, 0)
    assert [(one["agentVersion"], one["judgments"], one["share"]) for one in earlier["versions"]] == [("1.1.0", 12, 1)]


def test_versions_of_a_rule_are_neither_added_nor_compared_with_each_other(undone: Shop):
    rule = old_rule(undone)
    correct_each(undone, "1.0.0", right=0, wrong=9)
    change_rule(undone, rule, name="Second")
    correct_each(undone, "1.0.0", right=9)
    change_rule(undone, rule, name="Third")
    found = trend(undone, rule)
    assert found["latest"] == {
        "ruleVersion": 3,
        "skippedByCap": 0,
        "versions": [],
        "comparisons": [],
        "notes": [TOO_FEW_TO_CHART],
    }
    assert [(one["ruleVersion"], texts(one)) for one in found["earlier"]] == [
        (version, ["1.0.0: too few corrections to say (9 so far)", TOO_FEW_TO_CHART]) for version in (2, 1)
    ]
    assert "weights" not in found


def test_runs_that_the_cap_kept_out_are_counted_over_all_agent_versions(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    runs_of(undone, 3, "1.0.0")
    runs_of(undone, 2, "1.1.0")
    found = latest(undone, rule)
    assert (found["skippedByCap"], found["notes"][-1]) == (
        4,
        ONE_SKIPPED.replace("1 matched run wasn't", "4 matched runs weren't"),
    )


def test_what_weighs_nothing_shows_nothing(undone: Shop):
    rule, idle = old_rule(undone), undone.judge_class("idle", weight=0)
    correct_each(undone, "1.0.0", right=10, judge_class=idle)
    found = trend(undone, rule)
    (shown,) = found["latest"]["versions"]
    assert (shown["effectiveRuns"], shown.keys() & {"share", "low", "high"}) == (0.0, set())
    assert shown["text"] == "1.0.0: none of its 10 corrections counts, by the weight of their judge class"
    assert found["weights"] == "Weighted by judge class: An idle's correction counts for nothing."
    assert found["latest"]["notes"] == [], "there are enough corrections"


def test_a_retired_class_is_named_and_weighs_as_before(undone: Shop):
    rule, expert = old_rule(undone), undone.judge_class("expert", weight=2.5)
    correct_each(undone, "1.0.0", right=1, judge_class=expert)
    before = trend(undone, rule)
    undone.admin.ok("POST", f"judge-classes/{expert}/unregister")
    assert trend(undone, rule) == before
    assert "An expert's correction counts 2.5\N{MULTIPLICATION SIGN} an unclassified one." in before["weights"]


def test_flows_runs_show_as_of_no_version_and_are_compared_with_none(undone: Shop):
    rule = old_rule(undone, when={})
    made = records(10, flow=FLOW)
    import_runs(undone, *made)
    for one in made:
        undone.correct(one["id"], **WRONG)
    correct_each(undone, "1.0.0", right=10)
    found = latest(undone, rule)
    assert [one["agentVersion"] for one in found["versions"]] == ["1.0.0", None]
    assert found["versions"][1]["high"] < found["versions"][0]["low"]
    assert found["versions"][1]["text"].startswith("No version: about 0% marked right")
    assert (found["comparisons"], found["notes"]) == ([], [])


def test_since_leaves_out_what_was_queued_before(undone: Shop):
    day = datetime(2026, 3, 10, tzinfo=UTC)
    rule = old_rule(undone, at=day - timedelta(days=100))
    with as_of(day - timedelta(days=60)):
        before = runs_of(undone, 10)
    with as_of(day + timedelta(hours=7)):
        after = runs_of(undone, 10)
    for run_id in before:
        undone.correct(run_id, **WRONG)
    for run_id in after:
        undone.correct(run_id)
    since = wire(day + timedelta(hours=6))
    found = trend(undone, rule, since=since)
    assert found["since"] == since
    assert [(one["judgments"], one["share"]) for one in found["latest"]["versions"]] == [(10, 1.0)]
    assert [one["share"] for one in latest(undone, rule)["versions"]] == [0.5]
    assert latest(undone, rule, since=wire(day + timedelta(hours=8)))["versions"] == []
