"""The To correct tab in a browser: an address is a view, runs are dismissed, put back and handed out, by everybody."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.judging.queues import dismiss, import_runs, make_rule, old_rule, queued_runs, records, states
from tests.support.shops import AGENT, Shop

RUN = "a.what"


def filled(shop: Shop, number: int) -> list[str]:
    """So many runs that wait for anybody, oldest first."""
    old_rule(shop)
    import_runs(shop, *records(number))
    return queued_runs(shop)


def there(shop: Shop, query: str = "") -> str:
    return f"/projects/{shop.project.slug}/quality?tab=to-correct{query}"


def shown(page: Page) -> list[str]:
    """The runs that the page lists."""
    hrefs = page.locator(RUN).evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    return [re.sub(r".*/runs/([^?]*).*", r"\1", href) for href in hrefs]


def tick(page: Page, run_id: str) -> None:
    page.get_by_role("checkbox", name=re.compile(f"Select .*{run_id[:8]}")).check()


def test_a_narrowed_list_is_the_same_for_who_gets_its_address_and_after_back_and_reload(shop, page_for):
    make_rule(shop, name="Everything", when={})
    for _ in range(2):
        shop.run(agent={"id": "Retail desk", "version": "2.4.0"})
    shop.run()
    first, second = page_for(shop.person("editor")), page_for(shop.person("editor:2"), width=390, theme="dark")
    first.goto(there(shop))
    first.get_by_label("Agent").select_option("Retail desk")
    expect(first.locator(RUN)).to_have_count(2)
    first.get_by_role("link", name="Finished").click()
    expect(first.get_by_role("columnheader", name="Finished")).to_have_attribute("aria-sort", "ascending")
    first.get_by_role("link", name="Everyone's").click()
    expect(first.get_by_role("link", name="Everyone's")).to_have_attribute("aria-current", "true")
    second.goto(first.url)
    assert shown(second) == shown(first)
    expect(second.get_by_label("Agent")).to_have_value("Retail desk")
    second.reload()
    expect(second.locator(RUN)).to_have_count(2)
    first.go_back()
    first.go_back()
    expect(first.get_by_role("columnheader", name="Finished")).not_to_have_attribute("aria-sort", re.compile("."))
    first.go_back()
    expect(first.locator(RUN)).to_have_count(3)


def test_the_tab_is_accessible_and_fits_with_whatever_it_shows(shop, page_for):
    runs = filled(shop, 4)
    long = "x" * 200
    make_rule(shop, name=long, when={"agentIds": [long]})
    shop.run(agent={"id": long, "version": "1.0.0"})
    dismiss(shop, runs[0], reason="y" * 500)
    shop.correct(runs[1])
    shop.editor.ok("POST", f"projects/{shop.project.pk}/judging-queue/{runs[2]}/hold")
    page = page_for(shop.person("editor"))
    queries = [
        "",
        "&state=corrected",
        "&state=dismissed",
        "&state=erased",
        "&agent=none",
        f"&dialog=dismiss&run={runs[2]}",
    ]
    for query in queries:
        page.goto(there(shop, query))
        assert_accessible(page)
        assert_no_sideways_scroll(page)
    page.goto(there(shop))
    tick(page, runs[3])
    page.get_by_role("button", name="Columns").click()
    assert_accessible(page)


def test_a_run_is_dismissed_with_a_reason_by_keyboard_and_undo_puts_it_back(shop, page_for):
    runs = filled(shop, 2)
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    link = page.get_by_role("link", name=f"Dismiss {AGENT} 1.0.0, {runs[0][:8]}")
    link.focus()
    page.keyboard.press("Enter")
    reason = page.get_by_role("dialog", name="Dismiss this run?").get_by_label("Reason")
    expect(reason).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "dialog" not in page.url
    link.click()
    reason.fill("A test order")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 run dismissed: A test order.")).to_be_visible()
    assert shown(page) == [runs[1]]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 run is back in the queue.")).to_be_visible()
    assert shown(page) == runs


def test_a_reason_that_is_too_long_stays_in_the_dialog_with_what_is_wrong(shop, page_for):
    runs = filled(shop, 1)
    page = page_for(shop.person("editor"))
    page.goto(there(shop, f"&dialog=dismiss&run={runs[0]}"))
    reason = page.get_by_label("Reason")
    reason.evaluate("field => field.removeAttribute('maxlength')")
    reason.fill("x" * 501)
    page.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("500 characters")
    expect(reason).to_have_value("x" * 501)
    assert states(shop) == {runs[0]: "open"}


def test_several_are_dismissed_and_reopened_at_once_and_what_could_not_be_is_said(shop, page_for):
    runs = filled(shop, 4)
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    expect(page.get_by_role("region", name="Selected runs")).to_be_hidden()
    page.get_by_role("checkbox", name="Select all 4 on this page").check()
    tick_off = page.get_by_role("checkbox", name=re.compile(f"Select .*{runs[3][:8]}"))
    tick_off.uncheck()
    expect(page.get_by_text("3 selected")).to_be_visible()
    page.get_by_role("button", name="Dismiss…").click()
    expect(page.get_by_role("dialog", name="Dismiss 3 runs?")).to_be_visible()
    shop.correct(runs[0], by="admin")
    page.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.get_by_text("2 runs dismissed. 1 had been corrected meanwhile.")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Dismissed")).click()
    expect(page.get_by_text("Dismissed by you").first).to_be_visible()
    for run in runs[1:3]:
        tick(page, run)
    page.get_by_role("button", name="Reopen", exact=True).click()
    expect(page.get_by_text("2 runs are back in the queue.")).to_be_visible()
    assert sorted(states(shop).values()) == ["judged", "open", "open", "open"]


def test_ticks_are_cleared(shop, page_for):
    runs = filled(shop, 1)
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    tick(page, runs[0])
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("region", name="Selected runs")).to_be_hidden()
    expect(page.get_by_role("checkbox", name="Select all 1 on this page")).not_to_be_checked()


def test_a_dismissed_run_is_reopened_by_its_own_button(shop, page_for):
    runs = filled(shop, 2)
    dismiss(shop, runs[0], reason="A test order")
    page = page_for(shop.person("editor:2"))
    page.goto(there(shop, "&state=dismissed"))
    expect(page.locator("tbody")).to_contain_text(f"Dismissed by {shop.person('editor')}")
    page.get_by_role("button", name=f"Reopen {AGENT} 1.0.0, {runs[0][:8]}").click()
    expect(page.get_by_text("1 run is back in the queue.")).to_be_visible()
    expect(page.get_by_role("heading", name="No run for you is dismissed")).to_be_visible()


def test_columns_are_chosen_and_stay_chosen_in_the_address(shop, page_for):
    filled(shop, 1)
    page = page_for(shop.person("editor"))
    page.goto(there(shop, "&sort=-finished"))
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Added to the queue").click()
    expect(page.get_by_role("columnheader", name="Added to the queue")).to_be_visible()
    page.get_by_role("checkbox", name="Why it's here").click()
    expect(page.get_by_role("columnheader", name="Why it's here")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Added to the queue").click()
    expect(page.get_by_role("columnheader", name="Added to the queue")).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_role("columnheader", name="Why it's here")).to_have_count(0)


def test_pages_go_on_and_back(shop, page_for):
    runs = filled(shop, 60)
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("25 of 60. Added, oldest first")).to_be_visible()
    assert shown(page) == runs[25:50]
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("10 of 60.")).to_be_visible()
    page.get_by_role("link", name="Previous").click()
    expect(page.locator(RUN)).to_have_count(25)
    assert shown(page) == runs[25:50]
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_text("1 to 25 of 60.")).to_be_visible()
    assert shown(page) == runs[:25]


def test_two_reviewers_who_press_start_at_once_get_two_runs(shop, page_for):
    runs = filled(shop, 2)
    pages = [page_for(shop.person(name)) for name in ("editor", "editor:2")]
    for page in pages:
        page.goto(there(shop))
    for page in pages:  # both are sent before either is answered
        page.get_by_role("button", name="Start").evaluate("button => { setTimeout(() => button.click()) }")
    for page in pages:
        page.wait_for_url(re.compile("/runs/"))
    assert {re.sub(r".*/runs/([^?]*).*", r"\1", page.url) for page in pages} == set(runs)
    third = page_for(shop.person("editor:3"))
    third.goto(there(shop))
    expect(third.get_by_text("since")).to_have_count(2)
    third.get_by_role("button", name="Start").click()
    expect(
        third.get_by_text(re.compile(r"2 are held by others, the first of them until \d+(:\d\d)? [AP]M\."))
    ).to_be_visible()


def test_without_scripts_runs_are_found_dismissed_and_reopened(shop, page_for):
    runs = filled(shop, 3)
    page = page_for(shop.person("editor"), javascript=False)
    page.goto(there(shop))
    page.get_by_label("Agent").select_option(AGENT)
    page.locator("form:has(#f-agent)").get_by_role("button", name="Apply").click()
    for run in runs[:2]:
        tick(page, run)
    page.get_by_role("button", name="Dismiss…").click()
    expect(page.get_by_role("heading", name="Dismiss 2 runs?")).to_be_visible()
    page.get_by_label("Reason").fill("A test order")
    page.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.get_by_text("2 runs dismissed: A test order.")).to_be_visible()
    assert shown(page) == [runs[2]]
    page.get_by_role("link", name=re.compile("^Dismissed")).click()
    page.get_by_role("button", name=re.compile(f"Reopen .*{runs[0][:8]}")).click()
    expect(page.get_by_text("1 run is back in the queue.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 run dismissed: A test order.")).to_be_visible()
    assert states(shop) == {runs[0]: "dismissed", runs[1]: "dismissed", runs[2]: "open"}


def test_who_only_reads_has_nothing_to_press(shop, page_for):
    filled(shop, 1)
    page = page_for(shop.person("viewer"))
    page.goto(there(shop))
    expect(page.locator(RUN)).to_have_count(1)
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("^Dismiss "))).to_have_count(0)
    expect(page.get_by_role("checkbox")).to_have_count(0)


def test_arrow_keys_in_a_filter_change_the_list_and_nothing_else(shop, page_for):
    make_rule(shop, when={})
    agents = ["Alpha desk", "Beta desk", "Gamma desk"]
    for agent in agents:
        shop.run(agent={"id": agent, "version": "1.0.0"})
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    page.evaluate("window.isSame = true")
    field = page.get_by_label("Agent")
    field.focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_url(re.compile("agent=Beta"))
    expect(page.locator(RUN)).to_have_count(1)
    expect(page.get_by_role("link", name="Beta desk 1.0.0", exact=True)).to_be_visible()
    expect(field).to_be_focused()
    expect(field).to_have_value("Beta desk")
    page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile("agent=Gamma"))
    expect(field).to_be_focused()
    assert page.evaluate("window.isSame")
    expect(page.locator("#queue-start")).to_have_attribute("action", re.compile("agent=Gamma"))
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Gamma desk")


def test_after_back_the_fields_say_what_the_list_is_of(shop, page_for):
    make_rule(shop, name="Everything", when={})
    shop.run()
    shop.run(agent={"id": "Retail desk", "version": "2.4.0"})
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    page.get_by_label("Agent").select_option("Retail desk")
    expect(page.locator(RUN)).to_have_count(1)
    page.get_by_role("link", name="Everyone's").click()
    expect(page.get_by_role("link", name="Everyone's")).to_have_attribute("aria-current", "true")
    page.go_back()
    expect(page.get_by_label("Agent")).to_have_value("Retail desk")
    page.go_back()
    expect(page.locator(RUN)).to_have_count(2)
    expect(page.get_by_label("Agent")).to_have_value("")
    page.goto(f"/projects/{shop.project.slug}/runs")
    page.get_by_text("More filters").click()
    page.get_by_label("Failed").check()
    page.get_by_label("Flow", exact=True).fill("orders")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(RUN)).to_have_count(0)
    page.go_back()
    expect(page.locator(RUN)).to_have_count(2)
    expect(page.locator("[name=status]:checked")).to_have_count(0)
    expect(page.locator("#f-flow")).to_have_value("")


def test_columns_are_ticked_one_after_the_other_by_keyboard_in_the_menu_that_stays_open(shop, page_for):
    filled(shop, 1)
    page = page_for(shop.person("editor"))
    page.goto(there(shop))
    page.evaluate("window.isSame = true")
    page.get_by_role("button", name="Columns").focus()
    page.keyboard.press("Enter")
    why, added = page.get_by_label("Why it's here"), page.get_by_label("Added to the queue")
    why.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("columnheader", name="Why it's here")).to_have_count(0)
    expect(why).to_be_focused()
    expect(page.locator("#m-columns")).to_be_visible()
    while not added.evaluate("field => field === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("columnheader", name="Added to the queue")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Why it's here")).to_have_count(0)
    expect(added).to_be_focused()
    assert page.evaluate("window.isSame")
    page.keyboard.press("Escape")
    expect(page.locator("#m-columns")).to_be_hidden()
    expect(page.get_by_role("button", name="Columns")).to_be_focused()
    page.go_back()
    expect(page.get_by_role("columnheader", name="Added to the queue")).to_have_count(0)
