"""Real agents' runs through the product: imported, each corrected over HTTP, some erased.

The runs lie beside the project where its makers work; a clone elsewhere has none, and skips these tests.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.core.management import call_command

from kindgi.access.models import Tenant
from tests.builders import make_tenant, make_token, make_user
from tests.support.servers import ServedProject

DATA = Path(settings.BASE_DIR).parent / "shared" / "data"
RUNS, AGENTS = DATA / "runs.jsonl", DATA / "agents.json"

pytestmark = pytest.mark.skipif(not RUNS.exists(), reason="the real runs aren't here")


def records() -> list[dict[str, Any]]:
    """The runs as they were published, oldest first."""
    return [json.loads(line) for line in RUNS.read_text().splitlines()]


class Corrector:
    """What is said of the n-th run: decisions, answer, items, participants and classes, mixed."""

    def __init__(self, judge_class_id: str) -> None:
        """Every fifth correction is under the class."""
        self.judge_class_id = judge_class_id

    def body(self, number: int, run: dict[str, Any]) -> dict[str, Any]:
        """A correction that fits the run."""
        said: dict[str, Any] = {"runId": run["id"]}
        calls = run["calls"]
        if number % 3 == 0 and calls:
            should = [{"tool": call["tool"], "args": call["args"]} for call in calls[:3]]
            said |= {"decisions": "wrong", "shouldCall": should}
        elif number % 3 == 1:
            said |= {"decisions": "right"}
        if number % 4 == 0:
            said |= {"answer": "wrong", "shouldSay": f"Better: {run['output']['response']['content'][:500]}"}
        elif number % 4 == 1 or len(said) == 1:
            said |= {"answer": "right", "why": "As it should be"}
        if number % 2 == 0:
            ranks = range(min(3, len(run["output"]["toolCalls"])))
            items = [{"key": f"call-{n}", "pointer": f"/toolCalls/{n}/args", "rank": n} for n in ranks]
            said |= {"items": [{**item, "verdict": "wrong" if item["rank"] == 1 else "right"} for item in items]}
            if not items:
                del said["items"]
        if number % 7 == 0:
            said["participantId"] = f"customer-{number}"
        if number % 5 == 0:
            said["correctorGroupId"] = self.judge_class_id
        return said


def expected_status(said: dict[str, Any]) -> str:
    """The contract's sorting at save."""
    if "participantId" in said:
        return "open"
    if said.get("decisions") == "wrong":
        return "with-owner"
    if said.get("answer") == "wrong" or any(item["verdict"] == "wrong" for item in said.get("items", [])):
        return "open"
    return "fixed"


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    return make_tenant("real")


@pytest.fixture
def http(tenant: Tenant, served: ServedProject) -> Iterator[httpx.Client]:
    """A tenant admin's client of the production server."""
    secret = make_token(make_user(tenant, admin=True))
    with httpx.Client(base_url=served.url, headers={"Authorization": f"Bearer {secret}"}, timeout=60) as client:
        yield client


def import_all(capsys: pytest.CaptureFixture[str]) -> str:
    """Import them as a person would; what is printed."""
    call_command("import_runs", str(RUNS), "--tenant=real", f"--agents={AGENTS}")
    captured = capsys.readouterr()
    return captured.out + captured.err


def words_of(run: dict[str, Any]) -> list[str]:
    """Sentences of a run that nobody else says: what an erasure must leave nowhere."""
    said = [run["input"]["message"], run["output"]["response"]["content"]]
    said += [json.dumps(call["args"]) for call in run["calls"]]
    return [text for text in said if len(text) > 40]


