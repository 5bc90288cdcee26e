"""``maxOpen``: a rule queues no more while so many of its runs wait, and counts what it leaves out (section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from judging.models import Measure, RuleCount, SkippedRun
from judging.sampling import Sample
from tests.judging.queues import (
    change_rule,
    dismiss,
    import_runs,
    item_of,
    old_rule,
    queue,
    queued_runs,
    records,
    reopen,
)
from tests.support.shops import AGENT, Shop

Rule = dict[str, Any]


def skipped(rule: Rule) -> list[str]:
    """The runs that the rule left out, in the order in which they came."""
    found = SkippedRun.objects.filter(rule_id=rule["ruleId"]).values_list("run_id", flat=True)
    counted = RuleCount.objects.filter(rule_id=rule["ruleId"], measure=Measure.SKIPPED).values_list("n", flat=True)
    assert sum(counted) == len(found), "the count is of the runs"
    return [str(run_id) for run_id in found]


def taken(shop: Shop, rule: Rule) -> list[str]:
    """The runs that the rule queued, in the queue's order."""
    return queued_runs(shop, f"ruleId={rule['ruleId']}")


def waiting(shop: Shop, rule: Rule) -> int:
    total: int = queue(shop, f"ruleId={rule['ruleId']}&state=open&limit=0")["total"]
    return total


def ids(runs: list[dict[str, Any]]) -> list[str]:
    return [run["id"] for run in runs]


def test_a_rule_queues_no_more_than_its_cap_and_counts_what_it_leaves_out(undone: Shop):
    rule = old_rule(undone, maxOpen=2)
    runs = [undone.run() for _ in range(5)]
    assert (queued_runs(undone), skipped(rule)) == (runs[:2], runs[2:])
    assert (waiting(undone, rule), queue(undone, "limit=0")["total"]) == (2, 2)


def test_of_an_import_the_first_that_there_is_room_for_are_queued(undone: Shop):
    rule, runs = old_rule(undone, maxOpen=10), records(50)
    import_runs(undone, *runs)
    assert taken(undone, rule) == ids(runs[:10])
    assert sorted(skipped(rule)) == sorted(ids(runs[10:]))


def test_an_import_may_straddle_the_cap(undone: Shop):
    rule, first, second = old_rule(undone, maxOpen=5), records(3), records(4)
    import_runs(undone, *first)
    import_runs(undone, *second)
    assert taken(undone, rule) == ids(first + second[:2])
    assert sorted(skipped(rule)) == sorted(ids(second[2:]))


def test_runs_that_the_rule_does_not_take_use_no_room(undone: Shop):
    rule = old_rule(undone, maxOpen=3, sample=0.5)
    sample, runs = Sample(UUID(rule["ruleId"]), 0.5), records(40)
    import_runs(undone, *(run | {"agent": {"id": "other", "version": "1"}} for run in records(5)), *runs)
    sampled = [run["id"] for run in runs if sample.takes(UUID(run["id"]))]
    assert len(sampled) > 3
    assert taken(undone, rule) == sampled[:3]
    assert sorted(skipped(rule)) == sorted(sampled[3:])


def corrected(shop: Shop, run_id: str) -> None:
    shop.correct(run_id)


def dismissed(shop: Shop, run_id: str) -> None:
    dismiss(shop, run_id)


def erased(shop: Shop, run_id: str) -> None:
    shop.admin.ok("POST", f"runs/{run_id}/erase")


@pytest.mark.parametrize("close", [corrected, dismissed, erased])
def test_there_is_room_again_once_an_item_is_closed(undone: Shop, close: Callable[[Shop, str], None]):
    rule = old_rule(undone, maxOpen=2)
    first, _, left_out = (undone.run() for _ in range(3))
    close(undone, first)
    assert waiting(undone, rule) == 1
    later, too_late = undone.run(), undone.run()
    assert waiting(undone, rule) == 2
    assert later in taken(undone, rule) and skipped(rule) == [left_out, too_late]


def test_a_correction_that_satisfies_nobody_makes_no_room(undone: Shop):
    rule = old_rule(undone, maxOpen=1, judgeClassId=undone.judge_class())
    undone.correct(undone.run())
    left_out = undone.run()
    assert (waiting(undone, rule), skipped(rule)) == (1, [left_out])


def test_what_is_reopened_takes_its_room_again_though_there_is_none(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    first = undone.run()
    dismiss(undone, first)
    second = undone.run()
    assert reopen(undone, first)["state"] == "open"
    assert waiting(undone, rule) == 2
    dismiss(undone, second)
    left_out = undone.run()
    assert (waiting(undone, rule), skipped(rule)) == (1, [left_out])


def test_what_a_full_rule_leaves_out_another_may_queue(undone: Shop):
    full, free = old_rule(undone, maxOpen=1), old_rule(undone)
    first, second = undone.run(), undone.run()
    assert (taken(undone, full), taken(undone, free)) == ([first], [first, second])
    assert (skipped(full), skipped(free)) == ([second], [])
    item = item_of(undone, second)
    assert item is not None and item["rules"] == [{"ruleId": free["ruleId"], "version": 1}]


def test_each_rule_has_its_own_cap(undone: Shop):
    small, large = old_rule(undone, maxOpen=2), old_rule(undone, maxOpen=4)
    runs = records(6)
    import_runs(undone, *runs)
    assert (taken(undone, small), taken(undone, large)) == (ids(runs[:2]), ids(runs[:4]))
    assert queue(undone, "limit=0")["total"] == 4
    assert (len(skipped(small)), len(skipped(large))) == (4, 2)


def test_an_item_of_several_rules_takes_room_of_each_until_all_are_satisfied(undone: Shop):
    expert = undone.judge_class()
    anybodys, experts = old_rule(undone, maxOpen=1), old_rule(undone, maxOpen=1, judgeClassId=expert)
    first = undone.run()
    undone.correct(first)
    left_out = undone.run()
    assert skipped(anybodys) == skipped(experts) == [left_out]
    undone.correct(first, by="editor:2", correctorGroupId=expert)
    later = undone.run()
    assert taken(undone, anybodys) == taken(undone, experts) == [first, later]


def test_a_rule_follows_the_cap_of_its_latest_version(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    runs = [undone.run() for _ in range(2)]
    change_rule(undone, rule, maxOpen=2)
    runs += [undone.run() for _ in range(2)]
    change_rule(undone, rule, maxOpen=1)
    runs.append(undone.run())
    change_rule(undone, rule, maxOpen=None)
    runs.append(undone.run())
    assert taken(undone, rule) == [runs[0], runs[2], runs[5]]
    assert skipped(rule) == [runs[1], runs[3], runs[4]]
    versions = SkippedRun.objects.filter(rule_id=rule["ruleId"]).values_list("rule_version", flat=True)
    assert list(versions) == [1, 2, 3]


def test_a_run_that_was_left_out_stays_so_when_it_is_told_again(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    first, left_out = undone.run(), undone.run()
    dismiss(undone, first)
    undone.run(left_out)
    import_runs(undone, {**records(1)[0], "id": left_out})
    assert (taken(undone, rule), skipped(rule)) == ([first], [left_out])


def test_every_run_of_a_rule_was_either_taken_or_left_out(undone: Shop):
    rule = old_rule(undone, maxOpen=3, when={"agentIds": [AGENT]})
    runs = records(4)
    import_runs(undone, *runs[:2])
    undone.correct(runs[0]["id"])
    import_runs(undone, *runs[2:], *(more := records(5)))
    assert sorted(taken(undone, rule) + skipped(rule)) == sorted(ids(runs + more))
    assert waiting(undone, rule) == 3
