"""A rule's life in a browser: made while its preview follows, changed, looked up, caught up with, and removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from playwright.sync_api import Page, expect

from judging.models import CatchUp, JudgingRule
from judging.services.catch_up import catch_up_run, catch_up_step
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE, Browsing
from tests.judging.queues import change_rule, import_runs, make_rule, old_rule, records, rules_path
from tests.support.racing import wait_until
from tests.support.shops import AGENT, Shop


def opened(page: Page, shop: Shop, query: str = "") -> Page:
    page.goto(f"/projects/{shop.project.slug}/quality?tab=rules{query}")
    return page


def test_a_rule_is_made_while_its_preview_follows_and_changed_and_its_history_says_so(shop: Shop, page_for: Browsing):
    import_runs(shop, *records(20), *records(10, agent={"id": "Other", "version": "1.0.0"}))
    shop.judge_class("expert")
    page = opened(page_for(shop.person("editor")), shop)
    page.get_by_role("link", name="New rule").click()
    dialog = page.get_by_role("dialog", name="New judging rule")
    expect(dialog.get_by_label("Name")).to_be_focused()
    assert_accessible(page)
    preview = dialog.locator("#rule-preview")
    expect(preview).to_contain_text("The preview follows")
    dialog.get_by_label("Name").fill("Support sample")
    dialog.get_by_label(AGENT).check()
    expect(preview).to_contain_text("Would have queued 20 of the last 30 runs.")
    dialog.get_by_label("Share taken", exact=True).fill("50")
    expect(preview).to_contain_text("Would have queued 10 of the last 30 runs. ")
    expect(preview).to_contain_text("Takes 1 in 2.")
    dialog.get_by_text("1 in", exact=True).click()
    dialog.get_by_label("Share taken", exact=True).fill("4")
    expect(preview).to_contain_text("Would have queued 5 of the last 30 runs.")
    dialog.get_by_text("Any", exact=True).click()
    expect(preview).to_contain_text("Would have queued 8 of the last 30 runs.")
    expect(dialog.get_by_label(AGENT)).to_be_hidden()
    dialog.get_by_text("Agents", exact=True).click()
    dialog.get_by_label("What it wants").select_option(label="An expert correction")
    dialog.get_by_role("button", name="Make the rule").click()
    expect(page.get_by_text("The rule “Support sample” was made.")).to_be_visible()
    row = page.get_by_role("row", name="Support sample")
    expect(row).to_contain_text(f"Completed runs of {AGENT}Takes 1 in 4")
    expect(row).to_contain_text("An expert correction")

    row.get_by_role("link", name="Change Support sample").click()
    dialog = page.get_by_role("dialog", name="Change Support sample")
    dialog.get_by_label("Cap").fill("5")
    dialog.get_by_label("What it wants").select_option(label="Any correction")
    dialog.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_role("row", name="Support sample")).to_contain_text("No new items while 5 are open")
    page.get_by_role("link", name="History of Support sample").click()
    history = page.get_by_role("region", name="Support sample: its versions")
    expect(history.get_by_role("listitem").first).to_contain_text(re.compile(r"Version 2 · you · .* E[SD]T"))
    expect(history.get_by_role("listitem").first).to_contain_text("Cap: No cap → No new items while 5 are open")
    expect(history.get_by_role("listitem").first).to_contain_text("Wants: an expert correction → any correction")
    expect(history.get_by_role("listitem").last).to_contain_text("Created")
    expect(page).to_have_url(re.compile("history="))
    assert_accessible(page)
    page.reload()
    expect(history).to_be_visible()


def test_errors_stand_beside_their_fields_and_nothing_typed_is_lost(shop: Shop, page_for: Browsing):
    page = opened(page_for(shop.person("editor"), width=PHONE, theme="dark"), shop, "&dialog=new")
    dialog = page.get_by_role("dialog", name="New judging rule")
    dialog.get_by_label("Share taken", exact=True).fill("200")
    dialog.get_by_label("Cap").fill("7")
    dialog.get_by_role("button", name="Make the rule").click()
    expect(dialog.get_by_label("Name")).to_be_focused()
    expect(dialog.get_by_text("A share is over 0, and up to 100 percent.")).to_be_visible()
    expect(dialog.get_by_text("Choose an agent, or take any.")).to_be_visible()
    expect(dialog.get_by_label("Cap")).to_have_value("7")
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def test_a_change_of_somebody_else_is_said_in_the_dialog(shop: Shop, page_for: Browsing, troubles: Any):
    troubles.expect("409 POST .*/change")
    rule = make_rule(shop)
    page = opened(page_for(shop.person("editor")), shop, f"&dialog=change&rule={rule['ruleId']}")
    dialog = page.get_by_role("dialog", name="Change Everything")
    dialog.get_by_label("Cap").fill("9")
    change_rule(shop, rule, sample=0.5)
    dialog.get_by_role("button", name="Save a new version").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Takes: every matching run → 1 in 2")
    expect(dialog.get_by_label("Cap")).to_have_value("9")
    assert_accessible(page)
    dialog.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_role("row", name="Everything")).to_contain_text("Version 3")
    expect(page.get_by_role("row", name="Everything")).to_contain_text("Takes 1 in 2")


def test_all_is_done_by_keyboard_and_esc_leaves(shop: Shop, page_for: Browsing):
    make_rule(shop)
    page = opened(page_for(shop.person("editor")), shop)
    page.get_by_role("link", name="Remove Everything").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Remove Everything?")
    expect(dialog.get_by_role("link", name="Keep it")).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).not_to_have_url(re.compile("dialog"))
    page.get_by_role("link", name="History of Everything", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="History of Everything", exact=True)).to_have_attribute(
        "aria-expanded", "true"
    )
    expect(page.get_by_role("link", name="History of Everything", exact=True)).to_be_focused()
    page.get_by_role("link", name="Remove Everything").focus()
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Remove").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No rule yet")).to_be_visible()
    page.get_by_role("link", name="Removed 1").click()
    expect(page.get_by_role("row", name="Everything")).to_contain_text("Removed")


def test_a_search_a_sort_and_the_columns_are_a_link_for_a_colleague(shop: Shop, page_for: Browsing):
    make_rule(shop, name="Support sample")
    make_rule(shop, name="Everything")
    page = opened(page_for(shop.person("editor")), shop)
    page.get_by_role("link", name="Rule", exact=True).click()
    expect(page.get_by_role("columnheader", name="Rule")).to_have_attribute("aria-sort", "descending")
    page.go_back()
    expect(page.get_by_role("columnheader", name="Rule")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("searchbox").press_sequentially("supp")
    expect(page.get_by_role("row", name="Everything")).to_be_hidden()
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page).to_have_url(re.compile("q=supp"))
    colleague = page_for(shop.person("viewer"))
    colleague.goto(page.url)
    expect(colleague.get_by_role("row", name="Support sample")).to_be_visible()
    expect(colleague.get_by_role("row", name="Everything")).to_be_hidden()
    page.get_by_role("searchbox").fill("nothing at all")
    page.get_by_role("link", name="Clear the search").click()
    expect(page.get_by_role("row", name="Everything")).to_be_visible()


@pytest.fixture
def rule(shop: Shop) -> dict[str, Any]:
    """A rule that was made after all runs there are."""
    import_runs(shop, *records(1000))
    return make_rule(shop)


@pytest.fixture
def job(rule: dict[str, Any]) -> Iterator[Any]:
    """Finds the rule's one catch-up, once it is asked for."""

    def found() -> CatchUp:
        jobs = CatchUp.objects.filter(rule=rule["ruleId"])
        wait_until(jobs.exists)
        return jobs.get()

    yield found


