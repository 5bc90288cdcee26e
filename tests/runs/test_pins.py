"""``/v1/projects/{projectId}/agents/{agentId}/pin``: what a project runs, and its history (section 3)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kindgi.runs.models import AgentPin, PinChange
from kindgi.runs.selectors import agent_get
from kindgi.runs.services import agents
from tests.builders import make_service_account
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import meeting
from tests.support.shops import CheckedApi, Shop


@pytest.fixture
def pins(undone: Shop) -> Shop:
    """The shop, with three versions of an agent."""
    return with_versions(undone)


def with_versions(shop: Shop) -> Shop:
    for version in ("1.0.0", "2.0.0", "1.5.0", "main"):
        shop.admin.ok("PUT", f"agents/desk/versions/{version}")
    return shop


def path(shop: Shop, agent: str = "desk") -> str:
    return f"projects/{shop.project.pk}/agents/{agent}/pin"


def pin(shop: Shop, version: str, by: str = "admin") -> Any:
    return shop.api(by).put(path(shop), {"version": version})


def changes(shop: Shop) -> list[tuple[str, str]]:
    return list(
        PinChange.objects.filter(project=shop.project)
        .order_by("created_at", "id")
        .values_list("from_version", "to_version")
    )


def test_a_project_follows_latest_until_it_pins(pins: Shop):
    unpinned = {"projectId": str(pins.project.pk), "agentId": "desk", "pinned": False, "version": "2.0.0"}
    assert pins.api("viewer").ok("GET", path(pins)) == unpinned
    pins.admin.ok("PUT", "agents/desk/versions/3.0.0")
    assert pins.api("viewer").ok("GET", path(pins)) == {**unpinned, "version": "3.0.0"}


def test_a_pin_holds_whatever_is_registered_later(pins: Shop):
    made = pin(pins, "1.0.0").json()
    assert made == {
        "projectId": str(pins.project.pk),
        "agentId": "desk",
        "pinned": True,
        "version": "1.0.0",
        "pinnedBy": f"user:{pins.person('admin').pk}",
        "pinnedAt": made["pinnedAt"],
    }
    pins.admin.ok("PUT", "agents/desk/versions/3.0.0")
    assert pins.editor.ok("GET", path(pins)) == made


def test_a_version_that_is_no_semver_can_be_pinned(pins: Shop):
    assert pin(pins, "main").json()["version"] == "main"


def test_unpinning_follows_latest_again(pins: Shop):
    pin(pins, "1.0.0")
    answer = pins.api("admin").ok("DELETE", path(pins))
    assert answer == {"projectId": str(pins.project.pk), "agentId": "desk", "pinned": False, "version": "2.0.0"}
    assert pins.api("admin").refused("DELETE", path(pins)) == (404, "agent-pin-not-found")


def test_an_agent_without_a_semver_has_no_version_to_follow(undone: Shop):
    undone.admin.ok("PUT", "agents/odd/versions/main")
    assert "version" not in undone.editor.ok("GET", path(undone, "odd"))


def test_every_pin_and_unpin_is_in_the_history(pins: Shop):
    for version in ("1.0.0", "1.0.0", "2.0.0"):
        pin(pins, version)
    pins.api("owner").ok("DELETE", path(pins))
    pins.api("owner").refused("DELETE", path(pins))
    pin(pins, "9.9.9")
    assert changes(pins) == [("", "1.0.0"), ("1.0.0", "2.0.0"), ("2.0.0", "")]
    last = PinChange.objects.filter(project=pins.project).order_by("created_at", "id").last()
    assert last is not None and last.by == f"user:{pins.person('owner').pk}"


def test_pinning_what_is_pinned_changes_nothing(pins: Shop):
    first = pin(pins, "1.0.0").json()
    assert pin(pins, "1.0.0", by="owner").json() == first


def test_a_service_pins_by_its_account(pins: Shop):
    account = make_service_account(pins.tenant, "admin")
    made = CheckedApi.of(account).ok("PUT", path(pins), {"version": "1.0.0"})
    assert made["pinnedBy"] == f"service_account:{account.pk}"


def test_projects_pin_for_themselves(pins: Shop):
    other = pins.other_project()
    pin(pins, "1.0.0")
    found = pins.admin.ok("GET", f"projects/{other.pk}/agents/desk/pin")
    assert (found["pinned"], found["version"]) == (False, "2.0.0")


@pytest.mark.parametrize(
    "body", [{}, {"version": ""}, {"version": None}, {"version": "v" * 101}, {"version": "1", "why": "x"}, []], ids=str
)
def test_a_malformed_pin_is_bad_input(pins: Shop, body: Any):
    assert pins.api("admin").refused("PUT", path(pins), body) == (400, "bad-input")


def test_what_is_not_registered_cannot_be_pinned(pins: Shop):
    admin, body = pins.api("admin"), {"version": "1.0.0"}
    assert admin.refused("PUT", path(pins), {"version": "9.9.9"}) == (404, "agent-version-not-found")
    assert admin.refused("PUT", path(pins, "nobody"), body) == (404, "agent-not-found")
    assert admin.refused("GET", path(pins, "nobody")) == (404, "agent-not-found")
    assert admin.refused("PUT", "projects/nothing/agents/desk/pin", body) == (404, "project-not-found")


def test_another_tenants_versions_cannot_be_pinned(pins: Shop):
    other = Shop.open()
    other.admin.ok("PUT", "agents/theirs/versions/1.0.0")
    assert pins.api("admin").refused("PUT", path(pins, "theirs"), {"version": "1.0.0"}) == (404, "agent-not-found")
    assert other.admin.refused("PUT", path(pins), {"version": "1.0.0"}) == (404, "project-not-found")


def pin_at_once(shop: Shop) -> list[Any]:
    admin = shop.api("admin")
    versions = ["1.0.0", "1.5.0", "2.0.0", "main"] * 2
    works = [lambda version=version: admin.put(path(shop), {"version": version}) for version in versions]
    return at_once(works)


def test_pins_at_once_make_one_pin_and_one_chain_of_changes(fresh: Shop):
    with_versions(fresh)
    assert {answer.status_code for answer in pin_at_once(fresh)} == {200}
    made = AgentPin.objects.select_related("version").get(project=fresh.project)
    chain = changes(fresh)
    assert chain[0][0] == "" and chain[-1][1] == made.version.version
    assert all(before[1] == after[0] and after[0] != after[1] for before, after in itertools.pairwise(chain))


def test_control_without_the_agents_lock_the_chain_breaks(fresh: Shop, monkeypatch: pytest.MonkeyPatch):
    with_versions(fresh)
    monkeypatch.setattr(agents, "agent_lock", agent_get)
    with without_constraint("runs_agentpin", "agent_pin_once"):
        with meeting("kindgi.runs.services.pins.agent_pin_get", 8):
            pin_at_once(fresh)
        several = AgentPin.objects.filter(project=fresh.project).count() > 1
        chain = changes(fresh)
        broken = any(before[1] != after[0] for before, after in itertools.pairwise(chain))
        assert several or broken
