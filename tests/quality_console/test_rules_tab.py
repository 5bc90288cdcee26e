"""The Rules tab says each rule in words, with what it has open; found, sorted and filtered by its address alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.utils.html import escape

from tests.builders import browser
from tests.judging.queues import change_rule, make_rule, old_rule, rules_path
from tests.support.queries import assert_queries, recorded_queries
from tests.support.shops import AGENT, Shop


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def words_of(html: str) -> str:
    """What a page says, in one line."""
    parser = _Text()
    parser.feed(html)
    return " ".join(" ".join(parser.parts).split())


def opened(shop: Shop, query: str = "", *, by: str = "editor", status: int = 200, headers: Any = None) -> str:
    """The tab as the person gets it."""
    answer = browser(shop.person(by)).get(f"/projects/{shop.project.slug}/quality?tab=rules{query}", headers=headers)
    assert answer.status_code == status, answer.content
    return str(answer.content.decode())


def names(html: str) -> list[str]:
    """The rules of the table, in its order."""
    return re.findall(r'<span class="what">([^<]*)</span>', html)


def test_each_rule_is_said_in_words(undone: Shop):
    expert = undone.judge_class("expert")
    make_rule(undone, name="Support sample", sample=0.1, maxOpen=5, judgeClassId=expert)
    make_rule(undone, name="Everything")
    said = words_of(opened(undone))
    assert f"Support sample Version 1 Completed runs of {AGENT} Takes 1 in 10 An expert correction" in said
    assert f"Everything Version 1 Completed runs of {AGENT} Takes every matching run Any correction No cap" in said
    assert "No new items while 5 are open" in said
    assert "2 rules. A rule matches an agent's or a flow's own runs, not an agent's turns as a flow's step." in said


def test_what_a_rule_has_open_leads_to_these_runs(undone: Shop):
    rule = old_rule(undone, maxOpen=2)
    idle = make_rule(undone, name="Idle", when={"agentIds": ["nobody"]})
    undone.run()
    undone.run()
    html = opened(undone)
    assert re.search(
        rf'id="open-{rule["ruleId"]}"[^>]*href="[^"]*tab=to-correct[^"]*rule={rule["ruleId"]}"[^>]*>2 open<', html
    )
    assert re.search(rf'id="open-{idle["ruleId"]}"[^>]*class="muted"[^>]*>None open<', html)
    assert "Full: adds nothing until one is corrected" in html


def test_a_rule_that_is_off_says_so_and_isnt_called_full(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    undone.run()
    change_rule(undone, rule, enabled=False)
    html = opened(undone)
    assert ">Off</span>" in html
    assert "Full:" not in html


def test_removed_rules_are_behind_a_filter(undone: Shop):
    make_rule(undone, name="Stays")
    gone = make_rule(undone, name="Gone")
    assert "Removed" not in words_of(opened(undone))
    undone.editor.ok("POST", rules_path(undone, gone["ruleId"], "unregister"))
    assert names(opened(undone)) == ["Stays"]
    html = opened(undone, "&show=removed")
    assert names(html) == ["Gone"]
    assert "Change Gone" not in html
    assert "History of Gone" in html


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SUPPORT", ["Support sample"]),
        ("orders", ["Flows"]),
        ("expert corr", ["Support sample"]),
        ("sample everything", []),
        ("<b>", []),
        ("", ["Everything", "Flows", "Support sample"]),
    ],
)
def test_a_search_looks_in_names_in_what_runs_and_in_what_is_wanted(undone: Shop, text: str, found: list[str]):
    make_rule(undone, name="Support sample", judgeClassId=undone.judge_class("expert"))
    make_rule(undone, name="Flows", when={"flowIds": ["orders"]})
    make_rule(undone, name="Everything")
    html = opened(undone, f"&q={text}")
    assert names(html) == found
    assert ("No rule matches" in html) == (not found)
    assert not text or f'value="{escape(text)}"' in html
    assert text == escape(text) or text not in html.replace(f"{text}No connection", "").replace(f"{text}That didn", "")


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("name", ["a", "B", "c"]),
        ("-name", ["c", "B", "a"]),
        ("runs", ["c", "B", "a"]),
        ("cap", ["B", "c", "a"]),
        ("-cap", ["a", "c", "B"]),
        ("wants", ["B", "c", "a"]),
        ("nonsense", ["a", "B", "c"]),
    ],
)
def test_rules_are_sorted_by_any_column(undone: Shop, sort: str, order: list[str]):
    make_rule(undone, name="c", when={"agentIds": ["1"]}, maxOpen=20, judgeClassId=undone.judge_class("expert"))
    make_rule(undone, name="B", when={"agentIds": ["2"]}, maxOpen=3, judgeClassId=undone.judge_class("bot"))
    make_rule(undone, name="a", when={"agentIds": ["3"]})
    html = opened(undone, f"&sort={sort}")
    assert names(html) == order
    assert html.count("aria-sort") == 1


def test_the_columns_are_those_that_the_address_names(undone: Shop):
    make_rule(undone)
    assert "Latest version" not in opened(undone).partition("<table")[2]
    html = opened(undone, "&columns=by").partition("<table")[2]
    assert "Latest version" in html
    assert "Its cap" not in html


def test_no_rule_yet_is_said(undone: Shop):
    assert "No rule yet" in opened(undone)
    assert "New rule" in opened(undone)


def test_who_may_not_write_sees_no_buttons(undone: Shop):
    make_rule(undone)
    html = opened(undone, by="viewer")
    for button in ("New rule", "Change Everything", "Remove Everything", "Queue recent runs"):
        assert button not in html
    assert "History of Everything" in html
    opened(undone, "&dialog=new", by="viewer", status=403)


@pytest.mark.parametrize(
    "query",
    ["&history=nonsense", "&history=", "&catch-up=x&catch-up=y", "&up_to=x", "&dialog=x", "&columns=x", "&q=%00"],
)
def test_an_address_that_nobody_gave_is_no_error(undone: Shop, query: str):
    make_rule(undone)
    opened(undone, query)


def test_more_rules_take_no_more_statements_and_little_room(undone: Shop):
    person = browser(undone.person("editor"))
    address = f"/projects/{undone.project.slug}/quality?tab=rules"
    make_rule(undone)
    with recorded_queries() as statements:
        person.get(address)
    for number in range(24):
        make_rule(
            undone,
            name=f"Rule {number} " + "with a rather long name " * 4,
            judgeClassId=undone.judge_class(),
            maxOpen=4,
        )
    with assert_queries(exact=len(statements)):
        answer = person.get(address)
    assert len(statements) <= 12, statements
    assert len(answer.content) < 100_000


def test_a_part_of_the_page_is_all_that_htmx_gets(undone: Shop):
    make_rule(undone)
    html = opened(undone, headers={"HX-Request": "true", "HX-Target": "tab"})
    assert html.lstrip().startswith('<div id="tab">')
    assert "<html" not in html
