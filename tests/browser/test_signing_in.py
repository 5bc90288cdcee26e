"""People sign in and out by the form, and a page looks as they chose, here and after it is loaded anew."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.builders import make_user

PASSWORD = "correct horse battery staple"


@pytest.fixture
def person(shop):
    return make_user(shop.tenant, "editor", password=PASSWORD, display_name="Ines Okafor")


def fill_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("javascript", [True, False])
def test_somebody_signs_in_where_they_were_going_and_out_again(person, shop, page_for, javascript):
    page = page_for(javascript=javascript)
    page.goto(f"/projects/{shop.project.slug}/runs")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_label("Email")).to_be_focused()
    fill_in(page, person.email, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("don't go together")
    expect(page.get_by_label("Email")).to_have_value(person.email)
    fill_in(page, person.email)
    page.wait_for_url(f"**/projects/{shop.project.slug}/runs")
    page.get_by_role("button", name="IO: Ines Okafor, account").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")


def test_the_form_is_for_everybody(page_for):
    page = page_for(width=390)
    page.goto("/sign-in")
    assert_accessible(page)
    assert_no_sideways_scroll(page)
    fill_in(page, "nobody@example.com")
    expect(page.get_by_role("alert")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize(("system", "chosen"), [("light", "Dark"), ("dark", "Light")])
def test_a_theme_is_there_at_once_and_after_a_reload(person, page_for, system, chosen):
    page = page_for(person, theme=system)
    page.goto("/")
    root = page.locator("html")
    expect(root).not_to_have_attribute("data-theme", re.compile("."))
    with page.expect_response("**/theme"):
        page.get_by_role("button", name="Theme").click()
        page.get_by_role("button", name=chosen).click()
    expect(root).to_have_attribute("data-theme", chosen.lower())
    page.reload()
    expect(root).to_have_attribute("data-theme", chosen.lower())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", ground)[0]) < 128) == (chosen == "Dark")
    with page.expect_response("**/theme"):
        page.get_by_role("button", name="Theme").click()
        page.get_by_role("button", name="As the system").click()
    page.reload()
    expect(root).not_to_have_attribute("data-theme", re.compile("."))


def test_a_theme_is_chosen_without_scripts_too(person, page_for):
    page = page_for(person, javascript=False)
    page.goto("/account/password")
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("button", name="Dark").click()
    page.wait_for_url("**/account/password")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_password_is_changed_and_the_session_stays(person, page_for):
    page = page_for(person)
    page.goto("/account/password")
    page.get_by_label("Password now").fill("wrong")
    page.get_by_label("New password", exact=True).fill("a wholly new pass phrase")
    page.get_by_label("New password again").fill("a wholly new pass phrase")
    page.get_by_role("main").get_by_role("button", name="Change password").click()
    field = page.get_by_label("Password now")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("incorrectly"))
    assert_accessible(page)
    field.fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("a wholly new pass phrase")
    page.get_by_label("New password again").fill("a wholly new pass phrase")
    page.get_by_role("main").get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Password changed.")).to_be_visible()
