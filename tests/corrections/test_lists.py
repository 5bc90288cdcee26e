"""``GET /v1/corrections``: newest first, in pages that neither skip nor repeat, at a fixed cost, without content."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi.access.selectors import caller_for_user
from kindgi.api.times import as_of
from tests.corrections.judging import correct
from tests.support.queries import recorded_queries
from tests.support.shops import Shop

START = datetime(2026, 3, 1, tzinfo=UTC)


def page(shop: Shop, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = shop.editor.ok("GET", "corrections", query=query)
    return found


def record_at(shop: Shop, run_id: str, second: int, participant: str) -> str:
    """A correction made at that second after ``START``; its id."""
    with as_of(START + timedelta(seconds=second)):
        made = correct(caller_for_user(shop.person("editor")), run_id, answer="right", participantId=participant)
    return str(made.pk)


def test_they_come_newest_first(undone: Shop):
    run_id = undone.run()
    made = [undone.correct(run_id, participantId=str(number))["id"] for number in range(5)]
    assert [row["id"] for row in page(undone, runId=run_id)["data"]] == made[::-1]


def test_a_row_is_as_it_was_answered_without_copies_or_values(undone: Shop):
    items = [{"key": "a", "pointer": "/matches/0", "verdict": "right"}]
    made = undone.correct(undone.run(), answer="wrong", why="w", items=items)
    assert page(undone, runId=made["runId"])["data"] == [made]


def test_a_page_has_25_unless_asked_and_says_whether_more_follow(undone: Shop):
    run_id = undone.run()
    for number in range(26):
        record_at(undone, run_id, 0, str(number))
    first = page(undone, runId=run_id)
    assert (len(first["data"]), first["hasMore"]) == (25, True)
    last = page(undone, runId=run_id, cursor=first["nextCursor"])
    assert (len(last["data"]), last["hasMore"], "nextCursor" in last) == (1, False, False)
    assert page(undone, runId=run_id, limit=26)["hasMore"] is False
    assert page(undone, runId=run_id, participantId="none") == {"data": [], "hasMore": False}


@given(
    seconds=st.lists(st.integers(0, 2), min_size=1, max_size=9),
    limit=st.integers(1, 4),
    between=st.lists(st.integers(0, 2), max_size=3),
)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_neither_skip_nor_repeat_however_many_share_a_time(
    undone: Shop, seconds: list[int], limit: int, between: list[int]
):
    assert undone.editor  # made outside of what is undone after each example
    with transaction.atomic():
        run_id = undone.run()
        before = [record_at(undone, run_id, second, f"before {n}") for n, second in enumerate(seconds)]
        seen, query = [], {"runId": run_id, "limit": limit}
        inserted = iter([*between, None, None, None])
        while True:
            found = page(undone, **query)
            seen += [row["id"] for row in found["data"]]
            times = [row["createdAt"] for row in found["data"]]
            assert times == sorted(times, reverse=True)
            if not found["hasMore"]:
                break
            query["cursor"] = found["nextCursor"]
            second = next(inserted, None)
            if second is not None:
                record_at(undone, run_id, second, f"between {len(seen)}")
        transaction.set_rollback(True)
    assert len(seen) == len(set(seen))
    assert set(before) <= set(seen), "what was there when the reading began is all read"
    assert [one for one in seen if one in before] == _newest_first(before, seconds)


def _newest_first(made: list[str], seconds: list[int]) -> list[str]:
    return [one for _, one in sorted(zip(seconds, made, strict=True), reverse=True)]


@pytest.mark.parametrize("rows", [2, 20, 100])
def test_a_page_takes_three_statements_of_any_size(undone: Shop, assert_queries: Callable[..., Any], rows: int):
    run_id = undone.run()
    for number in range(rows):
        record_at(undone, run_id, number, str(number))
    editor = undone.editor
    with assert_queries(exact=3):  # the token, the corrections, their verdicts
        found = editor.ok("GET", "corrections", query={"limit": 100, "runId": run_id})
    assert len(found["data"]) == rows


FILTERS: list[dict[str, str]] = [
    {},
    {"answer": "right", "decisions": "wrong"},
    {"participantId": "p", "include": "removed,superseded"},
    {"status": "open", "sortedTo": "improve", "agentId": "shop.desk", "flowId": "x"},
]
CONTENT = ["runs_runcontent", "runcopy", "item_value"]


@pytest.mark.parametrize("query", FILTERS, ids=str)
def test_a_list_never_reads_content(undone: Shop, query: dict[str, str]):
    undone.correct(undone.run(), items=[{"key": "a", "pointer": "/matches/0", "verdict": "right"}], participantId="p")
    editor = undone.editor
    with recorded_queries() as statements:
        editor.ok("GET", "corrections", query=query)
    assert len(statements) <= 4
    assert not [statement for statement in statements for name in CONTENT if name in statement]


def test_recording_takes_at_most_12_statements_with_key_class_and_pointers(
    undone: Shop, assert_queries: Callable[..., Any]
):
    run_id, group, editor = undone.run(), undone.judge_class(assertableBy={"principalKinds": ["user"]}), undone.editor
    body = {
        "runId": run_id,
        "decisions": "wrong",
        "shouldCall": [{"tool": "shop.refund", "args": {"id": 1}}],
        "answer": "wrong",
        "why": "w",
        "items": [{"key": f"k{n}", "pointer": f"/matches/{n}", "verdict": "right"} for n in range(3)],
        "correctorGroupId": group,
    }
    with assert_queries(at_most=12):
        editor.ok("POST", "corrections", body, key="first")
    # The second also takes back what the first said.
    with assert_queries(at_most=15):
        editor.ok("POST", "corrections", {**body, "why": "again"}, key="second")


@pytest.mark.parametrize("count", [1, 21, 100])
def test_recording_costs_the_same_for_any_number_of_items(undone: Shop, assert_queries: Callable[..., Any], count: int):
    run_id, editor = undone.run(), undone.editor
    items = [{"key": f"k{n}", "verdict": "right"} for n in range(count)]
    with assert_queries(at_most=9):
        editor.ok("POST", "corrections", {"runId": run_id, "items": items})


def test_changing_and_removing_take_a_fixed_number(undone: Shop, assert_queries: Callable[..., Any]):
    made = undone.correct(undone.run(), items=[{"key": f"k{n}", "verdict": "right"} for n in range(50)])
    editor, path = undone.editor, f"corrections/{made['id']}"
    with assert_queries(at_most=8):
        editor.ok("PATCH", path, {"status": "open", "statusNote": "x"})
    with assert_queries(at_most=10):
        editor.ok("POST", f"{path}/unregister")
