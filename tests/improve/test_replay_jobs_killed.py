"""A worker that is killed in the midst of a job loses the request in flight, and nothing else (docs/concurrency.md)."""

from __future__ import annotations

import random
import socket
import time
from collections import Counter

from improve.models import CaseReplay, ReplayJob
from tests.improve.answering import Asked, answer, answering
from tests.improve.replays import begin, counts, set_endpoint, states
from tests.support.shops import Shop
from tests.support.workers import a_worker

CASES, KILLS = 40, 3
SCHEDULE = {
    "PURGE_EVERY_SECONDS": "3600",
    "SWEEP_EVERY_SECONDS": "3600",
    "RESUME_EVERY_SECONDS": "3600",
    "FOLD_EVERY_SECONDS": "3600",
    "REPLAY_RESUME_EVERY_SECONDS": "1",
    "REPLAY_STALE_SECONDS": "1",
}


def slowly(sock: socket.socket, asked: Asked, number: int) -> None:
    time.sleep(0.1)
    sock.sendall(answer())


def test_a_worker_that_is_killed_again_and_again_asks_about_each_run_once_but_for_what_was_in_flight(fresh: Shop):
    with answering(slowly) as server, a_worker(None, **SCHEDULE) as worker:
        set_endpoint(fresh, server.url)
        job = begin(fresh, CASES)
        for kill in range(KILLS):
            seen = len(server.asked)
            worker.start()
            worker.wait_until(lambda seen=seen: len(server.asked) > seen + 3)  # type: ignore[misc]
            time.sleep(random.uniform(0, 0.2))
            worker.kill9()
            job.refresh_from_db()
            assert job.state == "running" and job.answered <= len(server.asked), kill
        worker.start()
        worker.wait_until(lambda: not ReplayJob.objects.filter(state="running").exists())
        times = Counter(asked.headers["webhook-id"] for asked in server.asked)
    job.refresh_from_db()
    assert (job.state, counts(job)) == ("done", (CASES, CASES, 0, 0))
    assert states(job) == ["answered"] * CASES
    assert len(times) == CASES and len(server.asked) <= CASES + KILLS and max(times.values()) <= 1 + KILLS
    attempts = {str(replay.pk): replay.attempts for replay in CaseReplay.objects.filter(job=job)}
    assert all(attempts[asked] >= number for asked, number in times.items())
