"""A version whose test failed is tested again by itself while the project runs it: after pauses, and once at a time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction

from improve.models import JobState, PinTest, ReplayJob
from improve.selectors.pin_tests_again import PAUSES, pin_tests_due
from improve.services import pin_tests_again
from improve.tasks import resume_jobs
from kindgi.api.times import as_of, now
from tests.improve.answering import Asked, answer, answering
from tests.improve.replays import work
from tests.improve.staging import CALLED, FROM, REVIEWER, SETTINGS, SHOULD_CALL, Stage
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.usefixtures("again_soon")
# No semver, so that it is never Latest.
FIXING = "next"
SECOND = timedelta(seconds=1)


class Deployed:
    """An agent whose ``FIXING`` does what people said, as any version does with a changed block, unless ``down``."""

    down = False

    def __call__(self, connection: socket.socket, asked: Asked, number: int) -> None:
        """Answer a request, or don't."""
        if self.down:
            return connection.sendall(answer({"error": "deploying"}, status="503 Service Unavailable"))
        mode = asked.json.get("blocks", {}).get("manners", SETTINGS)["values"]["mode"]
        right = asked.json["version"] == FIXING or mode == "better"
        calls = SHOULD_CALL if right else CALLED
        return connection.sendall(answer({"output": {"response": {"content": "Done."}}, "calls": calls}))


@pytest.fixture(scope="module")
def deployed() -> Deployed:
    return Deployed()


def set_up(stage: Stage, *, cases: int) -> None:
    stage.set_up(cases=cases)
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FIXING}")


@pytest.fixture(scope="module")
def stage(shop: Shop, deployed: Deployed) -> Iterator[Stage]:
    with answering(deployed) as server:
        stage = Stage(shop, server)
        set_up(stage, cases=12)
        yield stage


@pytest.fixture
def taken_back(undone: Shop, stage: Stage, deployed: Deployed) -> Iterator[None]:
    """Every test leaves the stage as it was."""
    deployed.down = False
    yield
    deployed.down = False


at_stage = pytest.mark.usefixtures("taken_back")


def path(stage: Stage, what: str) -> str:
    return f"projects/{stage.shop.project.pk}/agents/{AGENT}/{what}"


def pin(stage: Stage, version: str = FIXING) -> None:
    stage.shop.admin.ok("PUT", path(stage, "pin"), {"version": version})


def failed(stage: Stage, deployed: Deployed, version: str = FIXING) -> PinTest:
    """The test of a version that is pinned while the agent is down."""
    deployed.down = True
    pin(stage, version)
    test = fails(newest())
    deployed.down = False
    return test


def fails(test: PinTest) -> PinTest:
    assert work(test.job).state == "failed"
    return test


def newest() -> PinTest:
    return PinTest.objects.select_related("job").latest("created_at", "pk")


def after(test: PinTest, pause: timedelta) -> AbstractContextManager[None]:
    """The moment when so much time has passed since the test failed."""
    assert test.job.finished_at is not None
    return as_of(test.job.finished_at + pause)


def begun(test: PinTest, pause: timedelta) -> PinTest | None:
    """What the periodic task begins so long after the test failed."""
    with after(test, pause):
        resume_jobs()
    found = newest()
    return None if found.pk == test.pk else found


def statuses(stage: Stage) -> set[str]:
    found = stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]
    return {one["status"] for one in found}


