"""Every address of corrections and judge classes, by every kind of caller."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.api.urls import urlpatterns
from tests.corrections.replaying import WRONG, replay
from tests.support.matrices import LET_IN, NOT_LET_IN, UNKNOWN, Row, World, anonymous, rows
from tests.support.shops import AGENT, Shop

# {correction} was made by the service, and {judgment} is what it says. {class} is the tenant's, {ours} the project's;
# both name one principal. {tested} is a test run of the run {wrong}.
MATRIX = """
                                                     out els vie edi ser adm own cei nar ten riv
GET    corrections                                   200 200 200 200 200 200 200 200 200 200 200
POST   corrections                                   404 404 403 201 201 201 201 201 201 201 201
POST   corrections  class                            404 404 403 201 201 201 201 201 201 201 400
POST   corrections  unknown                          404 404 404 404 404 404 404 404 404 404 404
GET    corrections/{correction}                      404 404 200 200 200 200 200 200 200 200 404
PATCH  corrections/{correction}                      404 404 403 200 200 200 200 200 200 200 404
POST   corrections/{correction}/unregister           404 404 403 403 200 200 200 200 200 200 404
POST   corrections/{correction}/check                404 404 200 200 200 200 200 200 200 200 404
GET    corrections/{correction}/history              404 404 200 200 200 200 200 200 200 200 404
GET    judgments                                     200 200 200 200 200 200 200 200 200 200 200
POST   judgments                                     404 404 403 201 201 201 201 201 201 201 201
POST   judgments  class                              404 404 403 201 201 201 201 201 201 201 400
POST   judgments  unknown                            404 404 404 404 404 404 404 404 404 404 404
GET    judgments/{judgment}                          404 404 200 200 200 200 200 200 200 200 404
POST   judgments/{judgment}/unregister               404 404 403 403 200 200 200 200 200 200 404
GET    projects/{project}/test-runs                  404 404 200 200 200 200 200 200 200 200 404
POST   projects/{project}/test-runs                  404 404 403 201 201 201 201 201 201 201 404
GET    projects/{project}/test-runs/{tested}         404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/test-runs/{tested}/results 404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/test-runs/{tested}/replays/{wrong} 404 404 200 200 200 200 200 200 200 200 404
GET    judge-classes                                 200 200 200 200 200 200 200 200 200 200 200
POST   judge-classes  tenant                         403 403 403 403 403 403 403 403 403 201 201
POST   judge-classes  project                        404 404 403 403 403 201 201 201 201 201 404
POST   judge-classes  agent                          404 404 403 403 403 201 201 201 201 201 404
GET    judge-classes/{class}                         200 200 200 200 200 200 200 200 200 200 404
PATCH  judge-classes/{class}                         403 403 403 403 403 403 403 403 403 200 404
POST   judge-classes/{class}/unregister              403 403 403 403 403 403 403 403 403 200 404
GET    judge-classes/{ours}                          404 404 200 200 200 200 200 200 200 200 404
PATCH  judge-classes/{ours}                          404 404 403 403 403 200 200 200 200 200 404
POST   judge-classes/{ours}/unregister               404 404 403 403 403 200 200 200 200 200 404
"""
ROWS = rows(MATRIX)
PROJECT = {"kind": "project", "projectId": "{project}"}
BODIES: dict[str, Any] = {
    "POST corrections": {"runId": "{run}", "answer": "right"},
    "POST corrections class": {"runId": "{run}", "answer": "right", "correctorGroupId": "{open}"},
    "POST corrections unknown": {"runId": UNKNOWN, "answer": "right"},
    "PATCH corrections/{correction}": {"status": "being-fixed"},
    "POST corrections/{correction}/check": {"calls": []},
    "POST judgments": {"runId": "{run}", "item": {"key": "answer"}, "verdict": "yes"},
    "POST judgments class": {
        "runId": "{run}",
        "item": {"key": "answer"},
        "verdict": "yes",
        "judgeClassId": "{open}",
    },
    "POST judgments unknown": {"runId": UNKNOWN, "item": {"key": "answer"}, "verdict": "yes"},
    "POST projects/{project}/test-runs": {
        "agentId": AGENT,
        "version": "2.0.0",
        "how": "pin",
        "replays": [{"runId": "{wrong}", "output": "better"}],
    },
    "POST judge-classes tenant": {"scope": {"kind": "tenant"}, "name": "fresh", "weight": 1},
    "POST judge-classes project": {"scope": PROJECT, "name": "fresh", "weight": 1},
    "POST judge-classes agent": {
        "scope": {"kind": "agent", "projectId": "{project}", "agentId": AGENT},
        "name": "fresh",
        "weight": 1,
    },
    "PATCH judge-classes/{class}": {"weight": 2},
    "PATCH judge-classes/{ours}": {"weight": 2},
}
NOT_FOUND = {
    "corrections": "correction-not-found",
    "judgments": "judgment-not-found",
    "projects": "project-not-found",
    "judge-classes": "judge-class-not-found",
}


@pytest.fixture(scope="module")
def world(shop: Shop) -> World:
    world = World.of(shop)
    run_id = shop.run()
    made = shop.correct(run_id, by="service")
    world.twin.run(run_id)  # the other tenant has a run of the same id, and a correction of it
    world.twin.correct(run_id)
    project, named = str(shop.project.pk), {"principalIds": [UNKNOWN]}
    wrong = shop.run()
    shop.correct(wrong, **WRONG)
    tested = replay(shop, wrong, "changed")
    world.names |= {
        "run": run_id,
        "correction": made["id"],
        "judgment": shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"][0]["id"],
        "project": project,
        "wrong": wrong,
        "tested": tested["id"],
        "class": shop.judge_class("expert", assertableBy=named),
        "ours": shop.judge_class("expert", scope={"kind": "project", "projectId": project}, assertableBy=named),
        "open": shop.judge_class("open"),
    }
    world.twin.judge_class("expert")
    return world


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    answers = {who: world.ask(who, row, BODIES.get(str(row))) for who in LET_IN}
    assert {who: answer.status_code for who, answer in answers.items()} == row.statuses
    for who, answer in answers.items():
        if answer.status_code == 403:
            assert answer.json()["error"]["code"] == "permission-denied", who
        if answer.status_code == 404:
            assert answer.json()["error"]["code"] == _not_found(row), who


def _not_found(row: Row) -> str:
    if str(row).startswith(("POST corrections", "POST judgments")) and "{" not in row.path:
        return "run-not-found"
    if str(row).startswith("POST judge-classes ") and "{" not in row.path:
        return "project-not-found"
    return NOT_FOUND[row.path.partition("/")[0]]


@pytest.mark.parametrize("row", [row for row in ROWS if "{" in row.path], ids=str)
def test_a_thing_that_is_not_there_for_the_caller_answers_as_an_unknown_id_does(world: World, row: Row):
    name = row.path.partition("{")[2].partition("}")[0]
    for who in [who for who, status in row.statuses.items() if status == 404]:
        there = world.ask(who, row, BODIES.get(str(row))).json()["error"]
        path = row.path.format(**{**world.names, name: UNKNOWN})
        unknown = world.ask(who, row, BODIES.get(str(row)), path=path).json()["error"]
        there["message"] = there["message"].replace(world.names[name], UNKNOWN)
        del there["requestId"], unknown["requestId"]
        assert there == unknown, who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        answer = world.ask(who, row, BODIES.get(str(row)))
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, code), who


def test_the_other_tenant_finds_its_own_correction_judgment_and_class(world: World):
    for path, theirs in (("corrections", 1), ("judgments", 1), ("judge-classes", 1)):
        rows = world.twin.admin.ok("GET", path)["data"]
        assert len(rows) == theirs and {row["tenantId"] for row in rows} == {str(world.twin.tenant.pk)}


def test_whoever_is_narrowed_elsewhere_lists_the_tenants_classes_and_nothing_of_the_project(world: World):
    def listed(path: str) -> list[str]:
        answer = world.ask("elsewhere", Row("GET", path, "", {}))
        return [row["id"] for row in answer.json()["data"]]

    assert listed("corrections") == [] and listed("judgments") == []
    assert set(listed("judge-classes")) == {world.names["class"], world.names["open"]}


def test_the_table_names_every_address_and_method():
    served = {
        (method.upper(), anonymous(str(pattern.pattern)))
        for pattern in urlpatterns
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
    }
    assert {(row.method, anonymous(row.path)) for row in ROWS} == served
