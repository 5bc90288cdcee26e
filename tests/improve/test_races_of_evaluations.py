"""Steps of one suggested change at the same moment: one after the other, whatever meets; each with a control."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import pytest

from improve import models
from improve.errors import ProposalWrongStatus
from improve.models import CaseResult, Evaluation, ReplayJob
from improve.selectors.proposals import proposal_get, proposal_standing
from improve.services.ending import job_end
from improve.statuses import Action
from kindgi.access.callers import Caller
from kindgi.runs.models import Run
from tests.improve.answering import Asked, answer, answering
from tests.improve.replays import work
from tests.support.parallel import at_once
from tests.support.racing import meeting
from tests.support.shops import AGENT, Shop

FROM = "2.0.0"
EVALUATIONS = "improve.services.evaluations.proposal_lock"
SENDING = "improve.services.sending.proposal_lock"


def behave(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(answer({"output": {"text": "perhaps"}, "calls": []}))


@pytest.fixture
def proposal(fresh: Shop) -> Iterator[str]:
    """A suggested change of an agent with three corrected runs; its endpoint answers what nobody has judged."""
    block = {"id": "routing", "kind": "settings", "values": {"tool": "old"}}
    fresh.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"blocks": [block]})
    for number in range(3):
        fresh.correct(fresh.run(agent={"id": AGENT, "version": FROM}, input={"name": number}))
    change = {"blockId": "routing", "content": {"values": {"tool": "new"}}}
    body = {"agentId": AGENT, "fromVersion": FROM, "change": change, "hypothesis": "Better."}
    made = str(fresh.editor.ok("POST", "proposals", body)["id"])
    with answering(behave) as server:
        path = f"projects/{fresh.project.pk}/agents/{AGENT}/replay-endpoint"
        fresh.admin.ok("PUT", path, {"url": server.url})
        yield made


def post(shop: Shop, proposal: str, action: str) -> Callable[[], int]:
    """A step that is taken; its answer's status."""
    api = shop.editor
    return lambda: int(api.request("POST", f"proposals/{proposal}/{action}").status_code)


def evaluated(shop: Shop, proposal: str) -> ReplayJob:
    """Evaluate it to the end."""
    assert post(shop, proposal, "evaluate")() == 200
    job = ReplayJob.objects.latest("created_at")
    work(job)
    return job


@contextmanager
def without_the_lock() -> Iterator[None]:
    """Take steps without locking the suggested change."""

    def seen(*, caller: Caller, proposal_id: str, action: Action) -> Any:
        standing = proposal_standing(caller=caller, proposal=proposal_get(caller=caller, proposal_id=proposal_id))
        if action not in standing.legal:
            raise ProposalWrongStatus(standing.status, action)
        return standing

    with ExitStack() as stack:
        for target in (EVALUATIONS, SENDING):
            stack.enter_context(mock.patch(target, seen))
        yield


def evaluate_twice(shop: Shop, proposal: str) -> list[Any]:
    with meeting(EVALUATIONS, 2):
        return sorted(at_once([post(shop, proposal, "evaluate")] * 2), key=str)


def test_of_two_that_evaluate_at_once_one_does(fresh: Shop, proposal: str) -> None:
    assert evaluate_twice(fresh, proposal) == [200, 409]
    assert Evaluation.objects.count() == 1


def test_without_the_lock_both_begin_and_the_database_refuses_one(fresh: Shop, proposal: str) -> None:
    with without_the_lock():
        assert evaluate_twice(fresh, proposal) != [200, 409]


def send_twice(shop: Shop, proposal: str) -> list[Any]:
    evaluated(shop, proposal)
    api = shop.editor
    with meeting(SENDING, 2):
        found = at_once([lambda: api.request("POST", f"proposals/{proposal}/send").json().get("sent")] * 2)
    return sorted(found, key=str)


def sent_runs(shop: Shop) -> set[Any]:
    return set(Run.objects.filter(tenant=shop.tenant, replay_of__isnull=False).values_list("run_id", flat=True))


def test_of_two_that_send_at_once_one_sends(fresh: Shop, proposal: str) -> None:
    assert send_twice(fresh, proposal) == [0, 3]
    assert len(sent_runs(fresh)) == 3
    assert fresh.editor.ok("GET", f"projects/{fresh.project.pk}/judging-queue?limit=0")["total"] == 3


def test_without_the_lock_both_say_that_they_sent(fresh: Shop, proposal: str) -> None:
    with without_the_lock():
        assert send_twice(fresh, proposal) != [0, 3]


def known_as_sent(shop: Shop, proposal: str) -> set[Any]:
    """The runs that the latest evaluation knows were made of its answers."""
    latest = Evaluation.objects.filter(proposal_id=proposal).latest("created_at")
    return {run_id for one in CaseResult.objects.filter(evaluation=latest) for run_id in one.sent_run_ids}


def rescore_and_send(shop: Shop, proposal: str) -> None:
    evaluated(shop, proposal)
    with meeting(EVALUATIONS, 2, SENDING):
        assert at_once([post(shop, proposal, "rescore"), post(shop, proposal, "send")]) == [200, 200]


def test_what_is_sent_while_it_is_scored_again_is_known_to_the_latest_evaluation(fresh: Shop, proposal: str) -> None:
    rescore_and_send(fresh, proposal)
    assert known_as_sent(fresh, proposal) == sent_runs(fresh) != set()


def test_an_evaluation_that_ends_while_it_is_cancelled_ends_once(fresh: Shop, proposal: str) -> None:
    assert post(fresh, proposal, "evaluate")() == 200
    job = ReplayJob.objects.latest("created_at")
    ended = at_once([post(fresh, proposal, "cancel"), lambda: job_end(job_id=job.pk, turn=job.turn)])
    evaluation = Evaluation.objects.get()
    job.refresh_from_db()
    assert (ended, job.state, evaluation.finding) in [
        ([200, None], "cancelled", "cancelled"),
        ([409, None], "done", "not-better"),
    ]
    assert evaluation.finished_at is not None
    assert CaseResult.objects.filter(evaluation=evaluation).values("position").distinct().count() == (
        CaseResult.objects.filter(evaluation=evaluation).count()
    )


def make_at_once(shop: Shop) -> list[Any]:
    api = shop.editor
    body = {"agentId": AGENT}
    with meeting("improve.services.test_sets.judged_of_runs", 4):
        return at_once([lambda: api.request("POST", f"projects/{shop.project.pk}/test-sets", body).status_code] * 4)


def numbers() -> list[int]:
    return sorted(models.TestSet.objects.values_list("version", flat=True))


def test_test_sets_that_are_made_at_once_are_numbered_without_a_gap(fresh: Shop, proposal: str) -> None:
    assert make_at_once(fresh) == [201] * 4
    assert numbers() == [1, 2, 3, 4]


def test_without_their_lock_two_take_the_same_number(fresh: Shop, proposal: str) -> None:
    with (
        mock.patch("improve.services.test_sets.fetch", lambda *args: []),
        mock.patch("improve.services.test_sets.corrections_lock", lambda scope, run_ids: set()),
        meeting("improve.services.test_sets._test_set", 4),
    ):
        assert make_at_once(fresh) != [201] * 4
