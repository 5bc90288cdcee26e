"""``GET /v1/runs``: newest first, each filter by itself and together, in stable pages (contract, section 3)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi.access.models import User
from tests.builders import default_project, make_user
from tests.support.shops import CheckedApi, Shop

PARENT = "018f0000-0000-7000-8000-000000000001"
ORIGINAL = "018f0000-0000-7000-8000-000000000002"
# Runs by name, oldest first, a minute apart.
REPORTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "newer": {"agent": {"id": "shop.desk", "version": "2.0.0"}},
    "spaced": {"agent": {"id": " shop.desk", "version": "1.0.0"}},
    "flow": {"flow": {"id": "onboarding", "version": "7"}},
    "running": {"status": "running"},
    "failed": {"status": "failed"},
    "child": {"parentRunId": PARENT},
    "replay": {"replayOf": ORIGINAL},
    "evaluation": {"evalRunId": "eval-1"},
    "child replay": {"parentRunId": PARENT, "replayOf": ORIGINAL, "evalRunId": "eval-2"},
    "other": {"projectId": "{other}"},
}
ALL = list(REPORTS)
AGENTS = [name for name in ALL if name not in ("flow", "newer", "spaced")]


@pytest.fixture(scope="module")
def reported(shop: Shop) -> dict[str, str]:
    """The runs' names by their ids."""
    shop.people["other"] = make_user(shop.tenant)
    other = str(shop.other_project().pk)
    names = {"other project": other, "tenant": str(shop.tenant.pk)}
    for minute, (name, body) in enumerate(REPORTS.items()):
        placed = {**body, **({"projectId": other} if "projectId" in body else {})}
        names[shop.run(createdAt=f"2026-01-01T00:{minute:02}:00Z", **placed)] = name
    return names


def listed(shop: Shop, names: dict[str, str], **query: Any) -> list[str]:
    rows = shop.admin.ok("GET", "runs", query={"limit": 100, **query})["data"]
    return [names[row["id"]] for row in rows]


FOUND: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ALL),
    ({"agentId": "shop.desk"}, ["newer", *AGENTS]),
    ({"agentId": " shop.desk"}, ["spaced"]),
    ({"agentId": "shop"}, []),
    ({"agentVersion": "2.0.0"}, ["newer"]),
    ({"agentId": "shop.desk", "agentVersion": "1.0.0"}, AGENTS),
    ({"flowId": "onboarding"}, ["flow"]),
    ({"flowId": "agent.turn"}, [name for name in ALL if name != "flow"]),
    ({"status": "running"}, ["running"]),
    ({"status": "pending"}, []),
    ({"status": ["running", "failed"]}, ["running", "failed"]),
    ({"topLevel": "true"}, [name for name in ALL if not name.startswith("child")]),
    ({"topLevel": "false"}, ["child", "child replay"]),
    ({"replays": "include"}, ALL),
    ({"replays": "exclude"}, [name for name in ALL if name not in ("replay", "evaluation", "child replay")]),
    ({"replays": "only"}, ["replay", "evaluation", "child replay"]),
    ({"replays": "only", "topLevel": "true"}, ["replay", "evaluation"]),
    ({"parentRunId": PARENT}, ["child", "child replay"]),
    ({"parentRunId": "nothing"}, []),
    ({"createdAfter": "2026-01-01T00:08:00.000Z"}, ["child replay", "other"]),
    ({"createdAfter": "2026-01-01T02:07:59.999+02:00"}, ["evaluation", "child replay", "other"]),
    ({"createdBefore": "2026-01-01T00:01:00Z"}, ["plain"]),
    ({"createdAfter": "2026-01-01T00:01:00Z", "createdBefore": "2026-01-01T00:03:00Z"}, ["spaced"]),
    ({"scopeKind": "tenant"}, ALL),
    ({"scopeKind": "tenant", "scopeId": "{tenant}"}, ALL),
    ({"scopeKind": "tenant", "scopeId": "{other project}"}, []),
    ({"scopeKind": "tenant", "scopeId": "nothing"}, []),
    ({"scopeKind": "project", "scopeId": "{other project}"}, ["other"]),
    ({"scopeKind": "project", "scopeId": "nothing"}, []),
]
REFUSED: list[dict[str, Any]] = [
    {"status": "done"},
    {"status": "running,failed"},
    {"topLevel": "yes"},
    {"topLevel": "True"},
    {"replays": "none"},
    {"createdAfter": "2026"},
    {"createdBefore": "soon"},
    {"createdAfter": "0001-01-01T00:00:00+14:00"},
    {"scopeKind": "project"},
    {"scopeKind": "agent", "scopeId": "x"},
    {"scopeId": "x"},
    {"agentId": ["a", "b"]},
    {"agentId": "a\0"},
    {"include": "input"},
    {"agentId": ""},
    {"status": ["running", ""]},
    {"limit": "1.5"},
    {"limit": "\N{ARABIC-INDIC DIGIT ONE}"},
    {"cursor": "x"},
    {"agent": "shop.desk"},
]


