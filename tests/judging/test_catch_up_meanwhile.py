"""What happens while a catch-up is under way, and that it is done in batches, each whole (contract, section 6)."""

from __future__ import annotations

import itertools
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction

from judging.models import CatchUp, CatchUpState, QueueEntry, QueueItem
from judging.selectors.catch_up import candidates_after
from judging.services import catch_up
from judging.services.catch_up import catch_up_run, catch_up_step
from kindgi.api.times import now
from kindgi.runs.models import Run
from kindgi.runs.services.retention import runs_purge
from tests.judging.catching_up import (
    asked,
    assert_it_adds_up,
    at,
    counts,
    ended,
    erase,
    gone_on,
    matches,
    small_batches,
)
from tests.judging.queues import change_rule, dismiss, make_rule, old_rule, queue, queued_runs, rules_path, states
from tests.support.matrices import UNKNOWN
from tests.support.queries import TRANSACTION_CONTROL, recorded_queries
from tests.support.shops import AGENT, Shop

__all__ = ["small_batches"]

FLOW = {"flow": {"id": "intake", "version": "1.0.0"}}


class TestMeanwhile:
    """What happens between the asking, and the batch that comes to a run."""

    def test_a_run_that_ends_later_is_not_in_it(self, undone: Shop, small_batches: None):
        runs, rule = ended(undone, *range(4)), make_rule(undone)
        job = asked(undone, rule, since=at(0))
        catch_up_step(catch_up_id=job.pk)
        ended(undone, 5)
        gone_on(job)
        assert (job.of, job.done, job.queued, queued_runs(undone)) == (4, 4, 4, runs)

    def test_a_run_that_is_told_late_is_in_it_where_it_is_still_to_come(self, undone: Shop, small_batches: None):
        runs, rule = ended(undone, 0, 2, 4, 6), make_rule(undone)
        job = asked(undone, rule, last=4)
        assert catch_up_step(catch_up_id=job.pk)
        (too_late, to_come) = ended(undone, 3, 5)
        gone_on(job)
        assert queued_runs(undone) == [*runs[:3], to_come, runs[3]] and too_late not in queued_runs(undone)
        assert (job.state, job.done, job.of, job.queued) == ("done", 5, 5, 5), "of is never less than what was done"

    def test_a_run_that_is_erased_before_its_batch_is_no_match(self, undone: Shop):
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        job = asked(undone, rule, last=3)
        erase(undone, runs[1])
        assert (counts(gone_on(job)), job.done, job.of) == ((2, 0, 0), 3, 3)
        assert queued_runs(undone) == [runs[0], runs[2]]

    def test_nor_is_one_that_is_erased_between_being_found_and_locked(self, undone: Shop, monkeypatch: Any):
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        job = asked(undone, rule, last=3)
        once_found(monkeypatch, lambda: erase(undone, runs[1]))
        assert (counts(gone_on(job)), job.done) == ((2, 0, 0), 3)
        assert queued_runs(undone) == [runs[0], runs[2]]

    def test_nor_one_that_is_purged_then(self, undone: Shop, monkeypatch: Any):
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        job = asked(undone, rule, last=3)
        once_found(monkeypatch, lambda: purge(undone, 1))
        assert (counts(gone_on(job)), job.done) == ((2, 0, 0), 3)
        assert queued_runs(undone) == runs[1:]

    def test_runs_that_are_purged_before_it_comes_to_them_are_passed_over(self, undone: Shop, small_batches: None):
        runs, rule = ended(undone, *range(8)), make_rule(undone)
        job = asked(undone, rule, last=8)
        assert catch_up_step(catch_up_id=job.pk)
        purge(undone, 5)
        gone_on(job)
        assert (job.state, job.done, job.of, counts(job)) == ("done", 6, 8, (6, 0, 0))
        assert states(undone) == dict.fromkeys(runs[:3], "erased") | dict.fromkeys(runs[5:], "open")
        assert_it_adds_up(undone)

    def test_all_of_its_runs_may_be_purged(self, undone: Shop):
        ended(undone, 1, 2)
        job = asked(undone, make_rule(undone), last=2)
        purge(undone, 2)
        assert (gone_on(job).state, job.done, counts(job)) == ("done", 0, (0, 0, 0))

    def test_a_change_of_the_rule_holds_for_the_batches_that_follow(self, undone: Shop, small_batches: None):
        expert = undone.judge_class()
        runs, rule = ended(undone, *range(30)), make_rule(undone)
        job = asked(undone, rule, last=30)
        assert catch_up_step(catch_up_id=job.pk)
        change_rule(undone, rule, sample=0.5, judgeClassId=expert)
        gone_on(job)
        later = matches(rule, runs[3:])
        assert queued_runs(undone) == runs[:3] + later
        assert (job.done, counts(job)) == (30, (3 + len(later), 0, 0))
        versions = QueueEntry.objects.order_by("item__created_at", "item__id").values_list("rule_version", flat=True)
        assert list(versions) == [1] * 3 + [2] * len(later)
        assert all(item["wantedClassIds"] == [expert] for item in queue(undone, "limit=100")["data"])
        assert_it_adds_up(undone)

    @pytest.mark.parametrize("change", [{"when": {"agentIds": ["other"]}}, {"sample": 0.01}, {"name": "Other"}])
    def test_a_batch_whose_rule_changed_after_its_runs_were_found_is_found_anew(
        self, undone: Shop, monkeypatch: Any, change: dict[str, Any]
    ):
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        job = asked(undone, rule, last=3)
        once_found(monkeypatch, lambda: change_rule(undone, rule, **change))
        assert catch_up_step(catch_up_id=job.pk) and QueueItem.objects.count() == 0
        job.refresh_from_db()
        assert (job.state, job.done) == ("running", 0)
        gone_on(job)
        assert queued_runs(undone) == matches(rule, runs)
        assert (job.done, job.queued) == (3, len(queued_runs(undone)))
        assert set(QueueEntry.objects.values_list("rule_version", flat=True)) <= {2}

    def test_it_stops_where_its_rule_is_removed(self, undone: Shop, small_batches: None):
        runs, rule = ended(undone, *range(9)), make_rule(undone)
        job = asked(undone, rule, last=9)
        assert catch_up_step(catch_up_id=job.pk)
        undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
        gone_on(job)
        assert (job.state, job.done, job.of, counts(job)) == ("stopped", 3, 9, (3, 0, 0))
        assert job.finished_at is not None and queued_runs(undone) == runs[:3]
        assert catch_up_step(catch_up_id=job.pk) is False

    def test_a_rule_that_is_removed_after_the_runs_were_found_queues_none_of_them(self, undone: Shop, monkeypatch: Any):
        ended(undone, 1)
        rule = make_rule(undone)
        job = asked(undone, rule, last=1)
        once_found(monkeypatch, lambda: undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister")))
        assert (gone_on(job).state, queued_runs(undone)) == ("stopped", [])


def once_found(monkeypatch: pytest.MonkeyPatch, happens: Any) -> None:
    """Let something happen after a batch has found its runs, and before it locks them; the first time."""
    find, happened = candidates_after, [False]

    def finding(*args: Any, **kwargs: Any) -> Any:
        found = find(*args, **kwargs)
        if not happened[0]:
            happened[0] = True
            happens()
        return found

    monkeypatch.setattr(catch_up, "candidates_after", finding)


def purge(shop: Shop, number: int) -> None:
    """The project's oldest runs."""
    shop.admin.ok("PATCH", f"projects/{shop.project.pk}", {"retentionDays": 1})
    shop.project.refresh_from_db()
    assert runs_purge(project=shop.project, limit=number) == number


class TestBatches:
    """It is done in batches, and goes on wherever it was left."""

    def test_it_goes_on_where_it_was_left(self, undone: Shop, small_batches: None):
        runs, rule = ended(undone, *range(8)), make_rule(undone)
        job = asked(undone, rule, last=8)
        for done in (3, 6):
            catch_up_run(catch_up_id=job.pk, go_on=iter([True, False]).__next__)
            job.refresh_from_db()
            assert (job.state, job.done, job.queued, job.finished_at) == ("running", done, done, None)
            assert queued_runs(undone) == runs[:done]
        assert (gone_on(job).state, job.done, job.queued) == ("done", 8, 8)
        assert job.finished_at is not None

    def test_none_is_begun_where_it_shall_not_go_on(self, undone: Shop):
        ended(undone, 1)
        job = asked(undone, make_rule(undone), last=1)
        catch_up_run(catch_up_id=job.pk, go_on=lambda: False)
        job.refresh_from_db()
        assert (job.state, job.done) == ("running", 0)

    def test_one_that_is_gone_is_nothing_to_do(self, undone: Shop):
        assert catch_up_step(catch_up_id=uuid4()) is False

    def test_a_batch_that_is_cut_off_at_any_statement_is_done_whole_by_the_next(
        self, undone: Shop, small_batches: None
    ):
        runs, rule = ended(undone, *range(7)), make_rule(undone)
        undone.correct(runs[1])
        job = asked(undone, rule, last=7)
        for batch in range(3):
            statement = 0
            while is_cut_off(job, statement):
                job.refresh_from_db()
                assert (job.done, QueueEntry.objects.count()) == (3 * batch, max(0, 3 * batch - 1))
                statement += 1
            assert statement > 5
        assert (gone_on(job).state, job.done, counts(job)) == ("done", 7, (6, 0, 1))
        assert queued_runs(undone) == [runs[0], *runs[2:]]
        assert_it_adds_up(undone)

    @pytest.mark.parametrize("mixed", [False, True])
    def test_a_batch_takes_as_many_statements_for_any_number_of_runs(self, undone: Shop, mixed: bool):
        assert statements(undone, 2, mixed=mixed) == statements(undone, 60, mixed=mixed)


class Killed(BaseException):
    """A worker's end."""


def is_cut_off(job: CatchUp, number: int) -> bool:
    """Do a batch by a worker that is killed before its statement of that number; whether it had so many."""
    sent = itertools.count()

    def send(execute: Any, sql: str, *rest: Any) -> Any:
        if not TRANSACTION_CONTROL.match(sql) and next(sent) == number:
            raise Killed
        return execute(sql, *rest)

    try:
        with connection.execute_wrapper(send), transaction.atomic():
            catch_up_step(catch_up_id=job.pk)
    except Killed:
        return True
    return False


def statements(shop: Shop, number: int, *, mixed: bool) -> int:
    """How many statements a batch takes of so many new runs; ``mixed``: and of as many joined, reviewed and skipped."""
    rule = old_rule(shop, at=at(0), maxOpen=1, when={"flowIds": ["intake"]})
    if mixed:
        other = old_rule(shop, at=at(0), when={"agentIds": [AGENT]})
        ended(shop, *[1] * number)
        for run_id in ended(shop, *[1] * number):
            dismiss(shop, run_id)
        change_rule(shop, other, enabled=False)
        ended(shop, *[1] * (number + 1), **FLOW)
    change_rule(shop, rule, when={}, enabled=False)
    ended(shop, *[1] * number)
    job = asked(shop, rule, last=1000)
    with recorded_queries() as found:
        catch_up_step(catch_up_id=job.pk)
    job.refresh_from_db()
    assert counts(job) == ((3 * number, 1, number) if mixed else (number, 0, 0))
    # They shall not be in the way of the next.
    Run.objects.filter(project=shop.project).update(parent_run_id=UNKNOWN)
    return len(found)


class TestStale:
    """Whoever looks finds the catch-ups that nobody works on."""

    def test_one_is_found_ten_seconds_after_its_last_batch_and_not_again_at_once(self, undone: Shop, monkeypatch: Any):
        ended(undone, 1)
        job = asked(undone, make_rule(undone), last=1)
        assert catch_up.catch_ups_stale() == []
        moment = now() + catch_up.STALE
        monkeypatch.setattr(catch_up, "now", lambda: moment)
        assert catch_up.catch_ups_stale() == [job.pk]
        assert catch_up.catch_ups_stale() == []

    def test_a_batch_is_a_sign_of_life(self, undone: Shop, small_batches: None):
        ended(undone, *range(6))
        job = asked(undone, make_rule(undone), last=6)
        type(job).objects.update(heartbeat_at=now() - catch_up.STALE)
        catch_up_step(catch_up_id=job.pk)
        assert catch_up.catch_ups_stale() == []

    def test_one_that_is_finished_is_never_found(self, undone: Shop, small_batches: None):
        ended(undone, 1)
        rules = [make_rule(undone) for _ in range(2)]
        done, stopped = asked(undone, rules[0], last=1), asked(undone, rules[1], last=1)
        undone.editor.ok("POST", rules_path(undone, rules[1]["ruleId"], "unregister"))
        assert [gone_on(job).state for job in (done, stopped)] == [CatchUpState.DONE, CatchUpState.STOPPED]
        type(done).objects.update(heartbeat_at=now() - 2 * catch_up.STALE)
        assert catch_up.catch_ups_stale() == []
