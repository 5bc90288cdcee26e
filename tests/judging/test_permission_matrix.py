"""Every address of rules, results, catch-ups and the queue, by every kind of caller."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import LazySettings

from judging.api.urls import urlpatterns
from tests.judging.catching_up import asked
from tests.judging.queues import dismiss, old_rule, queue
from tests.support.matrices import LET_IN, NOT_LET_IN, UNKNOWN, Row, World, anonymous, rows
from tests.support.shops import AGENT, Shop

# {run} waits and {gone} was dismissed; {class} is the tenant's. {job} is a catch-up that nobody works on.
MATRIX = """
                                                                  out els vie edi ser adm own cei nar ten riv
GET    projects/{project}/judging-rules                           404 404 200 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-rules                           404 404 403 201 201 201 201 201 201 201 404
POST   projects/{project}/judging-rules class                     404 404 403 201 201 201 201 201 201 201 404
GET    projects/{project}/judging-rules/preview                   404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/judging-rules/{rule}                    404 404 200 200 200 200 200 200 200 200 404
PATCH  projects/{project}/judging-rules/{rule}                    404 404 403 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-rules/{rule}/unregister         404 404 403 200 200 200 200 200 200 200 404
GET    projects/{project}/judging-rules/{rule}/versions           404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/judging-rules/{rule}/results            404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/judging-rules/{rule}/trend              404 404 200 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-rules/{rule}/queue-recent       404 404 403 202 202 202 202 202 202 202 404
GET    projects/{project}/judging-rules/{rule}/queue-recent/{job} 404 404 200 200 200 200 200 200 200 200 404
GET    projects/{project}/judging-queue                           404 404 200 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-queue/next                      404 404 403 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-queue/{run}/dismiss             404 404 403 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-queue/{gone}/reopen             404 404 403 200 200 200 200 200 200 200 404
POST   projects/{project}/judging-queue/{run}/hold                404 404 403 200 200 200 200 200 200 200 404
DELETE projects/{project}/judging-queue/{run}/hold                404 404 403 204 204 204 204 204 204 204 404
"""
ROWS = rows(MATRIX)
RULES = "projects/{project}/judging-rules"
BODIES: dict[str, Any] = {
    f"POST {RULES}": {"name": "n", "when": {"agentIds": [AGENT]}},
    f"POST {RULES} class": {"name": "n", "when": {}, "judgeClassId": "{class}"},
    f"PATCH {RULES}/{{rule}}": {"name": "n"},
    f"POST {RULES}/{{rule}}/queue-recent": {"last": 10},
    "POST projects/{project}/judging-queue/{run}/dismiss": {"reason": "r"},
}
NOT_FOUND = {
    "project": "project-not-found",
    "rule": "judging-rule-not-found",
    "job": "catch-up-not-found",
    "run": "judging-item-not-found",
    "gone": "judging-item-not-found",
}


@pytest.fixture(autouse=True)
def answered_at_once(settings: LazySettings) -> None:
    """No worker goes on with what is asked for here, so nobody waits for it."""
    settings.CATCH_UP_WAIT_SECONDS = 0


@pytest.fixture(scope="module")
def world(shop: Shop) -> World:
    world = World.of(shop)
    rule = old_rule(shop)
    run_id, gone = shop.run(), shop.run()
    dismiss(shop, gone)
    old_rule(world.twin, by="tenant-admin")
    world.twin.run(run_id)  # the other tenant has a run of the same id that waits
    world.names |= {
        "project": str(shop.project.pk),
        "rule": rule["ruleId"],
        "run": run_id,
        "gone": gone,
        "class": shop.judge_class(),
        "job": str(asked(shop, rule, last=10).pk),
    }
    return world


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    answers = {who: world.ask(who, row, BODIES.get(str(row))) for who in LET_IN}
    assert {who: answer.status_code for who, answer in answers.items()} == row.statuses
    for who, answer in answers.items():
        code = {403: "permission-denied", 404: "project-not-found"}.get(answer.status_code)
        assert code is None or answer.json()["error"]["code"] == code, who


def names_of(row: Row) -> list[str]:
    return [part.strip("{}") for part in row.path.split("/") if part.startswith("{")]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_thing_that_is_not_there_for_the_caller_answers_as_an_unknown_id_does(world: World, row: Row):
    path = row.path.format(**{**world.names, "project": UNKNOWN})
    for who in [who for who, status in row.statuses.items() if status == 404]:
        there = world.ask(who, row, BODIES.get(str(row))).json()["error"]
        unknown = world.ask(who, row, BODIES.get(str(row)), path=path).json()["error"]
        there["message"] = there["message"].replace(world.names["project"], UNKNOWN)
        del there["requestId"], unknown["requestId"]
        assert there == unknown, who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_an_unknown_thing_of_the_project_is_not_found_by_whoever_may_read(world: World, row: Row):
    for name in names_of(row):
        path = row.path.format(**{**world.names, name: UNKNOWN})
        for who in ("viewer", "editor", "tenant"):
            answer = world.ask(who, row, BODIES.get(str(row)), path=path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, NOT_FOUND[name]), (name, who)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        answer = world.ask(who, row, BODIES.get(str(row)))
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, code), who


def test_the_other_tenant_finds_its_own_item(world: World):
    (item,) = queue(world.twin, by="tenant-admin")["data"]
    assert (item["runId"], item["projectId"]) == (world.names["run"], str(world.twin.project.pk))


def test_the_table_names_every_address_and_method():
    served = {
        (method.upper(), anonymous(str(pattern.pattern)))
        for pattern in urlpatterns
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
    }
    assert {(row.method, anonymous(row.path)) for row in ROWS} == served
