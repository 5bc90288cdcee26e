"""A test of a version that failed is begun again once, whoever finds it due, and not where the version has moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction

from improve.models import JobState, PinTest, ReplayJob
from improve.selectors.pin_tests_again import PAUSES, pin_tests_due
from improve.services import pin_tests_again
from improve.tasks import resume_jobs
from kindgi.api.times import now
from tests.improve.answering import answering
from tests.improve.deploying import FIXING, Deployed, failed, newest, pin, set_up, statuses
from tests.improve.replays import work
from tests.improve.staging import FROM, Stage
from tests.support.shops import Shop

pytestmark = pytest.mark.usefixtures("again_soon")


@pytest.fixture
def failed_fresh(fresh: Shop) -> Iterator[Stage]:
    """Committed, with a test that failed a minute ago."""
    deployed = Deployed()
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
