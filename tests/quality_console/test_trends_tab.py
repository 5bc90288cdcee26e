"""The Trends tab says what the reference says of a rule's results, and nothing that the numbers don't hold."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from kindgi.api.times import as_of, now
from quality_console.filters.trends import since_of
from tests.builders import browser
from tests.judging.queues import change_rule, make_rule, old_rule, rules_path
from tests.quality_console.tabs import tab, text_of
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, VERSION, Shop

NEWER = "1.1.0"


@pytest.fixture(scope="module")
def rule(shop: Shop) -> dict[str, Any]:
    """The reference's: 12 corrections of each version, of which one is 95% right by weight; and an earlier version."""
    expert = shop.judge_class("expert", weight=3)
    bot = shop.judge_class("bot", assertableBy={"principalKinds": ["service"]})
    made = old_rule(shop, name="Trend check", maxOpen=1)
    correct(shop, [VERSION] * 2, right=2)
    shop.run(agent={"id": AGENT, "version": VERSION})  # waits, so that the next is kept out by the cap
    kept_out = shop.run(agent={"id": AGENT, "version": VERSION})
    assert kept_out
    made = change_rule(shop, made, maxOpen=None)
    correct(shop, [NEWER] * 4, right=4, correctorGroupId=expert)
    correct(shop, [NEWER] * 8, right=7)
    correct(shop, [VERSION] * 12, right=3, by="service", correctorGroupId=bot)
    shop.run(agent={"id": AGENT, "version": "0.9.0"})
    return made


def correct(shop: Shop, versions: list[str], *, right: int, by: str = "editor", **body: Any) -> None:
    """Report a run of each version and correct it: the first ``right`` of them as right."""
    for number, version in enumerate(versions):
        said = {"answer": "right"} if number < right else {"answer": "wrong", "why": "It misses the point."}
        shop.correct(shop.run(agent={"id": AGENT, "version": version}), by=by, **said, **body)


@pytest.mark.parametrize(
    "sentence",
    [
        "1.1.0: about 95% marked right, from 12 corrections (12 runs corrected so far); range 64–100%",
        "1.0.0: about 25% marked right, from 12 corrections (12 runs corrected so far); range 9–53%",
        "1.1.0 is marked right more often than 1.0.0.",
        "0.9.0: too few corrections to say (0 so far)",
        "Weighted by judge class: An expert's correction counts 3× an unclassified one;"
        " a bot's correction counts the same as an unclassified one.",
        "Rule version 1 shown apart, never added in",
        "Too few corrections to chart yet: a version shows from 10 corrections.",
        "1.0.0: too few corrections to say (2 so far)",
        "1 matched run wasn't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times.",
        "Every count",
        "Corrections by people, per rule and by its latest version.",
        "Rule version 2 · Completed runs of shop.desk · Wants any correction",
        "All time 90 days 30 days",
    ],
)
def test_the_tab_has_the_references_sentences(shop, rule, sentence):
    assert sentence in text_of(tab(shop, "trends"))


def test_ranges_that_overlap_are_said_to(undone):
    old_rule(undone, name="Alike")
    correct(undone, [VERSION, NEWER] * 10, right=20)
    found = text_of(tab(undone, "trends", "q=alike"))
    assert "The ranges overlap, so none is said to be marked right more often." in found
    assert "is marked right more often than" not in found


def test_a_chart_is_said_to_who_does_not_see_it(shop, rule):
    page = tab(shop, "trends").content.decode()
    assert "Trend check, share marked right by version: 1.1.0 95%, range 64 to 100%; 1.0.0 25%, range 9 to 53%;" in page
    assert page.count('role="img"') == 1
    assert ' style="' not in page


def test_every_count_has_each_number_of_each_group(shop, rule):
    found = text_of(tab(shop, "trends", f"counts={rule['ruleId']}"))
    heads = (
        "Rule version Agent version Queued Open Corrected Dismissed Erased Kept out by the cap Corrections"
        " Runs corrected Effective runs Marked right Range Right by class"
    )
    assert heads in found
    assert "2 1.1.0 12 0 12 0 0 0 12 12 9.1 95.0% 64–100% expert 4 of 4, unclassified 7 of 8" in found
    assert "2 1.0.0 12 0 12 0 0 0 12 12 12.0 25.0% 9–53% bot 3 of 12" in found
    assert "2 0.9.0 1 1 0 0 0 0 0 0 0.0 – – –" in found
    assert "1 1.0.0 3 1 2 0 0 1 2 2 2.0 100.0% – unclassified 2 of 2" in found


def test_every_count_is_open_and_sorted_as_the_address_says(shop, rule):
    opened = f"counts={rule['ruleId']}"
    rows = tab(shop, "trends", f"sort=-judgments&{opened}").content.decode()
    assert 'aria-expanded="true"' in rows
    assert 'aria-sort="descending"' in rows
    assert "<table" not in tab(shop, "trends").content.decode()
    text = text_of(tab(shop, "trends", f"sort=judgments&{opened}"))
    places = [text.index(row) for row in ("2 0.9.0 1 1", "1 1.0.0 3 1", "2 1.1.0 12 0")]
    assert all(one < next_one for one, next_one in pairwise(places))


def test_only_the_columns_that_were_chosen_are_shown(shop, rule):
    found = text_of(tab(shop, "trends", f"columns=judgments,share&counts={rule['ruleId']}"))
    assert "Agent version Corrections Marked right 1.1.0 12 95.0% 1.0.0 12 25.0%" in found


