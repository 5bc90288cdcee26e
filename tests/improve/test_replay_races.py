"""A job's runs are asked about once, and counted once, whatever happens while a request is in flight."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections, transaction
from standardwebhooks import Webhook

from improve.models import CaseReplay, ReplayJob
from improve.services import running
from improve.services.jobs import job_cancel
from improve.services.running import job_turn
from kindgi.api.times import now
from kindgi.runs.content import unpack
from tests.improve.answering import Asked, answer, answering, counts_transactions
from tests.improve.replays import begin, counts, endpoint_path, set_endpoint, states, work
from tests.support.shops import Shop

pytestmark = pytest.mark.usefixtures("again_soon")


def test_the_endpoint_is_read_for_each_request(fresh: Shop):
    """It is moved, then its secret is rotated, then it is removed, while the job goes on."""
    secrets: list[str] = []

    def move(sock: socket.socket, asked: Asked, number: int) -> None:
        set_endpoint(fresh, second.url)
        sock.sendall(answer())

    def rotate_then_remove(sock: socket.socket, asked: Asked, number: int) -> None:
        if number == 0:
            secrets.append(fresh.api("admin").ok("POST", endpoint_path(fresh, "rotate"))["secret"])
        else:
            assert fresh.api("admin").request("DELETE", endpoint_path(fresh)).status_code == 204
        sock.sendall(answer())

    with answering(move) as first, answering(rotate_then_remove) as second:
        secrets.append(set_endpoint(fresh, first.url))
        job = work(begin(fresh, 4))
        old, new = secrets
        assert (len(first.asked), len(second.asked)) == (1, 2)
        Webhook(old).verify(second.asked[0].body, second.asked[0].headers)
        for secret in (old, new):
            Webhook(secret).verify(second.asked[1].body, second.asked[1].headers)
    assert states(job) == ["answered"] * 3 + ["failed"]
    assert CaseReplay.objects.get(job=job, state="failed").problem == "endpoint-removed"


def test_no_transaction_is_open_while_an_endpoint_is_asked(fresh: Shop):
    seen: list[int] = []
    with answering(counts_transactions(seen)) as server:
        set_endpoint(fresh, server.url)
        assert work(begin(fresh, 3)).answered == 3
    assert seen == [0, 0, 0]


def cancel(job: ReplayJob, *, by: str) -> bool:
    with transaction.atomic():
        return job_cancel(job_id=job.pk, by=by)


def test_a_job_that_is_cancelled_sends_nothing_more_and_counts_nothing_more(fresh: Shop, ended: list[Any]):
    def cancel_then_answer(sock: socket.socket, asked: Asked, number: int) -> None:
        if number == 1:
            assert cancel(ReplayJob.objects.get(), by="user:somebody")
        sock.sendall(answer())

    with answering(cancel_then_answer) as server:
        set_endpoint(fresh, server.url)
        job = work(begin(fresh, 5))
        assert len(server.asked) == 2
    assert (job.state, job.cancelled_by, counts(job)) == ("cancelled", "user:somebody", (5, 1, 0, 0))
    assert states(job) == ["answered"] + ["waiting"] * 4 and ended == [("cancelled", True)]
    assert not cancel(job, by="user:else")


def test_a_job_that_is_cancelled_between_two_tries_is_not_asked_again(fresh: Shop):
    def fail_and_cancel(sock: socket.socket, asked: Asked, number: int) -> None:
        cancel(ReplayJob.objects.get(), by="user:somebody")
        sock.sendall(answer(b"", status="500 Internal"))

    with answering(fail_and_cancel) as server:
        set_endpoint(fresh, server.url)
        job = work(begin(fresh, 1))
        assert len(server.asked) == 1
    assert (job.state, states(job)) == ("cancelled", ["waiting"])


def in_threads(number: int, do: Callable[[], Any]) -> None:
    """At the same time, each on a connection of its own."""
    together = threading.Barrier(number)

    def one(_: int) -> None:
        together.wait()
        try:
            do()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        list(pool.map(one, range(number)))


def test_two_workers_at_one_job_ask_about_each_run_once(fresh: Shop):
    def slowly(sock: socket.socket, asked: Asked, number: int) -> None:
        time.sleep(0.02)
        sock.sendall(answer())

    with answering(slowly) as server:
        set_endpoint(fresh, server.url)
        job = begin(fresh, 20)
        in_threads(4, lambda: job_turn(job_id=job.pk, turn=0))
        assert len(server.asked) == len({asked.headers["webhook-id"] for asked in server.asked}) == 20
    job.refresh_from_db()
    assert (job.state, counts(job)) == ("done", (20, 20, 0, 0))


def test_control_without_the_turn_several_ask_about_the_same_run_and_it_is_counted_once_all_the_same(
    fresh: Shop, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(running, "_take", lambda job_id, turn: ReplayJob.objects.get(pk=job_id))

    def slowly(sock: socket.socket, asked: Asked, number: int) -> None:
        time.sleep(0.05)
        sock.sendall(answer())

    with answering(slowly) as server:
        set_endpoint(fresh, server.url)
        job = begin(fresh, 5)
        in_threads(4, lambda: job_turn(job_id=job.pk, turn=0))
        assert len(server.asked) > 5
    job.refresh_from_db()
    assert (job.state, counts(job)) == ("done", (5, 5, 0, 0))


def test_an_answer_about_a_run_that_was_erased_meanwhile_is_not_kept(fresh: Shop):
    def erase(sock: socket.socket, asked: Asked, number: int) -> None:
        if number == 0:
            erased = CaseReplay.objects.get(position=0)
            fresh.api("admin").ok("POST", f"runs/{erased.run_id}/erase")
        sock.sendall(answer())

    with answering(erase) as server:
        set_endpoint(fresh, server.url)
        job = work(begin(fresh, 2))
        assert len(server.asked) == 2
    assert (job.state, counts(job)) == ("done", (2, 1, 0, 0))
    gone = CaseReplay.objects.get(job=job, position=0)
    assert (gone.state, gone.output, gone.calls, gone.over_at) == ("waiting", None, None, None)
    assert gone.erased_at is not None


def test_one_whose_turn_was_taken_writes_nothing_more(fresh: Shop, settings: LazySettings):
    """A worker stood still in the midst of a request, another took the job: what came late isn't counted twice."""
    settings.REPLAY_STALE_SECONDS = 60
    late = threading.Event()

    def first_hangs(sock: socket.socket, asked: Asked, number: int) -> None:
        if number == 0:
            late.wait(20)
        sock.sendall(answer({"output": number, "calls": []}))

    with answering(first_hangs) as server:
        set_endpoint(fresh, server.url)
        job = begin(fresh, 3)

        def stalled() -> int | None:
            try:
                return job_turn(job_id=job.pk, turn=0)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(stalled)
            while not server.asked:
                time.sleep(0.01)
            assert job_turn(job_id=job.pk, turn=1) is None  # it is through
            late.set()
            assert first.result(timeout=20) in (None, 1)
        assert len(server.asked) == 4
    job.refresh_from_db()
    assert (job.state, counts(job)) == ("done", (3, 3, 0, 0))
    outputs = [unpack(replay.output) for replay in CaseReplay.objects.filter(job=job)]
    assert outputs == [b"1", b"2", b"3"]


def test_a_request_that_lasts_is_no_reason_to_take_a_job_over(fresh: Shop, settings: LazySettings):
    settings.REPLAY_STALE_SECONDS, settings.REPLAY_SECONDS = 0.4, 1.5
    stale: list[Any] = []

    def look_while_it_lasts(sock: socket.socket, asked: Asked, number: int) -> None:
        for _ in range(6):
            time.sleep(0.2)
            stale.extend(ReplayJob.objects.filter(heartbeat_at__lte=now() - timedelta(seconds=0.4)))
        sock.sendall(answer())

    with answering(look_while_it_lasts) as server:
        set_endpoint(fresh, server.url)
        job = work(begin(fresh, 1))
        assert job.answered == 1 and stale == []
