"""Many connections at one queue. Each guard is taken away once, to show that the test would notice."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from judging.models import QueueEntry, QueueItem, SkippedRun
from judging.services import closing, items, rules, run_end
from judging.services.catch_up import catch_up_begin, catch_up_run
from judging.services.repairing import queue_repair
from judging.submissions import QueueRecentBody
from kindgi.access.callers import operator_in
from tests.judging.queues import make_rule, queue, queue_path, rules_path, states
from tests.judging.recounting import assert_all_is_well
from tests.support.parallel import at_once
from tests.support.racing import meeting, pausing
from tests.support.shops import Shop, completed

CAP = 5


def put(shop: Shop, run_id: str | None = None) -> Callable[[], Any]:
    """What reports a completed run."""
    return lambda: shop.admin.put(f"runs/{run_id or uuid4()}", completed())


def imports(shop: Shop, count: int) -> Callable[[], Any]:
    """What reports so many completed runs at once."""
    records = [{"id": str(uuid4()), **completed()} for _ in range(count)]
    return lambda: shop.admin.post("runs/import", records)


def statuses(answers: list[Any]) -> Counter[int]:
    """How many were answered with which status; an exception counts as 0."""
    return Counter(getattr(answer, "status_code", 0) for answer in answers)


@pytest.fixture
def capped(fresh: Shop) -> UUID:
    """The id of a rule with a cap, for every run that ends from now on."""
    rule_id = UUID(make_rule(fresh, name="Capped", maxOpen=CAP)["ruleId"])
    time.sleep(0.002)
    return rule_id


def all_end(shop: Shop, works: list[Callable[[], Any]]) -> None:
    """All report at once; those who have counted what is open wait until all have, or stand at a lock."""
    assert shop.admin
    with meeting("judging.services.run_end.open_of_rules", len(works)):
        answers = at_once(works)
    assert set(statuses(answers)) <= {200, 201}


def test_32_runs_that_end_at_once_leave_no_more_than_the_cap_open(fresh: Shop, capped: UUID):
    all_end(fresh, [put(fresh) for _ in range(32)])
    assert QueueEntry.objects.filter(rule_id=capped, open=True).count() == CAP
    assert SkippedRun.objects.filter(rule_id=capped).count() == 32 - CAP
    (group,) = fresh.editor.ok("GET", rules_path(fresh, str(capped), "results"))["groups"]
    assert (group["added"], group["skippedByCap"]) == (CAP, 32 - CAP)
    assert_all_is_well(fresh)


def test_without_the_caps_lock_they_would_leave_more(fresh: Shop, capped: UUID):
    with mock.patch.object(run_end, "caps_lock"):
        all_end(fresh, [put(fresh) for _ in range(8)])
    assert QueueEntry.objects.filter(rule_id=capped, open=True).count() > CAP


def test_batches_that_straddle_the_cap_leave_just_the_cap_open_and_count_each_run_once(fresh: Shop, capped: UUID):
    other = make_rule(fresh, name="No cap")["ruleId"]
    time.sleep(0.002)
    all_end(fresh, [imports(fresh, 4) for _ in range(8)])
    assert QueueEntry.objects.filter(rule_id=capped, open=True).count() == CAP
    assert SkippedRun.objects.filter(rule_id=capped).count() == 32 - CAP
    assert QueueEntry.objects.filter(rule_id=other).count() == QueueItem.objects.count() == 32
    assert_all_is_well(fresh)


def test_a_run_that_ends_twice_at_once_is_queued_once(fresh: Shop):
    rule = make_rule(fresh)
    time.sleep(0.002)
    run_id = str(uuid4())
    assert set(statuses(at_once([put(fresh, run_id) for _ in range(8)]))) <= {200, 201}
    assert [entry.rule_id for entry in QueueEntry.objects.all()] == [QueueEntry.objects.get().rule_id]
    assert str(QueueEntry.objects.get().rule_id) == rule["ruleId"]
    assert_all_is_well(fresh)


@contextmanager
def no_rules_lock() -> Iterator[None]:
    """Read rules, and change them, without their lock."""
    with (
        mock.patch.object(run_end, "rules_read_lock"),
        mock.patch.object(closing, "rules_read_lock"),
        mock.patch.object(items, "rules_read_lock"),
        mock.patch.object(rules, "rules_change_lock"),
    ):
        yield


def made_while_a_run_ends(shop: Shop) -> str | None:
    """How the item stands of a run that ends when a rule is made already, but nobody can see it yet."""
    editor, admin = shop.editor, shop.admin
    run_id = str(uuid4())
    reached, ended = threading.Event(), threading.Event()

    def end() -> Any:
        assert reached.wait(10)
        time.sleep(0.005)
        answer = admin.put(f"runs/{run_id}", completed())
        ended.set()
        return answer

    with pausing("judging.services.rules.new_id", reached=reached, until=ended):
        answers = at_once([lambda: editor.post(rules_path(shop), {"name": "New", "when": {}}), end])
    assert statuses(answers) == {201: 2}
    return states(shop).get(run_id)


def test_a_rule_that_is_made_while_a_run_ends_takes_the_run_that_ended_later(fresh: Shop):
    assert made_while_a_run_ends(fresh) == "open"
    assert_all_is_well(fresh)


def test_without_the_rules_lock_the_run_would_be_lost(fresh: Shop):
    with no_rules_lock():
        assert made_while_a_run_ends(fresh) is None


def corrected_while_the_rule_changes(shop: Shop) -> str:
    """How an item stands whose run gets a peer's correction while its rule begins to want anybody's."""
    expert = shop.judge_class("expert")
    rule = make_rule(shop, judgeClassId=expert)
    time.sleep(0.002)
    run_id = shop.run()
    editor, service = shop.editor, shop.api("service")
    reached, changed = threading.Event(), threading.Event()

    def correct() -> Any:
        return service.post("corrections", {"runId": run_id, "answer": "right"})

    def change() -> Any:
        assert reached.wait(10)
        answer = editor.patch(rules_path(shop, rule["ruleId"]), {"judgeClassId": None})
        changed.set()
        return answer

    # The correction has read what the rule wants, and now the rule changes, if it can.
    with pausing("judging.services.closing.items_lock", reached=reached, until=changed):
        answers = at_once([correct, change])
    assert statuses(answers) == {201: 1, 200: 1}
    return states(shop)[run_id]


def test_a_correction_and_a_change_of_what_its_rule_wants_leave_no_satisfied_item_open(fresh: Shop):
    assert corrected_while_the_rule_changes(fresh) == "judged"
    assert_all_is_well(fresh)


def test_without_the_rules_lock_the_item_would_stay_open(fresh: Shop):
    with no_rules_lock(), mock.patch("judging.services.queueing._LOCK", LOCKLESS):
        assert corrected_while_the_rule_changes(fresh) == "open"


LOCKLESS = "SELECT * FROM judging_queueitem WHERE tenant_id = %s AND run_id = ANY(%s) ORDER BY run_id"


def dismissed_and_corrected_at_once(shop: Shop) -> tuple[str, Counter[int]]:
    """How an item stands that is dismissed while its run is corrected, and the answers."""
    make_rule(shop)
    time.sleep(0.002)
    run_id = shop.run()
    editor, service = shop.editor, shop.api("service")
    works = [
        lambda: editor.post(queue_path(shop, run_id, "dismiss")),
        lambda: service.post("corrections", {"runId": run_id, "answer": "right"}),
    ]
    with meeting("judging.services.items.items_lock", 2, "judging.services.closing.items_lock"):
        answers = at_once(works)
    return states(shop)[run_id], statuses(answers)


def test_an_item_dismissed_and_corrected_at_once_closes_once_and_whole(fresh: Shop):
    state, answered = dismissed_and_corrected_at_once(fresh)
    assert (state, answered) in [("dismissed", {200: 1, 201: 1}), ("judged", {409: 1, 201: 1})]
    item = QueueItem.objects.get()
    assert item.changes.count() == 1
    assert item.counted == {"": [1, 1]}
    assert_all_is_well(fresh)


def test_many_who_dismiss_and_reopen_one_item_leave_a_whole_history(fresh: Shop):
    make_rule(fresh)
    time.sleep(0.002)
    run_id = fresh.run()
    editor = fresh.editor
    works = [
        lambda verb=verb: editor.post(queue_path(fresh, run_id, verb)) for verb in ["dismiss"] * 8 + ["reopen"] * 8
    ]
    answers = at_once(works)
    assert set(statuses(answers)) <= {200, 409}
    changes = list(QueueItem.objects.get().changes.values_list("before", "after"))
    assert len(changes) == statuses(answers)[200]
    assert Counter(changes)["open", "dismissed"] - Counter(changes)["dismissed", "open"] in (0, 1)
    assert_all_is_well(fresh)


def test_reviewers_who_press_next_at_once_get_an_item_each(fresh: Shop):
    make_rule(fresh)
    time.sleep(0.002)
    runs = {fresh.run() for _ in range(12)}
    apis = [fresh.api(f"editor:{number}") for number in range(16)]
    answers = at_once([partial(api.post, queue_path(fresh, "next")) for api in apis])
    assert statuses(answers) == {200: 16}
    got = [answer.json()["item"]["runId"] for answer in answers if "item" in answer.json()]
    assert sorted(got) == sorted(runs)


def test_catch_ups_of_one_rule_at_once_and_beside_runs_that_end_count_each_run_once(fresh: Shop):
    before = [str(uuid4()) for _ in range(30)]
    for run_id in before:
        put(fresh, run_id)()
    time.sleep(0.002)
    rule = make_rule(fresh)
    time.sleep(0.002)
    caller = operator_in(fresh.tenant.pk)
    jobs = [
        catch_up_begin(caller=caller, project=fresh.project, rule_id=rule["ruleId"], body=QueueRecentBody(last=1000))
        for _ in range(3)
    ]
    with mock.patch("judging.services.catch_up.BATCH", 4):
        works = [lambda job=job: catch_up_run(catch_up_id=job.pk) for job in jobs for _ in range(2)]
        answers = at_once([*works, *(put(fresh) for _ in range(8))])
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    for job in jobs:
        job.refresh_from_db()
        assert (job.state, job.done, job.queued + job.already_queued) == ("done", 30, 30)
    assert sum(job.queued for job in jobs) == 30
    assert QueueItem.objects.count() == QueueEntry.objects.count() == 38
    assert queue(fresh, "limit=0")["total"] == 38
    assert_all_is_well(fresh)


def test_a_run_that_is_corrected_while_a_catch_up_comes_by_is_queued_or_reviewed_but_never_both(fresh: Shop):
    runs = [fresh.run() for _ in range(10)]
    rule = make_rule(fresh)
    job = catch_up_begin(
        caller=operator_in(fresh.tenant.pk),
        project=fresh.project,
        rule_id=rule["ruleId"],
        body=QueueRecentBody(last=10),
    )
    editor = fresh.editor
    with mock.patch("judging.services.catch_up.BATCH", 2):
        answers = at_once([
            lambda: catch_up_run(catch_up_id=job.pk),
            *(lambda one=one: editor.post("corrections", {"runId": one, "answer": "right"}) for one in runs),
        ])  # fmt: skip
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    job.refresh_from_db()
    assert job.queued + job.already_reviewed == 10
    assert set(states(fresh).values()) <= {"judged"}
    assert len(states(fresh)) == job.queued
    assert_all_is_well(fresh)


def test_an_item_that_is_erased_while_it_is_dismissed_or_corrected_ends_as_one_of_them(fresh: Shop):
    make_rule(fresh)
    time.sleep(0.002)
    editor, admin, service = fresh.editor, fresh.admin, fresh.api("service")
    runs = [fresh.run() for _ in range(6)]
    works: list[Callable[[], Any]] = []
    for run_id in runs:
        works += [
            partial(admin.post, f"runs/{run_id}/erase"),
            partial(editor.post, queue_path(fresh, run_id, "dismiss"), {"reason": "Jane Roe asked for it"}),
            partial(service.post, "corrections", {"runId": run_id, "answer": "right"}),
        ]
    assert set(statuses(at_once(works))) <= {200, 201, 409, 410}
    for item in QueueItem.objects.all():
        assert item.state != "open" and item.gone_at is not None and item.reason is None
        assert not item.changes.exclude(reason=None).exists()
    assert_all_is_well(fresh)


def test_a_repair_waits_for_who_has_an_item_and_then_they_for_it(fresh: Shop):
    """Whoever dismisses has the item's row before they write a count, and a repair has the counts' table."""
    make_rule(fresh)
    time.sleep(0.002)
    run_id = fresh.run()
    editor = fresh.editor
    reached, repaired = threading.Event(), threading.Event()

    def repair() -> None:
        assert reached.wait(10)
        with transaction.atomic():
            queue_repair(project=fresh.project)
        repaired.set()

    with pausing("judging.services.items.items_lock", reached=reached, until=repaired):
        dismissed, nothing = at_once([lambda: editor.post(queue_path(fresh, run_id, "dismiss")), repair])
    assert (dismissed.status_code, nothing) == (200, None)
    assert_all_is_well(fresh)
