"""A suggested change's history: every step, who took it, when and why, newest first (contract, section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from improve.candidates import candidate_free
from tests.improve.staging import FROM, REVIEWER, Stage
from tests.support.queries import assert_queries
from tests.support.shops import AGENT

pytestmark = pytest.mark.usefixtures("taken_back")


def history(stage: Stage, proposal_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = stage.shop.api("viewer").ok("GET", f"proposals/{proposal_id}/history")["data"]
    return found


def steps(stage: Stage, proposal_id: str) -> list[str]:
    return [one["step"] for one in history(stage, proposal_id)]


def by(stage: Stage, person: str) -> str:
    return f"user:{stage.shop.person(person).pk}"


def test_a_whole_life_is_told(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted("gone"))
    stage.begun(proposal_id)
    stage.act(proposal_id, "cancel", by="editor:2")
    assert steps(stage, proposal_id) == [
        *("evaluation-cancelled", "evaluation-started", "evaluation-failed", "evaluation-started", "drafted"),
    ]
    cancelled, _, failed, started, drafted = history(stage, proposal_id)
    assert (cancelled["by"], cancelled["found"]) == (by(stage, "editor:2"), "cancelled")
    assert (failed["problem"], "by" in failed) == ("too-few-answered", False)
    assert (started["by"], started["evalRunId"]) == (by(stage, "editor"), failed["evalRunId"])
    assert (drafted["by"], drafted["reason"]) == (by(stage, "editor"), "It should send a mail.")


def test_going_live_and_back_is_told_with_the_versions(stage: Stage):
    stage.shop.admin.ok("PUT", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin", {"version": FROM})
    proposal_id = stage.evaluated(stage.drafted())
    stage.act(proposal_id, "rescore")
    stage.act(proposal_id, "request", {"reason": "It helps."})
    stage.act(proposal_id, "decide", {"decision": "approve", "reason": "It does."}, by=REVIEWER)
    stage.act(proposal_id, "rollback", {"reason": "It didn't."}, by=REVIEWER)
    assert steps(stage, proposal_id) == [
        *("rolled-back", "promoted", "requested", "rescored", "evaluated", "evaluation-started", "drafted"),
    ]
    back, live, asked, rescored, evaluated, *_ = history(stage, proposal_id)
    assert (back["by"], back["reason"], back["version"]) == (by(stage, REVIEWER), "It didn't.", FROM)
    assert (live["by"], live["reason"], live["version"]) == (by(stage, REVIEWER), "It does.", f"{FROM}+change.1")
    assert (asked["by"], asked["reason"]) == (by(stage, "editor"), "It helps.")
    assert (rescored["found"], rescored["by"], evaluated["found"]) == ("better", by(stage, "editor"), "better")
    assert back["promotionId"] == live["promotionId"] == asked["promotionId"]
    times = [one["at"] for one in history(stage, proposal_id)]
    assert times == sorted(times, reverse=True)


def test_it_takes_as_many_statements_however_long_it_is(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted("as-ever"))
    history(stage, proposal_id)
    with assert_queries() as few:
        history(stage, proposal_id)
    for _ in range(3):
        stage.act(proposal_id, "rescore")
        stage.act(proposal_id, "request")
    with assert_queries(exact=len(few)):
        assert len(history(stage, proposal_id)) == 3 + 3 * 3


def test_a_project_with_suggested_changes_isnt_deleted(stage: Stage):
    other = stage.shop.other_project()
    body = {
        "agentId": AGENT,
        "fromVersion": FROM,
        "scope": {"kind": "project", "projectId": str(other.pk)},
        "change": {"blockId": "manners", "content": {"values": {}}},
        "hypothesis": "h",
    }
    made = stage.shop.admin.ok("POST", "proposals", body)
    refused = stage.shop.admin.delete(f"projects/{other.pk}")
    assert refused.status_code == 409, refused.content
    assert stage.shop.admin.ok("GET", f"proposals/{made['id']}") == made


@pytest.mark.parametrize(
    ("version", "taken", "name"),
    [
        ("1.4.0", [], "1.4.0+change.1"),
        ("1.4.0", ["1.4.0+change.1", "1.4.0+change.3"], "1.4.0+change.2"),
        ("1.4.0+change.1", [], "1.4.0+change.2"),
        ("1.4.0+change.9", ["1.4.0+change.10"], "1.4.0+change.11"),
        ("1.4.0+abc", [], "1.4.0+abc.change.1"),
        ("1.4.0+abc.change.1", [], "1.4.0+abc.change.2"),
        ("1.4.0-rc.1", [], "1.4.0-rc.1+change.1"),
        ("1.4.0-change.1", [], "1.4.0-change.1+change.1"),
        ("1.4.0+exchange.1", [], "1.4.0+exchange.1.change.1"),
        ("prod", [], "prod+change.1"),
        ("x" * 100, [], "x" * 80 + "+change.1"),
    ],
)
def test_what_a_candidate_is_called(version: str, taken: list[str], name: str):
    assert candidate_free(version, taken) == name
    assert len(name) <= 100
