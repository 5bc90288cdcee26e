"""Whatever runs there are, a catch-up comes to what is found by looking at them one by one (contract, section 6)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from unittest import mock
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corrections.models import Correction
from judging.models import JudgingRule, QueueItem, State
from judging.selectors.rules import matcher_of
from judging.services import catch_up
from kindgi.runs.models import Run
from tests.judging.catching_up import Rule, assert_it_adds_up, at, caught_up, counts, erase, times
from tests.judging.queues import dismiss, import_runs, make_rule, old_rule, queued_runs
from tests.support.matrices import UNKNOWN
from tests.support.shops import AGENT, Shop, completed

# Another rule, which wants an expert, has queued those of version 2.0.0 as they ended.
QUEUED = {"agent": {"id": AGENT, "version": "2.0.0", "via": "explicit"}}
BODIES: list[dict[str, Any]] = [
    {}, QUEUED, {"flow": {"id": "intake", "version": "1.0.0"}}, {"dryRun": True}, {"status": "failed"},
    {"parentRunId": UNKNOWN}, {"replayOf": UNKNOWN}, {"evalRunId": "eval-1"},
]  # fmt: skip
WHENS: list[dict[str, Any]] = [{}, {"agentIds": [AGENT]}, {"versions": ["2.0.0"]}, {"includeDryRuns": True}]


class Told(NamedTuple):
    """A run that is told: when it ended, what else is said of it, and what becomes of it before the catch-up."""

    minute: int
    body: dict[str, Any]
    then: str


class Asked(NamedTuple):
    """What is asked for, of which rule, and in batches of how many."""

    last: int | None
    since: int | None
    when: dict[str, Any]
    sample: float
    batch: int


told = st.builds(
    Told,
    st.integers(0, 4),
    st.one_of(st.sampled_from(BODIES[:2]), st.sampled_from(BODIES)),
    st.sampled_from(["", "", "corrected", "dismissed", "erased"]),
)
lasts, sinces = st.one_of(st.none(), st.integers(1, 20)), st.one_of(st.none(), st.integers(-1, 5))
questions = st.builds(
    Asked, lasts, sinces, st.sampled_from(WHENS), st.sampled_from([1, 1, 0.5, 0.2]), st.integers(1, 6)
).filter(lambda asked: (asked.last, asked.since) != (None, None))


@given(runs=st.lists(told, max_size=20), question=questions)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_catch_up_comes_to_what_is_found_one_by_one(undone: Shop, runs: list[Told], question: Asked):
    with transaction.atomic(), mock.patch.object(catch_up, "BATCH", question.batch):
        happened(undone, runs)
        rule = make_rule(undone, when=question.when, sample=question.sample)
        since = None if question.since is None else at(question.since)
        check(undone, rule, last=question.last, since=since)
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def expert(undone: Shop) -> None:
    """Make the rule that wants an expert."""
    old_rule(undone, at=at(-60), when={"versions": ["2.0.0"]}, judgeClassId=undone.judge_class())


def happened(shop: Shop, runs: list[Told]) -> None:
    """What was told, and then done."""
    reports = [{"id": str(uuid4()), **completed(**times(run.minute), **run.body)} for run in runs]
    if reports:
        import_runs(shop, *reports)
    for report, run in zip(reports, runs, strict=True):
        if run.then == "erased":
            erase(shop, report["id"])
        elif run.then == "corrected" and report["status"] == "completed":
            shop.correct(report["id"])
        elif run.then == "dismissed" and run.body is QUEUED:
            dismiss(shop, report["id"])


def check(shop: Shop, rule: Rule, *, last: int | None, since: datetime | None) -> None:
    """Ask twice, and compare with what there is."""
    looked_at = window(last, since)
    matcher = matcher_of(JudgingRule.objects.get(pk=rule["ruleId"]))
    matches = [run for run in looked_at if matcher.takes(run)]
    reviewed = {run.run_id for run in matches if is_reviewed(run)}
    waited = queued_runs(shop)
    new = [str(run.run_id) for run in matches if run.run_id not in reviewed and str(run.run_id) not in waited]
    asked = {name: value for name, value in {"last": last, "since": since}.items() if value is not None}

    job = caught_up(shop, rule, **asked)
    queued = len(matches) - len(reviewed)
    assert (job.state, job.of, job.done) == ("done", len(looked_at), len(looked_at))
    assert counts(job) == (queued, 0, len(reviewed))
    assert queued_runs(shop) == waited + new, "in the order of their ends, behind those that waited"
    assert {UUID(one) for one in queued_runs(shop, f"ruleId={rule['ruleId']}")} == {
        run.run_id for run in matches if run.run_id not in reviewed
    }
    assert counts(caught_up(shop, rule, **asked)) == (0, queued, len(reviewed))
    assert_it_adds_up(shop)


def window(last: int | None, since: datetime | None) -> list[Run]:
    """The runs that are asked for, oldest end first."""
    ended = [run for run in Run.objects.all() if run.completed_at is not None and is_its_own(run)]
    ended.sort(key=lambda run: (run.completed_at, run.pk))
    ended = [run for run in ended if since is None or (run.completed_at or since) >= since]
    return ended[-last:] if last is not None else ended


def is_its_own(run: Run) -> bool:
    return run.parent_run_id is None and run.replay_of is None and run.eval_run_id == ""


def is_reviewed(run: Run) -> bool:
    """Whether its item is closed, or it has none and is corrected."""
    item = QueueItem.objects.filter(run_id=run.run_id).first()
    if item is not None:
        return item.state != State.OPEN
    return Correction.objects.filter(run_id=run.run_id).exists()
