"""A catch-up does each of its runs once, whatever is killed, and wherever tasks wait (contract, section 6)."""

from __future__ import annotations

import http.client
import json
import random
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from judging.models import CatchUp, CatchUpState, QueueEntry, QueueItem
from judging.services import catch_up
from judging.services.catch_up import STALE, catch_up_run
from kindgi.api.times import now
from tests.judging.catching_up import asked, caught_up, counts, ended
from tests.judging.queues import make_rule, rules_path
from tests.judging.recounting import assert_all_is_well
from tests.support.brokers import Broker, Redis, broker, brokers
from tests.support.servers import ServedProject
from tests.support.shops import Shop
from tests.support.workers import WorkerProcess, a_forking_worker, a_worker

pytestmark = pytest.mark.long

__all__ = ["broker", "brokers"]

a_server = pytest.mark.parametrize("broker", ["redis", "rabbitmq"], indirect=True)
SCHEDULE = {"PURGE_EVERY_SECONDS": "3600", "SWEEP_EVERY_SECONDS": "3600", "RESUME_EVERY_SECONDS": "1"}
KILLS = 5
# One more batch than kills, each of which is in the midst of one, so that there is something left for the last.
MANY = (KILLS + 1) * catch_up.BATCH
FEW = 100
# A batch takes longer than that.
MOMENTS = 0.9
Rule = dict[str, Any]


@contextmanager
def slow_batches() -> Iterator[None]:
    """Queueing a run takes two milliseconds, so that a batch is long enough to be killed in."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION a_moment() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(0.002); RETURN NEW; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER a_moment BEFORE INSERT ON judging_queueentry FOR EACH ROW EXECUTE FUNCTION a_moment()"
        )
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION a_moment() CASCADE")


def at_work() -> set[int]:
    """The connections by which a batch is under way, also of workers that are gone; no row is locked to find out."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
        return {pid for (pid,) in cursor.fetchall()}


def finished() -> bool:
    return not CatchUp.objects.filter(state="running").exists()


def the_job() -> CatchUp:
    return CatchUp.objects.latest("created_at")


@pytest.fixture
def rule(fresh: Shop, settings: LazySettings) -> Rule:
    """A rule that has queued a run, beside one that was corrected; nobody waits for what it is asked."""
    settings.CATCH_UP_WAIT_SECONDS = 0
    made = make_rule(fresh)
    corrected, queued = ended(fresh, -2, -1)
    fresh.correct(corrected)
    assert caught_up(fresh, made, last=1).queued == 1
    assert QueueItem.objects.get().run_id.hex == queued.replace("-", "")
    return made