def test_recent_runs_are_queued_while_the_page_says_how_far_it_is(
    shop: Shop, rule: dict[str, Any], job: Any, page_for: Browsing
):
    page = opened(page_for(shop.person("editor")), shop)
    page.get_by_role("link", name="Queue recent runs of Everything").click()
    dialog = page.get_by_role("dialog", name="Queue recent runs of Everything")
    assert_accessible(page)
    dialog.get_by_label("How many of the last runs").fill("5000")
    dialog.get_by_role("button", name="Queue them").click()
    expect(dialog.get_by_text("less than or equal to 1000")).to_be_visible()
    dialog.get_by_label("How many of the last runs").fill("1000")
    dialog.get_by_role("button", name="Queue them").click()
    bar = page.get_by_role("progressbar", name="Queueing recent runs of Everything")
    expect(bar).to_have_attribute("value", "0")
    assert_accessible(page)
    with transaction.atomic():
        assert catch_up_step(catch_up_id=job().pk)
    expect(bar).to_have_attribute("value", "500")
    expect(
        page.get_by_text("500 of 1,000 looked at: 500 queued, 0 already queued, 0 already reviewed so far")
    ).to_be_visible()
    catch_up_run(catch_up_id=job().pk)
    told = "1,000 queued, 0 already queued, 0 already reviewed: 1,000 matches among the last 1,000 runs."
    expect(page.get_by_text(told, exact=True)).to_be_visible()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("link", name="1,000 open")).to_be_visible()
    expect(page.locator("#rule-told")).to_contain_text(told)
    assert_accessible(page)
    page.get_by_role("link", name="Close what was queued for Everything").click()
    expect(page.get_by_text(told, exact=True)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("catch-up"))


