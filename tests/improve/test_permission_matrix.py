"""Every address of suggested changes and test sets, by every kind of caller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from improve.api.urls import urlpatterns
from improve.models import Evaluation
from tests.improve.staging import FROM, Stage, staged
from tests.support.matrices import LET_IN, NOT_LET_IN, UNKNOWN, Row, World, anonymous, rows
from tests.support.shops import AGENT, Shop

# All were drafted, and asked for, by another editor. The viewer and the editor are on the roster of reviewers.
MATRIX = """
                                                     out els vie edi ser adm own cei nar ten riv
GET    proposals                                     200 200 200 200 200 200 200 200 200 200 200
POST   proposals                                     404 404 403 201 201 201 201 201 201 201 404
GET    proposals/{draft}                             404 404 200 200 200 200 200 200 200 200 404
GET    proposals/{draft}/history                     404 404 200 200 200 200 200 200 200 200 404
POST   proposals/{draft}/evaluate                    404 404 403 200 200 200 200 200 200 200 404
POST   proposals/{running}/cancel                    404 404 403 200 200 200 200 200 200 200 404
POST   proposals/{better}/rescore                    404 404 403 200 200 200 200 200 200 200 404
POST   proposals/{better}/send                       404 404 403 200 200 200 200 200 200 200 404
POST   proposals/{better}/request                    404 404 403 200 200 200 200 200 200 200 404
POST   proposals/{review}/decide                     404 404 403 200 403 403 403 403 403 403 404
POST   proposals/{live}/rollback                     404 404 403 200 403 200 200 200 200 200 404
POST   proposals/{draft}/withdraw                    404 404 403 200 200 200 200 200 200 200 404
GET    proposals/{better}/evaluations                404 404 200 200 200 200 200 200 200 200 404
GET    proposals/{better}/evaluations/{evaluation}   404 404 200 200 200 200 200 200 200 200 404
GET    proposals/{better}/evaluations/{evaluation}/cases 404 404 200 200 200 200 200 200 200 200 404
GET    proposals/{better}/evaluations/{evaluation}/cases/{case} 404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/test-sets                  404 404 200 200 200 200 200 200 200 200 404
POST   projects/{project}/test-sets                  404 404 403 201 201 201 201 201 201 201 404
GET    projects/{project}/test-sets/{test_set}       404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/test-sets/{test_set}/cases 404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/test-sets/{test_set}/export 404 404 200 200 200 200 200 200 200 200 404
"""
ROWS = rows(MATRIX)
BODIES: dict[str, Any] = {
    "POST proposals": {
        "agentId": AGENT,
        "fromVersion": FROM,
        "scope": {"kind": "project", "projectId": "{project}"},
        "change": {"blockId": "manners", "content": {"values": {"mode": "matrix"}}},
        "hypothesis": "It helps.",
    },
    "POST proposals/{draft}/evaluate": {"suiteId": "{test_set}"},
    "POST proposals/{review}/decide": {"decision": "approve"},
    "POST proposals/{draft}/withdraw": {"reason": "No."},
    "POST projects/{project}/test-sets": {"agentId": AGENT},
}
WITHOUT = [row for row in ROWS if "{" in row.path]


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    with staged(shop, by="editor:2") as stage:
        yield stage


@pytest.fixture(scope="module")
def world(stage: Stage) -> World:
    shop = stage.shop
    world = World.of(shop)
    for reviewer in ("viewer", "editor"):
        roster = {"userId": str(shop.person(reviewer).pk), "role": "standard"}
        shop.admin.ok("POST", "approvals/reviewers", roster)
    better, review = stage.evaluated(stage.drafted()), stage.in_review()
    live = stage.decided("approve")
    world.names |= {
        "project": str(shop.project.pk),
        "test_set": stage.test_set,
        "draft": stage.drafted(),
        "running": stage.begun(stage.drafted()),
        "better": better,
        "review": review,
        "live": live,
        "evaluation": str(Evaluation.objects.get(proposal_id=better).pk),
        "case": stage.runs[0],
    }
    return world


def _missing(row: Row) -> str:
    return "proposal-not-found" if row.path.startswith("proposals/") else "project-not-found"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    answers = {who: world.ask(who, row, BODIES.get(str(row))) for who in LET_IN}
    assert {who: answer.status_code for who, answer in answers.items()} == row.statuses
    for who, answer in answers.items():
        code = {403: "permission-denied", 404: _missing(row)}
        expected = code.get(answer.status_code)
        assert expected is None or answer.json()["error"]["code"] == expected, who


@pytest.mark.parametrize("row", WITHOUT, ids=str)
def test_what_is_not_there_for_the_caller_answers_as_an_unknown_id_does(world: World, row: Row):
    name = row.path.partition("{")[2].partition("}")[0]
    for who in [who for who, status in row.statuses.items() if status == 404]:
        there = world.ask(who, row, BODIES.get(str(row))).json()["error"]
        path = row.path.format(**{**world.names, name: UNKNOWN})
        unknown = world.ask(who, row, BODIES.get(str(row)), path=path).json()["error"]
        del there["requestId"], unknown["requestId"]
        assert there == unknown, who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        answer = world.ask(who, row, BODIES.get(str(row)))
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, code), who


@pytest.mark.parametrize("who", LET_IN)
def test_a_list_has_what_the_caller_may_read(world: World, who: str):
    listed = world.ask(who, Row("GET", "proposals", "", {})).json()["data"]
    assert len(listed) == (0 if who in ("outsider", "elsewhere", "rival") else 5)


def test_what_may_be_done_is_what_succeeds(world: World):
    """``can`` of each caller is what the table lets them do, where it is legal."""
    for row in ROWS:
        action = row.path.rpartition("/")[2]
        if row.method != "POST" or not row.path.startswith("proposals/"):
            continue
        name = row.path.partition("{")[2].partition("}")[0]
        for who, status in row.statuses.items():
            if status != 404:
                can = world.ask(who, Row("GET", f"proposals/{{{name}}}", "", {})).json()["can"]
                assert can[action] == (status == 200), (who, action)


def test_the_table_names_every_address_and_method():
    served = {
        (method.upper(), anonymous(str(pattern.pattern)))
        for pattern in urlpatterns
        if "replay-endpoint" not in str(pattern.pattern)
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
    }
    assert {(row.method, anonymous(row.path)) for row in ROWS} == served
