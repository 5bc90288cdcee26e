"""Every page and open dialog is for everybody: axe finds nothing in both themes, and nothing scrolls sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from scripts.console_pages import PAGES, ConsolePage, places
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE
from tests.browser.shapes import LONG_AGENT, LONG_NAME, MEBIBYTE, SHAPES
from tests.browser.worlds import TREND_RUNS, TREND_VERSIONS
from tests.judging.queues import queue, rules_path

WHO = {"viewer": "viewer", "reviewer": "senior", "admin": "tenant-admin"}


@pytest.fixture(scope="module")
def found(world):
    """The places that the addresses name."""
    reviewer = world.person(WHO["reviewer"])
    return places(lambda path: world.admin.ok("GET", path), str(world.project.pk), reviewer_id=str(reviewer.pk))


@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)
def test_it_is_for_everybody(shown: ConsolePage, found, world, page_for, troubles):
    page = page_for(world.person(WHO[shown.who]) if shown.who != "nobody" else None)
    if shown.status >= 400:
        troubles.expect(f"{shown.status} GET")
    shown.open(page, found)
    assert_accessible(page)
    page.set_viewport_size({"width": PHONE, "height": 844})
    shown.open(page, found)
    assert_accessible(page, "dark")  # colours depend on no width
    assert_no_sideways_scroll(page)


@pytest.mark.parametrize("tab", ["overview", "corrections"])
def test_whatever_a_run_holds_fits(tab, world, page_for):
    page = page_for(world.person("senior"))
    for name in ("unbroken", "right to left", "big", "many calls", "deep", "markup", "long name", "lines"):
        page.goto(world.run_path(name, tab))
        assert_no_sideways_scroll(page)


@pytest.mark.parametrize("tab", ["overview", "corrections"])
@pytest.mark.parametrize(
    "name", ["corrected", "right to left", "unbroken", "erased", "failed", "long name", "refused call", "conversation"]
)
def test_every_run_is_for_everybody_on_every_screen(world, page_for, name, tab):
    page = page_for(world.person("editor"))
    page.goto(world.run_path(name, tab))
    for details in page.locator("main details").all():
        details.evaluate("one => one.open = true")
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def test_a_viewer_sees_what_everybody_said_on_every_screen(world, page_for):
    page = page_for(world.person("viewer"), width=390, theme="dark")
    page.goto(world.run_path("corrected"))
    expect(page.get_by_text("It isn't on its way.")).to_be_visible()
    page.get_by_text("History").first.click()
    assert_accessible(page)
    assert_no_sideways_scroll(page)


# What they look at has what there is to see. Here, since to build the company takes longer than most tests.


def test_the_company_has_items_in_every_state_of_the_queue(world):
    for state in ("open", "judged", "dismissed", "erased"):
        assert queue(world, f"state={state}&limit=0")["total"] > 0, state
    assert queue(world, "state=open&forMe=true&limit=0")["total"] < queue(world, "state=open&limit=0")["total"]


def test_the_companys_runs_have_ended_in_every_way_and_said_a_mebibyte(world):
    found = {name: world.admin.ok("GET", f"runs/{run_id}") for name, run_id in world.runs.items()}
    assert len(found) == len(SHAPES) + len(TREND_VERSIONS) * TREND_RUNS
    assert {run["status"] for run in found.values()} == {"completed", "failed", "running"}
    assert len(found["big"]["output"]["response"]["content"]) > MEBIBYTE
    assert "output" not in found["erased"] and found["erased"]["contentErasedAt"]
    assert found["long name"]["agent"]["id"] == LONG_AGENT and len(LONG_AGENT) == len(LONG_NAME) == 200


def test_the_companys_rule_has_a_history_keeps_runs_out_and_compares_two_versions(world):
    versions = world.admin.ok("GET", rules_path(world, world.rules["Bot review"], "versions"))["data"]
    assert [version["version"] for version in versions] == [3, 2, 1]
    kept_out = world.admin.ok("GET", rules_path(world, world.rules["Bot review"], "results"))["groups"]
    assert sum(group["skippedByCap"] for group in kept_out) > 0
    groups = world.admin.ok("GET", rules_path(world, world.rules["Everything"], "results"))["groups"]
    judged = {group["agentVersion"]: group["runsWithJudgments"] for group in groups}
    assert all(judged[version] >= TREND_RUNS for version in TREND_VERSIONS)


def test_the_company_has_somebody_of_every_role(world):
    members = world.admin.ok("GET", f"projects/{world.project.pk}/memberships")["data"]
    assert {member["role"] for member in members} >= {"viewer", "editor", "admin"}
    assert world.person("tenant-admin").is_tenant_admin and world.person("senior").display_name == "Sena Oyelaran"
