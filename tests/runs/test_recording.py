"""``PUT /v1/runs/{runId}``: a run's life, what identifies it, and where it goes (contract, section 3)."""

from __future__ import annotations

import itertools
import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from kindgi.runs.hooks import run_ended
from kindgi.runs.models import Run
from tests.builders import make_user
from tests.support.shops import AGENT, VERSION, CheckedApi, Shop, completed

STATUSES = ["pending", "running", "suspended", "completed", "failed", "cancelled"]
FINAL = {"completed", "failed", "cancelled"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def put(shop: Shop, run_id: str, by: str = "editor", **body: Any) -> Any:
    return shop.api(by).put(f"runs/{run_id}", completed(**body))


@pytest.mark.parametrize(("first", "second"), list(itertools.product(STATUSES, STATUSES)))
def test_it_moves_from_any_status_until_it_has_ended(undone: Shop, first: str, second: str):
    run_id = str(uuid4())
    made = put(undone, run_id, status=first)
    assert made.status_code == 201 and made.json()["status"] == first
    assert ("completedAt" in made.json()) == (first in FINAL)
    moved = put(undone, run_id, status=second, output={"another": "output"})
    read = undone.editor.ok("GET", f"runs/{run_id}")
    if first not in FINAL:
        assert moved.status_code == 200 and moved.json()["status"] == read["status"] == second
        assert read["output"] == {"another": "output"} and ("completedAt" in read) == (second in FINAL)
    elif first == second:
        assert moved.status_code == 200 and moved.json() == made.json()
        assert read["output"] != {"another": "output"}, "recording the same end again changes nothing"
    else:
        assert (moved.status_code, moved.json()["error"]["code"]) == (409, "run-already-terminal")
        assert read["status"] == first and read["output"] != {"another": "output"}


def test_an_agents_run_reads_as_the_contract_says(undone: Shop):
    parent, replayed, run_id = str(uuid4()), str(uuid4()), str(uuid4())
    body: dict[str, Any] = {
        "agent": {"id": AGENT, "version": VERSION, "via": "conversation", "conversationId": "c-1"},
        "status": "failed",
        "dryRun": True,
        "createdAt": "2026-01-02T03:04:05.678Z",
        "completedAt": "2026-01-02T05:04:06.789+02:00",
        "failureMessage": "It broke.",
        "parentRunId": parent,
        "replayOf": replayed,
        "evalRunId": "eval-7",
        "participantId": "p",
        "output": None,
    }
    made = put(undone, run_id, **body).json()
    assert made == {
        "id": run_id,
        "tenantId": str(undone.tenant.pk),
        "projectId": str(undone.project.pk),
        "flowId": "agent.turn",
        "flowVersion": "1.0.0",
        "agent": body["agent"],
        "status": "failed",
        "dryRun": True,
        "createdAt": "2026-01-02T03:04:05.678Z",
        "completedAt": "2026-01-02T03:04:06.789Z",
        "updatedAt": made["updatedAt"],
        "failureMessage": "It broke.",
        "parentRunId": parent,
        "replayOf": replayed,
        "evalRunId": "eval-7",
    }
    assert TIME.fullmatch(made["updatedAt"])
    assert undone.editor.ok("GET", f"runs/{run_id}") == made


def test_a_flows_run_has_no_agent(undone: Shop):
    made = put(undone, str(uuid4()), flow={"id": "onboarding", "version": "7"}).json()
    assert (made["flowId"], made["flowVersion"], "agent" in made) == ("onboarding", "7", False)


def test_an_agents_run_always_has_a_conversation_the_same_for_good(undone: Shop):
    run_id = str(uuid4())
    made = put(undone, run_id, status="running").json()["agent"]["conversationId"]
    assert UUID(made)
    assert put(undone, run_id, status="suspended").json()["agent"]["conversationId"] == made
    assert put(undone, run_id).json()["agent"]["conversationId"] == made
    assert undone.editor.ok("GET", f"runs/{run_id}")["agent"]["conversationId"] == made


def test_times_that_are_left_out_are_those_of_the_report(undone: Shop):
    running = put(undone, str(uuid4()), status="running").json()
    assert running["createdAt"] == running["updatedAt"] and "completedAt" not in running
    ended = put(undone, running["id"]).json()
    assert ended["createdAt"] == running["createdAt"] <= ended["completedAt"] == ended["updatedAt"]
    late = put(undone, str(uuid4()), completedAt="2026-01-01T00:00:00Z").json()
    assert late["createdAt"] == late["completedAt"] == "2026-01-01T00:00:00.000Z"


def test_what_a_later_report_leaves_out_stays(undone: Shop):
    run_id, parent = str(uuid4()), str(uuid4())
    put(undone, run_id, status="running", parentRunId=parent, dryRun=True, input={"a": 1}, calls=[], output=None)
    ended = put(undone, run_id, input=None, output={"b": 2}).json()
    assert (ended["parentRunId"], ended["dryRun"]) == (parent, True)
    read = undone.editor.ok("GET", f"runs/{run_id}", query={"include": "input,calls"})
    assert (read["input"], read["output"], read["calls"]) == ({"a": 1}, {"b": 2}, [])


@pytest.mark.parametrize(
    "body",
    [
        {"agent": {"id": "another", "version": VERSION}},
        {"agent": {"id": AGENT, "version": "2.0.0"}},
        {"flow": {"id": "onboarding", "version": "1.0.0"}},
        {"flow": {"id": "agent.turn", "version": "1.0.0"}},
    ],
    ids=str,
)
def test_what_ran_does_not_change(undone: Shop, body: dict[str, Any]):
    run_id = undone.run(status="running")
    response = put(undone, run_id, **body)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "run-identity-mismatch")


