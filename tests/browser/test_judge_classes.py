"""Admins make, change and remove judge classes in dialogs; others read them and are offered nothing else."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE
from tests.judging.queues import make_rule
from tests.support.shops import Shop

LONG = "A class whose name somebody wrote out in full, with all that it is for and whom it is meant for"


@pytest.fixture
def expert(shop: Shop) -> str:
    """A class of the project that two rules want."""
    scope = {"kind": "project", "projectId": str(shop.project.pk)}
    made = shop.judge_class("expert", weight=3, scope=scope, assertableBy={"principalKinds": ["user"]})
    for name in ("Echo half", "Support sample"):
        make_rule(shop, name=name, judgeClassId=made)
    return made


def address(shop: Shop, query: str = "") -> str:
    """The tab's."""
    return f"/projects/{shop.project.slug}/quality?tab=judge-classes{query}"


def row(page: Page, name: str):
    """The class's row."""
    return page.get_by_role("row").filter(has=page.get_by_text(name, exact=True))


def test_an_admin_makes_a_class_that_names_two_people(shop, page_for):
    people = [str(shop.person(role)) for role in ("editor", "viewer")]
    page = page_for(shop.person("admin"))
    page.goto(address(shop))
    page.get_by_role("link", name="New class").click()
    dialog = page.get_by_role("dialog", name="New judge class")
    expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
    expect(page).to_have_url(re.compile("dialog=new"))
    page.keyboard.type("legal")
    dialog.get_by_label("Weight").fill("much")
    dialog.get_by_role("radio", name="Only these people").check()
    assert_accessible(page)
    dialog.get_by_role("button", name="Make the class").click()
    expect(dialog.get_by_text("A weight is a number, 0 or more.")).to_be_visible()
    expect(dialog.get_by_text("Choose whom it names.")).to_be_visible()
    expect(dialog.get_by_label("Weight")).to_be_focused()
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("legal")
    assert_accessible(page)
    dialog.get_by_label("Weight").fill("0.5")
    for name in people:
        dialog.get_by_role("checkbox", name=name).check()
    dialog.get_by_role("button", name="Make the class").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("status").get_by_text("legal was made.")).to_be_visible()
    expect(row(page, "legal")).to_contain_text("Counts 0.5× an unclassified one")  # noqa: RUF001
    expect(row(page, "legal")).to_contain_text("2 named people or services")
    expect(row(page, "legal")).not_to_contain_text(people[0])
    assert_accessible(page)


def test_an_admin_changes_a_class_and_leaves_one_as_it_is(shop, expert, page_for):
    page = page_for(shop.person("admin"))
    page.goto(address(shop, "&sort=-counts"))
    page.get_by_role("link", name="Change expert").click()
    dialog = page.get_by_role("dialog", name="Change expert")
    expect(dialog.get_by_label("Weight")).to_have_value("3")
    expect(dialog.get_by_role("checkbox", name="People")).to_be_checked()
    dialog.get_by_label("Name", exact=True).fill("never saved")
    page.keyboard.press("Escape")
    dialog.get_by_role("link", name="Leave").click()
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile(r"tab=judge-classes&sort=-counts$"))
    page.get_by_role("link", name="Change expert").click()
    dialog.get_by_label("Name", exact=True).fill("senior")
    dialog.get_by_label("Reviewers").select_option("senior")
    dialog.get_by_label("Name", exact=True).focus()
    page.keyboard.press("Enter")
    expect(row(page, "senior")).to_contain_text("Only people, senior reviewers or above")
    expect(page).to_have_url(re.compile("sort=-counts"))


def test_removing_a_class_names_the_rules_and_begins_on_the_harmless_button(shop, expert, page_for):
    page = page_for(shop.person("admin"))
    page.goto(address(shop))
    page.get_by_role("link", name="Remove expert").click()
    dialog = page.get_by_role("dialog", name="Remove expert?")
    expect(dialog.get_by_role("link", name="Keep it")).to_be_focused()
    expect(dialog).to_contain_text("2 rules want its correction (Echo half, Support sample): change them first,")
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="Remove expert").click()
    dialog.get_by_role("button", name="Remove expert").click()
    expect(page.get_by_role("heading", name="No judge classes yet")).to_be_visible()
    expect(page.get_by_role("status").get_by_text("expert was removed.")).to_be_visible()


