"""``POST /v1/runs/import``: many at once, of which a bad one doesn't lose the rest (contract, section 3)."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from kindgi.runs.hooks import run_ended
from kindgi.runs.models import Run
from tests.builders import make_user
from tests.support.shops import CheckedApi, Shop, completed

NDJSON = "application/x-ndjson"


def record(run_id: str | None = None, **body: Any) -> dict[str, Any]:
    return {"id": run_id or str(uuid4()), **completed(**body)}


def lines(*records: Any) -> bytes:
    return b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in records)


def load(shop: Shop, *records: Any, by: str = "editor") -> dict[str, Any]:
    answer: dict[str, Any] = shop.api(by).ok("POST", "runs/import", lines(*records), content_type=NDJSON)
    counted = [result["outcome"] for result in answer["results"]]
    assert {name: answer[name] for name in ("created", "updated", "unchanged", "refused")} == {
        name: counted.count(name) for name in ("created", "updated", "unchanged", "refused")
    }
    return answer


def outcomes(answer: dict[str, Any]) -> list[str]:
    return [result["outcome"] for result in answer["results"]]


def test_lines_and_an_array_are_the_same(undone: Shop):
    records = [record(), record(status="running")]
    assert outcomes(load(undone, *records)) == ["created", "created"]
    again = undone.editor.ok("POST", "runs/import", records)
    assert outcomes(again) == ["unchanged", "updated"]
    assert [result["line"] for result in again["results"]] == [1, 2]
    assert [result["id"] for result in again["results"]] == [one["id"] for one in records]


def test_a_record_is_what_its_own_request_would_have_made(undone: Shop):
    body = completed(createdAt="2026-01-01T00:00:00Z", completedAt="2026-01-01T00:00:01Z", calls=[], dryRun=True)
    body["agent"]["conversationId"] = "c"
    one, other = str(uuid4()), str(uuid4())
    undone.editor.ok("PUT", f"runs/{one}", body)
    load(undone, {"id": other, **body})
    query = {"include": "input,calls"}
    read = [undone.editor.ok("GET", f"runs/{run_id}", query=query) for run_id in (one, other)]
    for run in read:
        del run["id"], run["updatedAt"]
    assert read[0] == read[1]


def test_importing_again_changes_nothing(undone: Shop):
    records = [record() for _ in range(30)]
    load(undone, *records)
    before = list(Run.objects.order_by("run_id").values())
    assert outcomes(load(undone, *records)) == ["unchanged"] * 30
    assert list(Run.objects.order_by("run_id").values()) == before


# A line that is refused, with the code that its own request would have been answered with.
BAD: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "bad-input"),
    "no object": (b"[]", "bad-input"),
    "null": (b"null", "bad-input"),
    "no UTF-8": (b'{"id": "\xff"}', "bad-input"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "bad-input"),
    "two values": (b"{} {}", "bad-input"),
    "too deep": (b'{"id": ' + b"[" * 200, "bad-input"),
    "NaN": (b'{"id": "x", "status": "completed", "output": NaN}', "bad-input"),
    "no id": (completed(), "bad-input"),
    "an id that is no UUID": (record("nope"), "bad-input"),
    "an unknown field": (record(colour="red"), "bad-input"),
    "no status": (record(status=None), "bad-input"),
    "no agent": ({"id": str(uuid4()), "status": "completed"}, "bad-input"),
    "agent and flow": ({**record(), "flow": {"id": "f", "version": "1"}}, "bad-input"),
    "an early end": (record(status="running", completedAt="2026-01-01T00:00:00Z"), "bad-input"),
    "an instant out of range": (record(createdAt="0001-01-01T00:00:00+14:00"), "bad-input"),
    "another instant out of range": (record(completedAt="9999-12-31T23:59:59-01:00"), "bad-input"),
    "bad calls": (record(calls=[{"tool": "t"}]), "bad-input"),
    "a NUL": (record(agent={"id": "a\0", "version": "1"}), "bad-input"),
    "an unknown project": (record(projectId="nothing"), "project-not-found"),
}


@pytest.mark.parametrize(("bad", "code"), BAD.values(), ids=BAD)
def test_a_bad_line_does_not_lose_the_rest(undone: Shop, bad: Any, code: str):
    good = [record(), record()]
    answer = load(undone, good[0], bad, good[1])
    assert outcomes(answer) == ["created", "refused", "created"]
    refused = answer["results"][1]
    assert refused["error"]["code"] == code and refused["error"]["message"] and refused["line"] == 2
    for one in good:
        undone.editor.ok("GET", f"runs/{one['id']}")


def test_all_bad_lines_at_once_are_each_told(undone: Shop):
    answer = load(undone, *(bad for bad, _ in BAD.values()))
    assert [result["error"]["code"] for result in answer["results"]] == [code for _, code in BAD.values()]


def test_a_refusal_that_concerns_the_run_is_told_for_its_line(undone: Shop):
    ended, other = undone.run(), undone.run(status="running")
    hidden = undone.run(projectId=str(undone.other_project().pk))
    answer = load(
        undone,
        record(ended, status="failed"),
        record(other, agent={"id": "another", "version": "1"}),
        record(hidden, status="failed"),
        record(),
    )
    codes = [result.get("error", {}).get("code") for result in answer["results"]]
    assert codes == ["run-already-terminal", "run-identity-mismatch", "run-not-found", None]


def test_write_access_is_needed_to_each_lines_project(undone: Shop):
    other = undone.other_project()
    api = CheckedApi.of(make_user(undone.tenant, "editor", project=other))
    viewer = undone.api("viewer")
    named = record(projectId=str(other.pk))
    assert outcomes(api.ok("POST", "runs/import", [record(), named])) == ["refused", "created"]
    answer = viewer.ok("POST", "runs/import", [record(), record(undone.run(status="running")), named])
    codes = [result["error"]["code"] for result in answer["results"]]
    assert codes == ["permission-denied", "permission-denied", "project-not-found"]


def test_blank_lines_count_and_are_passed_over(undone: Shop):
    body = b"\n\r\n" + lines(record()) + b"\r\n  \n" + lines(record()) + b"\n\n"
    answer = undone.editor.ok("POST", "runs/import", body, content_type=NDJSON)
    assert [(result["line"], result["outcome"]) for result in answer["results"]] == [(3, "created"), (5, "created")]


def test_a_thousand_records_are_taken_and_one_more_refuses_all(undone: Shop):
    records: list[dict[str, Any]] = [
        {"id": str(uuid4()), "agent": {"id": "a", "version": "1"}, "status": "completed", "output": n}
        for n in range(1001)
    ]
    for body, content_type in ((lines(*records), NDJSON), (json.dumps(records).encode(), "application/json")):
        response = undone.editor.post("runs/import", body, content_type=content_type)
        assert (response.status_code, response.json()["error"]["details"]) == (400, {"maxRecords": 1000})
    assert load(undone, *records[:1000])["created"] == 1000
    assert not Run.objects.filter(run_id=records[1000]["id"]).exists()


@pytest.mark.parametrize("body", [b"", b"\n \n", b"[]", b" [ ] ", b"[", b"[1,]", b'[{"a": 1} {"b": 2}]'], ids=str)
def test_a_body_without_a_record_and_an_array_that_is_none_are_refused(undone: Shop, body: bytes):
    headers = {"Content-Type": "application/json"}  # which Django's client leaves out with an empty body
    assert undone.editor.refused("POST", "runs/import", body, headers=headers) == (400, "bad-input")


def test_an_array_of_other_things_is_told_for_each(undone: Shop):
    answer = undone.editor.ok("POST", "runs/import", [record(), 1, None, "x", [], record()])
    assert outcomes(answer) == ["created", "refused", "refused", "refused", "refused", "created"]


@pytest.mark.parametrize("content_type", ["text/plain", "text/csv", ""])
def test_other_media_types_are_refused(undone: Shop, content_type: str):
    refused = undone.editor.refused("POST", "runs/import", lines(record()), content_type=content_type)
    assert refused == (415, "unsupported-media-type")


def test_reports_of_one_run_are_taken_in_their_order(undone: Shop):
    run_id = str(uuid4())
    answer = load(
        undone,
        record(run_id, status="pending", output=None),
        record(run_id, status="running", input={"from": 2}, output={"from": 2}),
        record(run_id, status="suspended", input=None, output={"from": 3}),
        record(run_id, agent={"id": "another", "version": "1"}),
        record(run_id, input=None, output=None, failureMessage="words"),
        record(run_id, output={"from": 6}),
        record(run_id, status="failed"),
        record(),
    )
    assert outcomes(answer) == [
        "created", "updated", "updated", "refused", "updated", "unchanged", "refused", "created",
    ]  # fmt: skip
    read = undone.editor.ok("GET", f"runs/{run_id}", query={"include": "input"})
    assert (read["status"], read["input"], read["output"]) == ("completed", {"from": 2}, {"from": 3})
    assert read["failureMessage"] == "words"


@pytest.mark.parametrize("count", [2, 6, 300])
def test_a_run_may_be_reported_many_times_in_one_body(undone: Shop, assert_queries: Any, count: int):
    run_id, editor = str(uuid4()), undone.editor
    body = lines(*(record(run_id, status="running", output={"n": n}) for n in range(count)))
    with assert_queries(at_most=10):
        answer = editor.ok("POST", "runs/import", body, content_type=NDJSON)
    assert outcomes(answer) == ["created", *["updated"] * (count - 1)]
    assert editor.ok("GET", f"runs/{run_id}")["output"] == {"n": count - 1}


def test_the_first_report_that_may_be_recorded_makes_the_run(undone: Shop):
    run_id, project = str(uuid4()), str(undone.project.pk)
    answer = load(
        undone,
        *(record(run_id, projectId="nothing") for _ in range(20)),
        record(run_id, projectId=project, status="running"),
        record(run_id, projectId=project),
    )
    assert outcomes(answer) == ["refused"] * 20 + ["created", "updated"]


def test_an_import_takes_as_many_statements_for_500_records_as_for_10(undone: Shop, assert_queries: Any):
    service = undone.api("service")
    for count in (10, 500):
        running = [record(status="running") for _ in range(count)]
        half = count // 2
        ended = [record(one["id"]) for one in running]
        for key, records, statements in (
            ("new", running[:half], 10),
            ("mixed", [*ended[:half], *running[half:]], 14),
            ("known", [*ended[:half], *running[half:]], 8),
        ):
            with assert_queries(exact=statements):
                service.ok("POST", "runs/import", lines(*records), content_type=NDJSON, key=f"{key} {count}")


def test_the_ends_of_an_import_are_told_together(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    told: list[list[str]] = []
    monkeypatch.setattr(run_ended, "_listeners", [lambda runs: told.append([str(run.run_id) for run in runs])])
    new, twice, moved, running = record(), record(), undone.run(status="running"), record(status="running")
    told.clear()
    load(undone, new, running, record(moved), {**twice, "status": "running"}, twice, twice)
    (together,) = told
    assert sorted(together) == sorted([new["id"], moved, twice["id"]])


def test_a_retry_with_its_key_gives_the_first_answer(undone: Shop):
    body = lines(record(), b"{")
    first, retry = (undone.editor.post("runs/import", body, key="k", content_type=NDJSON) for _ in range(2))
    assert (retry.status_code, retry.content) == (200, first.content)
    assert retry.headers["X-Idempotent-Replay"] == "true"