def test_every_real_run_is_imported_corrected_and_ten_are_erased(
    tenant: Tenant, http: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = records()
    assert "351" in import_all(capsys)
    again = import_all(capsys)
    assert "351 unchanged" in again, again

    made = check_content_and_correct(http, runs)
    check_counts(http, made)
    check_erasure(http, runs, made)


def check_content_and_correct(http: httpx.Client, runs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Read each run back to the byte, and correct each that completed, twice under one key; what was said, by key."""
    judge_class = http.post("/v1/judge-classes", json={"scope": {"kind": "tenant"}, "name": "expert", "weight": 3})
    corrector = Corrector(judge_class.json()["id"])
    made: dict[str, dict[str, Any]] = {}
    for number, (line, run) in enumerate(zip(RUNS.read_text().splitlines(), runs, strict=True)):
        read = http.get(f"/v1/runs/{run['id']}", params={"include": "input,calls"})
        for part in ("input", "output", "calls"):
            assert span(line, part) in read.text, (run["id"], part)
        if run["status"] != "completed":
            refused = http.post("/v1/corrections", json={"runId": run["id"], "answer": "right"})
            assert refused.json()["error"]["code"] == "run-not-finished"
            continue
        said, key = corrector.body(number, run), str(uuid.uuid4())
        first = http.post("/v1/corrections", json=said, headers={"Idempotency-Key": key})
        assert first.status_code == 201, (said, first.text)
        second = http.post("/v1/corrections", json=said, headers={"Idempotency-Key": key})
        assert (second.status_code, second.content) == (201, first.content)
        assert second.headers["X-Idempotent-Replay"] == "true"
        made[key] = said | {"id": first.json()["id"]}
    assert len(made) == 341
    return made


def span(line: str, part: str) -> str:
    """The text of one part of a record, as it stands in its line."""
    decoder, at = json.JSONDecoder(), 1
    while True:
        name, at = decoder.raw_decode(line, at)
        _, end = decoder.raw_decode(line, at + 1)
        if name == part:
            return line[at + 1 : end]
        at = end + 1


def check_counts(http: httpx.Client, made: dict[str, dict[str, Any]]) -> None:
    """One correction a run, standing where the sorting rule puts it."""
    listed = list(every(http, "/v1/corrections"))
    assert Counter(one["status"] for one in listed) == Counter(expected_status(said) for said in made.values())
    assert {one["id"] for one in listed} == {said["id"] for said in made.values()}
    for status, count in Counter(one["status"] for one in listed).items():
        assert len(list(every(http, "/v1/corrections", status=status))) == count


def every(http: httpx.Client, path: str, **query: Any) -> Iterator[dict[str, Any]]:
    """All rows of a list, page by page."""
    cursor: dict[str, str] = {}
    while True:
        page = http.get(path, params={"limit": 100, **query, **cursor}).json()
        yield from page["data"]
        if not page["hasMore"]:
            return
        cursor = {"cursor": page["nextCursor"]}


def check_erasure(http: httpx.Client, runs: list[dict[str, Any]], made: dict[str, dict[str, Any]]) -> None:
    """Erase ten; then no answer of the API has their words, not even a replayed one."""
    by_run = {said["runId"]: (key, said) for key, said in made.items()}
    others = [run for run in runs if run["status"] == "completed"]
    chosen = others[::35][:10]
    kept_words = {word for run in others if run not in chosen for word in words_of(run)}
    for run in chosen:
        assert http.post(f"/v1/runs/{run['id']}/erase").status_code == 200
    answers = "".join(json.dumps(row) for row in [*every(http, "/v1/runs"), *every(http, "/v1/corrections")])
    for run in chosen:
        key, said = by_run[run["id"]]
        body = {name: value for name, value in said.items() if name != "id"}
        replay = http.post("/v1/corrections", json=body, headers={"Idempotency-Key": key})
        assert replay.json()["error"]["code"] == "idempotency-key-replay-withheld"
        one = http.get(f"/v1/corrections/{said['id']}")
        whole = http.get(f"/v1/runs/{run['id']}", params={"include": "input,calls"})
        history = http.get(f"/v1/corrections/{said['id']}/history")
        seen = answers + one.text + whole.text + history.text + replay.text
        assert one.json()["status"] == expected_status(said), "structure stays"
        for word in set(words_of(run)) - kept_words:
            for text in (word, json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1]):
                assert text not in seen, (run["id"], text)
