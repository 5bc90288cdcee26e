"""Every page and open dialog is for everybody: axe finds nothing in both themes, and nothing scrolls sideways."""

from __future__ import annotations

import pytest

from scripts.console_pages import PAGES, ConsolePage, places
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import DESKTOP, PHONE

WHO = {"viewer": "viewer", "reviewer": "senior", "admin": "tenant-admin"}


@pytest.fixture(scope="module")
def found(world):
    """The places that the addresses name."""
    return places(lambda path: world.admin.ok("GET", path), str(world.project.pk))


@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)
def test_it_is_for_everybody(shown: ConsolePage, found, world, page_for, troubles):
    page = page_for(world.person(WHO[shown.who]) if shown.who != "nobody" else None)
    if shown.status >= 400:
        troubles.expect(f"{shown.status} GET")
    for width in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": 844})
        shown.open(page, found)
        assert_accessible(page)
    assert_no_sideways_scroll(page)
