"""Pages of the queue: what comes while one reads, what they cost, what they don't read (contract, section 6)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from kindgi.api.times import as_of, now, wire
from tests.judging.queues import dismiss, import_runs, old_rule, queue, queue_path, records
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, Shop

START = datetime(2026, 3, 1, tzinfo=UTC)
UNKNOWN = "018f0000-0000-7000-8000-000000000000"


REFUSED: list[dict[str, Any]] = [
    {"state": "closed"},
    {"state": "Open"},
    {"state": ["open", "judged"]},
    {"state": "open,judged"},
    {"forMe": "yes"},
    {"forMe": "1"},
    {"forMe": "True"},
    {"addedAfter": "yesterday"},
    {"addedAfter": "2026"},
    {"closedAfter": "2026-13-01T00:00:00Z"},
    {"addedAfter": "0001-01-01T00:00:00+14:00"},
    {"closedAfter": "9999-12-31T23:59:59-14:00"},
    {"agentId": "a\0b"},
    {"agentId": ["a", "b"]},
    {"ruleId": [UNKNOWN, UNKNOWN]},
    *({name: ""} for name in ("state", "agentId", "ruleId", "judgeClassId", "forMe", "addedAfter", "closedAfter")),
    {"limit": "101"},
    {"limit": "-1"},
    {"limit": "1.0"},
    {"limit": ""},
    {"cursor": ""},
    {"cursor": "AAAA"},
    {"limit": "0", "cursor": "not a cursor"},
    {"flowId": "intake"},
    {"agentVersion": "1.0.0"},
    {"agent_id": "a"},
    {"total": "1"},
]


@pytest.mark.parametrize("query", REFUSED, ids=str)
def test_what_a_filter_cannot_read_is_refused(undone: Shop, query: dict[str, Any]):
    assert undone.editor.refused("GET", queue_path(undone), query=query) == (400, "bad-input")


@pytest.mark.parametrize("query", [{}, {"state": "open"}, {"agentId": AGENT}, {"addedAfter": wire(START)}], ids=str)
def test_items_that_come_while_one_reads_are_read_once_at_the_end(undone: Shop, query: dict[str, str]):
    old_rule(undone)
    with as_of(at := now()):
        import_runs(undone, *(before := records(5)))
    seen: list[str] = []
    page = undone.editor.ok("GET", queue_path(undone), query={**query, "limit": 2})
    added: list[str] = []
    while True:
        seen += [item["runId"] for item in page["data"]]
        if not page["hasMore"]:
            break
        if len(added) < 3:
            with as_of(at):  # at the moment at which all the others came
                added.append(undone.run(completedAt=wire(now())))
        page = undone.editor.ok("GET", queue_path(undone), query={**query, "limit": 2, "cursor": page["nextCursor"]})
    assert seen == [run["id"] for run in before] + added


def test_an_item_that_leaves_a_list_takes_no_other_with_it(undone: Shop):
    old_rule(undone)
    runs = [undone.run() for _ in range(5)]
    first = queue(undone, "state=open&limit=2")
    dismiss(undone, runs[0])
    undone.correct(runs[1])
    rest = queue(undone, f"state=open&limit=100&cursor={first['nextCursor']}")
    assert [item["runId"] for item in rest["data"]] == runs[2:]
    assert (first["total"], rest["total"]) == (5, 3)


def test_a_page_has_25_unless_asked(undone: Shop):
    old_rule(undone)
    import_runs(undone, *records(26))
    page = queue(undone)
    assert (len(page["data"]), page["hasMore"], page["total"]) == (25, True, 26)


def test_whoever_only_reads_sees_the_queue_and_can_do_nothing_with_it(undone: Shop):
    old_rule(undone)
    open_one, dismissed = undone.run(), undone.run()
    dismiss(undone, dismissed)
    rows = {item["runId"]: item["can"] for item in queue(undone, by="viewer")["data"]}
    assert rows == {run_id: {"dismiss": False, "reopen": False} for run_id in (open_one, dismissed)}
    rows = {item["runId"]: item["can"] for item in queue(undone, by="service")["data"]}
    assert rows[open_one] == {"dismiss": True, "reopen": False}
    assert rows[dismissed] == {"dismiss": False, "reopen": True}


# How many statements a page takes: the token, the project, the total, the items, their entries, the rules' wants;
# the lanes where a filter narrows them, for "for me" the classes and the rules besides.
QUERIES: dict[str, int] = {
    "": 6,
    "state=open": 6,
    "addedAfter=2026-01-01T00:00:00Z": 6,
    "closedAfter=2026-01-01T00:00:00Z": 6,
    "agentId=shop.desk": 7,
    "forMe=true": 9,
    "forMe=true&state=judged": 9,
    "limit=0": 3,
    "limit=0&forMe=true": 6,
}


@pytest.mark.parametrize(("items", "rules", "classes"), [(2, 1, 1), (20, 1, 1), (2, 15, 30), (20, 15, 30)])
def test_a_page_takes_as_many_statements_for_any_number_of_items_rules_and_classes(
    undone: Shop, assert_queries: Any, items: int, rules: int, classes: int
):
    for _ in range(classes):
        undone.judge_class(assertableBy={"principalKinds": ["user"]})
    for _ in range(rules):
        old_rule(undone)
    import_runs(undone, *(runs := records(items)))
    for run in runs[::2]:
        undone.correct(run["id"])
    editor = undone.editor
    for query, exact in QUERIES.items():
        with assert_queries(exact=exact):
            editor.ok("GET", f"{queue_path(undone)}?{query}")


@pytest.mark.parametrize("query", ["", "forMe=true", "ruleId=x", "addedAfter=2026-01-01T00:00:00Z&state=open"])
def test_a_list_reads_nothing_of_the_runs(undone: Shop, query: str):
    old_rule(undone)
    undone.run()
    editor = undone.editor
    with recorded_queries() as statements:
        editor.ok("GET", f"{queue_path(undone)}?{query}")
    assert not [statement for statement in statements if "runs_run" in statement]
