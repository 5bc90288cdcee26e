"""What the console's lists cost and refuse, what they say of neighbours, and how they stand while people work."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from judging.models import QueueEntry, QueueItem
from judging.queue_view import KEYED, Place, QueueView, Sort, Subject
from judging.selectors import queue_pages
from judging.selectors.queue_pages import queue_neighbours, queue_page
from judging.selectors.queue_waiting import queue_agents, queue_state_counts
from judging.services.holds import queue_item_hold, queue_item_release
from kindgi.api.errors import BadInput
from kindgi.api.times import as_of
from tests.judging.queues import change_rule, dismiss, import_runs, old_rule, records
from tests.judging.viewing import caller_of, read, runs_of, view_of
from tests.support.shops import AGENT, Shop

AT = datetime(2126, 3, 1, 12, tzinfo=UTC)
SORTS = pytest.mark.parametrize("sort", Sort)


@pytest.fixture
def runs(undone: Shop) -> Iterator[list[str]]:
    """Five runs that wait, oldest first, at a moment that stands still."""
    old_rule(undone)
    with as_of(AT):
        import_runs(undone, *(made := records(5)))
        yield [run["id"] for run in made]


def item_of(shop: Shop, run_id: str) -> QueueItem:
    return QueueItem.objects.get(tenant=shop.tenant, run_id=run_id)


def hold(shop: Shop, run_id: str, *, by: str = "editor") -> None:
    queue_item_hold(caller=caller_of(shop, by), project=shop.project, run_id=run_id)


@SORTS
@pytest.mark.parametrize("for_me", [False, True])
@pytest.mark.parametrize(("items", "rules"), [(2, 1), (20, 1), (20, 12)])
def test_a_page_takes_one_statement_neighbours_three_and_counts_one(
    undone: Shop, assert_queries: Any, sort: Sort, for_me: bool, items: int, rules: int
):
    for _ in range(rules):
        old_rule(undone, judgeClassId=undone.judge_class())
    import_runs(undone, *(made := records(items)))
    undone.correct(made[0]["id"])
    view = view_of(undone, sort=sort, for_me=for_me)
    with assert_queries(exact=1):
        page = queue_page(view, limit=items // 2)
    assert [len(page.rules[item.pk]) for item in page.rows] == [rules] * (items // 2)
    with assert_queries(exact=1):
        assert len(queue_page(view, after=page.next).rows) == items // 2
    with assert_queries(exact=3):
        assert queue_neighbours(view, page.rows[0]).position == 1
    with assert_queries(exact=1):
        assert queue_state_counts(view)["open"] == (items, items)
    with assert_queries(exact=1):
        assert queue_agents(undone.project) == [Subject("agent", AGENT)]


def test_a_page_has_the_names_of_its_rules_and_what_they_want_now(undone: Shop):
    expert = undone.judge_class()
    one, other = old_rule(undone, name="One"), old_rule(undone, name="Other")
    undone.run()
    change_rule(undone, other, name="Changed", judgeClassId=expert)
    page = queue_page(view_of(undone))
    assert page.names == {UUID(one["ruleId"]): "One", UUID(other["ruleId"]): "Changed"}
    assert page.wants == {UUID(one["ruleId"]): None, UUID(other["ruleId"]): UUID(expert)}
    (item,) = page.rows
    entries = QueueEntry.objects.filter(item=item).order_by("created_at", "pk")
    assert page.rules == {item.pk: list(entries.values_list("rule_id", flat=True))}
    assert len(page.rules[item.pk]) == 2


@SORTS
def test_an_empty_list_has_no_pages(undone: Shop, sort: Sort):
    old_rule(undone)
    page = queue_page(view_of(undone, sort=sort))
    assert (page.rows, page.rules, page.names, page.wants) == ([], {}, {}, {})
    assert (page.previous, page.next) == (None, None)


@SORTS
def test_a_place_stays_where_it_is_when_its_row_leaves(undone: Shop, runs: list[str], sort: Sort):
    view = view_of(undone, sort=sort)
    ordered, _ = read(view, 10)
    first = queue_page(view, limit=2)
    dismiss(undone, ordered[1])
    assert runs_of(queue_page(view, after=first.next).rows) == ordered[2:]
    assert runs_of(queue_page(view, before=first.next).rows) == ordered[:1]


@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_page_has_from_1_to_100_rows(undone: Shop, limit: int):
    with pytest.raises(BadInput):
        queue_page(view_of(undone), limit=limit)


def test_a_page_is_after_a_place_or_before_one(undone: Shop, runs: list[str]):
    place = queue_page(view_of(undone), limit=1).next
    with pytest.raises(BadInput):
        queue_page(view_of(undone), after=place, before=place)


def tampered(text: str, at: int, bits: int) -> str:
    raw = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    raw[at] ^= bits
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@SORTS
@pytest.mark.parametrize("side", ["after", "before"])
def test_a_place_that_was_made_up_is_refused(undone: Shop, runs: list[str], sort: Sort, side: str):
    view = view_of(undone, sort=sort)
    place = queue_page(view, limit=1).next
    assert place is not None and queue_page(view, after=place).rows
    others = [Place.of(item_of(undone, runs[0]), sort=other, seen_at=AT).encode() for other in Sort if other != sort]
    beyond_time = tampered(tampered(place, 3, 0x7F), 11, 0x7F)
    unknown = [replace(Place.decode(place, sort=sort), lane_id=uuid4()).encode()] if sort in KEYED else []
    for text in [
        *("", "AAAA", "nothing", place[:-4], place + "AAAA", place + "=", f" {place}", "é", "\0", "a" * 10_000),
        *(tampered(place, 0, 1), tampered(place, 1, 1), tampered(place, 2, 2), beyond_time, *others, *unknown),
    ]:
        with pytest.raises(BadInput):
            queue_page(view, after=text) if side == "after" else queue_page(view, before=text)


@pytest.mark.parametrize("sort", sorted(KEYED))
def test_a_place_of_another_projects_list_is_refused(undone: Shop, runs: list[str], sort: Sort):
    view = view_of(undone, sort=sort)
    place = queue_page(view, limit=1).next
    with pytest.raises(BadInput):
        queue_page(replace(view, project=undone.other_project()), after=place)


def test_all_pages_of_a_list_go_by_the_holds_of_its_first(undone: Shop, runs: list[str]):
    hold(undone, runs[4])
    view = view_of(undone, sort=Sort.HELD)
    first = queue_page(view, limit=1)
    assert runs_of(first.rows) == [runs[4]]
    with as_of(AT + timedelta(minutes=10)):
        seen, page = runs_of(first.rows), first
        while page.next is not None:
            page = queue_page(view, after=page.next, limit=1)
            seen += runs_of(page.rows)
        assert seen == [runs[4], *runs[:4]], "it isn't read again as one that nobody holds"
        assert runs_of(queue_page(view).rows) == runs, "a list that begins now goes by what is held now"


def test_whoever_lets_go_is_last_no_more(undone: Shop, runs: list[str]):
    hold(undone, runs[0])
    view = view_of(undone, sort=Sort.HELD, descending=True)
    assert runs_of(queue_page(view).rows) == [*runs[1:], runs[0]]
    queue_item_release(caller=caller_of(undone, "editor"), project=undone.project, run_id=runs[0])
    assert runs_of(queue_page(view).rows) == runs


def neighbours(view: QueueView, item: QueueItem) -> tuple[int | None, int, str | None, str | None]:
    found = queue_neighbours(view, item)
    before, after = (str(one) if one else None for one in (found.previous_run_id, found.next_run_id))
    return found.position, found.total, before, after


@SORTS
def test_a_run_that_was_corrected_meanwhile_has_the_neighbours_of_its_place(undone: Shop, runs: list[str], sort: Sort):
    view = view_of(undone, sort=sort, for_me=True)
    ordered, _ = read(view, 10)
    assert neighbours(view, item_of(undone, ordered[2])) == (3, 5, ordered[1], ordered[3])
    dismiss(undone, ordered[2])
    assert neighbours(view, item_of(undone, ordered[2])) == (None, 4, ordered[1], ordered[3])


def test_a_run_that_is_not_for_me_has_no_position(undone: Shop):
    bots = undone.judge_class(assertableBy={"principalKinds": ["service"]})
    old_rule(undone, when={"agentIds": [AGENT]})
    old_rule(undone, when={"agentIds": ["other"]}, judgeClassId=bots)
    first, theirs, last = undone.run(), undone.run(agent={"id": "other", "version": "1.0.0"}), undone.run()
    mine = view_of(undone, for_me=True)
    assert neighbours(mine, item_of(undone, theirs)) == (None, 2, first, last)
    assert neighbours(replace(mine, for_me=False), item_of(undone, theirs)) == (2, 3, first, last)


@SORTS
def test_a_position_is_told_up_to_a_bound(undone: Shop, runs: list[str], monkeypatch: Any, sort: Sort):
    monkeypatch.setattr(queue_pages, "NEAR", 3)
    view = view_of(undone, sort=sort)
    ordered, _ = read(view, 10)
    found = [neighbours(view, item_of(undone, run_id)) for run_id in ordered]
    assert [position for position, *_ in found] == [1, 2, 3, None, None]
    assert [before for _, _, before, _ in found] == [None, *ordered[:4]]


def test_a_projects_agents_and_flows_are_told_by_their_ids(undone: Shop):
    old_rule(undone, when={})
    undone.run(agent={"id": "b", "version": "1.0.0"})
    undone.run(flow={"id": "a", "version": "1.0.0"})
    undone.run(flow={"id": "c", "version": "1.0.0"})
    gone = undone.run(agent={"id": "b", "version": "2.0.0"})
    undone.admin.ok("POST", f"runs/{gone}/erase")
    assert queue_agents(undone.project) == [Subject("flow", "a"), Subject("agent", "b"), Subject("flow", "c")]
    assert queue_agents(undone.other_project()) == []
