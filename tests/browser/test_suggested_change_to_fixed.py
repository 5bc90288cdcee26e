"""From ten corrections to ten that are fixed: a change is suggested, tried, asked for, made live, and gone back from.

The endpoint is the example's, in a process of its own; the worker is a real one; all is done by people in browsers.
"""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.browsing import PHONE
from tests.support import example_agent
from tests.support.servers import free_port
from tests.support.shops import AGENT, Shop
from tests.support.workers import WorkerProcess

VERSION, CANDIDATE = "1.1.0", "1.1.0+change.1"
# A job of ten replays takes a second; a worker takes some to start, and longer on a busy machine.
A_JOB = 60_000
CASES = 10


def corrections(shop: Shop, ids: list[str]) -> list[dict[str, Any]]:
    """The corrections, as /v1 sends them now."""
    return [shop.editor.ok("GET", f"corrections/{one}") for one in ids]


def corrected(shop: Shop) -> list[dict[str, Any]]:
    """Ten corrections by which another tool should have been called."""
    example_agent.register(shop, VERSION)
    messages = [f"Where is order {number}?" for number in range(CASES)]
    runs = [example_agent.looked_up(shop, VERSION, message) for message in messages]
    said = [example_agent.should_have_searched(message) for message in messages]
    return [shop.correct(run, **one) for run, one in zip(runs, said, strict=True)]


def set_endpoint(admin: Page, shop: Shop, port: int) -> str:
    """The secret that a project admin is shown once the address of the agent's endpoint is set."""
    admin.goto(f"/projects/{shop.project.slug}/replay-endpoints?agent={AGENT}")
    admin.locator("input[name=url]").fill(f"http://127.0.0.1:{port}/")
    admin.get_by_role("button", name="Set it, and make its secret").click()
    return admin.locator("#secret").input_value()


def drafted(page: Page, shop: Shop, correction: dict[str, Any]) -> str:
    """The address of a change that is suggested from a correction, which is its evidence."""
    page.goto(f"/projects/{shop.project.slug}/runs/{correction['runId']}?tab=corrections")
    page.get_by_role("link", name="Suggest a change").click()
    expect(page.locator("input[name=evidence]:checked")).to_have_count(1)
    page.locator("[name=content]").fill('{"lookupTool": "orders.search"}')
    page.locator("[name=hypothesis]").fill("Searching finds orders that were renamed.")
    page.get_by_role("button", name="Draft it").click()
    page.wait_for_url(re.compile(r"/suggested-changes/[0-9a-f-]{36}$"))
    return page.url


def assert_fixed(page: Page, shop: Shop, ids: list[str]) -> None:
    """All of them say so: in the console, and over /v1."""
    for found in corrections(shop, ids):
        assert found["status"] == "fixed", found
        assert (found["fixedIn"]["version"], found["fixedIn"]["how"]) == (CANDIDATE, "pin")
        assert found["fixedIn"]["by"] == {"kind": "user", "id": str(shop.person("editor:reviewer").pk)}
    page.goto(f"/projects/{shop.project.slug}/runs/{found['runId']}?tab=corrections")
    expect(page.get_by_text(f"Fixed in {CANDIDATE}").first).to_be_visible()


def assert_reopened(page: Page, shop: Shop, ids: list[str]) -> None:
    """All of them are their owner's again, since it is decisions that are wrong."""
    for found in corrections(shop, ids):
        assert found["status"] == "with-owner", found
        assert (found["reopenedIn"]["version"], found["reopenedIn"]["how"]) == (VERSION, "went-back")
    page.goto(f"/projects/{shop.project.slug}/runs/{found['runId']}?tab=corrections")
    expect(page.get_by_text(f"{VERSION} got it wrong again. {CANDIDATE} had fixed it.")).to_be_visible()


def test_ten_corrections_are_fixed_by_a_change_that_one_suggests_and_another_makes_live(
    shop: Shop, page_for: Any, worker: WorkerProcess
):
    made = corrected(shop)
    ids = [one["id"] for one in made]
    roster = {"userId": str(shop.person("editor:reviewer").pk), "role": "standard"}
    shop.admin.ok("POST", "approvals/reviewers", roster)
    port = free_port()
    secret = set_endpoint(page_for(shop.person("admin")), shop, port)
    with example_agent.serving(secret, port=port):
        author, reviewer = page_for(shop.person("editor")), page_for(shop.person("editor:reviewer"), width=PHONE)
        address = drafted(author, shop, made[0])

        author.get_by_role("button", name="Evaluate it").click()
        expect(author.get_by_role("heading", name="Better on the test cases")).to_be_visible(timeout=A_JOB)
        expect(author.get_by_text("Being evaluated")).to_have_count(0)
        expect(author.locator("#evaluation")).to_contain_text("10 got better and none got worse")
        author.get_by_role("button", name="Ask to make it live").click()
        expect(author.get_by_role("button", name="Make it live")).to_have_count(0)

        reviewer.goto(address)
        reviewer.get_by_role("button", name="Make it live").click()
        expect(reviewer.get_by_text("10 of 10 corrections are fixed.")).to_be_visible(timeout=A_JOB)
        pin = shop.editor.ok("GET", f"projects/{shop.project.pk}/agents/{AGENT}/pin")
        assert pin["version"] == CANDIDATE
        assert_fixed(author, shop, ids)

        reviewer.get_by_role("button", name="Roll back").click()
        expect(reviewer.get_by_role("button", name="Roll back")).to_have_count(0)
        worker.wait_until(lambda: all(one["status"] == "with-owner" for one in corrections(shop, ids)))
        assert_reopened(author, shop, ids)
        reviewer.goto(address)
        expect(reviewer.get_by_text("Rolled back").first).to_be_visible()
