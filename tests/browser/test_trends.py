"""People look at a rule's trend over other periods, open every count, and share what they see by its address."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from kindgi.api.times import as_of, now
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE
from tests.judging.queues import make_rule
from tests.support.shops import AGENT, VERSION, Shop

NEWER = "1.1.0"


@pytest.fixture
def trend(shop: Shop) -> Shop:
    """A rule that saw two versions, the newer one today and right, the older one before and mostly wrong."""
    with as_of(now() - timedelta(days=60)):
        make_rule(shop, name="Trend check")
        make_rule(shop, name="Another", sample=0.5)
    for version, days, right in ((VERSION, 50, 2), (NEWER, 0, 12)):
        with as_of(now() - timedelta(days=days)):
            for number in range(12):
                said = {"answer": "right"} if number < right else {"answer": "wrong", "why": "Too late."}
                shop.correct(shop.run(agent={"id": AGENT, "version": version}), **said)
    return shop


def address(shop: Shop, query: str = "") -> str:
    """The tab's."""
    return f"/projects/{shop.project.slug}/quality?tab=trends{query}"


def test_a_period_changes_the_figures_and_the_address_and_back_undoes_it(trend, page_for):
    page = page_for(trend.person("viewer"))
    page.goto(address(trend))
    card = page.get_by_role("article", name="Trend check")
    expect(card.get_by_text("1.1.0 is marked right more often than 1.0.0.")).to_be_visible()
    expect(card.get_by_role("img", name=re.compile("1.1.0 100%, range 76 to 100%; 1.0.0 17%"))).to_be_visible()
    page.get_by_role("link", name="30 days").click()
    page.wait_for_url(re.compile("period=30"))
    expect(card.get_by_text("1.1.0 is marked right more often than 1.0.0.")).to_have_count(0)
    expect(page.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "true")
    expect(page.get_by_text(re.compile("Of runs queued since .* 12 AM E"))).to_be_visible()
    colleague = page_for(trend.person("editor"))
    colleague.goto(page.url)
    expect(colleague.get_by_role("article", name="Trend check").get_by_text("1.0.0: about")).to_have_count(0)
    page.go_back()
    expect(card.get_by_text("1.1.0 is marked right more often than 1.0.0.")).to_be_visible()


def test_every_count_opens_is_sorted_and_stays_open(trend, page_for):
    page = page_for(trend.person("viewer"))
    page.goto(address(trend))
    card = page.get_by_role("article", name="Trend check")
    table = card.get_by_role("table", name=re.compile("Every count of Trend check"))
    expect(table).to_be_hidden()
    expect(page.get_by_role("button", name="Columns")).to_have_count(0)
    card.get_by_role("link", name="Every count").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("counts="))
    expect(card.get_by_role("link", name="Every count")).to_be_focused()
    expect(table.get_by_role("row")).to_have_count(3)
    page.evaluate("scrollTo(0, 0)")  # the table's anchor leaves the tabs half under the page's top
    assert_accessible(page)
    table.get_by_role("link", name="Marked right").click()
    page.wait_for_url(re.compile("sort=share"))
    expect(table.get_by_role("columnheader", name="Marked right")).to_have_attribute("aria-sort", "ascending")
    expect(table.get_by_role("rowheader").first).to_have_text("1.0.0")
    table.get_by_role("link", name="Marked right").click()
    expect(table.get_by_role("rowheader").first).to_have_text("1.1.0")
    assert_no_sideways_scroll(page)
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Effective runs").click()
    page.wait_for_url(re.compile("columns="))
    expect(table.get_by_role("columnheader", name="Effective runs")).to_have_count(0)
    expect(table.get_by_role("columnheader", name="Marked right")).to_be_visible()


def test_rules_are_searched_by_name_and_the_search_is_cleared(trend, page_for):
    page = page_for(trend.person("viewer"))
    page.goto(address(trend, "&period=90"))
    expect(page.get_by_role("article")).to_have_count(2)
    page.get_by_role("searchbox", name="Search rules").fill("check")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page).to_have_url(re.compile("period=90.*q=check|q=check.*period=90"))
    page.get_by_role("searchbox", name="Search rules").fill("nothing like it")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No rule matches")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Clear the search").click()
    expect(page.get_by_role("article")).to_have_count(2)


def test_the_charts_fit_small_screens_and_need_no_script(trend, page_for):
    page = page_for(trend.person("viewer"), width=PHONE, theme="dark", javascript=False)
    page.goto(address(trend))
    card = page.get_by_role("article", name="Trend check")
    plot, dot = card.locator(".chart-plot").bounding_box(), card.locator("circle").first.bounding_box()
    assert plot is not None
    assert dot is not None
    assert dot["width"] == dot["height"]
    assert abs(dot["x"] + dot["width"] / 2 - (plot["x"] + plot["width"])) <= 1  # at 100%
    card.get_by_role("link", name="Every count").click()
    expect(card.get_by_role("table")).to_be_visible()
    page.get_by_role("link", name="30 days").click()
    expect(card.get_by_text("1.0.0: about")).to_have_count(0)
    with_scripts = page_for(trend.person("editor"), width=PHONE)
    with_scripts.goto(address(trend))
    with_scripts.get_by_role("article", name="Trend check").get_by_role("link", name="Every count").click()
    expect(with_scripts.get_by_role("table")).to_be_visible()
    assert_no_sideways_scroll(with_scripts)
    assert_accessible(with_scripts)


def test_how_many_are_open_leads_to_them(shop, page_for):
    make_rule(shop, name="Trend check")
    shop.run()
    page = page_for(shop.person("viewer"))
    page.goto(address(shop))
    page.get_by_role("link", name="1 open of Trend check").click()
    page.wait_for_url(re.compile("tab=to-correct"))
    expect(page.locator("#tab tbody tr")).to_have_count(1)


def test_while_nobody_has_suggested_a_change_the_tab_says_so(shop, page_for):
    page = page_for(shop.person("viewer"), width=PHONE)
    page.goto(f"/projects/{shop.project.slug}/quality?tab=suggested-changes")
    expect(page.get_by_role("heading", name="No suggested changes")).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scroll(page)
