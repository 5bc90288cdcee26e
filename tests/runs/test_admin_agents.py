"""Django admin registers versions and pins them through the services, and their refusals are shown on its forms."""

import json

import pytest

from kindgi.access.models import Project
from kindgi.runs.models import Agent, AgentPin, AgentVersion, PinChange
from tests.support.admin_pages import problems, runs_of, staff_of, superuser, url
from tests.support.shops import AGENT, VERSION, Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop():
    return Shop.open()


@pytest.fixture
def staff(shop):
    return staff_of(shop.tenant)


@pytest.fixture
def agent(shop):
    return Agent.objects.get(tenant=shop.tenant)


def test_a_version_is_registered_and_latest_follows(agent, staff):
    tools = [{"id": "shop.lookup"}, {"id": "shop.refund", "writes": True}]
    data = {"agent": agent.pk, "version": "2.0.0", "tools": json.dumps(tools)}
    assert problems(staff.post(url(AgentVersion, "add"), data)) == ""
    agent.refresh_from_db()
    assert (agent.latest.version, agent.latest.tools) == ("2.0.0", tools)
    shown = staff.get(url(AgentVersion, "change", agent.latest.pk)).content.decode()
    assert "&quot;id&quot;: &quot;shop.refund&quot;" in shown


@pytest.mark.parametrize(
    ("tools", "kept"), [("", None), ("[]", []), ('[{"id": "a", "writes": false}]', [{"id": "a", "writes": False}])]
)
def test_tools_are_said_anew_and_nothing_else_changes(agent, staff, tools, kept):
    version = agent.versions.get(version=VERSION)
    before = version.tools
    data = {"version": "9.9.9", "tools": tools}
    assert problems(staff.post(url(AgentVersion, "change", version.pk), data)) == ""
    version.refresh_from_db()
    assert version.version == VERSION
    assert version.tools == (before if kept is None else kept), "without tools nothing is said of them"


@pytest.mark.parametrize(
    "tools", ['{"id": "a"}', '[{"writes": true}]', '[{"id": ""}]', '[{"id": "a", "more": 1}]', "[1"]
)
def test_tools_that_v1_refuses_are_refused(agent, staff, tools):
    data = {"agent": agent.pk, "version": "2.0.0", "tools": tools}
    assert problems(staff.post(url(AgentVersion, "add"), data)) != ""
    assert agent.versions.count() == 1


def test_agents_and_versions_are_never_deleted(shop, staff, agent):
    rows = runs_of(shop)
    assert staff.get(url(Agent, "add")).status_code == 403
    for model in (Agent, AgentVersion, PinChange):
        assert staff.post(url(model, "delete", rows[model].pk), {"post": "yes"}).status_code == 403
    assert staff.post(url(PinChange, "change", rows[PinChange].pk), {"by": "me"}).status_code == 403


def test_pinning_and_unpinning_are_noted(shop, staff, agent):
    data = {"project": shop.project.pk, "agent": agent.pk, "version_number": VERSION}
    assert problems(staff.post(url(AgentPin, "add"), data)) == ""
    pin = AgentPin.objects.get()
    assert (pin.version.version, pin.pinned_by.partition(":")[0]) == (VERSION, "user")
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/2.0.0", {})
    assert f'value="{VERSION}"' in staff.get(url(AgentPin, "change", pin.pk)).content.decode()
    assert problems(staff.post(url(AgentPin, "change", pin.pk), {"version_number": "2.0.0"})) == ""
    pin.refresh_from_db()
    assert pin.version.version == "2.0.0"
    assert staff.post(url(AgentPin, "delete", pin.pk), {"post": "yes"}).status_code == 302
    changes = PinChange.objects.order_by("created_at", "id").values_list("from_version", "to_version")
    assert list(changes) == [("", VERSION), (VERSION, "2.0.0"), ("2.0.0", "")]


def test_a_pin_that_cannot_be_says_why(shop, staff, agent):
    other = Shop.open()
    unknown = {"project": shop.project.pk, "agent": agent.pk, "version_number": "7.0.0"}
    assert f'The agent "{AGENT}" has no version "7.0.0".' in _text(staff.post(url(AgentPin, "add"), unknown))
    mixed = {"project": Project.objects.get(tenant=other.tenant).pk, "agent": agent.pk, "version_number": VERSION}
    assert "Select a valid choice" in problems(staff.post(url(AgentPin, "add"), mixed))
    assert "another tenant" in _text(superuser().post(url(AgentPin, "add"), mixed))
    assert not AgentPin.objects.exists()


def _text(response):
    return problems(response).replace("&quot;", '"').replace("&#x27;", "'")


def test_a_versions_blocks_are_shown_and_never_changed(shop, agent, staff):
    block = {"id": "limits", "kind": "settings", "values": {"refundUpTo": 50}, "schema": {"type": "object"}}
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/3.0.0", {"blocks": [block]})
    version = agent.versions.get(version="3.0.0")
    page = staff.get(url(AgentVersion, "change", version.pk)).content.decode()
    assert "limits at 1 (settings)" in page
    assert "{&quot;refundUpTo&quot;: 50}" in page or "{&quot;refundUpTo&quot;:50}" in page
    assert 'name="blocks"' not in page
    assert problems(staff.post(url(AgentVersion, "change", version.pk), {"tools": "[]", "blocks": "[]"})) == ""
    assert shop.admin.ok("GET", f"agents/{AGENT}/versions/3.0.0")["blocks"] == [block | {"version": "1"}]
