"""Correcting runs in a browser: by keys, without scripts, whatever happens in between; nothing typed is lost."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from corrections.models import Correction
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.judging.queues import dismiss, make_rule, queued_runs
from tests.support.shops import TOOLS, Shop

CALLS = [
    {"tool": TOOLS[0], "args": {"order": "A1"}},
    {"tool": TOOLS[2], "args": {"to": "ines", "urgent": True}},
]


def waiting(shop: Shop, number: int = 1, **run: Any) -> list[str]:
    """So many runs that wait for anybody, oldest first."""
    make_rule(shop, name="Everything", when={})
    for _ in range(number):
        shop.run(**{"calls": CALLS, **run})
    return queued_runs(shop)


def opened(shop: Shop, page: Page, run_id: str) -> Locator:
    """The form for a run."""
    page.goto(f"/projects/{shop.project.slug}/runs/{run_id}?tab=corrections")
    form = page.locator("#correction")
    expect(form.get_by_role("button", name="Both right")).to_be_visible()
    return form


def mark(page: Page, n: int, how: str) -> None:
    """Mark a call."""
    page.get_by_role("radiogroup", name=re.compile(f"^Call {n},")).get_by_role("radio", name=how).check(force=True)


def said(shop: Shop, run_id: str) -> dict[str, Any]:
    """What the run's one live correction says."""
    (found,) = shop.editor.ok("GET", f"corrections?runId={run_id}")["data"]
    answer: dict[str, Any] = found
    return answer


def corrections(run_id: str) -> int:
    return Correction.objects.filter(run_id=run_id, unregistered_at=None).count()


def test_a_run_that_was_right_takes_two_keystrokes_and_the_next_one_is_there(shop, page_for):
    first, second = waiting(shop, 2)
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/quality")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile(first))
    expect(page.locator("#held")).to_have_text("Held by you")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(second))
    expect(page.get_by_text("Saved. The run left the queue: Everything has its correction.")).to_be_visible()
    assert {name: said(shop, first)[name] for name in ("decisions", "answer")} == {
        "decisions": "right",
        "answer": "right",
    }


def test_a_run_that_was_wrong_is_corrected_by_keys_alone(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    opened(shop, page, run_id)
    page.keyboard.press("2")
    page.keyboard.press("4")
    for key in ("m", "m", "ArrowRight"):
        page.keyboard.press(key)
    call = page.get_by_role("radiogroup", name="Call 2, mail")
    expect(call.get_by_role("radio", name="Should have been called like this")).to_be_checked()
    urgent = page.get_by_label("urgent", exact=True)
    expect(call.get_by_role("radio", name="Should have been called like this")).to_be_focused()
    expect(urgent).to_be_visible()
    for key in ["Tab"] * 5 + ["Control+a"]:
        page.keyboard.press(key)
    page.keyboard.type("false")
    expect(page.locator("#correction-checks")).to_contain_text(
        'mail must be called once, with to "ines" and urgent false'
    )
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.keyboard.type("Your parcel is late. 1 2 r")
    expect(page.locator("#correction-diff ins").first).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text(re.compile("^Saved[.].*Nothing waits for you"))).to_be_visible()
    assert said(shop, run_id) | {
        "decisions": "wrong",
        "shouldCall": [{"tool": TOOLS[2], "args": {"to": "ines", "urgent": False}}],
        "shouldSay": "Your parcel is late. 1 2 r",
    } == said(shop, run_id)


def test_keys_do_nothing_while_somebody_types_and_the_sheet_names_them(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    form.get_by_label("Why").focus()
    page.keyboard.type("1 2 3 4 r c j k ?")
    expect(form.get_by_label("Why")).to_have_value("1 2 3 4 r c j k ?")
    assert form.get_by_role("radio", name="Right").first.is_checked() is False
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("1")
    expect(form.get_by_role("radio", name="Right").first).to_be_checked()
    page.keyboard.press("1")
    expect(form.get_by_role("radio", name="Right").first).not_to_be_checked()
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile(run_id))