def test_a_catch_up_stops_with_its_rule_and_says_so(shop: Shop, rule: dict[str, Any], job: Any, page_for: Browsing):
    other = make_rule(shop, name="Another", when={"agentIds": ["nobody"]})
    page = opened(page_for(shop.person("editor"), width=PHONE), shop)
    for name in ("Everything", "Another"):
        page.get_by_role("link", name=f"Queue recent runs of {name}").click()
        page.get_by_role("button", name="Queue them").click()
        expect(page.get_by_role("progressbar", name=f"Queueing recent runs of {name}")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(2)
    assert_no_sideways_scroll(page, PHONE)
    shop.editor.ok("POST", rules_path(shop, rule["ruleId"], "unregister"))
    catch_up_run(catch_up_id=job().pk)
    expect(page.get_by_text("The rule “Everything” was removed meanwhile: it queues nothing more.")).to_be_visible()
    catch_up_run(catch_up_id=CatchUp.objects.get(rule=other["ruleId"]).pk)
    told = "0 queued, 0 already queued, 0 already reviewed: 0 matches among the last 100 runs."
    expect(page.get_by_text(told, exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("The rule “Everything” was removed meanwhile: it queues nothing more.")).to_be_visible()


def test_without_scripts_a_rule_is_made_previewed_changed_caught_up_with_and_removed(shop: Shop, page_for: Browsing):
    import_runs(shop, *records(4))
    page = opened(page_for(shop.person("editor"), javascript=False), shop)
    page.get_by_role("link", name="New rule").click()
    page.get_by_label("Name").fill("By hand")
    page.get_by_label(AGENT).check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Would have queued 4 of the last 4 runs.")).to_be_visible()
    page.get_by_role("button", name="Make the rule").click()
    expect(page.get_by_role("row", name="By hand")).to_be_visible()
    page.get_by_role("link", name="Change By hand").click()
    page.get_by_label("Cap", exact=True).fill("3")
    page.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_role("row", name="By hand")).to_contain_text("No new items while 3 are open")
    page.get_by_role("link", name="Queue recent runs of By hand").click()
    page.get_by_role("button", name="Queue them").click()
    expect(page.get_by_text("0 of 4 looked at")).to_be_visible()
    catch_up_run(catch_up_id=CatchUp.objects.get(rule__project=shop.project).pk)
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_text("4 queued, 0 already queued, 0 already reviewed: 4 matches")).to_be_visible()
    page.get_by_role("link", name="Close what was queued for By hand").click()
    expect(page.get_by_text("4 queued")).to_be_hidden()
    page.get_by_role("link", name="Remove By hand").click()
    expect(page.get_by_text("4 runs that it queued stay in the queue")).to_be_visible()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("heading", name="No rule yet")).to_be_visible()


def test_names_of_any_length_and_direction_fit_a_phone(shop: Shop, page_for: Browsing):
    for name in ("w" * 200, "כלל לדוגמה של שיחות עם לקוחות", "long " * 40):
        old_rule(shop, name=name, when={"agentIds": ["a" * 200, AGENT]}, judgeClassId=shop.judge_class(name[:99] + "!"))
    change_rule(shop, {"ruleId": str(JudgingRule.objects.filter(project=shop.project)[0].pk)}, name="n" * 200)
    page = opened(page_for(shop.person("editor"), width=PHONE), shop)
    assert_no_sideways_scroll(page)
    page.get_by_role("link", name="History of n").click()
    expect(page.get_by_role("region", name="its versions")).to_be_visible()
    assert_no_sideways_scroll(page)
    page.get_by_role("link", name="Change n").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_no_sideways_scroll(page)
    assert_accessible(page)
