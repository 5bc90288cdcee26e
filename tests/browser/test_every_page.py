"""Every page and open dialog is for everybody: axe finds nothing in both themes, and nothing scrolls sideways."""

from __future__ import annotations

import pytest

from scripts.console_pages import PAGES, ConsolePage, places
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE

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
