"""Judge classes: where they apply, their names and weights, changing and retiring them (contract, section 5)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.support.parallel import at_once, without_constraint
from tests.support.shops import AGENT, Shop

TENANT = {"kind": "tenant"}


def scopes(shop: Shop) -> dict[str, dict[str, str]]:
    project = str(shop.project.pk)
    return {
        "tenant": TENANT,
        "project": {"kind": "project", "projectId": project},
        "agent": {"kind": "agent", "projectId": project, "agentId": AGENT},
        "other agent": {"kind": "agent", "projectId": project, "agentId": "shop.other"},
        "other project": {"kind": "project", "projectId": str(shop.other_project().pk)},
    }


def make(shop: Shop, **body: Any) -> dict[str, Any]:
    made: dict[str, Any] = shop.admin.ok(
        "POST", "judge-classes", {"scope": TENANT, "name": "expert", "weight": 3, **body}
    )
    return made


@pytest.mark.parametrize("scope", ["tenant", "project", "agent"])
def test_a_class_reads_as_it_was_made(undone: Shop, scope: str):
    body = {"scope": scopes(undone)[scope], "name": "expert", "weight": 3.5, "description": "Who knows."}
    made = make(undone, **body)
    assert made == {
        **body,
        "id": made["id"],
        "tenantId": str(undone.tenant.pk),
        "createdAt": made["createdAt"],
        "updatedAt": made["updatedAt"],
    }
    assert undone.editor.ok("GET", f"judge-classes/{made['id']}") == made
    assert undone.editor.ok("GET", "judge-classes")["data"] == [made]


@pytest.mark.parametrize("weight", [0, 0.5, 1, 3, 1e308, 12345678901234567890])
def test_a_weight_is_any_finite_number_from_0(undone: Shop, weight: float):
    assert make(undone, weight=weight)["weight"] == float(weight)


@pytest.mark.parametrize(
    "weight", ["-1", "-0.001", "1e400", "NaN", "Infinity", '"3"', "true", "null", "[1]", "9" * 400]
)
def test_a_weight_is_nothing_else(undone: Shop, weight: str):
    body = f'{{"scope": {{"kind": "tenant"}}, "name": "expert", "weight": {weight}}}'
    assert undone.admin.refused("POST", "judge-classes", body.encode()) == (400, "bad-input")
    made = make(undone)
    body = f'{{"weight": {weight}}}'
    assert undone.admin.refused("PATCH", f"judge-classes/{made['id']}", body.encode()) == (400, "bad-input")


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""},
        {"name": "n" * 101},
        {"name": None},
        {"name": "a\0b"},
        {"description": "d" * 2001},
        {"scope": None},
        {"scope": "tenant"},
        {"scope": {}},
        {"scope": {"kind": "team"}},
        {"scope": {"kind": "tenant", "projectId": "x"}},
        {"scope": {"kind": "project"}},
        {"scope": {"kind": "agent", "projectId": "{project}"}},
        {"scope": {"kind": "agent", "projectId": "{project}", "agentId": ""}},
        {"scope": {"kind": "agent", "projectId": "{project}", "agentId": "a" * 201}},
        {"unregisteredAt": None},
    ],
    ids=lambda body: str(body)[:60],
)
def test_a_malformed_class_is_bad_input(undone: Shop, body: dict[str, Any]):
    if isinstance(body.get("scope"), dict) and body["scope"].get("projectId") == "{project}":
        body = {"scope": {**body["scope"], "projectId": str(undone.project.pk)}}
    full = {"scope": TENANT, "name": "expert", "weight": 1, **body}
    assert undone.admin.refused("POST", "judge-classes", full) == (400, "bad-input")


@pytest.mark.parametrize("missing", ["scope", "name", "weight"])
def test_scope_name_and_weight_are_needed(undone: Shop, missing: str):
    body = {"scope": TENANT, "name": "expert", "weight": 1}
    del body[missing]
    assert undone.admin.refused("POST", "judge-classes", body) == (400, "bad-input")


def test_a_project_that_cannot_be_read_is_not_found(undone: Shop):
    for project_id in ("nothing", str(uuid4()), str(Shop.open().project.pk)):
        body = {"scope": {"kind": "project", "projectId": project_id}, "name": "expert", "weight": 1}
        assert undone.admin.refused("POST", "judge-classes", body) == (404, "project-not-found")


def test_a_name_is_one_live_class_of_a_scope(undone: Shop):
    places = scopes(undone)
    for scope in places.values():
        make(undone, scope=scope)
        body = {"scope": scope, "name": "expert", "weight": 1}
        assert undone.admin.refused("POST", "judge-classes", body) == (409, "judge-class-name-taken")
    # Another name, in any way, is another class.
    for name in ("Expert", "expert ", "experts", "e\u0301xpert", "\u00e9xpert"):
        make(undone, name=name)


def test_another_tenants_name_is_its_own(undone: Shop):
    make(undone)
    make(Shop.open())


def test_a_retired_classes_name_is_free_again(undone: Shop):
    first = make(undone)
    undone.admin.ok("POST", f"judge-classes/{first['id']}/unregister")
    second = make(undone)
    assert second["id"] != first["id"]


def test_renaming_to_a_taken_name_is_refused_and_changes_nothing(undone: Shop):
    make(undone, name="expert")
    peer = make(undone, name="peer", weight=1)
    body = {"name": "expert", "weight": 9}
    assert undone.admin.refused("PATCH", f"judge-classes/{peer['id']}", body) == (409, "judge-class-name-taken")
    assert undone.admin.ok("GET", f"judge-classes/{peer['id']}") == peer


def test_only_what_is_named_changes(undone: Shop):
    made = make(undone, description="d", assertableBy={"minReviewerRole": "senior"})
    path = f"judge-classes/{made['id']}"
    changed = undone.admin.ok("PATCH", path, {"weight": 5})
    assert changed == {**made, "weight": 5, "updatedAt": changed["updatedAt"]}
    changed = undone.admin.ok("PATCH", path, {"name": "master", "description": None})
    assert changed["name"] == "master" and "description" not in changed
    assert changed["assertableBy"] == made["assertableBy"]
    refused: list[Any] = [{"scope": TENANT}, {"id": "x"}, {"name": None}, {"weight": None}, []]
    for body in refused:
        assert undone.admin.refused("PATCH", path, body) == (400, "bad-input")


def test_a_change_of_nothing_changes_nothing(undone: Shop):
    made = make(undone)
    assert undone.admin.ok("PATCH", f"judge-classes/{made['id']}", {}) == made


def test_a_retired_class_still_reads_and_changes_no_more(undone: Shop):
    made = make(undone)
    path = f"judge-classes/{made['id']}"
    assert undone.admin.ok("POST", f"{path}/unregister") == {"judgeClassId": made["id"], "unregistered": True}
    read = undone.editor.ok("GET", path)
    assert read == {**made, "updatedAt": read["updatedAt"], "unregisteredAt": read["updatedAt"]}
    assert undone.admin.refused("PATCH", path, {"weight": 1}) == (409, "judge-class-unregistered")
    assert undone.editor.ok("GET", "judge-classes")["data"] == []
    assert undone.editor.ok("GET", "judge-classes", query={"includeUnregistered": "true"})["data"] == [read]
    undone.admin.ok("POST", f"{path}/unregister")
    assert undone.editor.ok("GET", path) == read, "retiring it again changes nothing"


def test_no_new_correction_names_a_retired_class_and_earlier_ones_keep_it(undone: Shop):
    made, run_id = make(undone), undone.run()
    before = undone.correct(run_id, correctorGroupId=made["id"])
    undone.admin.ok("POST", f"judge-classes/{made['id']}/unregister")
    response = undone.api("editor:2").post(
        "corrections", {"runId": run_id, "answer": "right", "correctorGroupId": made["id"]}
    )
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "corrector-group-not-applicable")
    assert error["message"] == '"expert" was removed; no new correction can name it.'
    assert undone.editor.ok("GET", f"corrections/{before['id']}")["correctorGroupId"] == made["id"]
    assert undone.editor.ok("GET", "corrections", query={"correctorGroupId": made["id"]})["data"] == [before]


def test_lists_are_filtered_and_paged(undone: Shop):
    places = scopes(undone)
    made = {name: make(undone, scope=scope, name=name)["id"] for name, scope in places.items()}

    def listed(**query: Any) -> list[str]:
        return [row["name"] for row in undone.admin.ok("GET", "judge-classes", query=query)["data"]]

    assert listed() == list(made)[::-1], "newest first"
    assert listed(name="agent") == ["agent"]
    assert listed(agentId=AGENT) == ["agent"]
    project = places["project"]["projectId"]
    assert listed(projectId=project) == listed(scopeId=project) == ["other agent", "agent", "project"]
    assert listed(scopeKind="project", projectId=project) == ["project"]
    assert listed(scopeKind="agent") == ["other agent", "agent"]
    assert listed(scopeKind="tenant") == ["tenant"]
    page = undone.admin.ok("GET", "judge-classes", query={"limit": 3})
    rest = undone.admin.ok("GET", "judge-classes", query={"limit": 3, "cursor": page["nextCursor"]})
    assert [row["name"] for row in page["data"] + rest["data"]] == list(made)[::-1] and rest["hasMore"] is False
    for query in ({"includeUnregistered": "yes"}, {"weight": "1"}, {"limit": "0"}):
        assert undone.admin.refused("GET", "judge-classes", query=query) == (400, "bad-input")


@pytest.mark.parametrize("class_id", ["nothing", "018f0000-0000-7000-8000-000000000000", "%00", "%ff"])
def test_an_unknown_class_is_not_found(undone: Shop, class_id: str):
    for method, path, body in (("GET", "", None), ("PATCH", "", {"weight": 1}), ("POST", "/unregister", None)):
        assert undone.admin.refused(method, f"judge-classes/{class_id}{path}", body)[0] == 404


def name_race(shop: Shop) -> tuple[list[int], int]:
    """Eight connections make a class of one name: how each was answered, and how many classes there are then."""
    api, body = shop.admin, {"scope": TENANT, "name": "expert", "weight": 1}
    answers = at_once([lambda: api.post("judge-classes", body)] * 8)
    count = len(api.ok("GET", "judge-classes")["data"])
    return sorted(answer.status_code for answer in answers), count


def test_eight_connections_make_one_class_of_a_name(fresh: Shop):
    assert name_race(fresh) == ([201, *[409] * 7], 1)


def test_control_without_the_index_they_make_several(fresh: Shop):
    with without_constraint("corrections_judgeclass", "judge_class_name_once_in_scope"):
        _, count = name_race(fresh)
    assert count > 1


def test_renaming_at_once_leaves_each_name_once(fresh: Shop):
    made = [make(fresh, name=f"n{number}")["id"] for number in range(4)]
    api = fresh.admin
    works = [lambda pk=pk: api.patch(f"judge-classes/{pk}", {"name": "expert"}) for pk in made]
    assert sorted(answer.status_code for answer in at_once(works)) == [200, 409, 409, 409]
