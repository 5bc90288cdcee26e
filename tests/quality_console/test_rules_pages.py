"""Many rules and classes are shown in pages, found and sorted on all of them, and each page stays small."""

from __future__ import annotations

import re

import pytest

from tests.judging.queues import make_rule
from tests.quality_console.tabs import tab, text_of
from tests.support.shops import Shop


def opened(shop: Shop, query: str = "") -> str:
    """The tab as an editor gets it."""
    return str(tab(shop, "rules", query, by="editor").content.decode())


def names(html: str) -> list[str]:
    """What the table names, in its order."""
    return re.findall(r'<span class="what">([^<]*)</span>', html)


@pytest.fixture(scope="module")
def many(shop: Shop) -> Shop:
    """Thirty rules in use, each with a name of 200 letters; the last by the alphabet is the newest."""
    for number in range(30):
        make_rule(shop, name=f"{number:02d} {'w' * 197}", maxOpen=number + 1)
    return shop


def test_rules_are_shown_25_a_page_and_a_page_of_long_names_is_small(many: Shop):
    html = opened(many)
    assert [name[:2] for name in names(html)] == [f"{number:02d}" for number in range(25)]
    assert "30 rules." in html
    assert "page=2" in html
    assert 'rel="prev"' not in html
    assert len(html.encode()) < 100_000, len(html.encode())
    html = opened(many, "page=2")
    assert [name[:2] for name in names(html)] == ["25", "26", "27", "28", "29"]
    assert 'rel="next"' not in html
    assert [name[:2] for name in names(opened(many, "page=99"))][:1] == ["00"]


def test_a_search_and_a_sort_look_at_all_pages(many: Shop):
    assert [name[:2] for name in names(opened(many, "q=29"))] == ["29"]
    assert [name[:2] for name in names(opened(many, "sort=-cap"))][:2] == ["29", "28"]
    assert [name[:2] for name in names(opened(many, "sort=-by&columns=by&page=2"))] != []


def test_a_history_is_read_only_where_its_rule_is_on_the_page(many: Shop):
    rule = re.findall(r'id="history-of-([^"]+)"', opened(many, "page=2"))[0]
    assert "its versions" in opened(many, f"page=2&history={rule}")
    assert "its versions" not in opened(many, f"history={rule}")


def test_classes_are_shown_25_a_page_and_many_rules_that_want_one_are_counted(fresh: Shop):
    wanted = fresh.judge_class("00")
    for number in range(29):
        fresh.judge_class(f"{number + 1:02d}")
    for number in range(12):
        make_rule(fresh, name=f"{number:02d} wants it", judgeClassId=wanted)
    page = tab(fresh, "judge-classes")
    assert names(page.content.decode()) == [f"{number:02d}" for number in range(25)]
    assert "09 wants it, 2 more" in text_of(page)
    assert "10 wants it" not in text_of(page)
    assert names(tab(fresh, "judge-classes", "page=2").content.decode()) == ["25", "26", "27", "28", "29"]
    assert names(tab(fresh, "judge-classes", "q=29").content.decode()) == ["29"]
