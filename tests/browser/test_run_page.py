"""The run page in a browser: read whole, unfolded and copied, on any screen, by anybody; and what is done about it."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.shapes import LOOKUP, REFUND, said
from tests.support.shops import completed


def path(shop, run_id, tab="corrections"):
    return f"/projects/{shop.project.slug}/runs/{run_id}?tab={tab}"


def with_steps(text="It left today.", result="sent"):
    found = (LOOKUP, {"order": "A-17"}, {"status": result})
    return said(text, found, (REFUND, {"order": "A-17"}, {"refunded": 129}))


def test_steps_unfold_one_by_one_and_all_at_once(shop, page_for):
    page = page_for(shop.person("editor"))
    page.goto(path(shop, shop.run(**with_steps()), "overview"))
    result = page.get_by_role("region", name="Result of call 1")
    expect(result).to_be_hidden()
    page.locator("#call-1 summary").click()
    expect(result).to_contain_text('"status": "sent"')
    page.get_by_role("button", name="Unfold all").click()
    expect(page.get_by_role("region", name="Result of call 2")).to_be_visible()
    page.get_by_role("button", name="Fold all").click()
    expect(result).to_be_hidden()


def test_what_is_cut_is_shown_whole_in_its_place(shop, page_for):
    long = "0123456789 " * 500
    page = page_for(shop.person("editor"))
    page.goto(path(shop, shop.run(**with_steps(result=long)), "overview"))
    page.locator("#call-1 summary").click()
    result = page.locator("#call-1").get_by_role("link", name=re.compile("Show all .* characters"))
    result.click()
    expect(page.locator("#call-1 pre")).to_contain_text(long.strip())
    expect(result).to_have_count(0)


def test_what_is_cut_is_copied_whole(shop, page_for):
    long = "0123456789 " * 500
    page = page_for(shop.person("editor"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    run_id = shop.run(**with_steps(result=long))
    page.goto(path(shop, run_id, "overview"))
    page.locator("#call-1 summary").click()
    page.get_by_role("button", name="Copy the result of call 1").click()
    expect(page.locator("[data-copied]")).to_have_count(1)
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == {"status": long}
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("[data-copied]")).to_have_count(2)
    assert json.loads(page.evaluate("navigator.clipboard.readText()"))["id"] == run_id
    page.get_by_role("button", name="Copy the run's id").click()
    expect(page.get_by_role("button", name="Copy the run's id")).to_have_attribute("data-copied", "true")
    assert page.evaluate("navigator.clipboard.readText()") == run_id


def test_the_answer_as_it_came_and_later_steps_come_without_the_page(shop, page_for):
    body = with_steps(json.dumps({"message": "It left."}))
    page = page_for(shop.person("editor"))
    page.goto(path(shop, shop.run(**{**body, "calls": [{"tool": LOOKUP, "args": {"order": n}} for n in range(300)]})))
    page.evaluate("window.same = true")
    page.get_by_role("link", name="As it came").click()
    expect(page.locator("#answer pre").first).to_contain_text(r"{\"message\"")
    page.get_by_role("link", name="Later calls").click()
    expect(page.locator("#call-1")).to_have_count(0)
    expect(page.locator("#steps .steps > li")).not_to_have_count(0)
    assert page.evaluate("window.same")


def test_what_others_said_shows_once_the_own_correction_is_saved(shop, page_for):
    run_id = shop.run()
    shop.correct(run_id, by="editor:2", answer="wrong", why="Much too late.")
    page = page_for(shop.person("editor"))
    page.goto(path(shop, run_id))
    expect(page.get_by_text("1 person corrected this run, unclassified.")).to_be_visible()
    expect(page.get_by_text("Much too late.")).to_have_count(0)
    shop.correct(run_id, by="editor", answer="right")
    page.reload()
    expect(page.get_by_text("Much too late.")).to_be_visible()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def open_correction(shop):
    """A run with a correction that another person finds open."""
    run_id = shop.run()
    shop.correct(run_id, by="editor:2", answer="wrong", why="No.")
    shop.correct(run_id, by="editor", answer="right")
    return run_id


@pytest.mark.parametrize("javascript", [True, False])
def test_how_a_correction_stands_is_changed_and_told_in_its_history(shop, page_for, javascript):
    page = page_for(shop.person("editor"), javascript=javascript)
    page.goto(path(shop, open_correction(shop)))
    other = page.get_by_role("article", name=f"Correction by {shop.person('editor:2')}")
    other.get_by_role("button", name="Set the status").click()
    page.get_by_role("button", name="Being fixed").last.click()
    expect(other.locator(".tag.live")).to_have_text(re.compile("Being fixed"))
    other.get_by_role("link", name="Note").click()
    expect(page.get_by_role("dialog", name="Note")).to_be_visible()
    page.get_by_role("textbox", name="Note").fill("On it.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(other.locator("dd", has_text="On it.")).to_be_visible()
    other.get_by_role("link", name="Link a pull request").click()
    page.get_by_label("Address of the pull request").fill("ftp://x")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Write an address that begins with https://.")).to_be_visible()
    page.get_by_label("Address of the pull request").fill("https://git.example/pull/1")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(other.get_by_role("link", name="git.example/pull/1")).to_be_visible()
    other.get_by_text("History").click()
    expect(other.locator(".timeline li").first).to_contain_text("Linked to git.example/pull/1 · you")
    expect(other.locator(".timeline li")).to_have_count(5)


def test_every_dialog_is_for_everybody_and_left_by_the_keyboard(shop, page_for):
    page = page_for(shop.person("admin"))
    run_id = shop.run()
    shop.correct(run_id, by="admin", answer="wrong", why="No.")
    page.goto(path(shop, run_id))
    for name in ("Link a pull request", "Note", "Remove…"):
        page.get_by_role("link", name=name).press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        assert "dialog=" in page.url
        assert_accessible(page)
        assert_no_sideways_scroll(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert "dialog=" not in page.url and run_id in page.url
    page.get_by_role("button", name="Set the status").click()
    assert_accessible(page)
    page.get_by_role("link", name="Won't be fixed…").click()
    page.get_by_role("textbox", name="Why").fill("Nobody reads it.")
    page.get_by_role("dialog").get_by_role("button", name="Won't be fixed").click()
    expect(page.locator(".card > header .tag")).to_have_text(re.compile("Won't be fixed"))


def test_a_removed_correction_is_folded_and_the_form_is_back(shop, page_for):
    page = page_for(shop.person("editor"), width=390)
    run_id = shop.run()
    shop.correct(run_id, by="editor", answer="wrong", why="A slip.")
    page.goto(path(shop, run_id))
    page.get_by_role("link", name="Remove…").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#correction")).to_be_visible()
    expect(page.get_by_text("A slip.")).to_be_hidden()
    page.get_by_text("1 that counts no more").click()
    expect(page.get_by_text("A slip.")).to_be_visible()


def test_without_scripts_everything_can_be_read(shop, page_for):
    long = "0123456789 " * 500
    page = page_for(shop.person("editor"), javascript=False)
    page.goto(path(shop, shop.run(**with_steps(result=long)), "overview"))
    expect(page.get_by_role("button", name="Unfold all")).to_be_hidden()
    page.locator("#call-1 summary").click()
    page.locator("#call-1").get_by_role("link", name=re.compile("Show all")).click()
    expect(page.locator("pre")).to_contain_text(long.strip())
    page.go_back()
    page.get_by_role("link", name="As it came").click()
    expect(page.locator("#answer pre").first).to_contain_text('"It left today."')
    page.get_by_role("link", name="Corrections").click()
    expect(page.locator("#correction")).to_be_visible()


def test_an_erased_run_is_told_where_it_was_open(shop, page_for):
    run_id = shop.run(**completed(output={"response": {"content": "Dear Jo"}}))
    page = page_for(shop.person("editor"))
    page.goto(path(shop, run_id))
    expect(page.get_by_text("Dear Jo")).not_to_have_count(0)
    shop.api("admin").ok("POST", f"runs/{run_id}/erase")
    page.reload()
    expect(page.get_by_text("This run was erased")).to_be_visible()
    expect(page.get_by_text("Dear Jo")).to_have_count(0)
    expect(page.locator("#correction")).to_have_count(0)
    assert_accessible(page)


def test_a_mebibyte_is_shown_when_it_is_asked_for(world, page_for):
    page = page_for(world.person("viewer"))
    page.goto(world.run_path("big", "overview"))
    page.locator("#answer").get_by_role("link", name=re.compile("Show all 1,0.* characters")).first.click()
    expect(page.locator("#answer .quote[autofocus]")).to_be_visible()
    assert page.locator("#answer .quote").evaluate("one => one.textContent.length") > 1_000_000
    assert_no_sideways_scroll(page)