def many_ended(shop: Shop, number: int) -> None:
    """So many runs that the rule hasn't seen, some of which ended at the same moment."""
    for begin in range(0, number, 1000):
        ended(shop, *(minute // 3 for minute in range(begin, min(begin + 1000, number))))


def ask(shop: Shop, rule: Rule) -> None:
    """Have whoever works do all that there is."""
    answer = shop.editor.post(rules_path(shop, rule["ruleId"], "queue-recent"), {"since": "2000-01-01T00:00:00Z"})
    assert answer.status_code == 202


def long_ago() -> None:
    """Let the time go by after which a catch-up counts as abandoned."""
    CatchUp.objects.filter(state="running").update(heartbeat_at=now() - STALE)


def assert_each_run_was_done_once(shop: Shop, number: int) -> None:
    """What the row says is what is there: ``number`` runs were queued, once each, beside the rule's two."""
    job = the_job()
    assert (job.state, job.done, job.of) == ("done", number + 2, number + 2)
    assert counts(job) == (number, 1, 1)
    entries = QueueEntry.objects.filter(rule_id=job.rule_id).values_list("item__run_id", flat=True)
    assert len(entries) == len(set(entries)) == QueueItem.objects.count() == number + 1
    assert_all_is_well(shop)


def test_a_worker_that_is_killed_again_and_again_does_each_run_once(fresh: Shop, rule: Rule, broker: Broker):
    many_ended(fresh, MANY)
    done = [0]
    gone: set[int] = set()
    with slow_batches(), a_forking_worker(broker, **SCHEDULE) as worker:
        ask(fresh, rule)
        worker.start()
        for _ in range(KILLS):
            worker.wait_until(lambda: bool(at_work() - gone))
            gone.update(at_work())
            time.sleep(random.uniform(0, MOMENTS))
            worker.kill9_worker()
            assert not finished()
            done.append(the_job().done)
            if isinstance(broker, Redis):  # which gives what a killed worker had to another only after an hour
                long_ago()
        assert done == sorted(done) and done[-1] <= KILLS * catch_up.BATCH
        worker.wait_until(finished)
    print(f"killed {KILLS} times, after {', '.join(map(str, done[1:]))} of {MANY + 2} runs")
    assert_each_run_was_done_once(fresh, MANY)


def kill_at_work(worker: WorkerProcess) -> None:
    """kill -9 at some moment of a batch, of which nothing is left then."""
    worker.wait_until(lambda: bool(at_work()))
    time.sleep(random.uniform(0, MOMENTS))
    worker.kill9()
    worker.wait_until(lambda: not at_work())
    assert not finished()


@a_server
def test_it_goes_on_while_its_broker_is_away_and_is_done_once_when_that_is_back(
    fresh: Shop, rule: Rule, broker: Broker
):
    many_ended(fresh, MANY // 2)
    with slow_batches(), a_worker(broker, **SCHEDULE) as worker:
        ask(fresh, rule)
        worker.start()
        worker.wait_until(lambda: bool(at_work()))
        broker.kill9()
        before = the_job().done
        worker.wait_until(lambda: the_job().done > before)
        broker.start()
        worker.wait_until(finished)
    assert_each_run_was_done_once(fresh, MANY // 2)


@a_server
def test_broker_and_worker_may_be_killed_together(fresh: Shop, rule: Rule, broker: Broker):
    many_ended(fresh, MANY // 2)
    with slow_batches(), a_worker(broker, **SCHEDULE) as worker:
        ask(fresh, rule)
        worker.start()
        worker.wait_until(lambda: bool(at_work()))
        broker.kill9()
        kill_at_work(worker)
        broker.start()
        long_ago()
        worker.start()
        worker.wait_until(finished)
    assert_each_run_was_done_once(fresh, MANY // 2)


def test_one_whose_message_was_lost_is_taken_up(fresh: Shop, rule: Rule, broker: Broker):
    many_ended(fresh, FEW)
    with a_worker(broker, **SCHEDULE) as worker:
        ask(fresh, rule)
        assert worker.waiting() == 1
        shutil.rmtree(worker.queue, ignore_errors=True)
        broker.clear()
        long_ago()
        worker.start()
        worker.wait_until(finished)
    assert_each_run_was_done_once(fresh, FEW)


@a_server
def test_one_that_was_asked_for_while_the_broker_was_away_is_taken_up(fresh: Shop, rule: Rule, broker: Broker):
    many_ended(fresh, FEW)
    with a_worker(broker, **SCHEDULE) as worker:
        broker.kill9()
        ask(fresh, rule)
        broker.start()
        worker.start()
        worker.wait_until(finished)
    assert_each_run_was_done_once(fresh, FEW)


def test_a_web_process_that_is_killed_while_it_waits_has_asked_for_one(
    fresh: Shop, rule: Rule, broker: Broker, settings: LazySettings
):
    settings.WEB_WORKERS = 1
    many_ended(fresh, FEW)
    CatchUp.objects.all().delete()
    with a_worker(broker, **SCHEDULE) as worker, a_web_server(worker) as served:
        for _ in range(2):
            with ThreadPoolExecutor(1) as pool:
                cut = pool.submit(until_answered, served, fresh, rule)
                worker.wait_until(CatchUp.objects.exists)
                time.sleep(random.uniform(0, MOMENTS))
                served.kill9()
                assert isinstance(cut.exception(timeout=30), (OSError, http.client.HTTPException))
            assert CatchUp.objects.count() == 1 and not finished()
            served.start()
        worker.start()
        worker.wait_until(finished)
        status, answer = until_answered(served, fresh, rule)
        assert (status, json.loads(answer)) == (200, {"queued": FEW, "alreadyQueued": 1, "alreadyReviewed": 1})
        assert until_answered(served, fresh, rule) == (status, answer)
    assert CatchUp.objects.count() == 1
    assert_each_run_was_done_once(fresh, FEW)


@contextmanager
def a_web_server(worker: WorkerProcess) -> Iterator[ServedProject]:
    """The project, served, which sends to where the worker looks."""
    served = ServedProject(**worker.environment)
    try:
        served.start()
        yield served
    finally:
        served.kill9()


def until_answered(served: ServedProject, shop: Shop, rule: Rule) -> tuple[int, bytes]:
    """What a client does that has a key: ask until there is an answer. Raises when the connection is cut."""
    while True:
        response = send(served, shop, rule)
        if response[0] != 409:
            return response
        assert json.loads(response[1])["error"]["code"] == "idempotency-key-in-flight"
        time.sleep(0.05)


def send(served: ServedProject, shop: Shop, rule: Rule) -> tuple[int, bytes]:
    headers = {
        "Authorization": f"Bearer {shop.editor.secret}",
        "Content-Type": "application/json",
        "Idempotency-Key": "k",
    }
    client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    try:
        client.request("POST", f"/v1/{rules_path(shop, rule['ruleId'], 'queue-recent')}", b'{"last": 1000}', headers)
        response = client.getresponse()
        if response.headers.get("Content-Length") is None:
            raise http.client.HTTPException("the server died in the middle of the headers")
        return response.status, response.read()
    finally:
        client.close()


class Killed(BaseException):
    """A worker's end."""


def test_control_a_batch_whose_place_is_written_after_it_would_be_noticed(
    fresh: Shop, rule: Rule, monkeypatch: pytest.MonkeyPatch
):
    """Were the row not moved by the batch's own transaction, a kill between the two would count runs wrongly."""
    ended(fresh, *range(FEW))
    monkeypatch.setattr(catch_up, "BATCH", FEW // 4)
    job = asked(fresh, rule, last=1000)
    batches = iter(range(FEW))

    def finish_late(job: CatchUp, state: CatchUpState) -> None:
        def write() -> None:
            if next(batches) == 1:
                raise Killed
            finish(job, state)

        transaction.on_commit(write)

    finish = catch_up._finish
    monkeypatch.setattr(catch_up, "_finish", finish_late)
    with pytest.raises(Killed):
        catch_up_run(catch_up_id=job.pk)
    monkeypatch.setattr(catch_up, "_finish", finish)
    catch_up_run(catch_up_id=job.pk)
    assert counts(the_job()) == (FEW * 3 // 4, FEW // 4 + 1, 1), "a batch was done again, and counted as another's"
    with pytest.raises(AssertionError):
        assert_each_run_was_done_once(fresh, FEW)
