"""A job asks about each of its runs, and ends as what was answered says."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections, transaction
from standardwebhooks import Webhook

from improve import hooks
from improve.models import CaseReplay, ReplayJob
from improve.services import running
from improve.services.ending import SETTLING_TRIES
from improve.services.running import job_turn, jobs_stale
from improve.tasks import resume_jobs
from kindgi.api.times import as_of, now
from kindgi.runs.content import unpack
from tests.improve.answering import answering, hangs, in_turn, says
from tests.improve.replays import BLOCKS, CHANGE, begin, counts, set_endpoint, states, work
from tests.support.shops import VERSION, Shop

pytestmark = pytest.mark.usefixtures("again_soon")

FAILS = says(b"", status="400 Bad")
REFUSES = says({"calls": [{"tool": "shop.refund", "args": {}, "refused": True}]})


def test_a_job_is_done_when_each_run_was_answered(undone: Shop, ended: list[Any]):
    with answering(says()) as server:
        secret = set_endpoint(undone, server.url)
        job = work(begin(undone, 3, repetitions=2))
    assert (job.state, counts(job), job.problem) == ("done", (6, 6, 0, 0), "")
    assert ended == [("done", True)] and job.finished_at is not None
    bodies = [asked.json for asked in server.asked]
    assert [body["input"]["message"] for body in bodies] == [f"Number {at // 2}" for at in range(6)]
    assert bodies[0] == {
        "input": {"message": "Number 0"},
        "version": VERSION,
        "change": json.loads(CHANGE),
        "blocks": json.loads(BLOCKS),
        "dryRun": True,
    }
    replays = list(CaseReplay.objects.filter(job=job))
    assert [asked.headers["webhook-id"] for asked in server.asked] == [str(replay.pk) for replay in replays]
    for asked in server.asked:
        Webhook(secret).verify(asked.body, asked.headers)
    assert {(replay.state, replay.attempts) for replay in replays} == {("answered", 1)}
    assert json.loads(unpack(replays[0].output) or b"") == {"text": "It is on its way."}
    assert json.loads(unpack(replays[0].calls) or b"") == [{"tool": "orders.search", "args": {"q": 1}}]
    assert all(replay.took_ms is not None and replay.over_at for replay in replays)


def test_an_input_is_sent_to_the_byte_and_what_is_absent_is_left_out(undone: Shop):
    said = '{"b":1.0,  "a":"\\u00e9\\ud800"}'
    run_id = "0193a000-0000-4000-8000-00000000a001"
    body = f'{{"agent": {{"id": "shop.desk", "version": "1.0.0"}}, "status": "completed", "input": {said}}}'
    undone.admin.ok("PUT", f"runs/{run_id}", body.encode())
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        assert work(begin(undone, run_ids=[run_id], version="prod", change=None, blocks=None)).answered == 1
    assert server.asked[0].body == f'{{"input":{said},"version":"prod","dryRun":true}}'.encode()


def test_a_job_of_nothing_is_done(undone: Shop, ended: list[Any]):
    job = work(begin(undone, 0))
    assert (job.state, counts(job)) == ("done", (0, 0, 0, 0)) and ended == [("done", True)]


def test_refusals_count_as_answers(undone: Shop):
    with answering(REFUSES) as server:
        set_endpoint(undone, server.url)
        job = work(begin(undone, 2))
    assert (job.state, counts(job)) == ("done", (2, 0, 2, 0))
    assert all(replay.output is None and replay.calls for replay in CaseReplay.objects.filter(job=job))


def test_one_that_fails_leaves_the_rest(undone: Shop):
    with answering(in_turn(says(), FAILS, says(b"<p>"), says())) as server:
        set_endpoint(undone, server.url)
        job = work(begin(undone, 4))
    assert (job.state, counts(job)) == ("done", (4, 2, 0, 2))
    failed = CaseReplay.objects.filter(job=job, state="failed").values_list("problem", "detail")
    assert list(failed) == [("status-4xx", "400"), ("not-json", "")]


def test_a_job_is_failed_when_fewer_than_half_were_answered(undone: Shop, ended: list[Any]):
    with answering(in_turn(says(), FAILS)) as server:
        set_endpoint(undone, server.url)
        job = work(begin(undone, 3))
    assert (job.state, job.problem, job.detail) == ("failed", "too-few-answered", "1/3")
    assert ended == [("failed", True)]


def test_a_job_stops_after_ten_failures_in_a_row(undone: Shop):
    with answering(in_turn(says(), *[FAILS] * 9, says(), FAILS)) as server:
        set_endpoint(undone, server.url)
        job = work(begin(undone, 30))
        assert len(server.asked) == 21
    assert (job.state, job.problem, job.detail) == ("failed", "failed-in-a-row", "10 status-4xx 400")
    assert counts(job) == (30, 2, 0, 19) and states(job).count("waiting") == 9


def test_a_job_stops_when_its_time_is_over(undone: Shop, settings: LazySettings):
    settings.REPLAY_JOB_HOURS = 2
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 2)
        with as_of(now() + timedelta(hours=2, seconds=1)):
            job = work(job)
        assert server.asked == []
    assert (job.state, job.problem, job.detail) == ("failed", "out-of-time", "2")


def test_without_an_endpoint_the_replays_fail(undone: Shop):
    job = work(begin(undone, 3))
    assert (job.state, counts(job)) == ("failed", (3, 0, 0, 3))
    assert set(CaseReplay.objects.filter(job=job).values_list("problem", flat=True)) == {"endpoint-removed"}


def test_a_secret_that_cannot_be_read_is_said(undone: Shop, settings: LazySettings):
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 1)
        settings.SECRET_KEY = "another"
        job = work(job)
        assert server.asked == []
    assert CaseReplay.objects.get(job=job).problem == "secret-unreadable"


def test_a_secret_is_read_after_the_deployment_s_key_was_changed(undone: Shop, settings: LazySettings):
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
        assert work(begin(undone, 1)).answered == 1


def test_replays_of_erased_runs_are_left_out(undone: Shop):
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 3)
        middle = CaseReplay.objects.get(job=job, position=1)
        undone.api("admin").ok("POST", f"runs/{middle.run_id}/erase")
        job = work(job)
        assert len(server.asked) == 2
    assert (job.state, counts(job)) == ("done", (3, 2, 0, 0))


def test_a_worker_that_is_told_to_stop_leaves_the_rest_to_another(undone: Shop):
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 3)
        turn = job_turn(job_id=job.pk, turn=0, go_on=lambda: len(server.asked) < 2)
        job.refresh_from_db()
        assert (turn, job.turn, job.state, counts(job)) == (1, 1, "running", (3, 2, 0, 0))
        assert work(job).answered == 3 and len(server.asked) == 3


def test_a_turn_ends_after_a_while_so_that_others_get_theirs(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "TURN_SECONDS", 0.0)
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = work(begin(undone, 3))
    assert (job.state, job.turn, counts(job)) == ("done", 4, (3, 3, 0, 0))


def test_a_turn_is_taken_once(undone: Shop):
    job = begin(undone, 1)
    assert job_turn(job_id=job.pk, turn=0, go_on=lambda: False) == 1
    assert job_turn(job_id=job.pk, turn=0) is None
    job.refresh_from_db()
    assert (job.turn, job.state) == (1, "running")


def test_a_job_that_nobody_works_on_is_taken_up_once(fresh: Shop, monkeypatch: pytest.MonkeyPatch):
    sent: list[Any] = []
    monkeypatch.setattr("improve.tasks.send", lambda task, *arguments: sent.append(arguments))
    job = begin(fresh, 1)
    resume_jobs()
    assert sent == []
    ReplayJob.objects.update(heartbeat_at=now() - timedelta(seconds=10), turn=7)
    resume_jobs()
    resume_jobs()
    assert sent == [(str(job.pk), 7)]
    work(job)
    ReplayJob.objects.update(heartbeat_at=now() - timedelta(seconds=10))
    with transaction.atomic():
        assert jobs_stale() == []


def test_where_what_came_out_cannot_be_stored_nothing_is_and_it_is_tried_again(
    undone: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    told: list[str] = []

    def breaks_twice(jobs: list[ReplayJob]) -> None:
        told.append(jobs[0].state)
        ReplayJob.objects.filter(pk=jobs[0].pk).update(detail="written by who breaks")
        if len(told) < 3:
            raise RuntimeError("no")

    monkeypatch.setattr(hooks.job_ended, "_listeners", [breaks_twice])
    with answering(says()) as server:
        set_endpoint(undone, server.url)
        job = begin(undone, 1)
        for tries in (1, 2):
            job = work(job)
            assert (job.state, job.settling_tries, job.detail) == ("running", tries, "")
        assert len(caplog.records) == 2 and "could not be stored" in caplog.text
        job = work(job)
        assert len(server.asked) == 1
    assert (job.state, job.detail, told) == ("done", "written by who breaks", ["done"] * 3)


@pytest.mark.parametrize("takes_failures", [True, False])
def test_after_some_tries_it_is_failed_so_that_nobody_waits_for_ever(
    undone: Shop, monkeypatch: pytest.MonkeyPatch, takes_failures: bool
):
    told: list[str] = []

    def breaks(jobs: list[ReplayJob]) -> None:
        told.append(jobs[0].state)
        if jobs[0].state == "done" or not takes_failures:
            raise RuntimeError("no")

    monkeypatch.setattr(hooks.job_ended, "_listeners", [breaks])
    job = begin(undone, 0)
    for _ in range(SETTLING_TRIES):
        job = work(job)
    assert (job.state, job.problem) == ("failed", "not-settled")
    assert told == ["done"] * SETTLING_TRIES + ["failed"]


class Killed(BaseException):
    """As a killed worker does, nobody answers it."""


def test_a_try_is_counted_before_it_is_made_so_that_one_that_kills_its_worker_is_not_made_for_ever(
    fresh: Shop, monkeypatch: pytest.MonkeyPatch
):
    told: list[str] = []
    seen: list[int] = []

    def committed() -> None:
        seen.append(ReplayJob.objects.get().settling_tries)
        connections.close_all()

    def kills(jobs: list[ReplayJob]) -> None:
        looking = threading.Thread(target=committed)
        looking.start()
        looking.join()
        told.append(jobs[0].state)
        raise Killed

    monkeypatch.setattr(hooks.job_ended, "_listeners", [kills])
    job = begin(fresh, 0)
    for _ in range(SETTLING_TRIES + 1):
        with pytest.raises(Killed):
            work(job)
    assert work(job).state == "failed"
    assert (job.problem, told) == ("not-settled", ["done"] * SETTLING_TRIES + ["failed"])
    assert seen == list(range(1, SETTLING_TRIES + 2))


def test_one_that_was_stored_counts_as_no_failure(undone: Shop):
    job = work(begin(undone, 0))
    assert (job.state, job.settling_tries) == ("done", 0)


def test_an_endpoint_that_hangs_is_asked_three_times_and_then_left(fresh: Shop, settings: LazySettings):
    settings.REPLAY_SECONDS = 0.3
    with answering(in_turn(hangs, hangs, hangs, says())) as server:
        set_endpoint(fresh, server.url)
        job = work(begin(fresh, 2))
        assert len(server.asked) == 4
    assert states(job) == ["failed", "answered"]
    first = CaseReplay.objects.get(job=job, position=0)
    assert (first.problem, first.detail, first.attempts) == ("timed-out", "0.3", 3)
