"""Answers that never come, drafts older than what was saved, keys in dialogs: nothing is lost, or sent unasked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_correcting import corrections, opened, said, waiting
from tests.judging.queues import make_rule
from tests.support.shops import TOOLS, Shop

CORRECT = re.compile("/correct")
FAILED = "That didn't go through. Nothing you typed is lost. Try again, or reload the page."


def by_a_proxy(route: Route) -> None:
    """What a proxy says when the server behind it is gone."""
    route.fulfill(status=502, content_type="text/html", body="<html><h1>Bad Gateway</h1></html>")


def when(route: Route, does: str) -> bool:
    """Whether the form is sent to do this."""
    return f"do={does}" in (route.request.post_data or "")


def stored(page: Page) -> Any:
    return page.evaluate(
        "JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('draft:'))?.[1] ?? null)"
    )


def test_what_a_proxy_says_is_not_put_in_the_place_of_the_form(shop: Shop, page_for, troubles):
    troubles.expect("502 POST .*/correct", "Response Status Error")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.route(CORRECT, by_a_proxy)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("Still here")
    page.keyboard.press("Control+Enter")
    expect(form.locator(".form-notices")).to_have_text(FAILED)
    expect(form.locator(".form-notices")).to_be_in_viewport()
    expect(form.get_by_label("Why")).to_have_value("Still here")
    expect(form.get_by_label("Why")).to_be_focused()
    expect(form.get_by_role("button", name="Save", exact=True)).to_be_enabled()
    expect(page.get_by_text("Bad Gateway")).to_have_count(0)
    page.unroute(CORRECT)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text(re.compile("^Saved"))).to_be_visible()
    assert said(shop, run_id)["why"] == "Still here"


def test_a_refused_token_is_said_and_the_form_stays(shop: Shop, page_for, troubles):
    troubles.expect("403 POST .*/correct", "Response Status Error")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("r")
    page.context.clear_cookies(name="csrftoken")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#notices")).to_contain_text("This page is older than your last signing in.")
    expect(form.locator("#answer-right")).to_be_checked()
    assert corrections(run_id) == 0


def test_an_older_draft_is_restored_only_when_that_is_asked_for(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    person = shop.person("editor")
    page = page_for(person)
    form = opened(shop, page, run_id)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("An old thought")
    expect(form.get_by_text("Draft kept on this device")).to_be_visible()
    other = page_for(person)
    newer = opened(shop, other, run_id)
    other.keyboard.press("4")
    newer.get_by_label("Why").fill("A new thought")
    newer.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_role("heading", name="Your correction")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="Change", exact=True).click()
    told = form.locator(".form-notices")
    expect(told).to_contain_text(re.compile(r"You have a draft of .*\d.*, from before your last correction\."))
    expect(form.get_by_label("Why")).to_have_value("A new thought")
    told.get_by_role("button", name="Restore it").click()
    expect(form.get_by_label("Why")).to_have_value("An old thought")
    expect(form.locator("footer")).to_contain_text(re.compile(r"Your draft of .*\d.* was restored\."))
    form.locator("footer").get_by_role("button", name="Discard it").click()
    expect(form.get_by_label("Why")).to_have_value("A new thought")
    expect(told).not_to_contain_text("draft")
    assert stored(page) is None


def test_a_draft_that_is_not_back_yet_is_neither_changed_nor_lost(shop: Shop, page_for, troubles):
    troubles.expect("502 POST .*/correct", "Response Status Error")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    form.get_by_label("Why").fill("A long thought")
    expect(form.get_by_text("Draft kept on this device")).to_be_visible()
    kept = stored(page)
    held: list[Route] = []
    page.route(CORRECT, lambda route: held.append(route))
    with page.expect_request(CORRECT):
        page.reload()
    expect(form.locator(".body[inert]")).to_have_count(1)
    page.keyboard.press("4")
    page.keyboard.press("Control+Enter")
    assert len(held) == 1
    by_a_proxy(held.pop())
    expect(form.get_by_text("couldn't be restored")).to_be_visible()
    form.get_by_label("Why").fill("Something else")
    page.unroute(CORRECT)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert stored(page) == kept
    form.get_by_role("button", name="Try again").click()
    expect(form.get_by_label("Why")).to_have_value("A long thought")
    expect(form.locator("#answer-wrong")).not_to_be_checked()


def test_ctrl_enter_in_a_dialog_sends_the_dialog_and_what_fails_is_said_in_it(shop: Shop, page_for, troubles):
    troubles.expect("401 POST", "502 POST", "ERR_INTERNET_DISCONNECTED", "htmx:", "Response Status Error")
    (run_id,) = waiting(shop)
    person = shop.person("editor")
    page = page_for(person)
    form = opened(shop, page, run_id)
    page.keyboard.press("r")
    form.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Change", exact=True).click()
    form.get_by_label("Why").fill("Behind it")
    page.locator("a[href*='dialog=note']").first.evaluate("link => link.click()")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("On it.")
    change = re.compile("/change/note")
    page.route(change, by_a_proxy)
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_text("That didn't go through.")).to_be_visible()
    # By the route again: a browser that is taken off the network at this moment may still send what comes next.
    page.route(change, lambda route: route.abort("internetdisconnected"))
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_text("No connection.")).to_be_visible()
    page.unroute(change)
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("link", name="Sign in")).to_be_visible()
    dialog.get_by_role("link", name="Sign in").focus()
    expect(dialog.get_by_role("link", name="Sign in")).to_be_focused()
    page.context.add_cookies([one for one in cookies if one["name"] == "sessionid"])
    dialog.get_by_role("textbox").focus()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The note was saved.")).to_be_visible()
    found = said(shop, run_id)
    assert (found["statusNote"]["text"], found.get("why")) == ("On it.", None)


@pytest.mark.parametrize("how", ["proxy", "offline"])
def test_what_fails_away_from_any_form_is_said_on_the_page(shop: Shop, page_for, troubles, how: str):
    troubles.expect("502 GET" if how == "proxy" else "ERR_FAILED", "htmx:|Response Status Error")
    make_rule(shop, name="Everything", when={})
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/quality?tab=rules")
    answers = by_a_proxy if how == "proxy" else (lambda route: route.abort())
    page.route(re.compile("dialog="), answers)
    page.locator("a[href*='dialog='][hx-get]").first.evaluate("link => link.click()")
    expect(page.locator("#notices")).to_contain_text("That didn't" if how == "proxy" else "No connection.")
    expect(page.locator("#notices")).to_be_in_viewport()


def test_the_focus_is_on_what_was_made_and_what_was_open_stays_open(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("2")
    for number, tool in enumerate((TOOLS[1], TOOLS[0]), start=1):
        form.get_by_label("Add a call it should have made").select_option(tool)
        expect(form.locator(".expected.added")).to_have_count(number)
        expect(form.locator(".expected.added").last.locator("input:focus")).to_have_count(1)
    form.evaluate("form => form.dataset.old = ''")
    page.keyboard.press("Enter")
    expect(page.locator("#correction:not([data-old])")).to_be_visible()
    expect(form.locator(".expected.added").last.locator("input:focus")).to_have_count(1)
    form.get_by_role("button", name=re.compile("^Don't add")).first.click()
    expect(form.locator(".expected.added")).to_have_count(1)
    expect(form.get_by_role("button", name=re.compile("^Don't add"))).to_be_focused()
    form.get_by_text("Items of the output").click()
    form.get_by_text("Judge any value of the output").click()
    form.get_by_role("button", name=re.compile("^note")).click()
    expect(form.get_by_role("radiogroup", name="Item text").get_by_role("radio", name="Wrong")).to_be_focused()
    expect(form.get_by_text("Judge any value of the output")).to_be_visible()
    expect(form.get_by_role("button", name=re.compile("^note"))).to_be_visible()


def test_marking_during_a_save_neither_stops_it_nor_is_lost(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("r")
    held: list[Route] = []
    page.route(CORRECT, lambda route: held.append(route))
    with page.expect_request(CORRECT):
        form.get_by_role("button", name="Save", exact=True).click()
    page.keyboard.press("4")
    page.keyboard.press("Control+Enter")
    page.locator("#m-2-instead").evaluate("radio => radio.click()")
    expect(form.locator("footer")).to_contain_text("Saving")
    page.wait_for_function("document.querySelector('#correction .body').inert")
    saves = [route for route in held if when(route, "save")]
    assert len(saves) == 1
    assert not [route for route in held if when(route, "next") or 'name="do"' in (route.request.post_data or "")]
    saves[0].continue_()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    assert (corrections(run_id), said(shop, run_id)["answer"]) == (1, "right")


def held_up(page: Page, does: str, act: Callable[[], object]) -> Route:
    """What is sent by ``act`` to draw the form anew, which has no answer yet."""
    held: list[Route] = []
    page.route(CORRECT, lambda route: held.append(route) if when(route, does) else route.continue_())
    with page.expect_request(lambda request: f"do={does}" in (request.post_data or "")):
        act()
    expect(page.locator("#correction > .body[inert]")).to_have_count(1)
    return held[0]


def test_while_the_form_is_drawn_anew_nothing_is_typed_into_the_one_that_goes(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("2")
    form.get_by_label("Why").fill("It should have asked")
    add = form.get_by_label("Add a call it should have made")
    held = held_up(page, "add", lambda: add.select_option(TOOLS[1]))
    expect(form).to_have_attribute("aria-busy", "true")
    page.keyboard.type("13rcjk")
    held.continue_()
    added = form.locator(".expected.added")
    expect(added).to_have_count(1)
    expect(added.locator(":focus")).to_have_count(1)
    expect(form.locator("#decisions-wrong")).to_be_checked()
    expect(form.locator("#answer-right, #answer-wrong").and_(form.locator(":checked"))).to_have_count(0)
    expect(form.get_by_label("Why")).to_have_value("It should have asked")
    expect(form).not_to_have_attribute("aria-busy", "true")
    expect(page).to_have_url(re.compile(run_id))


def test_a_save_that_is_asked_for_while_a_call_is_added_saves_with_it(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("2")
    add = form.get_by_label("Add a call it should have made")
    held = held_up(page, "add", lambda: add.select_option(TOOLS[1]))
    page.keyboard.press("Control+Enter")
    assert corrections(run_id) == 0
    held.continue_()
    expect(page.get_by_text(re.compile("^Saved"))).to_be_visible()
    assert [call["tool"] for call in said(shop, run_id)["shouldCall"]] == [TOOLS[1]]


def test_a_call_that_could_not_be_added_is_added_once_there_is_a_connection(shop: Shop, page_for, troubles):
    troubles.expect("ERR_INTERNET_DISCONNECTED", "htmx:(afterRequest|sendError)")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("2")
    page.context.set_offline(True)
    form.get_by_label("Add a call it should have made").select_option(TOOLS[1])
    expect(form.get_by_text("No connection.")).to_be_visible()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(form.locator(".expected.added")).to_have_count(1)


def test_what_is_typed_after_a_save_that_was_lost_is_not_sent_by_itself(shop: Shop, page_for, troubles):
    troubles.expect("ERR_INTERNET_DISCONNECTED", "htmx:(afterRequest|sendError)")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("It never was sent")
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(form.get_by_text("No connection.")).to_be_visible()
    form.get_by_label("Why").press_sequentially(", and half of")
    expect(form.get_by_text("Not sent yet. Save again when you are done.")).to_be_visible()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    form.get_by_label("Why").press_sequentially(" it is new")
    assert corrections(run_id) == 0
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text(re.compile("^Saved"))).to_be_visible()
    assert said(shop, run_id)["why"] == "It never was sent, and half of it is new"


def test_a_copied_id_is_announced(shop: Shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"), permissions=["clipboard-read", "clipboard-write"])
    opened(shop, page, run_id)
    page.get_by_role("button", name="Copy the run's id").click()
    expect(page.locator("#announced")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == run_id