def test_an_address_with_a_dialog_opens_it_for_a_colleague_who_may_and_not_for_others(shop, expert, page_for):
    for role, count in (("admin", 1), ("editor", 0)):
        page = page_for(shop.person(role))
        page.goto(address(shop, f"&dialog=change&class={expert}"))
        expect(page.get_by_role("dialog")).to_have_count(count)
        main = page.locator("main")
        offered = main.get_by_role("link", name=re.compile("^(New class|Change|Remove)"), include_hidden=True)
        expect(offered).to_have_count(3 * count)


def test_an_editor_is_offered_nothing_and_refused(shop, expert, page_for, troubles):
    page = page_for(shop.person("editor"))
    page.goto(address(shop))
    expect(row(page, "expert")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("New class|Change|Remove"))).to_have_count(0)
    assert_accessible(page)
    troubles.expect("403 POST .*/judge-classes/.*/remove")
    status = page.evaluate(
        """async (path) => (await fetch(path, {method: "POST", headers: {
            "X-CSRFToken": document.cookie.match(/csrftoken=(\\w+)/)[1]}})).status""",
        f"/projects/{shop.project.slug}/judge-classes/{expert}/remove",
    )
    assert status == 403
    page.reload()
    expect(row(page, "expert")).to_be_visible()


def test_a_class_that_was_removed_meanwhile_leaves_what_was_typed(shop, expert, page_for, troubles):
    page = page_for(shop.person("admin"))
    page.goto(address(shop, f"&dialog=change&class={expert}"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Typed in vain")
    shop.admin.ok("POST", f"judge-classes/{expert}/unregister")
    troubles.expect("409 POST .*/change")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The judge class was removed; it can't be changed.")
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("Typed in vain")


def test_without_scripts_a_class_is_made_changed_and_removed(shop, page_for):
    page = page_for(shop.person("tenant-admin"), javascript=False)
    page.goto(address(shop))
    page.get_by_role("link", name="New class").click()
    page.get_by_label("Name", exact=True).fill("")
    page.get_by_role("button", name="Make the class").click()
    expect(page.get_by_text("A class needs a name.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("bot")
    page.get_by_role("radio", name="One agent in this project").check()
    page.get_by_role("textbox", name="Agent", exact=True).fill("shop.desk")
    page.get_by_role("checkbox", name="Services").check()
    page.get_by_role("button", name="Make the class").click()
    expect(row(page, "bot")).to_contain_text("shop.desk in this project")
    page.get_by_role("link", name="Change bot").click()
    page.get_by_label("Weight").fill("2")
    page.get_by_role("button", name="Save").click()
    expect(row(page, "bot")).to_contain_text("Counts 2× an unclassified one")  # noqa: RUF001
    page.get_by_role("link", name="Remove bot").click()
    page.get_by_role("button", name="Remove bot").click()
    expect(page.get_by_role("heading", name="No judge classes yet")).to_be_visible()


def test_the_tab_and_its_dialogs_fit_small_screens(shop, expert, page_for):
    shop.judge_class(LONG, assertableBy={"minReviewerRole": "senior"}, description="x" * 200)
    page = page_for(shop.person("tenant-admin"), width=PHONE, theme="dark")
    for query in ("", "&dialog=new", f"&dialog=change&class={expert}", f"&dialog=remove&class={expert}"):
        page.goto(address(shop, query))
        expect(page.get_by_role("dialog")).to_have_count(int(bool(query)))
        assert_no_sideways_scroll(page)
        assert_accessible(page)


def test_the_table_is_sorted_searched_and_narrowed_by_its_address(shop, expert, page_for):
    shop.judge_class("bot", weight=0)
    page = page_for(shop.person("viewer"))
    page.goto(address(shop))
    page.get_by_role("link", name="How much it counts").click()
    page.wait_for_url(re.compile("sort=counts"))
    expect(page.locator("tbody .what")).to_have_text(["bot", "expert"])
    page.get_by_role("link", name="How much it counts").click()
    expect(page.locator("tbody .what")).to_have_text(["expert", "bot"])
    page.get_by_role("searchbox", name="Search judge classes").fill("BO")
    page.keyboard.press("Enter")
    expect(page.locator("tbody .what")).to_have_text(["bot"])
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Where it applies").click()
    expect(page.get_by_role("columnheader", name="Where it applies")).to_have_count(0)
    expect(page).to_have_url(re.compile("sort=-counts"))
    page.go_back()
    expect(page.get_by_role("columnheader", name="Where it applies")).to_be_visible()
