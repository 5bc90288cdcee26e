"""``PUT /v1/agents/{agentId}/versions/{version}``: versions, their tools, and which is Latest (contract, section 3)."""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi.runs.models import Agent, AgentVersion
from tests.builders import make_project, make_user
from tests.support.parallel import at_once
from tests.support.shops import CheckedApi, Shop

TOOLS = [{"id": "desk.lookup", "writes": False}, {"id": "desk.refund", "writes": True}, {"id": "desk.mail"}]


def register(shop: Shop, version: str, agent: str = "desk", tools: Any = None) -> Any:
    return shop.editor.put(f"agents/{agent}/versions/{version}", None if tools is None else {"tools": tools})


def latest(shop: Shop, agent: str = "desk") -> str | None:
    found = Agent.objects.select_related("latest").get(tenant=shop.tenant, agent_id=agent).latest
    return found.version if found else None


def test_a_version_is_made_once_and_then_said_anew(undone: Shop):
    made = register(undone, "1.0.0", tools=TOOLS)
    assert made.status_code == 201
    assert made.json() == {
        "agentId": "desk",
        "version": "1.0.0",
        "latest": True,
        "tools": TOOLS,
        "createdAt": made.json()["createdAt"],
        "updatedAt": made.json()["createdAt"],
    }
    path = "agents/desk/versions/1.0.0"
    assert undone.editor.ok("GET", path) == made.json()
    again = register(undone, "1.0.0", tools=TOOLS[:1])
    assert (again.status_code, again.json()["tools"]) == (200, TOOLS[:1])
    assert again.json()["createdAt"] == made.json()["createdAt"]
    assert undone.editor.ok("GET", path) == again.json()


def test_tools_that_are_left_out_stay_as_they_were(undone: Shop):
    assert "tools" not in register(undone, "1.0.0").json()
    register(undone, "1.0.0", tools=[])
    assert register(undone, "1.0.0").json()["tools"] == []
    register(undone, "1.0.0", tools=TOOLS)
    assert register(undone, "1.0.0").json()["tools"] == TOOLS


@pytest.mark.parametrize(
    "tools",
    [
        None,
        {},
        "desk.lookup",
        ["desk.lookup"],
        [{}],
        [{"id": ""}],
        [{"id": "t" * 201}],
        [{"id": "t", "writes": "yes"}],
        [{"id": "t", "writes": None}],
        [{"id": "t", "parameters": {}}],
        [{"id": "t\0"}],
        [{"id": f"t{n}"} for n in range(1001)],
    ],
    ids=lambda tools: str(tools)[:40],
)
def test_malformed_tools_are_bad_input(undone: Shop, tools: Any):
    assert undone.editor.refused("PUT", "agents/desk/versions/1.0.0", {"tools": tools}) == (400, "bad-input")
    assert not AgentVersion.objects.filter(agent__agent_id="desk").exists()


def test_a_thousand_tools_can_be_registered(undone: Shop):
    tools = [{"id": f"t{n}"} for n in range(1000)]
    assert register(undone, "1.0.0", tools=tools).json()["tools"] == tools


@pytest.mark.parametrize(("length", "status"), [((200, 100), 201), ((201, 1), 400), ((1, 101), 400)])
def test_ids_have_their_limits(undone: Shop, length: tuple[int, int], status: int):
    assert register(undone, "1" * length[1], agent="a" * length[0]).status_code == status


@pytest.mark.parametrize("agent", ["a.b", "a b", "a%20b", "\N{CAT}", "a:b@c", "A", "..."])
def test_an_agents_id_may_be_any_text_without_a_slash(undone: Shop, agent: str):
    made = register(undone, "1.0.0", agent=agent)
    assert made.status_code == 201 and made.json()["agentId"] == agent.replace("%20", " ")
    assert undone.editor.get(f"agents/{agent}/versions/1.0.0").json() == made.json()


@pytest.mark.parametrize(
    "path", ["agents/nobody/versions/1.0.0", "agents/shop.desk/versions/9.9.9", "agents/%00/versions/1"]
)
def test_what_was_never_registered_is_not_found(undone: Shop, path: str):
    status, code = undone.editor.refused("GET", path)
    assert status == 404 and code in ("agent-not-found", "agent-version-not-found", "route-not-found")


