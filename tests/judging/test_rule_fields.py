"""What a rule's fields may hold, to their limits, when it is made and when it is changed (contract, section 6)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging.queues import change_rule, make_rule, rules_path
from tests.support.shops import Shop

BASE: dict[str, Any] = {"name": "n", "when": {}}
MANY = [f"name-{number}" for number in range(51)]
SMALLEST = 5e-324

TAKEN: list[dict[str, Any]] = [
    {"name": "x"},
    {"name": "x" * 200},
    {"name": "\U0001f600" * 200},
    {"name": " x\n"},
    {"when": {}},
    {"when": {"agentIds": MANY[:50]}},
    {"when": {"agentIds": ["x" * 200]}},
    {"when": {"agentIds": ["a", "a"]}},
    {"when": {"flowIds": MANY[:50]}},
    {"when": {"flowIds": ["x" * 200, " "]}},
    {"when": {"versions": MANY[:50]}},
    {"when": {"versions": ["x" * 100, "live"]}},
    {"when": {"status": ["completed"]}},
    {"when": {"includeDryRuns": True}},
    {"when": {"includeDryRuns": False}},
    {"sample": SMALLEST},
    {"sample": 0.1 + 0.2},
    {"sample": 1},
    {"sample": 1.0},
    {"maxOpen": 1},
    {"maxOpen": 10_000},
    {"enabled": False},
]

# The field's place, and what is sent in it.
REFUSED: list[tuple[str, Any]] = [
    ("/name", ""),
    ("/name", " "),
    ("/name", "\n\t\u2003"),
    ("/name", "x" * 201),
    ("/name", "a\0b"),
    ("/name", "\ud800"),
    ("/name", 1),
    ("/name", None),
    ("/name", ["x"]),
    ("/when", None),
    ("/when", []),
    ("/when", "everything"),
    ("/when/agentIds", []),
    ("/when/agentIds", None),
    ("/when/agentIds", "shop.desk"),
    ("/when/agentIds", MANY),
    ("/when/agentIds/0", ""),
    ("/when/agentIds/1", "x" * 201),
    ("/when/agentIds/1", 7),
    ("/when/agentIds/0", "a\0b"),
    ("/when/flowIds", []),
    ("/when/flowIds", None),
    ("/when/flowIds", MANY),
    ("/when/flowIds/0", ""),
    ("/when/flowIds/1", "x" * 201),
    ("/when/flowIds/0", None),
    ("/when/versions", []),
    ("/when/versions", None),
    ("/when/versions", "live"),
    ("/when/versions", MANY),
    ("/when/versions/0", ""),
    ("/when/versions/1", "x" * 101),
    ("/when/versions/0", 1.0),
    ("/when/status", []),
    ("/when/status", None),
    ("/when/status", "completed"),
    ("/when/status", ["completed", "completed"]),
    ("/when/status/0", "failed"),
    ("/when/status/0", "cancelled"),
    ("/when/status/0", "Completed"),
    ("/when/includeDryRuns", None),
    ("/when/includeDryRuns", "true"),
    ("/when/includeDryRuns", 1),
    ("/sample", 0),
    ("/sample", -0.0),
    ("/sample", -0.1),
    ("/sample", 1.0000000000000002),
    ("/sample", 2),
    ("/sample", None),
    ("/sample", "0.5"),
    ("/sample", True),
    ("/maxOpen", 0),
    ("/maxOpen", -1),
    ("/maxOpen", 10_001),
    ("/maxOpen", 10**30),
    ("/maxOpen", 1.5),
    ("/maxOpen", "1"),
    ("/maxOpen", True),
    ("/judgeClassId", 1),
    ("/judgeClassId", ["018f0000-0000-7000-8000-000000000000"]),
    ("/enabled", None),
    ("/enabled", 1),
    ("/enabled", "true"),
]
UNKNOWN: list[tuple[str, dict[str, Any]]] = [
    ("ruleId", {"ruleId": "018f0000-0000-7000-8000-000000000000"}),
    ("version", {"version": 1}),
    ("max_open", {"max_open": 1}),
    ("unregisteredAt", {"unregisteredAt": None}),
    ("agentIds", {"agentIds": ["a"]}),
    ("agentId", {"when": {"agentId": "a"}}),
    ("via", {"when": {"via": ["live"]}}),
]


def placed(place: str, value: Any) -> dict[str, Any]:
    """A body with ``value`` at that place; a list's earlier entries are fine."""
    parts = place.strip("/").split("/")
    if parts[-1].isdecimal():
        fine = "completed" if parts[-2] == "status" else "fine"
        value, parts = [fine] * int(parts[-1]) + [value], parts[:-1]
    for part in reversed(parts):
        value = {part: value}
    body: dict[str, Any] = value
    return body


def problems(shop: Shop, body: dict[str, Any]) -> list[dict[str, Any]]:
    """What is said where a rule is made with ``body``, and where one is changed by it."""
    rule = make_rule(shop)
    answers = [
        shop.editor.post(rules_path(shop), BASE | body),
        shop.editor.patch(rules_path(shop, rule["ruleId"]), body),
    ]
    assert {answer.status_code for answer in answers} == {400}
    errors = [answer.json()["error"] for answer in answers]
    assert {error["code"] for error in errors} == {"bad-input"}
    assert shop.editor.ok("GET", rules_path(shop))["data"] == [rule], "nothing is made or changed"
    return errors


@pytest.mark.parametrize("body", TAKEN, ids=lambda body: str(body)[:40])
def test_what_a_field_may_hold_is_kept_as_it_came(undone: Shop, body: dict[str, Any]):
    made = make_rule(undone, **BASE | body)
    changed = change_rule(undone, make_rule(undone, when={"versions": ["other"]}, sample=0.9), **body)
    for rule in (made, changed, undone.editor.ok("GET", rules_path(undone, made["ruleId"]))):
        assert body.items() <= rule.items()


@pytest.mark.parametrize(("place", "value"), REFUSED, ids=[f"{place} {value!r:.30}" for place, value in REFUSED])
def test_what_it_may_not_is_refused_with_the_field_named(undone: Shop, place: str, value: Any):
    for error in problems(undone, placed(place, value)):
        assert error["message"].startswith(f"{place}: ")


@pytest.mark.parametrize(("name", "body"), UNKNOWN, ids=[name for name, _ in UNKNOWN])
def test_a_field_that_a_rule_does_not_have_is_named(undone: Shop, name: str, body: dict[str, Any]):
    for error in problems(undone, body):
        assert f"`{name}`" in error["message"]


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400", "1e-400"])
def test_a_share_is_a_number_that_json_has(undone: Shop, literal: str):
    body = f'{{"name": "n", "when": {{}}, "sample": {literal}}}'.encode()
    assert undone.editor.refused("POST", rules_path(undone), body) == (400, "bad-input")


def test_a_rule_names_agents_or_flows_and_not_both(undone: Shop):
    for error in problems(undone, {"when": {"agentIds": ["a"], "flowIds": ["f"]}}):
        assert "agentIds and flowIds" in error["message"]


@pytest.mark.parametrize("missing", ["name", "when"])
def test_a_new_rule_says_its_name_and_what_it_is_about(undone: Shop, missing: str):
    body = {name: value for name, value in BASE.items() if name != missing}
    refused = undone.editor.post(rules_path(undone), body).json()["error"]
    assert refused["code"] == "bad-input" and f"`{missing}`" in refused["message"]
