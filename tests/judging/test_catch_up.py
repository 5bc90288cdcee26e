"""A rule is brought to runs that have ended already: to which, and what becomes of each (contract, section 6)."""

from __future__ import annotations

from typing import Any

import pytest

from judging.models import QueueEntry, SkippedRun
from judging.selectors import catch_up as reading
from judging.services.catch_up import catch_up_step
from tests.judging.catching_up import (
    asked,
    assert_it_adds_up,
    at,
    caught_up,
    counts,
    ended,
    erase,
    matches,
    small_batches,
)
from tests.judging.queues import (
    change_rule,
    dismiss,
    import_runs,
    item_of,
    make_rule,
    old_rule,
    queue,
    queued_runs,
    records,
    reopen,
    rules_path,
    states,
)
from tests.support.matrices import UNKNOWN
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, Shop

__all__ = ["small_batches"]

FLOW = {"flow": {"id": "intake", "version": "1.0.0"}}
ANOTHERS = {"agent": {"id": "other", "version": "1.0.0"}}
# A run that didn't complete is no match, nor one of another agent. All of them are among the project's last.
NO_MATCHES: list[dict[str, Any]] = [{"status": "failed"}, {"status": "cancelled"}, {"dryRun": True}, FLOW, ANOTHERS]
# Nobody's own runs: a step of another, replays, and runs on the test cases. None of them is among the last.
NOT_BY_THEMSELVES: list[dict[str, Any]] = [
    {"parentRunId": UNKNOWN},
    {"replayOf": UNKNOWN},
    {"evalRunId": "eval-1"},
    {**FLOW, "parentRunId": UNKNOWN},
]


def of_rule(shop: Shop, rule: dict[str, Any]) -> list[str]:
    """The runs that the rule has queued, in the queue's order."""
    return queued_runs(shop, f"ruleId={rule['ruleId']}")


class TestCounts:
    """The matches are counted three ways, which together are all of them."""

    def test_every_match_is_counted_in_one_of_the_three(self, undone: Shop):
        rule = make_rule(undone)
        waits, judged, dismissed = early = ended(undone, 1, 2, 3)
        assert counts(caught_up(undone, rule, since=at(0))) == (3, 0, 0)
        undone.correct(judged)
        dismiss(undone, dismissed)
        new = ended(undone, 4, 5)
        other = old_rule(undone, at=at(5), judgeClassId=undone.judge_class())
        joined, corrected, erased = ended(undone, 6, 7, 8)
        undone.correct(corrected)  # by nobody whom the other rule wants, so that the item waits on
        erase(undone, erased)
        dismiss(undone, joined)
        reopen(undone, joined)
        for body in NO_MATCHES:
            ended(undone, 9, **body)
        job = caught_up(undone, rule, last=1000)
        assert counts(job) == (4, 1, 2)
        assert sum(counts(job)) == len(matches(rule, [*early, *new, joined, corrected, erased])) == 7
        assert (job.state, job.done, job.of) == ("done", 13, 13)
        assert states(undone) == dict.fromkeys([waits, *new, joined, corrected], "open") | {
            judged: "judged", dismissed: "dismissed", erased: "erased",
        }  # fmt: skip
        assert of_rule(undone, other) == [joined, corrected, erased]
        assert_it_adds_up(undone)

    def test_twice_the_second_queues_nothing(self, undone: Shop):
        rule, runs = make_rule(undone), ended(undone, 1, 2, 3)
        assert counts(caught_up(undone, rule, last=3)) == (3, 0, 0)
        before = queue(undone)
        assert counts(caught_up(undone, rule, last=3)) == (0, 3, 0)
        assert queue(undone) == before and queued_runs(undone) == runs

    def test_what_is_corrected_or_dismissed_after_the_first_is_reviewed_for_the_second(self, undone: Shop):
        rule, (corrected, dismissed, waits) = make_rule(undone), ended(undone, 1, 2, 3)
        caught_up(undone, rule, last=3)
        undone.correct(corrected)
        dismiss(undone, dismissed)
        assert counts(caught_up(undone, rule, last=3)) == (0, 1, 2)
        assert states(undone) == {corrected: "judged", dismissed: "dismissed", waits: "open"}

    def test_a_run_that_was_corrected_without_ever_being_queued_is_reviewed(self, undone: Shop):
        rule, (corrected, taken_back, clean) = make_rule(undone), ended(undone, 1, 2, 3)
        undone.correct(corrected)
        made = undone.correct(taken_back)
        undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
        assert counts(caught_up(undone, rule, last=3)) == (2, 0, 1)
        assert queued_runs(undone) == [taken_back, clean]
        assert_it_adds_up(undone)

    def test_an_item_that_waits_for_another_rule_is_joined_where_it_stands(self, undone: Shop):
        expert = undone.judge_class()
        other = old_rule(undone, at=at(0), judgeClassId=expert)
        runs = ended(undone, 1, 2)
        undone.correct(runs[0])
        before = [item_of(undone, run_id) for run_id in runs]
        rule = make_rule(undone)
        assert counts(caught_up(undone, rule, last=2)) == (2, 0, 0)
        for run_id, item in zip(runs, before, strict=True):
            assert item is not None
            names = [{"ruleId": one["ruleId"], "version": 1} for one in (other, rule)]
            assert item_of(undone, run_id) == {**item, "rules": names, "anyJudgment": True}
        assert queued_runs(undone) == runs == of_rule(undone, rule)
        undone.correct(runs[1], correctorGroupId=expert)
        assert states(undone) == {runs[0]: "open", runs[1]: "judged"}
        assert_it_adds_up(undone)

    def test_another_rules_closed_item_is_left_as_it_is(self, undone: Shop):
        old_rule(undone, at=at(0))
        judged, dismissed = ended(undone, 1, 2)
        undone.correct(judged)
        dismiss(undone, dismissed)
        before = queue(undone)
        assert counts(caught_up(undone, make_rule(undone), last=2)) == (0, 0, 2)
        assert queue(undone) == before and QueueEntry.objects.count() == 2


