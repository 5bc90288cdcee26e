"""Steps taken at the same moment, on connections of their own: each is taken whole, and only one of two that exclude
each other. The controls take the lock away, and it goes wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from improve.models import JobState, Promotion, Proposal, ReplayJob
from improve.services import proposals
from kindgi.runs.models import PinChange
from tests.improve.staging import FROM, REVIEWER, Stage, staged
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import meeting
from tests.support.shops import AGENT, Shop

SECOND = "editor:second"


@pytest.fixture
def stage(fresh: Shop) -> Iterator[Stage]:
    with staged(fresh) as stage:
        fresh.admin.ok("POST", "approvals/reviewers", {"userId": str(fresh.person(SECOND).pk), "role": "senior"})
        for person in ("editor", "editor:2", SECOND, REVIEWER):
            fresh.api(person)
        yield stage


def post(stage: Stage, by: str, path: str, body: Any = None) -> Any:
    return stage.shop.api(by).post(f"proposals/{path}", body)


def statuses(answers: list[Any]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


def status(stage: Stage, proposal_id: str) -> str:
    return str(stage.shop.editor.ok("GET", f"proposals/{proposal_id}")["status"])


def ask_at_once(stage: Stage, proposal_id: str) -> list[Any]:
    people = ["editor", "editor:2", SECOND, REVIEWER]
    return at_once([partial(post, stage, by, f"{proposal_id}/request") for by in people])


def test_of_several_who_ask_at_once_one_has_asked(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted())
    assert statuses(ask_at_once(stage, proposal_id)) == [200, 409, 409, 409]
    assert Promotion.objects.filter(proposal_id=proposal_id).count() == 1


def test_control_without_the_lock_several_have_asked(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    proposal_id = stage.evaluated(stage.drafted())
    monkeypatch.setattr(proposals, "_locked", lambda seen: seen)
    with without_constraint("improve_promotion", "promotion_one_at_a_time"):
        with meeting("improve.services.proposals.proposal_standing", 4):
            ask_at_once(stage, proposal_id)
        asked = Promotion.objects.filter(proposal_id=proposal_id)
        assert asked.count() > 1
        asked.delete()


APPROVE, REJECT = {"decision": "approve"}, {"decision": "reject", "reason": "No."}


def decide_at_once(stage: Stage, proposal_id: str, *decisions: dict[str, str]) -> list[Any]:
    path, people = f"{proposal_id}/decide", [REVIEWER, SECOND]
    return at_once([partial(post, stage, by, path, said) for by, said in zip(people, decisions, strict=True)])


@pytest.mark.parametrize("decisions", [(APPROVE, REJECT), (REJECT, APPROVE), (APPROVE, APPROVE), (REJECT, REJECT)])
def test_of_two_decisions_at_once_one_counts(stage: Stage, decisions: tuple[dict[str, str], ...]):
    proposal_id = stage.in_review()
    answers = decide_at_once(stage, proposal_id, *decisions)
    assert statuses(answers) == [200, 409]
    (done,) = (answer.json() for answer in answers if answer.status_code == 200)
    assert status(stage, proposal_id) == done["status"]
    assert PinChange.objects.filter(project=stage.shop.project).exists() == (done["status"] == "promoted")


def test_control_without_the_lock_both_count(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    proposal_id = stage.in_review()
    monkeypatch.setattr(proposals, "_locked", lambda seen: seen)
    # Two rejections: without the lock an approval takes the same rows the other way round, and one of them is ended.
    with meeting("improve.services.proposals.proposal_standing", 2):
        assert statuses(decide_at_once(stage, proposal_id, REJECT, REJECT)) == [200, 200]


@pytest.mark.parametrize("turn", range(3))
def test_going_live_and_going_back_at_once_leave_one_chain_of_pins(stage: Stage, turn: int):
    live = stage.decided("approve")
    other = stage.evaluated(stage.drafted())
    stage.act(other, "request", {"reason": "All the same."}, by="tenant-admin")
    answers = at_once(
        [
            lambda: post(stage, REVIEWER, f"{other}/decide", {"decision": "approve"}),
            lambda: post(stage, SECOND, f"{live}/rollback"),
        ]
    )
    ends = {status(stage, live), status(stage, other)}
    if statuses(answers) == [200, 200]:
        assert ends == {"rolled-back", "superseded"}, "it was gone back first: another version ran by then"
    else:
        assert statuses(answers) == [200, 409] and ends == {"promoted"}, "the other went live first"
    changes = PinChange.objects.filter(project=stage.shop.project).order_by("created_at", "pk")
    chain = list(changes.values_list("from_version", "to_version"))
    assert all(before[1] == after[0] for before, after in itertools.pairwise(chain))
    pin = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin")
    assert pin["version"] == (chain[-1][1] or FROM)


@pytest.mark.parametrize("turn", range(3))
def test_withdrawing_and_evaluating_at_once_leave_nothing_going_on(stage: Stage, turn: int):
    proposal_id = stage.drafted()
    answers = at_once(
        [
            lambda: post(stage, "editor", f"{proposal_id}/evaluate", {"suiteId": stage.test_set}),
            lambda: post(stage, "editor:2", f"{proposal_id}/withdraw", {"reason": "No."}),
        ]
    )
    assert answers[1].status_code == 200
    assert answers[0].status_code in (200, 202, 409)
    assert status(stage, proposal_id) == "withdrawn"
    assert not ReplayJob.objects.filter(state=JobState.RUNNING).exists()


def post_same(stage: Stage, by: str, *, mode: str) -> Any:
    body = {
        "agentId": AGENT,
        "fromVersion": FROM,
        "change": {"blockId": "manners", "content": {"values": {"mode": mode}}},
        "hypothesis": "It helps.",
    }
    return stage.shop.api(by).post("proposals", body)


def suggest_at_once(stage: Stage, *, mode: str = "same") -> list[Any]:
    people = ["editor", "editor:2", SECOND, REVIEWER] * 4
    return at_once([partial(post_same, stage, by, mode=mode) for by in people])


def test_sixteen_who_suggest_the_same_at_once_suggest_one(stage: Stage):
    answers = suggest_at_once(stage)
    assert statuses(answers) == [*[200] * 15, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1 == Proposal.objects.count()
    deduped = [answer for answer in answers if answer.headers.get("X-Proposal-Deduped") == "true"]
    assert {answer.status_code for answer in deduped} == {200} and len(deduped) == 15


def live_no_more(stage: Stage) -> str:
    """One that went live, and that another version was pinned in the place of by hand."""
    change = {"blockId": "manners", "content": {"values": {"mode": "better"}}}
    proposal_id = stage.evaluated(stage.drafted(change=change))
    stage.act(proposal_id, "request")
    stage.act(proposal_id, "decide", APPROVE, by=REVIEWER)
    set_pin(stage, FROM)
    return proposal_id


def set_pin(stage: Stage, version: str) -> Any:
    return stage.shop.admin.put(f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin", {"version": version})


def test_sixteen_who_suggest_at_once_what_is_live_no_more_suggest_one(stage: Stage):
    before = live_no_more(stage)
    answers = suggest_at_once(stage, mode="better")
    assert statuses(answers) == [*[200] * 15, 201]
    (anew,) = {answer.json()["id"] for answer in answers}
    assert anew != before and Proposal.objects.count() == 2
    assert Proposal.objects.get(closed_at__isnull=True).pk == UUID(anew)


@pytest.mark.parametrize("turn", range(3))
def test_what_is_pinned_again_while_the_same_is_suggested_is_one_or_the_other(stage: Stage, turn: int):
    before = live_no_more(stage)
    candidate = Proposal.objects.get(pk=before).candidate_version
    *answers, pinned = at_once(
        [
            *(partial(post_same, stage, by, mode="better") for by in ("editor", "editor:2", SECOND)),
            partial(set_pin, stage, candidate),
        ]
    )
    assert pinned.status_code == 200 and {answer.status_code for answer in answers} <= {200, 201}
    (said,) = {answer.json()["id"] for answer in answers}
    assert (said != before) == (Proposal.objects.get(pk=before).closed_at is not None)
    assert Proposal.objects.filter(closed_at__isnull=True).count() == 1


def test_control_without_the_constraint_they_suggest_several(stage: Stage):
    with without_constraint("improve_proposal", "proposal_once"):
        suggest_at_once(stage)
        assert Proposal.objects.count() > 1
        Proposal.objects.all().delete()


def test_candidates_that_are_named_at_once_have_names_of_their_own(stage: Stage):
    ids = [stage.drafted() for _ in range(4)]
    people = ["editor", "editor:2", SECOND, REVIEWER]
    body = {"suiteId": stage.test_set}
    at_once([partial(post, stage, by, f"{one}/evaluate", body) for by, one in zip(people, ids, strict=True)])
    named = set(Proposal.objects.values_list("candidate_version", flat=True))
    assert named == {f"{FROM}+change.{number}" for number in range(1, 5)}
