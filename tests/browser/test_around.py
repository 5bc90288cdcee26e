"""The pages around the queue as people use them: home, the switcher, runs, one's tokens, people, service accounts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.builders import Api, make_project, make_service_account, make_user
from tests.judging.queues import make_rule
from tests.support.shops import Shop


def for_everybody(page: Page) -> None:
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def test_home_says_what_waits_and_the_switcher_leads_to_another_project(shop: Shop, page_for):
    make_rule(shop)
    shop.run()
    other = make_project(shop.tenant, name="Another desk")
    page = page_for(shop.person("tenant-admin"))
    page.goto("/")
    expect(page.get_by_text("1 to correct in 1 project")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Start in"))).to_have_count(1)
    for_everybody(page)
    page.get_by_role("link", name="1 run", exact=True).click()
    page.wait_for_url(f"**/projects/{shop.project.slug}/quality?tab=to-correct")
    page.get_by_role("button", name=re.compile("^Project:")).click()
    page.locator("#m-project").get_by_role("link", name="Another desk").click()
    page.wait_for_url(f"**/projects/{other.slug}/quality")


@pytest.mark.parametrize("javascript", [True, False])
def test_a_token_is_made_its_secret_seen_once_and_revoked(shop: Shop, page_for, javascript):
    page = page_for(shop.person("editor"), javascript=javascript)
    page.goto("/account/tokens")
    page.get_by_role("link", name="New token").click()
    dialog = page.get_by_role("dialog", name="New token")
    if javascript:
        assert_accessible(page)
    dialog.get_by_label("Label").fill("Laptop")
    dialog.get_by_role("button", name="Make it").click()
    shown = page.get_by_label("The token's secret")
    secret = shown.input_value()
    assert Api(secret).get("identity/whoami").status_code == 200
    if javascript:
        for_everybody(page)
    page.get_by_role("link", name="I have it").click()
    expect(page.get_by_text(f"ends with {secret[-4:]}")).to_be_visible()
    assert secret not in page.content()
    page.go_back()
    page.goto("/account/tokens")
    assert secret not in page.content()
    page.get_by_role("link", name=f"Revoke Laptop …{secret[-4:]}").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
    expect(page.get_by_text("Laptop is revoked.")).to_be_visible()
    assert Api(secret).get("identity/whoami").status_code == 401


def test_a_secret_is_copied_by_its_button(shop: Shop, page_for):
    page = page_for(shop.person("editor"), permissions=["clipboard-read", "clipboard-write"])
    page.goto("/account/tokens?dialog=new")
    page.get_by_label("Label").fill("Laptop")
    page.get_by_role("button", name="Make it").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copy")).to_have_attribute("data-copied", "true")
    assert page.evaluate("navigator.clipboard.readText()") == page.get_by_label("The token's secret").input_value()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_person_is_found_added_given_another_role_and_removed(shop: Shop, page_for, javascript):
    make_user(shop.tenant, display_name="Ines Okafor")
    make_user(shop.tenant, display_name="Kofi Mensah")
    page = page_for(shop.person("admin"), width=390, javascript=javascript)
    page.goto(f"/projects/{shop.project.slug}/people")
    if javascript:
        for_everybody(page)
    page.get_by_role("link", name="Add a person").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name or email").fill("ines")
    dialog.get_by_role("button", name="Search").click()
    expect(dialog.get_by_text("Kofi Mensah")).to_have_count(0)
    if javascript:
        assert_accessible(page)
    dialog.get_by_label("Role").select_option("viewer")
    dialog.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Ines Okafor is added: Viewer.")).to_be_visible()
    page.get_by_role("link", name="Change the role of Ines Okafor").click()
    page.get_by_role("dialog").get_by_label("Role").select_option("editor")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Ines Okafor's role is now: Editor.")).to_be_visible()
    page.get_by_role("link", name="Remove Ines Okafor").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Ines Okafor has no role in")).to_be_visible()


def test_escape_closes_a_dialog_and_its_address_goes_too(shop: Shop, page_for):
    page = page_for(shop.person("admin"))
    page.goto(f"/projects/{shop.project.slug}/people")
    page.get_by_role("link", name="Change…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert "dialog=settings" in page.url
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url.endswith("/people")


def test_settings_that_cannot_be_are_told_in_the_dialog_and_what_was_typed_stays(shop: Shop, page_for):
    page = page_for(shop.person("admin"))
    page.goto(f"/projects/{shop.project.slug}/people?dialog=settings")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Description").fill("Parcels and returns.")
    dialog.get_by_label("Days that runs are kept").fill("99999")
    dialog.locator("form").evaluate("form => form.noValidate = true")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_label("Days that runs are kept")).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_label("Description")).to_have_value("Parcels and returns.")
    assert_accessible(page)
    dialog.get_by_label("Days that runs are kept").fill("90")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Kept for 90 days.")).to_be_visible()


def test_runs_are_narrowed_and_a_link_shows_a_colleague_the_same(shop: Shop, page_for):
    shop.run()
    failed = shop.run(status="failed", output=None)
    page = page_for(shop.person("viewer"))
    page.goto(f"/projects/{shop.project.slug}/runs")
    for_everybody(page)
    page.get_by_text("More filters").click()
    page.get_by_label("Failed").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("row")).to_have_count(2)
    for_everybody(page)
    colleague = page_for(shop.person("editor"), width=390, theme="dark")
    colleague.goto(page.url)
    expect(colleague.get_by_text(failed[:8])).to_be_visible()
    expect(colleague.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Run's id, or how it begins").fill("ffff")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No run is like that")).to_be_visible()
    page.get_by_role("link", name="Clear the filters").click()
    expect(page.locator("tbody tr")).to_have_count(2)


def test_a_service_account_is_made_and_gets_a_token(shop: Shop, page_for):
    make_service_account(shop.tenant, "editor", name="Older runtime")
    page = page_for(shop.person("tenant-admin"))
    page.goto("/service-accounts")
    for_everybody(page)
    page.get_by_role("link", name="New account").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Agent runtime")
    dialog.get_by_label("Project optional").select_option(str(shop.project.pk))
    assert_accessible(page)
    dialog.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="Agent runtime")).to_be_visible()
    for_everybody(page)
    page.get_by_role("link", name="New token").click()
    page.get_by_role("dialog").get_by_label("Label").fill("Production")
    page.get_by_role("dialog").get_by_role("button", name="Make it").click()
    secret = page.get_by_label("The token's secret").input_value()
    assert Api(secret).ok("GET", "identity/whoami")["principal"]["kind"] == "service-account"
