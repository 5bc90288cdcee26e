"""However often its worker is killed, an evaluation counts each case once, and finds what it would have found."""

from __future__ import annotations

import random
import socket
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from improve.models import CaseReplay, CaseResult, Evaluation, ReplayJob
from tests.improve.answering import Answering, Asked, answer, answering
from tests.improve.staging import CALLED, FROM, SHOULD_CALL, Stage
from tests.judging.queues import import_runs
from tests.support.shops import AGENT, Shop, completed
from tests.support.workers import ForkingWorker, a_forking_worker

pytestmark = pytest.mark.long

CASES, KILLS = 300, 20
SCHEDULE = {
    "PURGE_EVERY_SECONDS": "3600",
    "SWEEP_EVERY_SECONDS": "3600",
    "RESUME_EVERY_SECONDS": "3600",
    "FOLD_EVERY_SECONDS": "3600",
    "REPLAY_RESUME_EVERY_SECONDS": "1",
    "REPLAY_STALE_SECONDS": "1",
}
# Until it is killed a worker gets so many more answers, one by one.
A_FEW = range(3, 14)


def does(number: int) -> bytes:
    """What the agent answers about a run: mostly what people said, and now and then whatever else may come."""
    if number % 13 == 5:
        return answer({"error": "gone"}, status="404 Not Found")
    if number % 11 == 5:
        return answer({"calls": [{"tool": "shop.mail", "args": {}, "refused": True}]})
    calls: list[dict[str, Any]] = CALLED if number % 3 == 0 else SHOULD_CALL
    if number % 7 == 0:
        calls = [{"tool": "shop.lookup", "args": {"number": number}}]
    return answer({"output": {"response": {"content": "Done."}}, "calls": calls})


def at_once(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(does(asked.json["input"]["number"]))


def slowly(connection: socket.socket, asked: Asked, number: int) -> None:
    """Long enough for a request to be under way when the worker is killed."""
    time.sleep(0.03)
    at_once(connection, asked, number)


def judged_runs(shop: Shop) -> None:
    """So many runs, of which people said that another tool should have been called."""
    made = [{"id": run_id(number), **completed(**ran(number))} for number in range(CASES)]
    import_runs(shop, *made)
    for number in range(CASES):
        shop.correct(run_id(number), decisions="wrong", shouldCall=SHOULD_CALL)


def run_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def ran(number: int) -> dict[str, Any]:
    return {"input": {"number": number}, "calls": CALLED, "agent": {"id": AGENT, "version": FROM, "via": "live"}}


@pytest.fixture
def stage(fresh: Shop) -> Iterator[Stage]:
    """A shop with so many judged runs, all in one test set, and an endpoint that counts what it is asked."""
    with answering(at_once) as server:
        judged_runs(fresh)
        stage = Stage(fresh, server)
        stage.set_up(cases=0)
        yield stage


def test_it_counts_each_case_once_and_finds_what_it_would_have_found_undisturbed(stage: Stage):
    undisturbed = found(stage.evaluated(stage.drafted()))
    del stage.server.asked[:]
    stage.server.behaviour = slowly
    with a_forking_worker(**SCHEDULE) as worker:
        proposal_id = stage.begun(stage.drafted())
        worker.start()
        for _ in range(KILLS):
            kill_at_work(worker, stage.server)
        worker.wait_until(lambda: not ReplayJob.objects.filter(state="running").exists())
    times = Counter(asked.headers["webhook-id"] for asked in stage.server.asked)
    print(f"killed {KILLS} times, {times.total()} requests for {CASES} cases")
    assert len(times) == CASES
    assert times.total() - CASES <= KILLS, "more was asked again than what was in flight"
    replays = CaseReplay.objects.filter(job__evaluations__proposal_id=proposal_id)
    assert sorted(replays.values_list("position", flat=True)) == list(range(CASES))
    assert not replays.filter(state="waiting").exists()
    attempts = {str(pk): attempts for pk, attempts in replays.values_list("pk", "attempts")}
    assert all(attempts[asked] >= number for asked, number in times.items()), "a request was sent that isn't counted"
    assert found(proposal_id) == undisturbed


def kill_at_work(worker: ForkingWorker, server: Answering) -> None:
    """kill -9 of a worker that has begun, at some moment of a request or between two."""
    until = len(server.asked) + random.choice(A_FEW)
    worker.wait_until(lambda: len(server.asked) >= until)
    time.sleep(random.uniform(0, 0.05))
    worker.kill9_worker()
    assert ReplayJob.objects.filter(state="running").count() == 1, "it was over before it was killed"


def found(proposal_id: str) -> dict[str, Any]:
    """All that the evaluation of a suggested change found, case by case."""
    evaluation = Evaluation.objects.select_related("job").get(proposal_id=proposal_id)
    job = evaluation.job
    assert job.answered + job.refused + job.failed == CASES
    fields = ("finding", "baseline", "candidate", "delta", "spread", "cases", "result")
    labels = CaseResult.objects.filter(evaluation=evaluation).order_by("position").values_list("position", "label")
    return {
        **{name: getattr(evaluation, name) for name in fields},
        "labels": list(labels),
        "job": (job.state, job.answered, job.refused, job.failed),
    }
