"""Suggested changes with the keyboard alone, without scripts, by two reviewers at once, and whatever blocks hold."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from improve.models import Proposal
from kindgi.runs.blocks import LONGEST
from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll
from tests.browser.browsing import PHONE
from tests.browser.shapes import LONG_AGENT
from tests.improve import suggesting
from tests.improve.replays import work
from tests.improve.suggesting import BLOCK, FROM, PROMPT, SETTINGS
from tests.support.shops import AGENT, Shop

MOST_TABS = 80
REFUNDS = SETTINGS.replace("shop.lookup", "shop.refund")


def tab_to(page: Page, wanted: Locator) -> None:
    """Move the focus to it, by Tab alone, and see where it is."""
    wanted.wait_for()
    for _ in range(MOST_TABS):
        if wanted.evaluate("element => element === document.activeElement"):
            expect(wanted).to_be_in_viewport()
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is never come to.")


def press(page: Page, name: str, *, role: str = "button") -> None:
    """Come to it by Tab, and press Enter."""
    tab_to(page, page.get_by_role(role, name=name, exact=True))  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def test_by_keyboard_alone_a_change_is_drafted_evaluated_and_decided_of_two_reviewers_by_one(
    shop: Shop, page_for, troubles
):
    suggesting.register(shop)
    correction = suggesting.corrected_runs(shop, 7)[0]
    reviewers = [suggesting.reviewer(shop, f"editor:{name}") for name in ("first", "second")]
    author = page_for(shop.person("editor"))
    author.goto(f"/projects/{shop.project.slug}/runs/{correction['runId']}?tab=corrections")
    press(author, "Suggest a change from the correction by you", role="link")
    content = author.get_by_label("The settings' values, as JSON")
    tab_to(author, content)
    author.keyboard.press("ControlOrMeta+a")
    author.keyboard.insert_text(REFUNDS)
    tab_to(author, author.get_by_label("Why it should help"))
    author.keyboard.insert_text("Refund at once.")
    press(author, "Draft it")
    expect(author.get_by_role("heading", level=1)).to_have_text("Refund at once")
    with suggesting.endpoint(shop):
        author.reload()
        press(author, "Evaluate it")
        expect(author.get_by_text("0 of 7 test cases replayed").first).to_be_visible()
        work(suggesting.job_of(author.url.rpartition("/")[2]))
    expect(author.get_by_text("7 got better and none got worse: better by more than chance.")).to_be_visible()
    press(author, "Both sides of " + correction["runId"][:8], role="link")
    expect(author.get_by_role("region", name="With the change: calls")).to_contain_text("refund")
    assert_accessible(author, "light")
    press(author, "Ask to make it live")
    first, second = (page_for(one) for one in reviewers)
    for page in (first, second):
        page.goto(author.url.partition("?")[0])
    press(first, "Make it live")
    expect(first.get_by_role("heading", name="It is live")).to_be_visible()
    troubles.expect("409 POST")
    tab_to(second, second.get_by_label("Why needed to reject"))
    second.keyboard.insert_text("It refunds too much.")
    press(second, "Reject")
    told = second.get_by_role("alert")
    expect(told).to_contain_text("It stands as: Live in 2.4.0+change.1.")
    expect(told).to_contain_text("It refunds too much.")


def test_without_scripts_a_change_is_drafted_evaluated_asked_for_and_refused(shop: Shop, page_for):
    suggesting.register(shop)
    suggesting.corrected_runs(shop, 7)
    reviewer = page_for(suggesting.reviewer(shop), javascript=False, width=PHONE)
    page = page_for(shop.person("editor"), javascript=False, width=PHONE)
    page.goto(f"/projects/{shop.project.slug}/suggested-changes/new?agent={AGENT}&version={FROM}")
    page.get_by_label("The settings' values, as JSON").fill("{nothing")
    page.get_by_label("Why it should help").fill("Refund at once.")
    page.get_by_role("button", name="Draft it").click()
    expect(page.get_by_text("This isn't JSON: something is wrong at line 1, column 2.")).to_be_visible()
    expect(page.get_by_label("Why it should help")).to_have_value("Refund at once.")
    page.get_by_label("The settings' values, as JSON").fill(REFUNDS)
    page.get_by_role("button", name="Draft it").click()
    with suggesting.endpoint(shop):
        page.reload()
        page.get_by_role("button", name="Evaluate it").click()
        work(suggesting.job_of(page.url.rpartition("/")[2]))
    page.get_by_role("link", name="Refresh").click()
    page.get_by_role("button", name="Ask to make it live").click()
    reviewer.goto(f"/projects/{shop.project.slug}/quality?tab=suggested-changes")
    expect(reviewer.get_by_role("heading", name="To review (1)")).to_be_visible()
    reviewer.get_by_role("link", name="Refund at once").click()
    reviewer.get_by_role("button", name="Reject").click()
    expect(reviewer.get_by_text("Say why you reject it")).to_be_visible()
    reviewer.get_by_label("Why needed to reject").fill("Not before the audit.")
    reviewer.get_by_role("button", name="Reject").click()
    expect(reviewer.get_by_role("heading", name="Rejected")).to_be_visible()
    expect(reviewer.get_by_text("Not before the audit.")).to_be_visible()


def test_whatever_a_block_is_called_and_holds_fits(shop: Shop, page_for):
    template = ("שלום {{name}} <script>alert(1)</script> \u202e" + "unbroken" * 40 + "\n") * 400
    blocks = [
        {"id": "b" * 200, "kind": "prompt", "template": template[:LONGEST]},
        {"id": BLOCK, "kind": "settings", "values": {"key" * 60: "v" * 5000}},
    ]
    shop.admin.ok("PUT", f"agents/{LONG_AGENT}/versions/{'9' * 60}.0.0", {"blocks": blocks})
    said = {"fromVersion": f"{'9' * 60}.0.0", "hypothesis": "ארוך " + "W" * 1900}
    changes = (
        {
            "blockId": "b" * 200,
            "content": {"template": template[: LONGEST // 2][::-1].replace("{", "").replace("}", "")},
        },
        {"blockId": BLOCK, "content": {"values": json.loads('{"%s": 1}' % ("other" * 60))}},
    )
    made = [suggesting.draft(shop, agent=LONG_AGENT, change=change, **said) for change in changes]
    page = page_for(shop.person("editor"), width=PHONE)
    base = f"/projects/{shop.project.slug}"
    new = f"{base}/suggested-changes/new?agent={LONG_AGENT}&version={said['fromVersion']}"
    tab = f"{base}/quality?tab=suggested-changes"
    for address in (tab, new, *(f"{base}/suggested-changes/{one}" for one in made)):
        page.goto(address)
        assert_no_sideways_scroll(page)
    assert_accessible(page, "dark")


@pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no scripts"])
def test_another_block_is_shown_and_what_was_typed_in_each_stays(shop: Shop, page_for, javascript: bool):
    suggesting.register(shop)
    page = page_for(shop.person("editor"), javascript=javascript)
    page.goto(f"/projects/{shop.project.slug}/suggested-changes/new?agent={AGENT}&version={FROM}")
    settings, prompt = page.get_by_label("The settings' values, as JSON"), page.get_by_label("The prompt's template")
    settings.fill("{half a thought")
    page.get_by_label("Why it should help").fill("It refunds at once.")
    page.get_by_role("button", name=PROMPT).click()
    expect(prompt).to_have_value(suggesting.TEMPLATE)
    expect(page.get_by_role("button", name=PROMPT)).to_have_attribute("aria-current", "true")
    prompt.fill("Refund at once.")
    page.get_by_role("button", name=BLOCK).click()
    expect(settings).to_have_value("{half a thought")
    page.get_by_role("button", name=PROMPT).click()
    expect(prompt).to_have_value("Refund at once.")
    expect(page.get_by_label("Why it should help")).to_have_value("It refunds at once.")
    page.get_by_role("button", name="Draft it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It refunds at once")
    (drafted,) = Proposal.objects.filter(project=shop.project)
    assert (drafted.block_name, json.loads(drafted.content)) == (PROMPT, {"template": "Refund at once."})


def test_what_is_pressed_twice_is_sent_once(shop: Shop, page_for):
    suggesting.register(shop)
    page = page_for(shop.person("admin"))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto(f"/projects/{shop.project.slug}/replay-endpoints?agent={AGENT}")
    page.get_by_label("Address").fill("https://agents.example/replay")
    page.get_by_role("button", name="Set it, and make its secret").dblclick()
    expect(page.get_by_label("The signing secret", exact=True)).to_have_value(re.compile("^whsec_"))
    assert len(sent) == 1
    page.goto(f"/projects/{shop.project.slug}/suggested-changes/new?agent={AGENT}&version={FROM}")
    page.get_by_label("The settings' values, as JSON").fill(REFUNDS)
    page.get_by_label("Why it should help").fill("It refunds at once.")
    page.get_by_role("button", name="Draft it").dblclick()
    expect(page.get_by_role("heading", level=1)).to_have_text("It refunds at once")
    assert len(sent) == 2


def test_whoever_types_when_an_evaluation_ends_goes_on_and_is_told(shop: Shop, page_for):
    suggesting.register(shop)
    suggesting.corrected_runs(shop, 7)
    made = suggesting.draft(shop)
    writer, reader, searcher = (page_for(shop.person(one)) for one in ("editor", "viewer", "editor:second"))
    reason, search = writer.locator("#withdraw-reason"), searcher.get_by_role("searchbox")
    with suggesting.endpoint(shop):
        job = suggesting.begin(shop, made)
        for page in (writer, reader):
            page.goto(suggesting.page_of(shop, made))
        searcher.goto(f"/projects/{shop.project.slug}/quality?tab=suggested-changes")
        writer.get_by_text("Withdraw it", exact=True).click()
        reason.press_sequentially("It is ")
        search.press_sequentially("Ref")
        expect(writer.get_by_role("progressbar")).to_be_visible()
        work(job)
    better = "7 got better and none got worse: better by more than chance."
    expect(reader.get_by_text(better)).to_be_visible()
    expect(searcher.locator("#ended")).to_contain_text("Refund at once: its evaluation has ended.")
    expect(searcher.locator("li.change")).to_contain_text("Better on the test cases")
    told = writer.get_by_role("status").filter(has_text="The evaluation has ended.")
    expect(told).to_be_visible()
    expect(writer.get_by_role("progressbar")).to_have_count(0)
    for page, field, text in ((writer, reason, "It is slow."), (searcher, search, "Refund")):
        expect(field).to_be_focused()
        page.keyboard.type(text[6:] if field is reason else text[3:])
        expect(field).to_have_value(text)
    for page in (writer, searcher):
        assert_accessible(page)
        assert_no_sideways_scroll(page)
    told.get_by_role("link", name="Show what came out").click()
    expect(writer.get_by_text(better)).to_be_visible()


def test_while_another_block_is_on_its_way_nothing_can_be_typed_that_would_be_lost(shop: Shop, page_for, troubles):
    suggesting.register(shop)
    page = page_for(shop.person("editor"))
    page.goto(f"/projects/{shop.project.slug}/suggested-changes/new?agent={AGENT}&version={FROM}")
    form, held = page.locator("#draft > form"), list[Route]()
    page.route("**/suggested-changes/new?*", lambda route: held.append(route))
    page.get_by_label("Why it should help").fill("It refunds ")
    page.get_by_role("button", name=PROMPT).click()
    expect(form).to_have_attribute("aria-busy", "true")
    assert form.evaluate("form => form.inert")
    troubles.expect("ERR_FAILED", "htmx:sendError", "htmx:afterRequest")
    held.pop().abort()
    expect(page.get_by_role("button", name=PROMPT)).to_be_focused()
    expect(form).not_to_have_attribute("aria-busy", "true")
    page.keyboard.press("Enter")
    expect(form).to_have_attribute("aria-busy", "true")
    held.pop().continue_()
    expect(page.get_by_label("The prompt's template")).to_have_value(suggesting.TEMPLATE)
    expect(page.get_by_role("button", name=PROMPT)).to_be_focused()
    page.unroute("**/suggested-changes/new?*")
    page.get_by_label("The prompt's template").fill("")
    page.get_by_role("button", name=BLOCK).click()
    expect(page.get_by_role("button", name=BLOCK)).to_be_focused()
    page.get_by_role("button", name=PROMPT).click()
    expect(page.get_by_label("The prompt's template")).to_have_value("")
    expect(page.get_by_label("Why it should help")).to_have_value("It refunds ")


def test_a_form_that_comes_back_leaves_the_others_as_they_were(shop: Shop, page_for):
    suggesting.register(shop)
    suggesting.corrected_runs(shop, 1)
    made = suggesting.draft(shop)
    page = page_for(shop.person("editor"))
    with suggesting.endpoint(shop):
        page.goto(suggesting.page_of(shop, made))
        page.get_by_label("Replay each case").select_option("3")
        page.get_by_label("Count only experts").check()
        page.get_by_text("Withdraw it", exact=True).click()
        page.locator("#withdraw-reason").fill("  ")
        page.get_by_role("button", name="Withdraw", exact=True).click()
        expect(page.get_by_text("Say why: others read it in the history.")).to_be_visible()
        expect(page.get_by_label("Replay each case")).to_have_value("3")
        expect(page.get_by_label("Count only experts")).to_be_checked()


def test_what_turns_the_direction_of_a_line_is_a_sign_that_does_nothing(shop: Shop, page_for):
    suggesting.register(shop)
    template = f"{suggesting.TEMPLATE}\nTAB\u202eevil\u202c is read.\n\u2067שבת TAB\u200f"
    made = suggesting.draft(shop, change={"blockId": PROMPT, "content": {"template": template}})
    for width in (1440, PHONE):
        page = page_for(shop.person("editor"), width=width)
        page.goto(suggesting.page_of(shop, made))
        line, rtl = page.locator(".diff tr.new td:last-child").all()
        expect(line).to_have_text("TABU+202EevilU+202C is read.")
        expect(rtl).to_have_text("U+2067שבת TABU+200F")
        expect(line.locator(".control").first).to_have_attribute("title", "right-to-left override")
        assert rtl.evaluate("cell => cell.matches(':dir(rtl)')") and line.evaluate("cell => cell.matches(':dir(ltr)')")
        letters = "cell => [...cell.childNodes].filter(one => one.nodeType === 3).map(one => one.data)"
        assert line.evaluate(letters) == ["TAB", "evil", " is read."]
        assert_no_sideways_scroll(page)
        assert_accessible(page)
    assert shop.editor.ok("GET", f"proposals/{made}")["change"]["content"]["template"] == template
