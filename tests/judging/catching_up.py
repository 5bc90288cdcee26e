"""Catch-ups as tests ask for them, of runs that ended before their rule was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from django.conf import LazySettings

from judging.models import CatchUp, JudgingRule
from judging.selectors.rules import matcher_of
from judging.services import catch_up, checking
from judging.services.catch_up import catch_up_begin, catch_up_run
from judging.submissions import QueueRecentBody
from kindgi.access.callers import operator_in
from kindgi.api.times import wire
from kindgi.runs.models import Run
from tests.judging.queues import import_runs, rules_path
from tests.judging.recounting import assert_all_is_well
from tests.support.racing import wait_until
from tests.support.shops import Shop, completed
from tests.support.workers import WorkerProcess, a_worker

NOON = datetime(2025, 3, 10, 12, tzinfo=UTC)
Rule = dict[str, Any]


def at(minute: float) -> datetime:
    """So many minutes after ``NOON``."""
    return NOON + timedelta(minutes=minute)


def ended(shop: Shop, *minutes: float, **body: Any) -> list[str]:
    """The ids of completed runs that ended then, told in this order; of the shop's agent, unless ``body`` says else."""
    told = [{"id": str(uuid4()), **completed(**times(minute), **body)} for minute in minutes]
    import_runs(shop, *told)
    return [str(run["id"]) for run in told]


def times(minute: float) -> dict[str, str]:
    """When a run began and ended, as it is reported."""
    return {"createdAt": wire(at(minute - 1)), "completedAt": wire(at(minute))}


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs a batch."""
    monkeypatch.setattr(catch_up, "BATCH", 3)


def erase(shop: Shop, run_id: str) -> None:
    """Take the words out of a run."""
    shop.admin.ok("POST", f"runs/{run_id}/erase")


def asked(shop: Shop, rule: Rule, **body: Any) -> CatchUp:
    """A catch-up that nobody has worked on yet; ``body`` as ``QueueRecentBody`` has it."""
    return catch_up_begin(
        caller=operator_in(shop.tenant.pk),
        project=shop.project,
        rule_id=rule["ruleId"],
        body=QueueRecentBody(**body),
    )


def gone_on(job: CatchUp) -> CatchUp:
    """The catch-up after all that there is left to do of it."""
    catch_up_run(catch_up_id=job.pk)
    job.refresh_from_db()
    return job


def caught_up(shop: Shop, rule: Rule, **body: Any) -> CatchUp:
    """A catch-up that was asked for and is done."""
    return gone_on(asked(shop, rule, **body))


def counts(job: CatchUp) -> tuple[int, int, int]:
    """How many it queued, how many were queued already, and how many reviewed."""
    return job.queued, job.already_queued, job.already_reviewed


def matches(rule: Rule, run_ids: Iterable[str]) -> list[str]:
    """Those of the runs that the rule takes, looked at one by one."""
    matcher = matcher_of(JudgingRule.objects.get(pk=rule["ruleId"]))
    return [run_id for run_id in run_ids if matcher.takes(Run.objects.get(run_id=run_id))]


def assert_it_adds_up(shop: Shop) -> None:
    """Nothing is found in the shop's project, looked at in the test's own transaction, where all is one moment."""
    with mock.patch.object(checking, "_ONE_MOMENT", "SELECT"):
        assert_all_is_well(shop)


@pytest.fixture
def at_once_answered(settings: LazySettings) -> None:
    """Nobody works on it, so nobody waits for it."""
    settings.CATCH_UP_WAIT_SECONDS = 0


@pytest.fixture
def nobody(fresh: Shop) -> Iterator[WorkerProcess]:
    """A worker that hasn't started: what is sent to it can be counted."""
    with a_worker() as worker:
        yield worker


def path(shop: Shop, rule: Rule, *more: str) -> str:
    """The path to ask for a rule's catch-up, or of what is below it."""
    return rules_path(shop, rule["ruleId"], "queue-recent", *more)


def code(response: Any) -> tuple[int, str]:
    """A refusal's status and code."""
    return response.status_code, response.json()["error"]["code"]


def told(response: Any) -> tuple[int, Any, bytes]:
    """All that a client sees of an answer but the request's own id."""
    return response.status_code, response.headers.get("Content-Type"), response.content


def do(job_id: str) -> None:
    """What a worker does."""
    catch_up_run(catch_up_id=CatchUp.objects.get(pk=job_id).pk)


def work_once() -> None:
    """Do the one catch-up that is asked for, once it is."""
    wait_until(CatchUp.objects.exists)
    catch_up_run(catch_up_id=CatchUp.objects.get().pk)
