"""Suggested changes over /v1: drafted once, read where they stand, listed, withdrawn (contract, section 7)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from improve.models import Proposal
from improve.statuses import ACTIONS, Status
from tests.improve.staging import FROM, PROMPT, REVIEWER, SETTINGS, Stage
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.usefixtures("taken_back")


def said(**body: Any) -> dict[str, Any]:
    whole = {
        "agentId": AGENT,
        "fromVersion": FROM,
        "change": {"blockId": "manners", "content": {"values": {"mode": "better"}}},
        "hypothesis": "It should send a mail.",
        **body,
    }
    return {name: value for name, value in whole.items() if value is not None}


def test_a_suggested_change_is_answered_whole(stage: Stage):
    editor = stage.shop.editor
    judgment = editor.ok("GET", "judgments")["data"][0]["id"]
    scope = {"kind": "project", "projectId": str(stage.shop.project.pk)}
    body = said(scope=scope, tier="settings-block", evidence={"judgmentIds": [judgment, judgment]})
    response = editor.post("proposals", body)
    assert response.status_code == 201 and "X-Proposal-Deduped" not in response.headers
    made = response.json()
    assert made == {
        "id": made["id"],
        "agentId": AGENT,
        "fromVersion": FROM,
        "scope": scope,
        "tier": "settings-block",
        "change": {"blockId": "manners", "fromVersion": "1", "content": {"values": {"mode": "better"}}},
        "hypothesis": "It should send a mail.",
        "evidence": {"judgmentIds": [judgment]},
        "drafter": {"kind": "person", "by": f"user:{stage.shop.person('editor').pk}"},
        "status": "draft",
        "can": {action: action in ("evaluate", "withdraw") for action in made["can"]},
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
    }
    assert len(made["can"]) == 8
    assert editor.ok("GET", f"proposals/{made['id']}") == made
    assert editor.ok("GET", "proposals") == {"data": [made], "hasMore": False}
    assert stage.shop.api("viewer").ok("GET", f"proposals/{made['id']}")["can"] == dict.fromkeys(made["can"], False)


def test_content_is_kept_to_the_byte(stage: Stage):
    content = '{"values": {"mode" :"x",  "b": 12345678901234567890, "a": 1.0, "n": "\\u0000 \\ud800"}}'
    body = (
        f'{{"agentId": "{AGENT}", "fromVersion": "{FROM}", "hypothesis": "h", '
        f'"change": {{"blockId": "manners", "content": {content}}}}}'
    )
    made = stage.shop.editor.post("proposals", body.encode())
    assert made.status_code == 201
    assert content.removeprefix('{"values": ').encode()[:-1] in made.content


def test_the_same_change_is_one_however_it_is_spelled(stage: Stage):
    editor = stage.shop.editor
    first = editor.ok("POST", "proposals", said())
    spelled = b'{"values": {"mode":   "bett\\u0065r"}}'
    change = b'{"blockId": "manners", "content": ' + spelled + b"}"
    body = b'{"agentId": "%b", "fromVersion": "%b", "hypothesis": "Other words.", "change": %b}'
    again = stage.shop.api("editor:2").post("proposals", body % (AGENT.encode(), FROM.encode(), change))
    assert (again.status_code, again.headers["X-Proposal-Deduped"]) == (200, "true")
    assert (again.json()["id"], again.json()["hypothesis"]) == (first["id"], first["hypothesis"])


@pytest.mark.parametrize("status", list(Status))
def test_what_is_closed_is_suggested_anew_and_nothing_else(stage: Stage, status: Status):
    first = stage.shop.editor.ok("GET", f"proposals/{stage.at(status)}")
    body = said(change={key: first["change"][key] for key in ("blockId", "content")})
    again = stage.shop.editor.post("proposals", body)
    closed = status in (Status.WITHDRAWN, Status.REJECTED, Status.ROLLED_BACK)
    assert closed == (not ACTIONS[status]), "nothing can be done any more just where it is closed"
    assert (again.status_code, again.json()["id"] == first["id"]) == ((201, False) if closed else (200, True))
    if closed:
        assert again.json()["status"] == "draft"
        assert stage.evaluated(again.json()["id"]) and stage.shop.editor.ok("GET", f"proposals/{first['id']}")
        assert stage.shop.editor.post("proposals", body).json()["id"] == again.json()["id"], "it is one again"


def test_what_differs_is_another(stage: Stage):
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/1.2.0", {"blocks": [SETTINGS, PROMPT]})
    prompt = {"blockId": "greeting", "content": {"template": "Hello {{name}}."}}
    other = stage.shop.other_project()
    bodies = [
        said(),
        said(change={"blockId": "manners", "content": {"values": {"mode": "best"}}}),
        said(fromVersion="1.2.0"),
        said(change=prompt, tier="prompt-block"),
    ]
    ids = {stage.shop.editor.ok("POST", "proposals", body)["id"] for body in bodies}
    scope = {"kind": "project", "projectId": str(other.pk)}
    ids.add(stage.shop.admin.ok("POST", "proposals", said(scope=scope))["id"])
    assert len(ids) == 5


@pytest.mark.parametrize(
    ("body", "status", "code", "names"),
    [
        (said(agentId="nobody"), 404, "agent-not-found", "nobody"),
        (said(fromVersion="9.9.9"), 404, "agent-version-not-found", "9.9.9"),
        (said(fromVersion="1.0.0"), 404, "block-not-found", "manners"),
        (said(change={"blockId": "other", "content": {"values": {}}}), 404, "block-not-found", "other"),
        (
            said(change={"blockId": "manners", "fromVersion": "2", "content": {"values": {}}}),
            404,
            "block-not-found",
            "at version 1",
        ),
        (said(scope={"kind": "project", "projectId": str(uuid4())}), 404, "project-not-found", ""),
        (said(scope={"kind": "tenant"}), 400, "bad-input", "scope"),
        (said(tier="prompt-block"), 400, "bad-input", "/tier"),
        (said(hypothesis="  "), 400, "bad-input", "/hypothesis"),
        (said(hypothesis="x" * 2001), 400, "bad-input", "/hypothesis"),
        (said(more=1), 400, "bad-input", "more"),
        (said(change={"blockId": "manners", "content": {"values": {"mode": 1}}}), 400, "bad-input", "values/mode"),
        (said(change={"blockId": "manners", "content": {"values": [1]}}), 400, "bad-input", "values"),
        (said(change={"blockId": "manners", "content": {"template": "x"}}), 400, "bad-input", "holds values"),
        (said(change={"blockId": "manners", "content": {}}), 400, "bad-input", "Exactly one"),
        (said(change={"blockId": "greeting", "content": {"values": {}}}), 400, "bad-input", "holds template"),
        (said(change={"blockId": "greeting", "content": {"template": "{{ nom }}"}}), 400, "bad-input", '"nom"'),
        (said(change={"blockId": "manners", "content": {"values": SETTINGS["values"]}}), 400, "proposal-unchanged", ""),
        (said(evidence={"judgmentIds": ["no-id"]}), 400, "bad-input", "no-id"),
        (said(evidence={"judgmentIds": [str(uuid4())] * 101}), 400, "bad-input", "/evidence/judgmentIds"),
    ],
)
def test_what_is_refused(stage: Stage, body: Any, status: int, code: str, names: str):
    response = stage.shop.editor.post("proposals", body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert names in error["message"]
    assert not Proposal.objects.exists()


def test_evidence_is_of_the_agent_in_the_project(stage: Stage):
    shop = stage.shop
    flow = shop.run(flow={"id": "other.flow", "version": "1"}, agent=None)
    shop.correct(flow, answer="wrong", why="It was.")
    others = shop.editor.ok("GET", "judgments?flowId=other.flow")["data"][0]["id"]
    good = shop.editor.ok("GET", f"judgments?agentId={AGENT}")["data"][0]["id"]
    refused = shop.editor.post("proposals", said(evidence={"judgmentIds": [good, others]})).json()["error"]
    assert refused["details"] == {"path": "/evidence/judgmentIds/1"} and others in refused["message"]


def test_what_one_may_not_read_isn_t_there(stage: Stage):
    proposal_id = stage.drafted()
    stranger = Shop.open().admin
    assert stranger.refused("GET", f"proposals/{proposal_id}") == (404, "proposal-not-found")
    assert stranger.ok("GET", "proposals")["data"] == []
    for wrong in ("nothing", str(uuid4())):
        assert stage.shop.editor.refused("GET", f"proposals/{wrong}") == (404, "proposal-not-found")
        assert stage.shop.editor.refused("GET", f"proposals/{wrong}/history") == (404, "proposal-not-found")


def test_lists_are_narrowed(stage: Stage):
    shop, editor = stage.shop, stage.shop.editor
    settings = [stage.drafted() for _ in range(3)]
    prompt = stage.drafted(change={"blockId": "greeting", "content": {"template": "Hello {{name}}."}})
    gone = settings.pop()
    stage.act(gone, "withdraw", {"reason": "No."})

    def listed(query: str) -> list[str]:
        return [row["id"] for row in editor.ok("GET", f"proposals?{query}")["data"]]

    assert listed("") == [prompt, gone, *reversed(settings)]
    assert listed("tier=prompt-block") == [prompt]
    assert listed("status=withdrawn") == [gone]
    assert listed("status=draft&tier=settings-block") == list(reversed(settings))
    assert listed("status=promoted") == [] == listed("agentId=nobody")
    assert listed(f"agentId={AGENT}&scopeKind=project&scopeId={shop.project.pk}") == [prompt, gone, *reversed(settings)]
    assert listed(f"scopeKind=project&scopeId={uuid4()}") == []
    for wrong in ("status=open", "tier=code", "statuses=draft", "limit=0"):
        assert editor.refused("GET", f"proposals?{wrong}") == (400, "bad-input")


def test_pages_by_status_are_whole_and_say_whether_there_are_more(stage: Stage):
    ids = [stage.drafted() for _ in range(7)]
    for withdrawn in ids[1::2]:
        stage.act(withdrawn, "withdraw", {"reason": "No."})
    found: list[str] = []
    query = "proposals?status=draft&limit=2"
    while True:
        page = stage.shop.editor.ok("GET", query)
        assert len(page["data"]) == 2 or not page["hasMore"]
        found += [row["id"] for row in page["data"]]
        if not page["hasMore"]:
            break
        query = f"proposals?status=draft&limit=2&cursor={page['nextCursor']}"
    assert found == list(reversed(ids[::2]))


def test_a_list_takes_as_many_statements_for_many_as_for_two(stage: Stage):
    for _ in range(2):
        stage.in_review()
    with assert_queries() as few:
        assert len(stage.shop.editor.ok("GET", "proposals")["data"]) == 2
    for _ in range(18):
        stage.drafted()
    with assert_queries(exact=len(few)):
        assert len(stage.shop.editor.ok("GET", "proposals")["data"]) == 20
    assert len(few) <= 5


def test_withdrawing_cancels_what_goes_on_and_is_told(stage: Stage):
    proposal_id = stage.begun(stage.drafted())
    done = stage.act(proposal_id, "withdraw", {"reason": "It was wrong."}, by="editor:2")
    by = f"user:{stage.shop.person('editor:2').pk}"
    assert done["status"] == "withdrawn"
    assert done["withdrawn"] == {"at": done["updatedAt"], "by": by, "reason": "It was wrong."}
    assert done["evaluation"]["runStatus"] == "cancelled"
    steps = stage.shop.editor.ok("GET", f"proposals/{proposal_id}/history")["data"]
    assert [(one["step"], one.get("by")) for one in steps][:2] == [("withdrawn", by), ("evaluation-cancelled", by)]
    assert stage.shop.editor.refused("POST", f"proposals/{proposal_id}/withdraw", {}) == (400, "bad-input")


def test_a_drafter_is_a_person_or_a_service(stage: Stage):
    made = stage.shop.api("service").ok("POST", "proposals", said())
    assert made["drafter"] == {"kind": "service", "by": f"service_account:{stage.shop.person('service').pk}"}
    own = stage.shop.editor.ok("GET", f"proposals/{stage.drafted()}")["drafter"]
    assert own == {"kind": "person", "by": f"user:{stage.shop.person('editor').pk}"}


def test_a_reviewer_who_drafted_it_may_not_decide(stage: Stage):
    own = stage.evaluated(stage.drafted(by=REVIEWER))
    stage.act(own, "request")
    with transaction.atomic():
        refused = stage.shop.api(REVIEWER).refused("POST", f"proposals/{own}/decide", {"decision": "approve"})
    assert refused == (403, "permission-denied")