class TestWindow:
    """The last of the project's runs, those that ended at or after an instant, or both."""

    def test_the_last_are_the_newest_by_their_end_however_they_were_told(self, undone: Shop):
        fourth, first, fifth, third, second = ended(undone, 4, 1, 5, 3, 2)
        rule = make_rule(undone)
        for last, runs in ((1, [fifth]), (3, [third, fourth, fifth]), (1000, [first, second, third, fourth, fifth])):
            job = caught_up(undone, rule, last=last)
            assert (job.of, job.done, sum(counts(job))) == (len(runs), len(runs), len(runs))
            assert sorted(of_rule(undone, rule)) == sorted(runs)

    @pytest.mark.parametrize(("minute", "found"), [(0, 3), (1, 3), (1.00002, 2), (3, 1), (3.00002, 0), (1e6, 0)])
    def test_since_takes_those_that_ended_then(self, undone: Shop, minute: float, found: int):
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        job = caught_up(undone, rule, since=at(minute))
        assert (job.state, job.of, job.done, job.queued) == ("done", found, found, found)
        assert queued_runs(undone) == runs[3 - found :]

    @pytest.mark.parametrize(("last", "minute", "found"), [(2, 1, [2, 3]), (5, 2, [1, 2, 3]), (1, 3, [3]), (4, 9, [])])
    def test_with_both_it_is_the_last_of_those(self, undone: Shop, last: int, minute: float, found: list[int]):
        runs = ended(undone, 1, 2, 3, 4)
        job = caught_up(undone, make_rule(undone), last=last, since=at(minute))
        assert (job.of, job.queued) == (len(found), len(found))
        assert queued_runs(undone) == [runs[number] for number in found]

    def test_of_runs_that_ended_together_the_edge_takes_as_many_as_it_must_and_always_the_same(self, undone: Shop):
        ended(undone, 1, 2, 2, 2, 2, 2, 3)
        rules = [make_rule(undone) for _ in range(2)]
        for rule in rules:
            job = caught_up(undone, rule, last=4)
            assert (job.of, job.done, job.queued) == (4, 4, 4)
        assert of_rule(undone, rules[0]) == of_rule(undone, rules[1])
        assert caught_up(undone, rules[0], last=4, since=at(2)).already_queued == 4
        assert counts(caught_up(undone, rules[0], since=at(2))) == (2, 4, 0)

    @pytest.mark.parametrize("number", [2, 3, 4, 6, 9, 10])
    def test_runs_that_ended_together_are_each_done_once_in_any_number_of_batches(
        self, undone: Shop, small_batches: None, number: int
    ):
        runs = ended(undone, *[1] * number)
        job = caught_up(undone, make_rule(undone), last=1000)
        assert (job.state, job.of, job.done, counts(job)) == ("done", number, number, (number, 0, 0))
        assert sorted(queued_runs(undone)) == sorted(runs)

    @pytest.mark.parametrize("body", NOT_BY_THEMSELVES, ids=str)
    def test_steps_replays_and_runs_on_the_test_cases_are_not_among_the_last(self, undone: Shop, body: dict[str, Any]):
        first = ended(undone, 1)
        ended(undone, 2, 3, **body)
        job = caught_up(undone, make_rule(undone, when={}), last=1)
        assert (job.of, job.done, counts(job)) == (1, 1, (1, 0, 0))
        assert queued_runs(undone) == first

    @pytest.mark.parametrize("body", NO_MATCHES, ids=str)
    def test_whatever_else_ended_is_among_the_last_though_it_matches_not(self, undone: Shop, body: dict[str, Any]):
        ended(undone, 1)
        ended(undone, 2, **body)
        job = caught_up(undone, make_rule(undone), last=1)
        assert (job.of, job.done, counts(job)) == (1, 1, (0, 0, 0))
        assert queued_runs(undone) == []

    def test_so_is_an_erased_run(self, undone: Shop):
        _, erased = ended(undone, 1, 2)
        erase(undone, erased)
        job = caught_up(undone, make_rule(undone), last=1)
        assert (job.of, job.done, counts(job)) == (1, 1, (0, 0, 0))

    def test_a_run_that_has_not_ended_is_not(self, undone: Shop):
        runs = ended(undone, 1)
        for status in ("pending", "running", "suspended"):
            undone.run(status=status)
        assert caught_up(undone, make_rule(undone), last=1).queued == 1
        assert queued_runs(undone) == runs

    def test_another_projects_runs_are_not_nor_another_tenants(self, undone: Shop):
        mine = ended(undone, 1)
        ended(undone, 2, projectId=str(undone.other_project().pk))
        ended(Shop.open(), 2)
        job = caught_up(undone, make_rule(undone, when={}), last=1)
        assert (job.of, job.queued, queued_runs(undone)) == (1, 1, mine)

    def test_where_there_are_none_it_is_done_at_once(self, undone: Shop):
        job = asked(undone, make_rule(undone), last=1000)
        assert (job.state, job.of, job.done, counts(job)) == ("done", 0, 0, (0, 0, 0))
        assert job.finished_at == job.created_at
        assert catch_up_step(catch_up_id=job.pk) is False

    @pytest.mark.parametrize("last", [None, 5])
    def test_it_is_of_one_moment(self, undone: Shop, last: int | None):
        ended(undone, 1, 2)
        with assert_queries(exact=1):
            window = reading.window_of(project=undone.project, last=last, since=at(0))
        assert (window.of, window.until) == (2, at(2))


