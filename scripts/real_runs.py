"""A project of runs that came from elsewhere, with rules that queued them and people's word on some."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

# Under the limit of a body.
MOST_BYTES = 1 << 20
CORRECTED_A_VERSION = 12
CATCH_UP_SECONDS = 120


def project_of_runs(api: httpx.Client, *, runs: Path, agents: Path, beside: str) -> str:
    """The id of a new project, made through /v1 by a tenant admin, with the members of the project ``beside``."""
    project = str(_ok(api.post("projects", json={"name": "Real runs", "slug": "real-runs"}))["id"])
    for member in _ok(api.get(f"projects/{beside}/memberships", params={"limit": 100}))["data"]:
        who = {"userId": member["userId"], "role": member["role"]}
        _ok(api.post(f"projects/{project}/memberships", json=who))
    for agent in json.loads(agents.read_text())["agents"]:
        for version in agent["versions"]:
            tools = [{"id": tool["id"], "writes": bool(tool.get("writes"))} for tool in version["tools"]]
            _ok(api.put(f"agents/{agent['id']}/versions/{version['version']}", json={"tools": tools}))
    records = [{**json.loads(line), "projectId": project} for line in runs.read_text().splitlines()]
    for body in _bodies(records):
        _ok(api.post("runs/import", content=body, headers={"Content-Type": "application/x-ndjson"}))
    _queue(api, project, sorted({record["agent"]["id"] for record in records}))
    _correct(_acting_for(api, reviewer_of(api, project)), records)
    return project


def reviewer_of(api: httpx.Client, project: str) -> str:
    """The id of the person whom the project has as its admin, and who reviews in it too."""
    members = _ok(api.get(f"projects/{project}/memberships", params={"limit": 100}))["data"]
    return next(str(member["userId"]) for member in members if member["role"] == "admin")


def _acting_for(api: httpx.Client, user_id: str) -> httpx.Client:
    """A client that acts as the person, by a token that an admin makes for them."""
    minted = _ok(api.post("tokens", json={"for": {"kind": "user", "id": user_id}, "role": "member"}))
    headers = {"Authorization": f"Bearer {minted['token']}"}
    return httpx.Client(base_url=api.base_url, headers=headers, timeout=api.timeout)


def _bodies(records: list[dict[str, Any]]) -> Iterator[bytes]:
    """The records in their order, in bodies that are small enough."""
    lines: list[bytes] = []
    size = 0
    for line in (json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records):
        if lines and size + len(line) > MOST_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    yield b"".join(lines)


def _queue(api: httpx.Client, project: str, agents: list[str]) -> None:
    """Rules for all agents and one for each, none of which saw the runs end: each catches up with them."""
    scope = {"kind": "project", "projectId": project}
    expert = _ok(api.post("judge-classes", json={"scope": scope, "name": "Desk leads", "weight": 3}))["id"]
    rules: list[dict[str, Any]] = [
        {"name": "Every answer", "when": {"agentIds": agents}, "sample": 0.3},
        {"name": "For desk leads", "when": {"agentIds": agents}, "sample": 0.1, "judgeClassId": expert},
    ]
    rules += [{"name": f"Live answers of {one}", "when": {"agentIds": [one], "versions": ["live"]}} for one in agents]
    for rule in rules:
        made = _ok(api.post(f"projects/{project}/judging-rules", json={"sample": 0.2, **rule}))
        _catch_up(api, f"projects/{project}/judging-rules/{made['ruleId']}/queue-recent")


def _catch_up(api: httpx.Client, path: str) -> None:
    job = _ok(api.post(path, json={"last": 1000}))
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while "jobId" in job and "queued" not in job:
        if time.monotonic() > deadline:
            raise TimeoutError(f"The catch-up didn't end: {job}")
        time.sleep(0.5)
        job = _ok(api.get(f"{path}/{job['jobId']}"))


def _correct(api: httpx.Client, records: list[dict[str, Any]]) -> None:
    """Some of each version's completed runs: enough for a chart, and newer versions are right more often."""
    done: Counter[str] = Counter()
    completed = [record for record in records if record["status"] == "completed"]
    versions = sorted({record["agent"]["version"] for record in completed})
    for record in completed:
        agent = record["agent"]
        number = done[f"{agent['id']} {agent['version']}"]
        if number >= CORRECTED_A_VERSION:
            continue
        done[f"{agent['id']} {agent['version']}"] += 1
        right = number % len(versions) <= versions.index(agent["version"])
        said = {"answer": "right"} if right else {"answer": "wrong", "why": "It misses what was asked."}
        _ok(api.post("corrections", json={"runId": record["id"], **said}))


def _ok(response: httpx.Response) -> Any:
    """The answer; raises for a refusal, with what it says."""
    if response.is_error:
        raise RuntimeError(f"{response.request.method} {response.request.url}: {response.status_code} {response.text}")
    return response.json()