# By semver's own precedence, lowest first; each twice, in both orders.
ORDER = [
    "0.0.0-0",
    "0.9.9",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1-0",
    "1.2.0",
    "1.10.0",
    "2.0.0-rc.1",
    "2.0.0",
    "10.0.0",
    "99999999999999999999.0.0",
]
NO_SEMVER = [
    "latest",
    "1",
    "1.0",
    "v3.0.0",
    "01.0.0",
    "1.0.0.0",
    "1.0.0-01",
    "9.0.0-",
    "9.0.0+",
    " 9.0.0",
    "9.0.0 ",
    "\u0669.0.0",
]


@pytest.mark.parametrize("seed", range(5))
def test_latest_is_the_highest_semver_in_whatever_order_they_come(undone: Shop, seed: int):
    versions = random.Random(seed).sample(ORDER, len(ORDER))
    highest = -1
    for version in versions:
        made = register(undone, version)
        highest = max(highest, ORDER.index(version))
        assert latest(undone) == ORDER[highest]
        assert made.json()["latest"] == (version == ORDER[highest])


def test_what_is_no_semver_is_never_latest(undone: Shop):
    for version in NO_SEMVER:
        made = register(undone, version.replace(" ", "%20"))
        assert made.status_code == 201 and made.json()["latest"] is False, version
    assert latest(undone) is None
    register(undone, "0.0.1-alpha")
    assert latest(undone) == "0.0.1-alpha"


def test_build_metadata_has_no_precedence(undone: Shop):
    register(undone, "1.0.0+b")
    register(undone, "1.0.0+a")
    register(undone, "1.0.0+c")
    assert latest(undone) == "1.0.0+b", "what was first stays"
    register(undone, "1.0.1-rc+z")
    assert latest(undone) == "1.0.1-rc+z"


parts = st.integers(0, 3)
versions = st.builds(
    "{}.{}.{}{}".format, parts, parts, parts, st.sampled_from(["", "-1", "-a", "-a.1", "-a.b", "-10", "-2", "-A"])
)


@given(found=st.lists(versions, min_size=1, max_size=6))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_latest_agrees_with_a_comparison_written_out(undone: Shop, found: list[str]):
    agent = f"desk-{uuid4()}"
    for version in found:
        register(undone, version, agent=agent)
    assert _key(latest(undone, agent) or "") == max(map(_key, found))


def _key(version: str) -> tuple[Any, ...]:
    """Semver's precedence, item 11: numbers before words, fewer before more, a release after its pre-releases."""
    core, _, pre = version.partition("-")
    identifiers = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in pre.split(".")] if pre else []
    return ([int(one) for one in core.split(".")], not identifiers, identifiers)


def test_tenants_have_their_own_agents(undone: Shop):
    other = Shop.open()
    register(undone, "2.0.0", tools=TOOLS)
    register(other, "1.0.0", tools=[])
    assert (latest(undone), latest(other)) == ("2.0.0", "1.0.0")
    assert other.editor.refused("GET", "agents/desk/versions/2.0.0") == (404, "agent-version-not-found")


def test_registering_takes_write_access_to_some_project(undone: Shop):
    elsewhere = make_project(undone.tenant)
    cases = [
        (CheckedApi.of(make_user(undone.tenant)), 403),
        (undone.api("viewer"), 403),
        (CheckedApi.of(undone.person("tenant-admin"), project=elsewhere), 201),
        (CheckedApi.of(undone.person("editor"), project=elsewhere), 403),
        (CheckedApi.of(make_user(undone.tenant, "editor", project=elsewhere)), 200),
        (undone.api("service"), 200),
    ]
    for api, status in cases:
        assert api.put("agents/desk/versions/1.0.0").status_code == status


def test_many_versions_registered_at_once_leave_the_highest_latest(fresh: Shop):
    editor = fresh.editor
    wanted = ORDER[2:14]
    works = [lambda version=version: editor.put(f"agents/desk/versions/{version}") for version in wanted]
    answers = at_once(works)
    assert [answer.status_code for answer in answers] == [201] * len(wanted)
    assert Agent.objects.filter(agent_id="desk").count() == 1 and latest(fresh) == wanted[-1]


def test_one_version_registered_at_once_is_made_once(fresh: Shop):
    editor = fresh.editor
    answers = at_once([lambda: editor.put("agents/desk/versions/1.0.0", {"tools": TOOLS})] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert AgentVersion.objects.filter(agent__agent_id="desk").count() == 1


def test_a_runs_version_need_not_be_registered(undone: Shop):
    run_id = undone.run(agent={"id": "unheard.of", "version": "0.1"})
    assert undone.editor.ok("GET", f"runs/{run_id}")["agent"]["id"] == "unheard.of"
    assert undone.editor.refused("GET", "agents/unheard.of/versions/0.1") == (404, "agent-not-found")