def test_the_project_does_not_change(undone: Shop):
    run_id, other = undone.run(status="running"), str(undone.other_project().pk)
    response = put(undone, run_id, by="tenant-admin", projectId=other)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "run-identity-mismatch")
    assert put(undone, run_id, projectId=str(undone.project.pk).upper()).status_code == 200


def test_a_flows_identity_does_not_change_either(undone: Shop):
    run_id = undone.run(flow={"id": "onboarding", "version": "1"}, status="running")
    others: list[dict[str, Any]] = [
        {"flow": {"id": "onboarding", "version": "2"}},
        {"agent": {"id": AGENT, "version": VERSION}},
    ]
    for body in others:
        assert put(undone, run_id, **body).status_code == 409
    assert put(undone, run_id, flow={"id": "onboarding", "version": "1"}).status_code == 200


def test_it_goes_to_the_default_project_unless_one_is_named(undone: Shop):
    other = str(undone.other_project().pk)
    assert put(undone, str(uuid4()), by="tenant-admin").json()["projectId"] == str(undone.project.pk)
    assert put(undone, str(uuid4()), by="tenant-admin", projectId=other).json()["projectId"] == other


def test_a_narrowed_token_reports_to_its_project(undone: Shop):
    other = undone.other_project()
    api = CheckedApi.of(undone.person("tenant-admin"), project=other)
    assert api.ok("PUT", f"runs/{uuid4()}", completed())["projectId"] == str(other.pk)
    named = completed(projectId=str(undone.project.pk))
    assert api.refused("PUT", f"runs/{uuid4()}", named) == (404, "project-not-found")
    elsewhere = undone.run()
    assert api.refused("PUT", f"runs/{elsewhere}", completed()) == (404, "run-not-found")


def test_whoever_may_not_read_the_default_project_must_name_one(undone: Shop):
    other = undone.other_project()
    api = CheckedApi.of(make_user(undone.tenant, "editor", project=other))
    assert api.refused("PUT", f"runs/{uuid4()}", completed()) == (404, "project-not-found")
    assert api.ok("PUT", f"runs/{uuid4()}", completed(projectId=str(other.pk)))["projectId"] == str(other.pk)


@pytest.mark.parametrize("project_id", ["nothing", "", "018f0000-0000-7000-8000-000000000000"])
def test_an_unknown_project_is_not_found(undone: Shop, project_id: str):
    body = completed(projectId=project_id)
    assert undone.editor.refused("PUT", f"runs/{uuid4()}", body) == (404, "project-not-found")


@pytest.mark.parametrize("run_id", ["nope", "1", "018f000000007000800000000000000", "%7Bx%7D", "\N{CAT}"])
def test_its_id_must_be_a_uuid(undone: Shop, run_id: str):
    assert undone.editor.refused("PUT", f"runs/{run_id}", completed()) == (400, "bad-input")


def test_its_id_in_capitals_is_the_same_id(undone: Shop):
    run_id = undone.run()
    assert put(undone, run_id.upper()).json()["id"] == run_id
    assert undone.editor.ok("GET", f"runs/{run_id.upper()}")["id"] == run_id


