"""``POST /v1/corrections``: the answer's shape, who made it, the expert mark, and runs that can't be corrected."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest

from tests.builders import Api, make_tenant, make_user, mint
from tests.support.shops import AGENT, VERSION, CheckedApi, Shop

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UNKNOWN = "018f0000-0000-7000-8000-000000000000"
ALWAYS = {"id", "tenantId", "projectId", "runId", "subject", "madeBy", "status", "createdAt", "updatedAt"}


def test_the_answer_has_exactly_what_was_said_and_what_is_always_there(undone: Shop):
    run_id = undone.run()
    said: dict[str, Any] = {
        "decisions": "wrong",
        "shouldCall": [{"tool": "shop.refund", "args": {"id": "A-1"}}, {"tool": "shop.lookup"}],
        "mustNotCall": ["shop.mail"],
        "answer": "wrong",
        "shouldSay": "It is lost.",
        "why": "The carrier says so.",
        "items": [
            {"key": "b", "pointer": "/matches/1", "rank": 1, "verdict": "wrong"},
            {"key": "a", "verdict": "right"},
        ],
        "correctorGroupId": undone.judge_class(),
    }
    made = undone.editor.ok("POST", "corrections", {"runId": run_id, **said})
    said["shouldCall"][1]["args"] = {}
    assert made == {
        **said,
        "id": made["id"],
        "tenantId": str(undone.tenant.pk),
        "projectId": str(undone.project.pk),
        "runId": run_id,
        "subject": {"kind": "agent", "id": AGENT, "version": VERSION},
        "madeBy": {"kind": "user", "id": str(undone.person("editor").pk)},
        "status": "with-owner",
        "sortedTo": "owner",
        "sorted": {"by": {"kind": "rule"}, "at": made["createdAt"]},
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
    }
    assert TIME.fullmatch(made["createdAt"]) and UUID(made["id"]).version == 7


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ({"decisions": "right"}, ["decisions", "fixedIn"]),
        ({"answer": "right"}, ["answer", "fixedIn"]),
        ({"answer": "wrong", "why": "w"}, ["answer", "why", "sortedTo", "sorted"]),
        ({"items": [{"key": "a", "verdict": "right"}]}, ["items", "fixedIn"]),
        ({"items": [{"key": "a", "verdict": "wrong"}]}, ["items", "sortedTo", "sorted"]),
        ({"answer": "wrong", "why": "w", "participantId": "p"}, ["answer", "why", "participantId"]),
    ],
    ids=str,
)
def test_what_was_not_said_is_left_out(undone: Shop, said: dict[str, Any], more: list[str]):
    made = undone.correct(undone.run(), **said)
    assert made.keys() == ALWAYS | set(more)
    if "items" in said:
        assert made["items"] == said["items"]


def test_reading_it_back_gives_the_same_with_the_copies_beside(undone: Shop):
    run_id = undone.run(calls=[{"tool": "shop.lookup", "args": {"id": 1}}])
    made = undone.correct(run_id, items=[{"key": "a", "pointer": "/matches/0", "verdict": "right"}])
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    copies = read.pop("run")
    assert copies["calls"] == [{"tool": "shop.lookup", "args": {"id": 1}}]
    assert copies["input"] == {"message": "Where is it?"}
    assert copies["output"] == undone.editor.ok("GET", f"runs/{run_id}")["output"]
    assert copies["subject"] == made["subject"] and TIME.fullmatch(copies["capturedAt"])
    assert read.pop("items") == [{**made.pop("items")[0], "value": {"id": "case-a", "score": 0.9}}]
    assert read == made


def test_a_user_is_named_by_their_id_whatever_token_they_use(undone: Shop):
    editor = undone.person("editor")
    for secret in (mint(editor).secret, mint(editor).secret):
        made = CheckedApi(secret).ok("POST", "corrections", {"runId": undone.run(), "answer": "right"})
        assert made["madeBy"] == {"kind": "user", "id": str(editor.pk)}


def test_a_service_is_named_by_its_tokens_id(undone: Shop):
    run_id, service = undone.run(), undone.person("service")
    first, second = mint(service), mint(service)
    for minted in (first, second):
        made = CheckedApi(minted.secret).ok("POST", "corrections", {"runId": run_id, "answer": "right"})
        assert made["madeBy"] == {"kind": "service", "id": str(minted.token.pk)}
    # So that its two tokens are two callers, who both keep their verdict.
    assert len(undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"]) == 2


def test_expert_is_decided_when_it_is_made(undone: Shop):
    run_id = undone.run()
    for_people = {"principalKinds": ["user"]}
    group = undone.judge_class()
    before = undone.correct(run_id, correctorGroupId=group)
    undone.admin.ok("PATCH", f"judge-classes/{group}", {"assertableBy": for_people})
    during = undone.correct(run_id, by="editor:2", correctorGroupId=group)
    undone.admin.ok("PATCH", f"judge-classes/{group}", {"assertableBy": None})
    after = undone.correct(run_id, by="editor:3", correctorGroupId=group)
    unclassified = undone.correct(run_id, by="editor:4")
    assert [made.get("expert") for made in (before, during, after, unclassified)] == [None, True, None, None]
    for made in (before, during, after, unclassified):
        assert undone.editor.ok("GET", f"corrections/{made['id']}").get("expert") == made.get("expert")
    assert "correctorGroupId" not in unclassified


@pytest.mark.parametrize("status", ["pending", "running", "suspended", "failed", "cancelled"])
def test_only_a_completed_run_can_be_corrected(undone: Shop, status: str):
    run_id = undone.run(status=status, output=None)
    response = undone.editor.post("corrections", {"runId": run_id, "answer": "right"})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (409, "run-not-finished")
    assert error["message"] == f'Run "{run_id}" has no output to judge yet (status {status}).'


def test_a_run_that_completes_later_can_be_corrected_then(undone: Shop):
    run_id = undone.run(status="running", output=None)
    assert undone.editor.refused("POST", "corrections", {"runId": run_id, "answer": "right"})[0] == 409
    undone.run(run_id)
    undone.correct(run_id)


def test_an_erased_run_cannot_be_corrected(undone: Shop):
    run_id = undone.run()
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    assert undone.editor.refused("POST", "corrections", {"runId": run_id, "answer": "right"}) == (410, "run-erased")


NO_RUN = [
    "nope",
    UNKNOWN,
    UNKNOWN.upper(),
    "0",
    " ",
    "x" * 10_000,
    "../corrections",
    "%00",
    "\N{CAT}",
    "\u00e9",
    "null",
    "{}",
    "' OR 1=1 --",
    "{run}x",
    " {run}",
    "{run}\n",
    "{{{run}}}",
    "\0",
    "{run}\0",
    "\ud800",
    "urn:uuid:{run}",
    "\0",
    "{run}\0",
    "\ud800",
]


@pytest.mark.parametrize("run_id", NO_RUN, ids=lambda text: text[:30])
def test_an_unknown_run_is_not_found_whatever_its_shape(undone: Shop, run_id: str):
    body = {"runId": run_id.replace("{run}", undone.run()), "answer": "right"}
    assert undone.editor.refused("POST", "corrections", body) == (404, "run-not-found")


def test_a_run_without_its_dashes_is_another_text_and_not_found(undone: Shop):
    body = {"runId": undone.run().replace("-", ""), "answer": "right"}
    assert undone.editor.refused("POST", "corrections", body) == (404, "run-not-found")


def test_a_runs_id_in_capitals_is_the_same_id(undone: Shop):
    run_id = undone.run()
    assert undone.editor.ok("POST", "corrections", {"runId": run_id.upper(), "answer": "right"})["runId"] == run_id


def test_a_run_that_the_caller_may_not_read_answers_as_an_unknown_one(undone: Shop):
    run_id = undone.run()
    stranger, rival = Api.of(make_user(undone.tenant)), Api.of(make_user(make_tenant(), admin=True))
    for api in (stranger, rival):
        there = api.post("corrections", {"runId": run_id, "answer": "right"}).json()["error"]
        unknown = api.post("corrections", {"runId": UNKNOWN, "answer": "right"}).json()["error"]
        assert there["code"] == unknown["code"] == "run-not-found"
        assert there["message"] == unknown["message"].replace(UNKNOWN, run_id)


def test_two_tenants_may_have_a_run_of_the_same_id(undone: Shop):
    run_id = undone.run()
    other = Shop.open()
    other.run(run_id)
    mine, theirs = undone.correct(run_id), other.correct(run_id)
    assert mine["tenantId"] != theirs["tenantId"]
    for shop, made in ((undone, mine), (other, theirs)):
        assert [row["id"] for row in shop.editor.ok("GET", "corrections", query={"runId": run_id})["data"]] == [
            made["id"]
        ]
    assert undone.editor.refused("GET", f"corrections/{theirs['id']}") == (404, "correction-not-found")