@pytest.mark.parametrize(("query", "names"), FOUND, ids=[str(query) for query, _ in FOUND])
def test_a_filter_finds_exactly_its_own_newest_first(
    shop: Shop, reported: dict[str, str], query: dict[str, Any], names: list[str]
):
    filled = {name: value.format(**reported) if isinstance(value, str) else value for name, value in query.items()}
    assert listed(shop, reported, **filled) == [name for name in ALL[::-1] if name in names]


@pytest.mark.parametrize("query", REFUSED, ids=str)
def test_what_a_filter_cannot_read_is_refused(shop: Shop, reported: dict[str, str], query: dict[str, Any]):
    assert shop.admin.refused("GET", "runs", query=query) == (400, "bad-input")


def test_everyone_finds_only_what_they_may_read(shop: Shop, reported: dict[str, str]):
    def count(api: CheckedApi) -> int:
        return len(api.ok("GET", "runs", query={"limit": 100})["data"])

    admin, outsider = shop.person("tenant-admin"), shop.person("other")
    assert isinstance(outsider, User)
    assert count(CheckedApi.of(admin)) == count(CheckedApi.of(admin, "member")) == len(ALL)  # type: ignore[arg-type]
    assert count(shop.api("viewer")) == len(ALL) - 1  # type: ignore[arg-type]
    assert count(CheckedApi.of(admin, project=default_project(shop.tenant))) == len(ALL) - 1  # type: ignore[arg-type]
    assert count(CheckedApi.of(outsider)) == 0  # type: ignore[arg-type]
    assert count(Shop.open().admin) == 0  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [1, 20, 100])
def test_a_page_takes_two_statements_of_any_size(undone: Shop, assert_queries: Any, rows: int):
    records = [
        {"id": str(uuid4()), "agent": {"id": "many", "version": "1"}, "status": "completed", "output": {}}
        for _ in range(rows)
    ]
    editor = undone.editor
    editor.ok("POST", "runs/import", records)
    with assert_queries(exact=2):
        assert len(editor.ok("GET", "runs", query={"limit": 100, "agentId": "many"})["data"]) == rows


@given(minutes=st.lists(st.integers(0, 2), min_size=1, max_size=9), limit=st.integers(1, 4))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_neither_skip_nor_repeat_however_many_share_a_time(undone: Shop, minutes: list[int], limit: int):
    agent = {"id": f"paged-{uuid4()}", "version": "1"}
    records: list[dict[str, Any]] = [
        {"id": str(uuid4()), "agent": agent, "status": "running", "createdAt": f"2026-01-01T00:0{minute}:00Z"}
        for minute in minutes
    ]
    undone.editor.ok("POST", "runs/import", records)
    seen: list[tuple[str, str]] = []
    query = {"agentId": agent["id"], "limit": str(limit)}
    while True:
        found = undone.editor.ok("GET", "runs", query=query)
        seen += [(row["createdAt"], row["id"]) for row in found["data"]]
        if not found["hasMore"]:
            break
        undone.run(agent=agent, createdAt=seen[0][0])  # as old as the newest that was read already
        query["cursor"] = found["nextCursor"]
    assert [at for at, _ in seen] == sorted((at for at, _ in seen), reverse=True)
    assert sorted(pk for _, pk in seen) == sorted(record["id"] for record in records)
