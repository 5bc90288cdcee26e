"""``GET /v1/corrections``: each filter by itself, together, and what it refuses (contract, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from kindgi.access.models import Token
from tests.builders import default_project, mint
from tests.support.shops import CheckedApi, Shop

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
Saids = dict[str, dict[str, Any]]


@dataclass
class Filed:
    """Corrections of all kinds, by a name each."""

    shop: Shop
    other: str
    group: str
    token: Token
    runs: dict[str, str] = field(default_factory=dict)
    made: Saids = field(default_factory=dict)

    def ids(self, names: str) -> set[str]:
        return {self.made[name]["id"] for name in names.split()}

    def listed(self, **query: Any) -> set[str]:
        rows = self.shop.admin.ok("GET", "corrections", query={"limit": 100, **query})["data"]
        names = {one["id"]: name for name, one in self.made.items()}
        return {names[row["id"]] for row in rows}


@pytest.fixture(scope="module")
def filed(shop: Shop) -> Filed:
    """Twelve corrections of five runs in two projects, of which two are gone."""
    minted = mint(shop.person("service"))
    shop.apis["service"] = CheckedApi(minted.secret)
    other = shop.other_project()
    filed = Filed(shop, str(other.pk), shop.judge_class(), minted.token)
    filed.runs = {
        "agent": shop.run(),
        "newer": shop.run(agent={"id": "shop.desk", "version": "2.0.0"}),
        "spaced": shop.run(agent={"id": " shop.desk ", "version": "1.0.0"}),
        "flow": shop.run(flow={"id": "onboarding", "version": "1.0.0"}),
        "other": shop.run(projectId=filed.other),
    }
    wrong = {"decisions": "wrong", "mustNotCall": ["shop.mail"]}
    for name, run, by, said in (
        ("right", "agent", "editor", {"answer": "right"}),
        ("removed", "agent", "editor:2", {"answer": "right"}),
        ("superseded", "agent", "editor:3", {"answer": "right", "decisions": "right"}),
        ("owners", "agent", "editor:3", wrong),
        ("improves", "agent", "editor:4", {"answer": "wrong", "why": "w", "correctorGroupId": filed.group}),
        ("end-users", "agent", "service", {"answer": "wrong", "why": "w", "participantId": "p"}),
        ("spaced-user", "agent", "service", {"answer": "right", "participantId": " p "}),
        ("newer", "newer", "editor", {"decisions": "right", "items": [{"key": "a", "verdict": "wrong"}]}),
        ("spaced", "spaced", "editor", {"answer": "right"}),
        ("flows", "flow", "editor", {"answer": "right"}),
        ("others", "other", "tenant-admin", {"answer": "right"}),
    ):
        filed.made[name] = shop.correct(filed.runs[run], by=by, **said)
    shop.admin.ok("POST", f"corrections/{filed.made['removed']['id']}/unregister")
    shop.admin.ok(
        "PATCH", f"corrections/{filed.made['newer']['id']}", {"status": "being-fixed", "sortedTo": "developer"}
    )
    return filed


LIVE = "right owners improves end-users spaced-user newer spaced flows others"
# The query, and whom it finds; {…} is filled in from the fixture.
FOUND: list[tuple[dict[str, Any], str]] = [
    ({}, LIVE),
    ({"include": "removed"}, f"{LIVE} removed"),
    ({"include": "superseded"}, f"{LIVE} superseded"),
    ({"include": "removed,superseded"}, f"{LIVE} removed superseded"),
    ({"include": "superseded,removed"}, f"{LIVE} removed superseded"),
    ({"runId": "{agent}"}, "right owners improves end-users spaced-user"),
    ({"runId": "{AGENT}"}, "right owners improves end-users spaced-user"),
    (
        {"runId": "{agent}", "include": "removed,superseded"},
        "right owners improves end-users spaced-user removed superseded",
    ),
    ({"runId": UNKNOWN}, ""),
    ({"runId": "nothing"}, ""),
    ({"agentId": "shop.desk"}, "right owners improves end-users spaced-user newer others"),
    ({"agentId": " shop.desk "}, "spaced"),
    ({"agentId": "shop"}, ""),
    ({"agentId": "onboarding"}, ""),
    ({"agentVersion": "2.0.0"}, "newer"),
    ({"agentVersion": "1.0.0", "agentId": "shop.desk"}, "right owners improves end-users spaced-user others"),
    ({"flowId": "onboarding"}, "flows"),
    ({"flowId": "shop.desk"}, ""),
    ({"status": "open"}, "improves end-users spaced-user"),
    ({"status": "with-owner"}, "owners"),
    ({"status": "being-fixed"}, "newer"),
    ({"status": "wont-fix"}, ""),
    ({"status": "fixed"}, "right spaced flows others"),
    ({"status": ["with-owner", "being-fixed"]}, "owners newer"),
    ({"status": "removed"}, "removed"),
    ({"status": ["removed", "with-owner"]}, "removed owners"),
    ({"status": "fixed", "include": "superseded"}, "right spaced flows others superseded"),
    ({"sortedTo": "owner"}, "owners"),
    ({"sortedTo": "improve"}, "improves"),
    ({"sortedTo": "developer"}, "newer"),
    ({"correctorGroupId": "{group}"}, "improves"),
    ({"correctorGroupId": "nothing"}, ""),
    ({"participantId": "p"}, "end-users"),
    ({"participantId": " p "}, "spaced-user"),
    ({"participantId": "P"}, ""),
    ({"madeBy": "{editor}"}, "right newer spaced flows"),
    ({"madeBy": "{token}"}, "end-users spaced-user"),
    ({"madeBy": "nothing"}, ""),
    ({"decisions": "right"}, "newer"),
    ({"decisions": "wrong"}, "owners"),
    ({"decisions": "right", "include": "superseded"}, "newer superseded"),
    ({"answer": "right"}, "right spaced-user spaced flows others"),
    ({"answer": "wrong"}, "improves end-users"),
    ({"answer": "right", "include": "removed,superseded"}, "right spaced-user spaced flows others removed superseded"),
    ({"decisions": "right", "answer": "right"}, ""),
    ({"scopeKind": "tenant"}, LIVE),
    ({"scopeKind": "tenant", "scopeId": "{tenant}"}, LIVE),
    ({"scopeKind": "tenant", "scopeId": "{other}"}, ""),
    ({"scopeKind": "tenant", "scopeId": "nothing"}, ""),
    ({"scopeKind": "project", "scopeId": "{other}"}, "others"),
    ({"scopeKind": "project", "scopeId": "nothing"}, ""),
    ({"createdAfter": "2000-01-01T00:00:00Z"}, LIVE),
    ({"createdBefore": "2000-01-01T00:00:00Z"}, ""),
    ({"createdAfter": "2999-01-01T00:00:00.000+02:00"}, ""),
    ({"createdBefore": "2999-01-01T00:00:00Z"}, LIVE),
    (
        {"runId": "{agent}", "answer": "wrong", "participantId": "p", "status": "open", "agentId": "shop.desk"},
        "end-users",
    ),
]
REFUSED: list[dict[str, Any]] = [
    {"include": "live"},
    {"include": "removed,"},
    {"include": "removed superseded"},
    {"status": "closed"},
    {"status": "open,fixed"},
    {"sortedTo": "nobody"},
    {"decisions": "yes"},
    {"answer": "no"},
    {"scopeKind": "agent"},
    {"scopeKind": "project"},
    {"scopeId": "x"},
    {"createdAfter": "yesterday"},
    {"createdAfter": "2026"},
    {"createdBefore": "2026-13-01T00:00:00Z"},
    {"createdAfter": "0001-01-01T00:00:00+14:00"},
    {"createdBefore": "9999-12-31T23:59:59-14:00"},
    {"runId": ["a", "b"]},
    {"sortedTo": ["owner", "improve"]},
    {"participantId": "a\0b"},
    {"runId": ""},
    {"status": ""},
    {"participantId": ""},
    {"include": ""},
    {"limit": "0"},
    {"limit": "101"},
    {"limit": "-1"},
    {"limit": "ten"},
    {"limit": ""},
    {"cursor": ""},
    {"cursor": "AAAA"},
    {"cursor": "not a cursor"},
    {"offset": "10"},
    {"run_id": "x"},
    {"RunId": "x"},
    {"": "x"},
]


@pytest.mark.parametrize(("query", "names"), FOUND, ids=[str(query) for query, _ in FOUND])
def test_a_filter_finds_exactly_its_own(filed: Filed, query: dict[str, Any], names: str):
    places = {
        **filed.runs,
        "AGENT": filed.runs["agent"].upper(),
        "group": filed.group,
        "other": filed.other,
        "tenant": str(filed.shop.tenant.pk),
        "editor": str(filed.shop.person("editor").pk),
        "token": str(filed.token.pk),
    }
    filled = {name: value.format(**places) if isinstance(value, str) else value for name, value in query.items()}
    assert filed.listed(**filled) == set(names.split())


@pytest.mark.parametrize("query", REFUSED, ids=str)
def test_what_a_filter_cannot_read_is_refused(filed: Filed, query: dict[str, Any]):
    assert filed.shop.admin.refused("GET", "corrections", query=query) == (400, "bad-input")


@pytest.mark.parametrize("name", ["createdAfter", "createdBefore"])
def test_a_time_filters_to_the_millisecond_and_leaves_its_own_out(filed: Filed, name: str):
    at = filed.made["newer"]["createdAt"]
    found = filed.listed(**{name: at})
    assert "newer" not in found
    earlier = [one for one, made in filed.made.items() if made["createdAt"] < at and one in LIVE.split()]
    later = [one for one, made in filed.made.items() if made["createdAt"] > at and one in LIVE.split()]
    assert found == set(later if name == "createdAfter" else earlier)


def test_everyone_finds_only_what_they_may_read(filed: Filed):
    def listed(api: CheckedApi) -> set[str]:
        return {row["id"] for row in api.ok("GET", "corrections", query={"limit": 100})["data"]}

    here = filed.ids(LIVE) - filed.ids("others")
    assert listed(filed.shop.api("viewer")) == here  # type: ignore[arg-type]
    admin = filed.shop.person("tenant-admin")
    assert listed(CheckedApi.of(admin, project=default_project(filed.shop.tenant))) == here  # type: ignore[arg-type]
    assert listed(CheckedApi.of(admin, "member")) == filed.ids(LIVE)  # type: ignore[arg-type]
    assert listed(Shop.open().admin) == set()  # type: ignore[arg-type]
    scoped = {"scopeKind": "project", "scopeId": filed.other}
    assert filed.shop.api("viewer").ok("GET", "corrections", query=scoped)["data"] == []
