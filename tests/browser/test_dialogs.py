"""A dialog gives the focus back, is no step of the history, is sent once, and isn't left by accident."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from judging.models import JudgingRule
from tests.browser.browsing import Browsing
from tests.judging.queues import make_rule, old_rule
from tests.support.shops import Shop

# A page of the project, and what opens a dialog over it.
DIALOGS = [
    ("quality?tab=rules", "New rule"),
    ("quality?tab=rules", "Change Everything"),
    ("quality?tab=rules", "Remove Everything"),
    ("quality?tab=rules", "Queue recent runs of Everything"),
    ("quality?tab=judge-classes", "New class"),
    ("quality?tab=judge-classes", "Change expert"),
    ("quality?tab=judge-classes", "Remove expert"),
    ("quality?tab=to-correct", "Dismiss shop"),
    ("people", "Add a person"),
]


def focus_is_on(page: Page) -> str:
    """The id of what has the focus, else what it is."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.tagName"))


def test_a_dialog_that_is_left_gives_the_focus_back(shop: Shop, page_for: Browsing):
    old_rule(shop)
    shop.judge_class("expert", scope={"kind": "project", "projectId": str(shop.project.pk)})
    shop.run()
    page = page_for(shop.person("admin"))
    for place, name in DIALOGS:
        page.goto(f"/projects/{shop.project.slug}/{place}")
        main = page.get_by_role("main")
        named = re.compile(f"^{name}")
        opens = main.get_by_role("link", name=named).or_(main.get_by_role("button", name=named)).first
        for way in ("Escape", "Cancel"):
            opens.focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("dialog")).to_be_visible()
            if way == "Escape":
                page.keyboard.press("Escape")
            else:
                page.get_by_role("dialog").locator(".dialog-foot [data-close]").click()
            expect(page.get_by_role("dialog"), f"{name}, {way}").to_have_count(0)
            expect(opens).to_be_focused()
            expect(page).not_to_have_url(re.compile("dialog="))


def test_what_was_saved_is_no_step_of_the_history_and_leaves_the_focus_by_it(shop: Shop, page_for: Browsing):
    make_rule(shop)
    page = page_for(shop.person("editor"))
    page.goto("/")
    page.goto(f"/projects/{shop.project.slug}/quality?tab=rules")
    change = page.get_by_role("link", name="Change Everything")
    change.click()
    page.get_by_role("dialog").get_by_label("Cap").fill("7")
    page.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_text("is at version 2 now.")).to_be_visible()
    expect(change).to_be_focused()
    expect(page).to_have_url(re.compile(r"tab=rules$"))
    page.get_by_role("link", name="Remove Everything").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="No rule yet")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/$"))


def test_a_rule_that_is_sent_twice_is_made_once(shop: Shop, page_for: Browsing):
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/quality?tab=rules&dialog=new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Once")
    dialog.get_by_text("Any", exact=True).click()
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    expect(dialog.locator("#rule-preview")).to_contain_text("No run has ended yet")
    sent.clear()
    dialog.get_by_role("button", name="Make the rule").dblclick()
    expect(page.get_by_text("The rule “Once” was made.")).to_be_visible()
    assert JudgingRule.objects.filter(project=shop.project).count() == 1
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("place", "field"), [("quality?tab=rules", "Name"), ("quality?tab=judge-classes", "Name")], ids=["rule", "class"]
)
def test_esc_asks_before_what_was_typed_is_lost(shop: Shop, page_for: Browsing, place: str, field: str):
    page = page_for(shop.person("admin"))
    page.goto(f"/projects/{shop.project.slug}/{place}&dialog=new")
    dialog, asks = page.get_by_role("dialog"), page.get_by_role("alertdialog", name="Leave without saving?")
    name = dialog.get_by_label(field, exact=True)
    name.fill("Half a name")
    page.keyboard.press("Escape")
    expect(asks).to_be_visible()
    expect(asks.get_by_role("button", name="Keep editing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(asks).to_be_hidden()
    expect(name).to_be_focused()
    expect(name).to_have_value("Half a name")
    page.keyboard.press("Escape")
    asks.get_by_role("button", name="Keep editing").click()
    expect(name).to_be_focused()
    page.keyboard.press("Escape")
    asks.get_by_role("link", name="Leave").click()
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("dialog="))


def test_times_are_in_the_readers_zone_at_the_first_page_there_is(shop: Shop, page_for: Browsing, site: Any):
    page = page_for(None, timezone="Asia/Tokyo")
    page.goto("/sign-in")
    expect(page.get_by_text("Times are in Asia/Tokyo.")).to_be_visible()


def test_a_run_that_waits_no_more_isnt_asked_about(shop: Shop, page_for: Browsing):
    old_rule(shop)
    shop.run()
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/quality?tab=to-correct")
    page.get_by_role("main").get_by_role("link", name=re.compile("^Dismiss ")).click()
    asked = page.url
    page.get_by_role("dialog").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(asked)
    expect(page.get_by_role("heading", name="Quality")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