def test_runs(stage: Stage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/test-runs")["data"]
    return found


test_runs.__test__ = False  # type: ignore[attr-defined]


@at_stage
def test_pinned_while_the_endpoint_is_down_it_is_tested_a_minute_later(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert (first.job.problem, first.job.failed) == ("failed-in-a-row", 10)
    assert test_runs(stage) == [] and "fixed" not in statuses(stage)
    assert begun(first, PAUSES[0] - SECOND) is None
    again = begun(first, PAUSES[0])
    assert again is not None
    assert (again.how, again.job.version, again.job.of, again.job.state) == ("pin", FIXING, 12, "running")
    assert work(again.job).state == "done"
    (run,) = test_runs(stage)
    by = {"kind": "user", "id": str(stage.shop.person("tenant-admin").pk)}
    assert (run["version"], run["how"], run["madeBy"], run["counts"]["fixed"]) == (FIXING, "pin", by, 12)
    assert statuses(stage) == {"fixed"}
    assert begun(again, timedelta(days=1)) is None, "nothing failed any more"


@at_stage
def test_the_pauses_grow_and_then_it_is_left(stage: Stage, deployed: Deployed):
    last = failed(stage, deployed)
    deployed.down = True
    for pause in PAUSES:
        assert begun(last, pause - SECOND) is None
        again = begun(last, pause)
        assert again is not None
        with after(last, pause):
            last = fails(again)
    assert PinTest.objects.count() == 1 + len(PAUSES)
    for days in (1, 7, 30):
        assert begun(last, timedelta(days=days)) is None
    pin(stage)
    assert PinTest.objects.count() == 2 + len(PAUSES), "pinned again, it is tried once more all the same"


@at_stage
def test_pinning_the_same_version_again_begins_it_at_once(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    pin(stage)
    again = newest()
    assert again.pk != first.pk and (again.job.state, again.made_by_id) == ("running", first.made_by_id)
    pin(stage)
    assert newest().pk == again.pk, "it goes on already"
    with after(first, PAUSES[0]):
        resume_jobs()
    assert newest().pk == again.pk, "nor does its pause begin another"
    work(again.job)
    assert statuses(stage) == {"fixed"}
    pin(stage)
    assert newest().pk == again.pk, "it is tested"


@at_stage
def test_a_later_move_ends_the_trying(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "pin")).status_code == 200
    unpinned = newest()
    assert (unpinned.how, unpinned.job.version) == ("unpin", FROM)
    with after(first, PAUSES[0]):
        resume_jobs()
    assert newest().pk == unpinned.pk
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/7.0.0")
    unpinned.job.refresh_from_db()
    assert (unpinned.job.state, newest().job.version) == (JobState.CANCELLED, "7.0.0")


@at_stage
def test_what_was_cancelled_is_not_begun_again(stage: Stage, deployed: Deployed):
    test = failed(stage, deployed)
    ReplayJob.objects.filter(pk=test.job_id).update(state=JobState.CANCELLED)
    assert begun(test, PAUSES[0]) is None
    pin(stage)
    assert newest().pk == test.pk


@at_stage
def test_moved_away_and_back_without_a_test_the_earlier_one_stays_ended(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "replay-endpoint")).status_code == 204
    assert begun(first, PAUSES[0]) is None, "there is nobody to ask"
    pin(stage, FROM)
    assert begun(first, PAUSES[0]) is None
    pin(stage)
    stage.shop.admin.ok("PUT", path(stage, "replay-endpoint"), {"url": stage.server.url})
    assert begun(first, timedelta(days=1)) is None


@at_stage
def test_an_endpoint_that_is_there_again_is_asked(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "replay-endpoint")).status_code == 204
    assert begun(first, PAUSES[0]) is None
    stage.shop.admin.ok("PUT", path(stage, "replay-endpoint"), {"url": stage.server.url})
    assert begun(first, PAUSES[0]) is not None


@at_stage
def test_a_new_latest_that_failed_is_tested_again_until_there_is_a_newer(stage: Stage, deployed: Deployed):
    deployed.down = True
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/7.0.0")
    first = fails(newest())
    again = begun(first, PAUSES[0])
    assert again is not None and (again.how, again.job.version) == ("latest", "7.0.0")
    with after(first, PAUSES[0]):
        fails(again)
    with after(first, 2 * PAUSES[0]):
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/8.0.0")
        newer = fails(newest())
    assert newer.job.version == "8.0.0"
    again = begun(newer, PAUSES[0])
    assert again is not None and again.job.version == "8.0.0", "its pauses are its own"


