"""Every address of runs, agents and pins, by every kind of caller; and that no address of /v1 is in no table."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from kindgi.access.models import Project
from kindgi.api.openapi.routes import routes
from kindgi.runs.api.urls import urlpatterns
from kindgi.runs.services.retention import runs_purge
from tests.access import test_permission_matrix as access_matrix
from tests.corrections import test_permission_matrix as corrections_matrix
from tests.improve import test_permission_matrix as improve_matrix
from tests.improve import test_replay_endpoint_permissions as endpoint_matrix
from tests.judging import test_permission_matrix as judging_matrix
from tests.support.matrices import LET_IN, NOT_LET_IN, UNKNOWN, Row, World, anonymous, rows
from tests.support.shops import AGENT, VERSION, Shop, completed

# {run} is of the project and the other tenant has one of the same id; {going} hasn't ended; {gone} was corrected, and
# then deleted by retention.
MATRIX = """
                                                     out els vie edi ser adm own cei nar ten riv
GET    runs                                          200 200 200 200 200 200 200 200 200 200 200
POST   runs                                          422 422 422 422 422 422 422 422 422 422 422
GET    runs/{run}                                    404 404 200 200 200 200 200 200 200 200 200
GET    runs/{only}                                   404 404 200 200 200 200 200 200 200 200 404
PUT    runs/{going}                                  404 404 403 200 200 200 200 200 200 200 201
PUT    runs/{new}                                    404 201 403 201 201 201 201 201 201 201 201
PUT    runs/{new}  named                             404 404 403 201 201 201 201 201 201 201 404
POST   runs/import                                   200 200 200 200 200 200 200 200 200 200 200
POST   runs/{run}/erase                              404 404 403 403 403 200 200 200 200 200 200
POST   runs/{only}/erase                             404 404 403 403 403 200 200 200 200 200 404
POST   runs/{gone}/erase                             404 404 403 403 403 204 204 204 204 204 404
POST   projects/{project}/participants/{someone}/erase  404 404 403 403 403 200 200 200 200 200 404
GET    agents/{agent}/versions/{version}             200 200 200 200 200 200 200 200 200 200 200
GET    agents/{ours}/versions/{version}              200 200 200 200 200 200 200 200 200 200 404
PUT    agents/{agent}/versions/{version}             403 200 403 200 200 200 200 200 200 200 200
GET    projects/{project}/agents/{agent}/pin         404 404 200 200 200 200 200 200 200 200 404
PUT    projects/{project}/agents/{agent}/pin         404 404 403 403 403 200 200 200 200 200 404
DELETE projects/{project}/agents/{agent}/pin         404 404 403 403 403 200 200 200 200 200 404
"""
ROWS = rows(MATRIX)
BODIES: dict[str, Any] = {
    "POST runs": {"agent": "x"},
    "PUT runs/{going}": completed(),
    "PUT runs/{new}": completed(),
    "PUT runs/{new} named": completed(projectId="{project}"),
    "POST runs/import": [{"id": UNKNOWN, **completed()}],
    "PUT agents/{agent}/versions/{version}": {"tools": []},
    "PUT projects/{project}/agents/{agent}/pin": {"version": VERSION},
}
# With access to no default project there is none to record in.
CODES = {"PUT runs/{new}": "project-not-found", "PUT runs/{new} named": "project-not-found"}


@pytest.fixture(scope="module")
def world(shop: Shop) -> World:
    world = World.of(shop)
    run_id, going, gone = shop.run(), shop.run(status="running"), shop.run(completedAt="2020-01-01T00:00:00Z")
    shop.correct(gone)
    Project.objects.filter(pk=shop.project.pk).update(retention_days=1000)
    assert runs_purge(project=shop.project, limit=10) == 1
    world.twin.run(run_id)
    shop.admin.ok("PUT", f"agents/ours.only/versions/{VERSION}")
    shop.admin.ok("PUT", f"projects/{shop.project.pk}/agents/{AGENT}/pin", {"version": VERSION})
    world.names |= {
        "run": run_id,
        "going": going,
        "only": shop.run(),
        "gone": gone,
        "new": UNKNOWN,
        "agent": AGENT,
        "ours": "ours.only",
        "someone": "somebody",
        "version": VERSION,
        "project": str(shop.project.pk),
    }
    return world


def ask(world: World, who: str, row: Row, **more: Any) -> Any:
    return world.ask(who, row, BODIES.get(str(row)), **more)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    answers = {who: ask(world, who, row) for who in LET_IN}
    assert {who: answer.status_code for who, answer in answers.items()} == row.statuses
    for who, answer in answers.items():
        if answer.status_code == 403:
            assert answer.json()["error"]["code"] == "permission-denied", who
        if answer.status_code == 404:
            assert answer.json()["error"]["code"] == CODES.get(str(row), _not_found(row)), who


def _not_found(row: Row) -> str:
    return {"runs": "run-not-found", "agents": "agent-not-found", "projects": "project-not-found"}[
        row.path.split("/")[0]
    ]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.path.startswith(("runs/{run}", "runs/{only}", "runs/{gone}"))], ids=str
)
def test_a_run_that_is_not_there_for_the_caller_answers_as_an_unknown_id_does(world: World, row: Row):
    name = row.path.partition("{")[2].partition("}")[0]
    for who in [who for who, status in row.statuses.items() if status == 404]:
        there = ask(world, who, row).json()["error"]
        unknown = ask(world, who, row, path=row.path.format(**{name: UNKNOWN})).json()["error"]
        there["message"] = there["message"].replace(world.names[name], UNKNOWN)
        del there["requestId"], unknown["requestId"]
        assert there == unknown, who


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        answer = ask(world, who, row)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, code), who


# What becomes of a record in an import, which itself is answered to everybody.
IMPORTED = {
    "outsider": "project-not-found",
    "viewer": "permission-denied",
    **dict.fromkeys(["elsewhere", "editor", "service", "admin", "owner", "ceiling", "narrowed", "tenant", "rival"]),
}


def test_an_import_records_what_its_caller_might_record_one_by_one(world: World):
    row = Row("POST", "runs/import", "", {})
    answers = {who: ask(world, who, row).json()["results"][0] for who in LET_IN}
    assert {who: answer.get("error", {}).get("code") for who, answer in answers.items()} == IMPORTED


def test_the_other_tenant_reads_its_own_run_of_the_same_id(world: World):
    row = Row("GET", "runs/{run}", "", {})
    assert ask(world, "rival", row).json()["tenantId"] == str(world.twin.tenant.pk)
    assert ask(world, "tenant", row).json()["tenantId"] == str(world.shop.tenant.pk)


def test_the_table_names_every_address_and_method():
    served = {
        (method.upper(), anonymous(str(pattern.pattern)))
        for pattern in urlpatterns
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(pattern.callback.view_class, method)  # type: ignore[attr-defined]
    }
    assert {(row.method, anonymous(row.path)) for row in ROWS} == served


def test_every_address_of_v1_is_in_a_table_or_open_to_all():
    every: list[Any] = [*access_matrix.ROWS, *ROWS, *corrections_matrix.ROWS, *judging_matrix.ROWS]
    every += [*improve_matrix.ROWS, *endpoint_matrix.ROWS]
    tabled = {(row.method, anonymous(row.path)) for row in every}
    for route in routes(settings.ROOT_URLCONF):
        address = (route.method.upper(), anonymous(route.path.removeprefix("/v1/")))
        assert route.operation.public or address in tabled, f"{address} is in no permission matrix"
    public = {route.path for route in routes(settings.ROOT_URLCONF) if route.operation.public}
    assert public == {"/v1/openapi.json", "/v1/docs"}
