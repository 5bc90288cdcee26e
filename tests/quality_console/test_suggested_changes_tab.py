"""Suggested changes by what they wait for: grouped for whoever looks, each only when it has any, with its count."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from quality_console.changes import tab as tab_module
from tests.builders import browser
from tests.improve import suggesting
from tests.improve.suggesting import PROMPT, TEMPLATE
from tests.quality_console.tabs import tab, text_of
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, Shop

REVIEWER = "editor:reviewer"


def prompt(line: str) -> dict[str, object]:
    return {"blockId": PROMPT, "content": {"template": f"{TEMPLATE}\n{line}"}}


def address(shop: Shop, query: str = "") -> str:
    return f"/projects/{shop.project.slug}/quality?tab=suggested-changes&{query}"


@pytest.fixture(scope="module")
def changes(shop: Shop) -> dict[str, str]:
    """One in each of many statuses, by name."""
    suggesting.register(shop)
    suggesting.corrected_runs(shop, 8)
    suggesting.reviewer(shop, REVIEWER)
    made = {
        "better": suggesting.draft(shop, hypothesis="Refund at once"),
        "asked": suggesting.draft(shop, change=prompt("Ask."), hypothesis="Ask before it is refunded"),
        "draft": suggesting.draft(shop, change=prompt("Draft."), hypothesis="Raise the look-back to 90 days"),
        "going": suggesting.draft(shop, change=prompt("Going."), hypothesis="Offer the cheaper fare first"),
        "not better": suggesting.draft(shop, change=prompt("Not."), hypothesis="Ask for the booking number"),
        "failed": suggesting.draft(shop, change=prompt("Failed."), hypothesis="Answer in their own language"),
        "withdrawn": suggesting.draft(shop, change=prompt("Gone."), hypothesis="Never split a payment"),
    }
    suggesting.evaluate(shop, made["better"])
    suggesting.evaluate(shop, made["not better"])
    suggesting.evaluate(shop, made["asked"])
    shop.admin.ok("POST", f"proposals/{made['asked']}/request", {"reason": "It is safer."})
    suggesting.evaluate(shop, made["failed"], fails=True)
    suggesting.begin(shop, made["going"])
    shop.editor.ok("POST", f"proposals/{made['withdrawn']}/withdraw", {"reason": "The tool does it itself"})
    return made


@pytest.mark.parametrize(
    ("by", "first"), [(REVIEWER, "To review (2)"), ("viewer", "Waiting for a reviewer (2)"), ("editor", "Waiting")]
)
def test_what_waits_for_a_decision_is_to_be_reviewed_by_who_may_decide_alone(shop, changes, by: str, first: str):
    found = text_of(tab(shop, "suggested-changes", by=by))
    assert first in found
    assert ("To review" in found) == (by == REVIEWER)
    for group in ("Being evaluated (2)", "Need a look (2)", "Closed (1)"):
        assert group in found


def test_each_says_where_it_stands_and_the_shares_that_it_rests_on(shop, changes):
    found = text_of(tab(shop, "suggested-changes"))
    for said in (
        "Better on the test cases Marked right 0% →to 100% of 8 test cases",
        "In review",
        "Drafted, not evaluated yet",
        "Being evaluated 0 of 8 test cases replayed",
        "Not better on the test cases Marked right 0% →to 0% of 8 test cases",
        "Evaluation failed The agent's replay endpoint answered 0 of 8 cases",
        "Withdrawn The tool does it itself",
        "Each suggested change's page holds its actions: evaluate, ask to make it live, roll back, withdraw.",
    ):
        assert said in found
    assert "Suggested changes 7" in found


def test_a_search_looks_in_words_block_and_version_and_is_kept_by_the_agents_filter(shop, changes):
    assert "Raise the look-back" in text_of(tab(shop, "suggested-changes", "q=look-back"))
    found = text_of(tab(shop, "suggested-changes", f"q=fare+cheaper&agent={AGENT}"))
    assert "Offer the cheaper fare first" in found and "Refund at once" not in found
    assert "Refund at once" in text_of(tab(shop, "suggested-changes", "q=routing"))
    nothing = text_of(tab(shop, "suggested-changes", "q=<b>nowhere</b>"))
    assert "No suggested change matches" in nothing and "<b>nowhere</b>" in nothing
    assert "There is none of nobody." in text_of(tab(shop, "suggested-changes", "agent=nobody"))


def test_one_group_alone_has_pages_and_what_no_group_is_counts_as_not_asked(shop, changes, monkeypatch):
    monkeypatch.setattr(tab_module, "PER_GROUP", 1)
    monkeypatch.setattr(tab_module, "PER_PAGE", 1)
    every = tab(shop, "suggested-changes").content.decode()
    assert "1 more of Need a look (2)" in every and "group=need-a-look" in every
    pages = [text_of(tab(shop, "suggested-changes", f"group=need-a-look&page={page}")) for page in (1, 2)]
    assert ("Ask for the booking number" in pages[0]) != ("Ask for the booking number" in pages[1])
    assert all("Closed" not in page and "All suggested changes" in page for page in pages)
    assert "Closed (1)" in text_of(tab(shop, "suggested-changes", "group=everything"))
    assert "Nothing in this group" in text_of(tab(shop, "suggested-changes", "group=to-review"))


def test_the_tab_takes_the_same_statements_however_many_there_are(fresh: Shop):
    suggesting.register(fresh)
    client: Client = browser(fresh.person("editor"))

    def counted() -> int:
        with recorded_queries() as statements:
            assert client.get(address(fresh)).status_code == 200
        return len(statements)

    def more(count: int) -> Iterator[str]:
        for number in range(count):
            yield suggesting.draft(fresh, change=prompt(f"{count}, {number}"))

    assert len(list(more(2))) == 2
    few = counted()
    assert len(list(more(30))) == 30
    assert counted() == few <= 13


def test_what_goes_on_asks_for_itself_alone_until_it_is_over(shop, changes):
    client = browser(shop.person("viewer"))
    row = client.get(f"{suggesting.page_of(shop, changes['going'])}/progress?in=row").content.decode()
    assert "0 of 8 test cases replayed" in row and 'hx-trigger="every 3s"' in row
    over = client.get(f"{suggesting.page_of(shop, changes['better'])}/progress?in=row").content.decode()
    assert "Better on the test cases" in over and "hx-trigger" not in over