@at_stage
def test_what_went_live_is_tested_again_as_its_own(stage: Stage, deployed: Deployed):
    proposal_id = stage.in_review()
    deployed.down = True
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    first = fails(newest())
    deployed.down = False
    again = begun(first, PAUSES[0])
    assert again is not None and str(again.promotion_id) == live["promotion"]["id"]
    assert (again.job.change, again.job.blocks) == (first.job.change, first.job.blocks) != (None, None)
    work(again.job)
    assert statuses(stage) == {"fixed"}
    assert test_runs(stage)[0]["madeBy"]["id"] == str(stage.shop.person(REVIEWER).pk)


@at_stage
def test_with_nothing_said_wrong_any_more_it_ends(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    for one in stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]:
        stage.shop.editor.ok("POST", f"corrections/{one['id']}/unregister")
    again = begun(first, PAUSES[0])
    assert again is not None and again.job.of == 0
    assert work(again.job).state == "done"
    assert begun(again, timedelta(days=1)) is None and test_runs(stage) == []


@at_stage
def test_one_that_cannot_be_begun_is_logged_and_left_for_the_next_time(
    stage: Stage, deployed: Deployed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    first = failed(stage, deployed)
    with monkeypatch.context() as patched:
        patched.setattr(pin_tests_again, "pin_test_begin_again", lambda test, agent: 1 / 0)
        assert begun(first, PAUSES[0]) is None
    assert f"The test {first.pk} of a version could not be begun again." in caplog.text
    assert begun(first, PAUSES[0]) is not None


@pytest.fixture
def failed_fresh(fresh: Shop, deployed: Deployed) -> Iterator[Stage]:
    """Committed, with a test that failed a minute ago."""
    with answering(deployed) as server:
        stage = Stage(fresh, server)
        set_up(stage, cases=2)
        test = failed(stage, deployed)
        ReplayJob.objects.filter(pk=test.job_id).update(finished_at=now() - PAUSES[0])
        yield stage


def together(*do: Callable[[], Any]) -> None:
    """At the same time, each on a connection of its own."""

    def one(does: Callable[[], Any]) -> None:
        try:
            does()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(do)) as pool:
        list(pool.map(one, do))


def all_have_looked(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Nobody goes on to lock before each of so many has found what is due."""
    met = threading.Barrier(workers)

    def looked() -> Any:
        found = pin_tests_due()
        met.wait(10)
        return found

    monkeypatch.setattr(pin_tests_again, "pin_tests_due", looked)


def test_of_two_workers_that_find_it_one_begins_it(failed_fresh: Stage, monkeypatch: pytest.MonkeyPatch):
    all_have_looked(monkeypatch, 2)
    together(resume_jobs, resume_jobs)
    assert PinTest.objects.count() == 2
    assert ReplayJob.objects.filter(state=JobState.RUNNING).count() == 1
    work(newest().job)
    assert statuses(failed_fresh) == {"fixed"}


def test_control_without_a_second_look_under_the_lock_both_begin_it(
    failed_fresh: Stage, monkeypatch: pytest.MonkeyPatch
):
    first = PinTest.objects.select_related("job__project", "promotion").get()
    monkeypatch.setattr(pin_tests_again, "pin_tests_due_of", lambda project_id, agent_id: first)
    all_have_looked(monkeypatch, 2)
    together(resume_jobs, resume_jobs)
    assert ReplayJob.objects.filter(state=JobState.RUNNING).count() == 2


def test_a_worker_and_who_pins_the_version_again_begin_it_once(failed_fresh: Stage):
    together(resume_jobs, lambda: pin(failed_fresh), resume_jobs)
    assert PinTest.objects.count() == 2


def test_moved_after_it_was_found_it_is_not_begun(failed_fresh: Stage, monkeypatch: pytest.MonkeyPatch):
    found, moved = threading.Event(), threading.Event()

    def looked() -> Any:
        due = pin_tests_due()
        found.set()
        assert due and moved.wait(10)
        return due

    monkeypatch.setattr(pin_tests_again, "pin_tests_due", looked)

    def move() -> None:
        assert found.wait(10)
        with transaction.atomic():
            pin(failed_fresh, FROM)
            moved.set()

    together(resume_jobs, move)
    assert [test.job.version for test in PinTest.objects.select_related("job")] == [FROM, FIXING]