def test_a_save_without_a_connection_is_sent_when_it_is_back(shop, page_for, troubles):
    troubles.expect("ERR_INTERNET_DISCONNECTED", "htmx:(afterRequest|sendError)")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("It never was sent")
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(form.get_by_text("No connection.")).to_be_visible()
    expect(form.get_by_label("Why")).to_have_value("It never was sent")
    assert corrections(run_id) == 0
    page.context.set_offline(False)
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert said(shop, run_id)["why"] == "It never was sent"


def test_a_draft_outlives_a_reload_with_its_added_calls_and_is_gone_once_it_is_saved(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("2")
    form.get_by_label("Add a call it should have made").select_option(TOOLS[1])
    form.get_by_label("Name of another argument").last.fill("order")
    form.get_by_label("Its value, as JSON").last.fill('"A1"')
    expect(form.get_by_text("Draft kept on this device")).to_be_visible()
    page.reload()
    expect(form.get_by_label("Its value, as JSON").first).to_have_value('"A1"')
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    assert said(shop, run_id)["shouldCall"] == [{"tool": TOOLS[1], "args": {"order": "A1"}}]
    assert page.evaluate("Object.keys(localStorage)") == []


def test_saving_is_undone_and_what_was_typed_is_there_again(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("Because")
    form.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(form.get_by_label("Why")).to_have_value("Because")
    expect(form.get_by_role("radio", name="Wrong").nth(1)).to_be_checked()
    assert corrections(run_id) == 0


def test_undoing_a_change_brings_back_what_it_replaced(shop, page_for):
    (run_id,) = waiting(shop)
    shop.correct(run_id, answer="wrong", why="First")
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/runs/{run_id}?tab=corrections")
    # The service's own correction is another's: the person in the browser has said nothing yet.
    if page.locator("#correction").count() == 0:
        page.get_by_role("link", name="Change", exact=True).click()
    form = page.locator("#correction")
    page.keyboard.press("4") if not form.get_by_role("radio", name="Wrong").nth(1).is_checked() else None
    form.get_by_label("Why").fill("Second")
    form.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(re.compile("Taken back"))).to_be_visible()
    whys = [one["why"] for one in shop.editor.ok("GET", f"corrections?runId={run_id}")["data"]]
    assert whys == ["First"]


def test_a_run_that_is_erased_meanwhile_is_told_and_nothing_typed_is_lost(shop, page_for, troubles):
    troubles.expect("409|410|404")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("4")
    form.get_by_label("Why").fill("Still here")
    shop.admin.ok("POST", f"runs/{run_id}/erase")
    page.keyboard.press("Control+Enter")
    expect(form.get_by_text("This run was erased.")).to_be_visible()
    expect(form.get_by_label("Why")).to_have_value("Still here")


def test_what_others_did_meanwhile_is_told_and_saved_over_when_asked(shop, page_for, troubles):
    troubles.expect("409")
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    page.keyboard.press("r")
    dismiss(shop, run_id, reason="A test order")
    page.keyboard.press("Control+Enter")
    expect(form.get_by_text("Your correction still counts. Nothing you typed is lost.")).to_be_visible()
    form.get_by_role("button", name="Save anyway").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert corrections(run_id) == 1


def test_who_was_signed_out_meanwhile_signs_in_again_elsewhere_and_saves(shop, page_for, troubles):
    troubles.expect("401")
    (run_id,) = waiting(shop)
    person = shop.person("editor")
    page = page_for(person)
    form = opened(shop, page, run_id)
    page.keyboard.press("r")
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("You were signed out.")).to_be_visible()
    page.context.add_cookies([one for one in cookies if one["name"] == "sessionid"])
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert corrections(run_id) == 1


def test_two_people_who_go_on_at_once_get_two_runs(shop, page_for):
    runs = waiting(shop, 4)
    pages = [page_for(shop.person("editor")), page_for(shop.person("editor:2"))]
    for page, run_id in zip(pages, runs, strict=False):
        opened(shop, page, run_id)
        expect(page.locator("#held")).to_have_text("Held by you")
        page.keyboard.press("r")
    for page in pages:
        page.locator("#correction").evaluate(
            "form => { window.sent = form.querySelector('button[value=next]'); setTimeout(() => window.sent.click()) }"
        )
    for page in pages:
        expect(page.get_by_text("Saved.")).to_be_visible()
    there = [next(run_id for run_id in runs if run_id in page.url) for page in pages]
    assert sorted(there) == sorted(runs[2:])


