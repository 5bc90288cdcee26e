"""The addresses of replay endpoints, by every kind of caller."""

from __future__ import annotations

from typing import Any

import pytest

from improve.api.urls import urlpatterns
from tests.improve.replays import set_endpoint
from tests.support.matrices import LET_IN, NOT_LET_IN, UNKNOWN, Row, World, anonymous, rows
from tests.support.shops import AGENT, Shop

SET = "projects/{project}/agents/{agent}/replay-endpoint"
MATRIX = """
                                                                  out els vie edi ser adm own cei nar ten riv
GET    projects/{project}/agents/{agent}/replay-endpoint          404 404 403 200 200 200 200 200 200 200 404
PUT    projects/{project}/agents/{agent}/replay-endpoint          404 404 403 403 403 200 200 200 200 200 404
DELETE projects/{project}/agents/{agent}/replay-endpoint          404 404 403 403 403 204 204 204 204 204 404
POST   projects/{project}/agents/{agent}/replay-endpoint/check    404 404 403 403 403 200 200 200 200 200 404
POST   projects/{project}/agents/{agent}/replay-endpoint/rotate   404 404 403 403 403 200 200 200 200 200 404
"""
ROWS = rows(MATRIX)
URL = "https://agents.example.com/replay"
BODIES: dict[str, Any] = {f"PUT {SET}": {"url": URL}, f"POST {SET}/rotate": {"again": True}}


@pytest.fixture(scope="module")
def world(shop: Shop) -> World:
    world = World.of(shop)
    world.names |= {"project": str(shop.project.pk), "agent": AGENT}
    set_endpoint(shop, "http://127.0.0.1:9/other")
    set_endpoint(world.twin, "http://127.0.0.1:9/twin")
    return world


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    answers = {who: world.ask(who, row, BODIES.get(str(row))) for who in LET_IN}
    got = {who: answer.status_code for who, answer in answers.items()}
    assert got == row.statuses
    for who, answer in answers.items():
        code = {403: "permission-denied", 404: "project-not-found"}.get(answer.status_code)
        assert code is None or answer.json()["error"]["code"] == code, who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        answer = world.ask(who, row, BODIES.get(str(row)))
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, code), who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_an_agent_without_one_is_not_found(world: World, row: Row):
    path = row.path.format(**{**world.names, "agent": "never.heard-of"})
    answer = world.ask("admin", row, BODIES.get(str(row)), path=path)
    code = "agent-not-found" if row.method == "PUT" else "replay-endpoint-not-found"
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)
    unknown = world.ask("admin", row, BODIES.get(str(row)), path=row.path.format(project=UNKNOWN, agent=AGENT))
    assert unknown.json()["error"]["code"] == "project-not-found"


def test_the_table_names_every_address_and_method():
    served = {
        (method.upper(), anonymous(str(pattern.pattern)))
        for pattern in urlpatterns
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
        and "replay-endpoint" in str(pattern.pattern)
    }
    assert {(row.method, anonymous(row.path)) for row in ROWS} == served