@pytest.mark.parametrize(
    "body",
    [
        {"agent": None},
        {"agent": {"id": AGENT, "version": VERSION}, "flow": {"id": "f", "version": "1"}},
        {"agent": {"id": AGENT}},
        {"agent": {"id": "", "version": "1"}},
        {"agent": {"id": "a" * 201, "version": "1"}},
        {"agent": {"id": "a", "version": "v" * 101}},
        {"agent": {"id": "a", "version": "1", "via": "magic"}},
        {"agent": {"id": "a", "version": "1", "conversationId": ""}},
        {"agent": {"id": "a", "version": "1", "tools": []}},
        {"agent": {"id": "a\0", "version": "1"}},
        {"flow": {"id": "f", "version": ""}},
        {"status": None},
        {"status": "done"},
        {"status": "Completed"},
        {"dryRun": "yes"},
        {"calls": {}},
        {"calls": [{"tool": "t"}]},
        {"calls": [{"args": {}}]},
        {"calls": [{"tool": "", "args": {}}]},
        {"calls": [{"tool": "t", "args": []}]},
        {"calls": [{"tool": "t", "args": {}, "refused": "no"}]},
        {"calls": [{"tool": "t", "args": {}, "result": 1}]},
        {"createdAt": "yesterday"},
        {"createdAt": "2026-01-01T00:00:00"},
        {"createdAt": "2026-02-30T00:00:00Z"},
        {"createdAt": 1767225600},
        {"createdAt": "0001-01-01T00:00:00+14:00"},
        {"completedAt": "9999-12-31T23:59:59-14:00"},
        {"status": "running", "completedAt": "2026-01-01T00:00:00Z"},
        {"failureMessage": "m" * 100_001},
        {"failureMessage": "a\0b"},
        {"parentRunId": "nope"},
        {"replayOf": 7},
        {"evalRunId": ""},
        {"participantId": ""},
        {"projectId": 7},
        {"id": "018f0000-0000-7000-8000-000000000000"},
        {"tenantId": "x"},
    ],
    ids=lambda body: str(body)[:60],
)
def test_a_malformed_report_is_bad_input_and_leaves_nothing(undone: Shop, body: dict[str, Any]):
    run_id = str(uuid4())
    sent = {**completed(), **body}
    sent = {name: value for name, value in sent.items() if value is not None}
    if "flow" in body and "agent" not in body:
        sent.pop("agent")
    assert undone.editor.refused("PUT", f"runs/{run_id}", sent) == (400, "bad-input")
    assert not Run.objects.filter(run_id=run_id).exists()


@pytest.mark.parametrize("via", ["live", "latest", "explicit", "conversation", "flow-pin", None])
def test_why_the_version_ran_is_kept(undone: Shop, via: str | None):
    agent = {"id": AGENT, "version": VERSION, **({"via": via} if via else {})}
    assert put(undone, str(uuid4()), agent=agent).json()["agent"].get("via") == via


def test_runs_are_not_started_here_and_the_refusal_says_where_they_are_reported(undone: Shop):
    for body in (None, {"agent": AGENT}, b"not json"):
        response = undone.editor.post("runs", body)
        error = response.json()["error"]
        assert (response.status_code, error["code"]) == (422, "runtime-not-configured")
        assert "PUT /v1/runs/{runId}" in error["message"] and "POST /v1/runs/import" in error["message"]


def test_an_end_is_told_once_in_the_transaction(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    told: list[tuple[str, str]] = []
    listeners = [lambda runs: told.extend((str(run.run_id), Run.objects.get(pk=run.pk).status) for run in runs)]
    monkeypatch.setattr(run_ended, "_listeners", listeners)
    run_id, at_once = str(uuid4()), str(uuid4())
    for status in ("pending", "running", "completed", "completed", "failed"):
        put(undone, run_id, status=status)
    put(undone, at_once, status="cancelled")
    assert told == [(run_id, "completed"), (at_once, "cancelled")]


def test_what_a_listener_raises_undoes_the_end(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    def refuse(runs: Any) -> None:
        raise RuntimeError("no")

    run_id = undone.run(status="running")
    monkeypatch.setattr(run_ended, "_listeners", [refuse])
    assert put(undone, run_id).status_code == 500
    assert undone.editor.ok("GET", f"runs/{run_id}")["status"] == "running"


def test_a_retry_with_its_key_gives_the_first_answer(undone: Shop):
    run_id = str(uuid4())
    first = undone.editor.put(f"runs/{run_id}", completed(status="running"), key="k")
    put(undone, run_id)
    retry = undone.editor.put(f"runs/{run_id}", completed(status="running"), key="k")
    assert (first.status_code, retry.status_code, retry.content) == (201, 201, first.content)


@pytest.mark.parametrize("body", [{}, {"status": "running"}, {"projectId": "{project}", "calls": []}], ids=str)
def test_recording_takes_at_most_10_statements(undone: Shop, assert_queries: Any, body: dict[str, Any]):
    if "projectId" in body:
        body = {**body, "projectId": str(undone.project.pk)}
    run_id, service = str(uuid4()), undone.api("service")
    for number, status in enumerate(("running", body.get("status", "completed"), body.get("status", "completed"))):
        with assert_queries(at_most=10):
            service.ok("PUT", f"runs/{run_id}", completed(**{**body, "status": status}), key=f"k{number}")