class TestTaking:
    """It takes the runs that the rule itself would have, and more than its cap."""

    @pytest.mark.parametrize("share", [0.05, 0.3, 0.999, 1])
    def test_it_samples_as_the_rule_does(self, undone: Shop, small_batches: None, share: float):
        runs = ended(undone, *range(60))
        rule = make_rule(undone, sample=share)
        job = caught_up(undone, rule, last=60)
        taken = matches(rule, runs)
        assert queued_runs(undone) == taken
        assert (job.of, counts(job)) == (60, (len(taken), 0, 0))

    @pytest.mark.parametrize(
        "when", [{}, {"flowIds": ["intake"]}, {"versions": ["2.0.0"]}, {"versions": ["live"], "includeDryRuns": True}]
    )
    def test_it_takes_what_the_rule_is_about(self, undone: Shop, when: dict[str, Any]):
        runs = ended(undone, 1)
        for minute, body in enumerate([*NO_MATCHES, {"agent": {"id": AGENT, "version": "2.0.0", "via": "explicit"}}]):
            runs += ended(undone, 2 + minute, **body)
        rule = make_rule(undone, when=when)
        job = caught_up(undone, rule, last=100)
        assert queued_runs(undone) == matches(rule, runs)
        assert (job.of, sum(counts(job))) == (len(runs), len(matches(rule, runs)))

    def test_the_oldest_end_is_first_in_the_queue(self, undone: Shop, small_batches: None):
        third, first, fourth, second, fifth = ended(undone, 3, 1, 4, 2, 5)
        caught_up(undone, make_rule(undone), last=5)
        assert queued_runs(undone) == [first, second, third, fourth, fifth]

    def test_what_is_caught_up_stands_behind_what_waits_already(self, undone: Shop):
        old_rule(undone, when={"agentIds": ["other"]})
        waits = undone.run(**ANOTHERS)
        runs = ended(undone, 1, 2)
        caught_up(undone, make_rule(undone), last=3)
        assert queued_runs(undone) == [waits, *runs]

    def test_the_cap_does_not_apply_and_the_rule_then_adds_nothing_until_fewer_wait(self, undone: Shop):
        rule, runs = old_rule(undone, maxOpen=2), ended(undone, 1, 2, 3)
        assert caught_up(undone, rule, last=3).queued == 3
        for _ in range(2):
            left_out = undone.run()
            assert left_out not in queued_runs(undone)
            dismiss(undone, runs.pop())
        assert len(runs) == 1
        taken = undone.run()
        assert of_rule(undone, rule)[-1] == taken
        assert SkippedRun.objects.count() == 2
        assert_it_adds_up(undone)

    def test_what_the_cap_kept_out_is_added_once_a_catch_up_queues_it(self, undone: Shop):
        rule = old_rule(undone, at=at(0), maxOpen=1)
        runs = ended(undone, 1, 2, 3, 4)
        change_rule(undone, rule, name="Version 2")
        assert figures(undone, rule) == [(1, 1, 3)]
        assert counts(caught_up(undone, rule, last=2)) == (2, 0, 0)
        assert figures(undone, rule) == [(2, 2, 0), (1, 1, 1)]
        assert [str(one.run_id) for one in SkippedRun.objects.all()] == [runs[1]]
        assert counts(caught_up(undone, rule, last=4)) == (1, 3, 0)
        assert figures(undone, rule) == [(2, 3, 0), (1, 1, 0)]
        assert_it_adds_up(undone)

    def test_so_it_is_where_another_rule_queued_it(self, undone: Shop):
        rule, _ = old_rule(undone, maxOpen=1), old_rule(undone)
        import_runs(undone, *records(3))
        assert figures(undone, rule) == [(1, 1, 2)]
        assert counts(caught_up(undone, rule, last=3)) == (2, 1, 0)
        assert figures(undone, rule) == [(1, 3, 0)]
        assert_it_adds_up(undone)

    def test_a_disabled_rule_can_be_caught_up(self, undone: Shop):
        rule, runs = make_rule(undone, enabled=False), ended(undone, 1, 2)
        assert caught_up(undone, rule, last=2).queued == 2
        assert of_rule(undone, rule) == runs


def figures(shop: Shop, rule: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Of each group of the rule's results: its version, what it added, and what its cap kept out."""
    groups = shop.editor.ok("GET", rules_path(shop, rule["ruleId"], "results"))["groups"]
    return [(group["ruleVersion"], group["added"], group["skippedByCap"]) for group in groups]