def test_without_scripts_the_same_is_corrected(shop, page_for):
    right, wrong = waiting(shop, 2)
    page = page_for(shop.person("editor"), javascript=False)
    page.goto(f"/projects/{shop.project.slug}/runs/{right}?tab=corrections")
    page.locator("#decisions-right").check(force=True)
    page.locator("#answer-right").check(force=True)
    page.get_by_role("button", name="Save and next").click()
    expect(page).to_have_url(re.compile(wrong))
    page.locator("#decisions-wrong").check(force=True)
    page.locator("#answer-wrong").check(force=True)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Mark at least one call")).to_be_visible()
    mark(page, 1, "Shouldn't have been called")
    page.get_by_label("Add a call it should have made").select_option(TOOLS[1])
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("Name of another argument").last.fill("order")
    page.get_by_label("Its value, as JSON").last.fill('"A1"')
    page.get_by_label("What it should have said").fill("Refunded")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    found = said(shop, wrong)
    assert (found["shouldCall"], found["mustNotCall"]) == ([{"tool": TOOLS[1], "args": {"order": "A1"}}], [TOOLS[0]])
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("What it should have said")).to_have_value("Refunded")


def test_items_of_the_output_are_judged_where_they_stand(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    form.get_by_text("Items of the output").click()
    form.get_by_role("radiogroup", name="Item case-b").get_by_role("radio", name="Wrong").check(force=True)
    form.get_by_text("Judge any value of the output").click()
    form.get_by_role("button", name=re.compile("^note")).click()
    expect(form.get_by_role("radiogroup", name="Item text").get_by_role("radio", name="Wrong")).to_be_checked()
    form.get_by_role("radiogroup", name="Item text").get_by_role("radio", name="Right").check(force=True)
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    items = {(one["key"], one["verdict"], one["pointer"], one.get("rank")) for one in said(shop, run_id)["items"]}
    assert items == {("case-b", "wrong", "/matches/1", 1), ("text", "right", "/note", None)}


def test_a_class_that_nobody_here_may_give_says_why_and_the_wanted_one_is_chosen(shop, page_for):
    expert = shop.judge_class("expert", weight=3)
    shop.judge_class("bot", assertableBy={"principalKinds": ["service"]})
    make_rule(shop, name="Experts", when={}, judgeClassId=expert)
    shop.run()
    page = page_for(shop.person("editor"))
    form = opened(shop, page, queued_runs(shop)[0])
    expect(form.get_by_role("radio", name=re.compile("expert"))).to_be_checked()
    expect(form.get_by_text('"bot" may be given only by services.')).to_be_visible()
    page.keyboard.press("c")
    expect(form.get_by_role("radio", name=re.compile("no class"))).to_be_checked()


def test_the_form_is_accessible_open_and_refused_in_both_themes_and_fits_small_screens(shop, page_for):
    (run_id,) = waiting(shop)
    page = page_for(shop.person("editor"))
    form = opened(shop, page, run_id)
    assert_accessible(page)
    page.keyboard.press("2")
    page.keyboard.press("4")
    mark(page, 2, "Should have been called like this")
    form.get_by_label("to", exact=True).fill("no json")
    form.get_by_text("Items of the output").click()
    form.get_by_text("Judge any value of the output").click()
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_text("Not saved.")).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def test_texts_of_any_writing_and_size_are_corrected(shop, page_for):
    name = "ש" * 60 + "長い名前" * 30
    output = {"response": {"content": "שלום " * 200 + "🙂"}, "blob": "x" * 1_048_576}
    (run_id,) = waiting(shop, calls=[{"tool": TOOLS[0], "args": {name[:100]: name}}], output=output)
    page = page_for(shop.person("editor"), width=390)
    form = opened(shop, page, run_id)
    assert len(page.content()) < 200_000
    assert_no_sideways_scroll(page)
    form.locator("#answer-wrong").check(force=True)
    form.get_by_label("What it should have said").fill("مرحبا 👩‍👩‍👧")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Your correction")).to_be_visible()
    assert said(shop, run_id)["shouldSay"] == "مرحبا 👩‍👩‍👧"
    assert_no_sideways_scroll(page)