def test_how_many_are_open_leads_to_them_whatever_the_period(shop, rule):
    for query in ("", "period=30"):
        page = tab(shop, "trends", query).content.decode()
        assert f"tab=to-correct&amp;whose=everyone&amp;rule={rule['ruleId']}" in page
        assert "2 open" in text_of(tab(shop, "trends", query))


def test_a_period_leaves_out_what_was_queued_before_it(undone):
    with as_of(now() - timedelta(days=100)):
        make_rule(undone, name="Old")
    for days in (95, 40, 1):
        with as_of(now() - timedelta(days=days)):
            undone.correct(undone.run())
    for query, count in (("", 3), ("period=90", 2), ("period=30", 1), ("period=7", 3), ("period=", 3)):
        assert f"({count} so far)" in text_of(tab(undone, "trends", f"q=Old&{query}")), query


@pytest.mark.parametrize(
    ("zone", "at", "since"),
    [
        ("UTC", datetime(2026, 3, 10, 2, tzinfo=UTC), datetime(2026, 2, 8, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 10, 2, tzinfo=UTC), datetime(2026, 2, 7, 5, tzinfo=UTC)),
        ("Asia/Kolkata", datetime(2026, 3, 9, 20, tzinfo=UTC), datetime(2026, 2, 7, 18, 30, tzinfo=UTC)),
    ],
)
def test_a_period_begins_with_a_day_of_the_viewers_zone(zone, at, since):
    with timezone.override(zone):
        assert since_of("30", at=at) == since
        assert since_of("", at=at) is None


def test_a_period_says_since_when(shop, rule):
    first = timezone.localtime(now()).date() - timedelta(days=30)
    assert f"Of runs queued since {first:%-d %b %Y}, 12 AM UTC." in text_of(tab(shop, "trends", "period=30"))


def test_the_statements_are_the_same_for_any_number_of_rules(undone):
    client, address = browser(undone.person("viewer")), f"/projects/{undone.project.slug}/quality?tab=trends"
    counts = []
    for wanted in (1, 5, 25):
        for number in range(wanted):
            make_rule(undone, name=f"Rule {wanted} {number}")
        with recorded_queries() as statements:
            assert client.get(address).status_code == 200
        counts.append(len(statements))
    assert len(set(counts)) == 1, counts
    assert counts[0] <= 12, statements


def test_many_rules_come_a_page_at_a_time_by_name(undone):
    for number in range(23):
        make_rule(undone, name=f"many {number:02}")
    first, last = tab(undone, "trends", "q=many"), tab(undone, "trends", "q=many&page=3")
    assert "1–10 of 23 rules, by name" in text_of(first)
    assert [f"many {number:02}" in text_of(last) for number in (0, 19, 20, 22)] == [False, False, True, True]
    assert b'rel="next"' in first.content
    assert b'rel="next"' not in last.content
    assert len(first.content) < 100_000
    assert "21–23 of 23 rules" in text_of(tab(undone, "trends", "q=many&page=999"))
    assert "1–10 of 23 rules" in text_of(tab(undone, "trends", "q=many&page=x"))


def test_removed_rules_are_apart_and_one_that_is_named_is_shown_alone(undone):
    gone, kept = make_rule(undone, name="Gone"), make_rule(undone, name="Stayed")
    undone.editor.ok("POST", rules_path(undone, gone["ruleId"], "unregister"))
    assert ["Gone" in text_of(tab(undone, "trends")), "Stayed" in text_of(tab(undone, "trends"))] == [False, True]
    removed = text_of(tab(undone, "trends", "removed=yes"))
    assert ["Gone Removed" in removed, "Stayed" in removed] == [True, False]
    for one, other in ((gone, "Stayed"), (kept, "Gone")):
        alone = text_of(tab(undone, "trends", f"rule={one['ruleId']}"))
        assert one["name"] in alone
        assert other not in alone
        assert "All rules" in alone


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=nothing+like+it", "No rule in use has “nothing like it” in its name."),
        ("q=%3Cb%3E", "No rule in use has “<b>” in its name."),
        ("rule=01900000-0000-7000-8000-000000000000", "This project has no such rule."),
        ("removed=yes&q=nothing", "No removed rule has “nothing” in its name."),
    ],
)
def test_what_matches_nothing_says_what_was_asked_and_offers_to_clear_it(shop, rule, query, said):
    found = tab(shop, "trends", query)
    assert said in text_of(found)
    assert "Clear the search" in text_of(found)
    assert "“<b>”" not in found.content.decode()


@pytest.mark.parametrize(
    "query", ["rule=x", "q=%00", "sort=x", "counts=x", "period=x", "removed=x", "columns=x", "show=x"]
)
def test_what_the_address_says_in_vain_is_ignored(shop, rule, query):
    found = tab(shop, "trends", query)
    assert found.status_code == 200
    assert "Trend check" in text_of(found)


def test_without_rules_the_tab_says_what_will_be_there(undone):
    empty = replace(undone, project=undone.other_project())
    assert "No rules yet" in text_of(tab(empty, "trends", by="tenant-admin"))


def test_only_the_tab_is_sent_where_only_the_tab_is_swapped(shop, rule):
    part = tab(shop, "trends", headers={"HX-Request": "true", "HX-Target": "tab"}).content.decode()
    assert part.strip().startswith('<div id="tab">')
    assert "<html" not in part


def test_another_tenants_rules_are_nobodys(shop, rule):
    other = Shop.open()
    assert "Trend check" not in text_of(tab(other, "trends", f"rule={rule['ruleId']}"))
