"""Endpoints that hang keep a few threads busy, and nobody else waiting (docs/concurrency.md)."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings

from improve.models import CaseReplay, ReplayJob
from improve.replaying import asking, places
from improve.replaying.places import Places, Turn, places_of
from improve.services import running
from improve.services.running import StaleJob, job_turn, job_turn_placed, jobs_stale
from judging.models import CatchUp
from kindgi.api.times import now
from tests.improve.answering import answering, hangs, in_turn, says
from tests.improve.replays import begin, counts, set_endpoint, states, work
from tests.judging.catching_up import asked, ended
from tests.judging.queues import make_rule
from tests.support.shops import Shop
from tests.support.workers import a_worker

THIS, THAT = uuid4(), uuid4()
FAILS = says(b"", status="500 Internal")
HANGING = {
    "WORKER_THREADS": "4",  # two of them replay, one for each tenant
    "REPLAY_SECONDS": "60",
    "RESUME_EVERY_SECONDS": "1",
    "REPLAY_RESUME_EVERY_SECONDS": "1",
    "REPLAY_STALE_SECONDS": "1",
}


def turns(number: int, tenant_id: UUID = THIS) -> list[Turn]:
    return [Turn(uuid4(), 0, tenant_id) for _ in range(number)]


@pytest.fixture
def one_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    """This process has one, and a turn is one request."""
    only = Places(1)
    monkeypatch.setattr(running, "_places", only)
    monkeypatch.setattr(running, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(asking, "_backoff", lambda state: 0.01)
    yield only


@pytest.mark.parametrize(("threads", "most"), [(1, 1), (2, 1), (3, 1), (4, 2), (8, 6), (100, 98)])
def test_two_threads_are_left_to_others(threads: int, most: int):
    assert places_of(threads) == most


@pytest.mark.parametrize(("most", "for_one"), [(1, 1), (2, 1), (3, 1), (6, 3)])
def test_a_tenant_gets_half_of_the_places_and_all_together_no_more_than_there_are(most: int, for_one: int):
    places = Places(most)
    assert [places.take(turn) for turn in turns(most + 1)].count(True) == for_one
    assert [places.take(turn) for _ in range(most + 1) for turn in turns(1, uuid4())].count(True) == most - for_one


def test_who_waited_longest_is_next_and_who_ends_a_turn_waits_behind():
    places = Places(1)
    first, second, third = turns(3)
    assert [places.take(turn) for turn in (first, second, third)] == [True, False, False]
    assert not places.take(second), "it comes again, and keeps its place in the line"
    assert places.leave(first, then=1) == second and places.take(second)
    assert places.leave(second, then=None) == third and places.take(third)
    assert places.leave(third, then=1) == first._replace(turn=1)


def test_who_does_not_fit_keeps_nobody_else_waiting():
    places = Places(2)
    mine, more = turns(2)
    (other,) = turns(1, THAT)
    (third,) = turns(1, uuid4())
    assert [places.take(turn) for turn in (mine, other, more, third)] == [True, True, False, False]
    assert places.leave(other, then=None) == third
    assert places.leave(mine, then=None) == more


def test_who_was_called_and_did_not_come_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    places_ = Places(1)
    first, second, third = turns(3)
    assert [places_.take(turn) for turn in (first, second, third)] == [True, False, False]
    assert places_.leave(first, then=None) == second
    assert places_.take(first) and places_.leave(first, then=None) == third
    monkeypatch.setattr(places, "CALLED_SECONDS", 0.0)
    assert places_.take(first) and places_.leave(first, then=None) == second, "it may be looked for again"


def test_places_are_given_back_whoever_takes_them_and_however_many_at_once():
    places, most, at_once = Places(4), 0, Counter[UUID]()
    lock = threading.Lock()

    def come_and_go(tenant_id: UUID) -> None:
        nonlocal most
        for turn in turns(100, tenant_id):
            if not places.take(turn):
                continue
            with lock:
                at_once[tenant_id] += 1
                most = max(most, at_once.total())
                assert at_once[tenant_id] <= 2
            time.sleep(0.0001)
            with lock:
                at_once[tenant_id] -= 1
            places.leave(turn, then=None)

    threads = [threading.Thread(target=come_and_go, args=[tenant]) for tenant in (THIS, THAT) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < most <= 4 and not places._busy


def test_jobs_take_turns_at_the_only_place_and_each_is_done(undone: Shop, one_place: Places):
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        jobs = [begin(undone, 3) for _ in range(3)]
        waiting = [StaleJob(job.pk, 0) for job in jobs]
        one_place.take(held := Turn(uuid4(), 0, undone.tenant.pk))
        for job in waiting:
            assert job_turn_placed(job_id=job.id, turn=job.turn, go_on=lambda: True) is None
        assert not server.asked and not ReplayJob.objects.filter(turn__gt=0).exists()
        following: Turn | StaleJob | None = one_place.leave(held, then=None)
        order = []
        while following is not None:
            order.append(following.job_id if isinstance(following, Turn) else following.id)
            following = job_turn_placed(job_id=order[-1], turn=following.turn, go_on=lambda: True)
    assert order == [job.pk for job in jobs] * 4, "three requests each, and its end"
    assert set(ReplayJob.objects.values_list("state", "answered")) == {("done", 3)}


def test_a_turn_that_breaks_gives_its_place_back(undone: Shop, one_place: Places, monkeypatch: pytest.MonkeyPatch):
    job = begin(undone, 1)
    with monkeypatch.context() as broken:
        broken.setattr(running, "_step", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            job_turn_placed(job_id=job.pk, turn=0, go_on=lambda: True)
    assert one_place.take(Turn(uuid4(), 0, THIS))


def test_what_is_over_or_has_had_that_turn_takes_no_place(undone: Shop, one_place: Places):
    job = work(begin(undone, 0))
    assert job_turn_placed(job_id=job.pk, turn=job.turn, go_on=lambda: True) is None
    assert job_turn_placed(job_id=begin(undone, 1).pk, turn=5, go_on=lambda: True) is None
    assert not one_place._line and one_place.take(Turn(uuid4(), 0, THIS))


def test_a_turn_ends_between_two_requests_for_one_replay_of_which_there_are_three_all_the_same(
    undone: Shop, one_place: Places
):
    with answering(FAILS) as server:
        set_endpoint(undone, server.url)
        job, turn = begin(undone, 1), 0
        for requests in (1, 2):
            assert job_turn(job_id=job.pk, turn=turn) == (turn := turn + 1)
            assert len(server.asked) == requests and states(job) == ["waiting"]
        job = work(job)
        assert len(server.asked) == 3 and states(job) == ["failed"]
    assert {asked.headers["webhook-id"] for asked in server.asked} == {str(CaseReplay.objects.get(job=job).pk)}


def test_a_long_wait_that_an_endpoint_asks_for_is_the_schedule_s(undone: Shop, settings: LazySettings):
    settings.REPLAY_STALE_SECONDS = 5
    busy = says(b"", status="503 Busy", headers="Retry-After: 20\r\n")
    with answering(in_turn(busy, says())) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 1)
        begun = time.monotonic()
        assert job_turn(job_id=job.pk, turn=0) is None and time.monotonic() - begun < 10
        job.refresh_from_db()
        due_in = job.heartbeat_at + timedelta(seconds=5) - now()
        assert timedelta(seconds=10) < due_in <= timedelta(seconds=21) and states(job) == ["waiting"]
        assert jobs_stale() == []
        ReplayJob.objects.update(heartbeat_at=now() - timedelta(seconds=6))
        assert jobs_stale() == [StaleJob(job.pk, 1)]
        assert work(job).answered == 1 and len(server.asked) == 2


def test_those_that_nobody_has_looked_at_for_longest_are_taken_up_first(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "MOST_RESUMED", 2)
    jobs = [begin(undone, 0) for _ in range(3)]
    for job, seconds in zip(jobs, (20, 40, 30), strict=True):
        ReplayJob.objects.filter(pk=job.pk).update(heartbeat_at=now() - timedelta(seconds=seconds))
    assert {job.id for job in jobs_stale()} == {jobs[1].pk, jobs[2].pk}
    assert [job.id for job in jobs_stale()] == [jobs[0].pk]


def test_ten_evaluations_of_an_endpoint_that_hangs_keep_nobody_else_waiting(fresh: Shop):
    other = Shop.open()
    ran = ended(fresh, 1, 2, 3)
    with answering(hangs) as hanging, answering(says()) as good, a_worker(None, **HANGING) as worker:
        set_endpoint(fresh, hanging.url)
        set_endpoint(other, good.url)
        stuck = [begin(fresh, run_ids=ran) for _ in range(10)]
        worker.start()
        worker.wait_until(lambda: len(hanging.asked) == 1)
        catch_up = asked(fresh, make_rule(fresh), last=10)
        job = begin(other, 5)
        worker.wait_until(lambda: not ReplayJob.objects.filter(pk=job.pk, state="running").exists())
        worker.wait_until(lambda: not CatchUp.objects.filter(pk=catch_up.pk, state="running").exists())
        looked_after = now()
        waiting = ReplayJob.objects.filter(pk__in=[one.pk for one in stuck], turn=0)
        worker.wait_until(lambda: waiting.filter(heartbeat_at__gt=looked_after).count() == 9)
        assert len(hanging.asked) == 1, "one place for its tenant, whose first request still hangs"
    job.refresh_from_db()
    catch_up.refresh_from_db()
    assert counts(job) == (5, 5, 0, 0) and catch_up.queued == 3
