"""Judging rules over /v1: made, read, changed version by version, stopped (contract, section 6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from kindgi.api.times import as_of, wire
from tests.builders import Api
from tests.judging.queues import change_rule, dismiss, make_rule, old_rule, rules_path
from tests.support.shops import AGENT, CheckedApi, Shop

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
START = datetime(2026, 3, 1, tzinfo=UTC)
FULL: dict[str, Any] = {
    "name": "Support sample",
    "when": {"agentIds": [AGENT], "versions": ["live", "1.0.0"], "status": ["completed"], "includeDryRuns": True},
    "sample": 0.25,
    "maxOpen": 10,
    "enabled": False,
}


def full_rule(shop: Shop, **body: Any) -> dict[str, Any]:
    """A rule that says all that a rule can say."""
    return make_rule(shop, **{**FULL, "judgeClassId": shop.judge_class(), **body})


def read(shop: Shop, rule: dict[str, Any], *more: str) -> Any:
    return shop.api("viewer").ok("GET", rules_path(shop, rule["ruleId"], *more))


def listed(shop: Shop, query: str = "") -> list[str]:
    return [rule["ruleId"] for rule in shop.api("viewer").ok("GET", f"{rules_path(shop)}?{query}")["data"]]


def test_a_rule_is_read_as_it_was_made(undone: Shop):
    judge_class = undone.judge_class()
    with as_of(START):
        made = make_rule(undone, **FULL, judgeClassId=judge_class)
    assert made == {
        **FULL,
        "ruleId": str(UUID(made["ruleId"])),
        "projectId": str(undone.project.pk),
        "version": 1,
        "judgeClassId": judge_class,
        "createdBy": f"user:{undone.person('editor').pk}",
        "createdAt": wire(START),
    }
    assert read(undone, made) == made
    assert undone.editor.ok("GET", rules_path(undone)) == {"data": [made], "hasMore": False}


def test_what_is_left_out_is_as_the_contract_says(undone: Shop):
    made = undone.editor.ok("POST", rules_path(undone), {"name": "n", "when": {}})
    assert (made["when"], made["sample"], made["enabled"]) == ({}, 1.0, True)
    assert not made.keys() & {"maxOpen", "judgeClassId", "unregisteredAt"}


def test_null_is_no_cap_and_no_class(undone: Shop):
    assert not make_rule(undone, maxOpen=None, judgeClassId=None).keys() & {"maxOpen", "judgeClassId"}


def test_what_was_made_by_a_service_says_so(undone: Shop):
    made = make_rule(undone, by="service")
    assert made["createdBy"] == f"service_account:{undone.person('service').pk}"


@pytest.mark.parametrize("limit", [1, 2, 5, 6])
@pytest.mark.parametrize("apart", [0, 1])
def test_they_are_listed_oldest_first_in_pages(undone: Shop, limit: int, apart: int):
    made = [old_rule(undone, at=START + timedelta(seconds=second * apart))["ruleId"] for second in range(5)]
    seen: list[str] = []
    page = undone.editor.ok("GET", rules_path(undone), query={"limit": limit})
    while True:
        seen += [rule["ruleId"] for rule in page["data"]]
        assert len(page["data"]) <= limit
        if not page["hasMore"]:
            break
        page = undone.editor.ok("GET", rules_path(undone), query={"limit": limit, "cursor": page["nextCursor"]})
    assert seen == made


def test_a_rule_keeps_its_place_when_it_changes(undone: Shop):
    first, second = old_rule(undone), old_rule(undone)
    change_rule(undone, first, name="Changed last")
    assert listed(undone) == [first["ruleId"], second["ruleId"]]


CHANGES: list[dict[str, Any]] = [
    {"name": "Other"},
    {"sample": 1},
    {"sample": 0.26},
    {"maxOpen": 11},
    {"maxOpen": None},
    {"judgeClassId": None},
    {"enabled": True},
    {"when": {}},
    {"when": {"agentIds": [AGENT]}},
    {"when": {"flowIds": ["a", "b"], "includeDryRuns": False}},
    {"when": {**FULL["when"], "versions": ["1.0.0", "live"]}},
    {"maxOpen": None, "judgeClassId": None, "name": "Both gone", "sample": 0.5},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_change_is_a_new_version_that_differs_in_it_alone(undone: Shop, change: dict[str, Any]):
    before = full_rule(undone)
    with as_of(START):
        changed = undone.api("service").ok("PATCH", rules_path(undone, before["ruleId"]), change)
    expected = {**before, "version": 2, **change}
    expected |= {"createdBy": f"service_account:{undone.person('service').pk}", "createdAt": wire(START)}
    assert changed == {name: value for name, value in expected.items() if value is not None}
    assert read(undone, before) == changed
    assert read(undone, before, "versions") == {"data": [changed, before], "hasMore": False}


def test_a_class_and_a_cap_can_be_added_and_replaced(undone: Shop):
    rule, first, second = make_rule(undone), undone.judge_class(), undone.judge_class()
    for change in ({"judgeClassId": first}, {"judgeClassId": second}, {"maxOpen": 10_000}, {"maxOpen": 1}):
        assert change.items() <= change_rule(undone, rule, **change).items()
    assert read(undone, rule)["version"] == 5


@pytest.mark.parametrize(
    "same", [{}, *({name: value} for name, value in FULL.items()), FULL], ids=lambda same: " ".join(same)
)
def test_where_nothing_differs_there_is_no_new_version(undone: Shop, same: dict[str, Any]):
    made = full_rule(undone)
    assert change_rule(undone, made, **same) == made
    assert change_rule(undone, made, judgeClassId=made["judgeClassId"]) == made
    assert read(undone, made, "versions")["data"] == [made]


def test_null_where_there_is_nothing_to_remove_is_no_new_version(undone: Shop):
    made = make_rule(undone)
    assert change_rule(undone, made, maxOpen=None, judgeClassId=None) == made


@pytest.mark.parametrize("limit", [1, 2, 4, 5])
def test_versions_are_read_newest_first_in_pages(undone: Shop, limit: int):
    rule = make_rule(undone)
    with as_of(START):  # at one moment, and before the first
        for number in (2, 3, 4):
            change_rule(undone, rule, name=f"version {number}")
    seen: list[dict[str, Any]] = []
    path = rules_path(undone, rule["ruleId"], "versions")
    page = undone.editor.ok("GET", path, query={"limit": limit})
    while page["hasMore"]:
        seen += page["data"]
        page = undone.editor.ok("GET", path, query={"limit": limit, "cursor": page["nextCursor"]})
    seen += page["data"]
    assert [version["version"] for version in seen] == [4, 3, 2, 1]
    assert [version["name"] for version in seen] == ["version 4", "version 3", "version 2", "Everything"]


def test_a_rule_is_stopped_once(undone: Shop):
    rule = make_rule(undone)
    path = rules_path(undone, rule["ruleId"], "unregister")
    with as_of(START):
        first = undone.editor.ok("POST", path)
    assert first == {"ruleId": rule["ruleId"], "unregistered": True}
    assert undone.editor.ok("POST", path) == {"ruleId": rule["ruleId"], "unregistered": False}
    assert read(undone, rule) == {**rule, "unregisteredAt": wire(START)}


def test_a_stopped_rule_is_read_but_neither_listed_nor_changed(undone: Shop):
    kept, rule = make_rule(undone), make_rule(undone)
    changed = change_rule(undone, rule, name="Once changed")
    undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
    assert listed(undone) == [kept["ruleId"]]
    for change in ({"name": "Again"}, {"name": changed["name"]}, {}):
        answer = undone.editor.patch(rules_path(undone, rule["ruleId"]), change)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "judging-rule-not-found")
        assert "was removed" in answer.json()["error"]["message"]
    assert [version["version"] for version in read(undone, rule, "versions")["data"]] == [2, 1]


def requests(api: Api, project_id: str, rule_id: str) -> list[tuple[int, str]]:
    """What each request about a rule is answered."""
    path = f"projects/{project_id}/judging-rules/{rule_id}"
    return [
        api.refused("GET", path),
        api.refused("PATCH", path, {"name": "Mine"}),
        api.refused("POST", f"{path}/unregister"),
        api.refused("GET", f"{path}/versions"),
        api.refused("GET", f"projects/{project_id}/judging-rules/preview?ruleId={rule_id}"),
    ]


def test_a_rule_is_found_in_its_own_project_alone(undone: Shop):
    rule, other = make_rule(undone), undone.other_project()
    assert requests(undone.admin, str(other.pk), rule["ruleId"]) == [(404, "judging-rule-not-found")] * 5
    rival = Shop.open()
    assert requests(rival.admin, str(rival.project.pk), rule["ruleId"]) == [(404, "judging-rule-not-found")] * 5
    assert undone.admin.ok("GET", f"projects/{other.pk}/judging-rules")["data"] == []
    assert read(undone, rule) == rule


@pytest.mark.parametrize("rule_id", [UNKNOWN, "nothing", "Preview"])
def test_an_id_that_is_no_rules_is_not_found(undone: Shop, rule_id: str):
    found = requests(undone.editor, str(undone.project.pk), rule_id)
    assert found == [(404, "judging-rule-not-found")] * 5


def refused_for_class(shop: Shop, judge_class: str) -> set[tuple[int, str]]:
    """What making a rule that wants the class, and changing one so, are answered."""
    rule = make_rule(shop)
    body = {"name": "n", "when": {"agentIds": [AGENT]}, "judgeClassId": judge_class}
    answers = {
        shop.editor.refused("POST", rules_path(shop), body),
        shop.editor.refused("PATCH", rules_path(shop, rule["ruleId"]), {"judgeClassId": judge_class, "name": "n"}),
    }
    assert read(shop, rule) == rule, "a change that is refused changes nothing"
    return answers


@pytest.mark.parametrize("judge_class", [UNKNOWN, "expert", "", "a\0b"])
def test_a_class_that_is_not_there_is_not_found(undone: Shop, judge_class: str):
    assert refused_for_class(undone, judge_class) == {(404, "judge-class-not-found")}


def test_a_class_of_another_tenant_or_project_is_not_found(undone: Shop):
    other = str(undone.other_project().pk)
    elsewhere = [
        Shop.open().judge_class(),
        undone.judge_class(scope={"kind": "project", "projectId": other}),
        undone.judge_class(scope={"kind": "agent", "projectId": other, "agentId": AGENT}),
    ]
    for judge_class in elsewhere:
        assert refused_for_class(undone, judge_class) == {(404, "judge-class-not-found")}


def test_a_class_that_was_removed_cannot_be_wanted(undone: Shop):
    judge_class = undone.judge_class()
    undone.admin.ok("POST", f"judge-classes/{judge_class}/unregister")
    assert refused_for_class(undone, judge_class) == {(404, "judge-class-not-found")}


def test_a_rule_whose_class_is_removed_keeps_it_and_can_be_changed(undone: Shop):
    judge_class = undone.judge_class()
    rule = make_rule(undone, judgeClassId=judge_class)
    undone.admin.ok("POST", f"judge-classes/{judge_class}/unregister")
    assert change_rule(undone, rule, name="Renamed", judgeClassId=judge_class)["judgeClassId"] == judge_class
    assert change_rule(undone, rule, sample=0.5)["judgeClassId"] == judge_class


def test_classes_of_the_tenant_and_of_the_project_can_be_wanted(undone: Shop):
    ours = undone.judge_class(scope={"kind": "project", "projectId": str(undone.project.pk)})
    for judge_class in (ours, undone.judge_class()):
        assert make_rule(undone, when={}, judgeClassId=judge_class)["judgeClassId"] == judge_class


def agents_class(shop: Shop, agent_id: str = AGENT) -> str:
    return shop.judge_class(scope={"kind": "agent", "projectId": str(shop.project.pk), "agentId": agent_id})


def test_a_class_of_an_agent_is_wanted_of_that_agents_runs_alone(undone: Shop):
    judge_class = agents_class(undone)
    rule = make_rule(undone, when={"agentIds": [AGENT, AGENT]}, judgeClassId=judge_class)
    for when in ({}, {"flowIds": [AGENT]}, {"agentIds": ["other"]}, {"agentIds": [AGENT, "other"]}):
        body = {"name": "n", "when": when, "judgeClassId": judge_class}
        refused = undone.editor.post(rules_path(undone), body).json()["error"]
        assert refused["code"] == "bad-input" and "when.agentIds" in refused["message"], when
        assert undone.editor.refused("PATCH", rules_path(undone, rule["ruleId"]), {"when": when}) == (400, "bad-input")
    assert read(undone, rule) == rule
    assert change_rule(undone, rule, when={}, judgeClassId=None)["when"] == {}


def test_a_class_of_another_agent_is_refused_where_a_rule_is_changed_to_want_it(undone: Shop):
    rule = make_rule(undone)
    change = {"judgeClassId": agents_class(undone, "other")}
    assert undone.editor.refused("PATCH", rules_path(undone, rule["ruleId"]), change) == (400, "bad-input")
    both = change_rule(undone, rule, when={"agentIds": ["other"]}, **change)
    assert (both["version"], both["judgeClassId"]) == (2, change["judgeClassId"])


def test_a_rule_is_not_changed_to_a_class_that_nobody_can_give_on_what_waits_for_it(undone: Shop):
    rule = old_rule(undone, when={})
    other = undone.run(agent={"id": "other.agent", "version": "1.0.0"})
    undone.run()
    change = {"when": {"agentIds": [AGENT]}, "judgeClassId": agents_class(undone, AGENT)}
    refused = undone.editor.request("PATCH", rules_path(undone, rule["ruleId"]), change)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad-input")
    assert "runs of others wait" in refused.json()["error"]["message"]
    dismiss(undone, other)
    assert change_rule(undone, rule, **change)["version"] == 2


def test_a_project_has_no_more_rules_than_it_may(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("judging.services.rules.MOST_RULES", 2)
    first, _ = make_rule(undone), make_rule(undone)
    assert undone.editor.refused("POST", rules_path(undone), {"name": "n", "when": {}}) == (400, "bad-input")
    undone.editor.ok("POST", rules_path(undone, first["ruleId"], "unregister"))
    assert make_rule(undone)["version"] == 1


def test_only_an_editor_changes_rules(undone: Shop):
    rule = make_rule(undone)
    viewer = undone.api("viewer")
    assert viewer.refused("POST", rules_path(undone), {"name": "n", "when": {}}) == (403, "permission-denied")
    assert viewer.refused("PATCH", rules_path(undone, rule["ruleId"]), {}) == (403, "permission-denied")
    assert viewer.refused("POST", rules_path(undone, rule["ruleId"], "unregister")) == (403, "permission-denied")
    narrowed = CheckedApi.of(undone.person("tenant-admin"), "member", project=undone.project)
    assert narrowed.ok("PATCH", rules_path(undone, rule["ruleId"]), {"name": "By a member token"})["version"] == 2


@pytest.mark.parametrize("rules", [2, 20])
def test_a_page_of_rules_takes_as_many_statements_for_any_number(undone: Shop, assert_queries: Any, rules: int):
    for _ in range(rules):
        make_rule(undone)
    with assert_queries(exact=3):  # the token, the project, the rules
        assert len(undone.editor.ok("GET", rules_path(undone), query={"limit": 100})["data"]) == rules
