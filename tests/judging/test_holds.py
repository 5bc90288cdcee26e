"""Two people, one item: who has it open, and what "Next" hands out (contract, section 10)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kindgi.api.times import as_of, wire
from tests.judging.queues import dismiss, import_runs, item_of, old_rule, queue, queue_path, records, reopen
from tests.support.shops import AGENT, Shop

AT = datetime(2126, 3, 1, 12, tzinfo=UTC)
HOLD = timedelta(minutes=5)
MS = timedelta(milliseconds=1)


@pytest.fixture
def runs(undone: Shop) -> Iterator[list[str]]:
    """Three runs that wait, oldest first, at a moment that stands still."""
    old_rule(undone)
    with as_of(AT):
        import_runs(undone, *(made := records(3)))
        yield [run["id"] for run in made]


def next_item(shop: Shop, by: str = "editor", query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = shop.api(by).ok("POST", f"{queue_path(shop, 'next')}?{query}")
    return answer


def hold(shop: Shop, run_id: str, by: str = "editor") -> dict[str, Any]:
    """The item as ``hold`` answers it."""
    item: dict[str, Any] = shop.api(by).ok("POST", queue_path(shop, run_id, "hold"))
    return item


def release(shop: Shop, run_id: str, by: str = "editor") -> None:
    response = shop.api(by).delete(queue_path(shop, run_id, "hold"))
    assert (response.status_code, response.content) == (204, b"")


def held(shop: Shop, run_id: str) -> dict[str, Any] | None:
    """Who has the run open, as anybody sees it."""
    item = item_of(shop, run_id)
    assert item is not None
    found: dict[str, Any] | None = item.get("hold")
    return found


def by(shop: Shop, name: str, since: datetime = AT, until: datetime | None = None) -> dict[str, Any]:
    """What a hold of somebody says."""
    kind = "service_account" if name == "service" else "user"
    return {"by": f"{kind}:{shop.person(name).pk}", "since": wire(since), "until": wire(until or since + HOLD)}


def test_next_is_the_oldest_that_nobody_holds_and_holds_it(undone: Shop, runs: list[str]):
    first = next_item(undone)
    assert (first["item"]["runId"], first["item"]["hold"], first["held"]) == (runs[0], by(undone, "editor"), 0)
    second = next_item(undone, "service")
    assert (second["item"]["runId"], second["item"]["hold"]) == (runs[1], by(undone, "service"))
    assert (second["held"], second["heldUntil"]) == (1, wire(AT + HOLD))
    assert [held(undone, run_id) for run_id in runs] == [by(undone, "editor"), by(undone, "service"), None]


def test_next_again_is_another_item(undone: Shop, runs: list[str]):
    assert [next_item(undone)["item"]["runId"] for _ in runs] == runs
    with as_of(AT + MS):
        nothing = next_item(undone)
    assert nothing == {"held": 0}


def test_where_others_hold_all_it_says_how_many_and_until_when(undone: Shop, runs: list[str]):
    hold(undone, runs[1], "service")
    with as_of(AT + timedelta(minutes=1)):
        hold(undone, runs[0], "editor:2")
        hold(undone, runs[2], "editor:2")
    with as_of(AT + timedelta(minutes=2)):
        assert next_item(undone) == {"held": 3, "heldUntil": wire(AT + HOLD)}


def test_an_empty_queue_has_no_next(undone: Shop):
    assert next_item(undone) == {"held": 0}


def test_next_goes_past_more_items_than_it_looks_at_together(undone: Shop):
    old_rule(undone)
    import_runs(undone, *(made := records(45)))
    for run in made[:42]:
        hold(undone, run["id"], "service")
    found = next_item(undone)
    assert (found["item"]["runId"], found["held"]) == (made[42]["id"], 42)


@pytest.mark.parametrize(("later", "is_held"), [(HOLD - MS, True), (HOLD, False), (timedelta(days=1), False)])
def test_a_hold_lapses_after_five_minutes(undone: Shop, runs: list[str], later: timedelta, is_held: bool):
    hold(undone, runs[0], "service")
    with as_of(AT + later):
        assert held(undone, runs[0]) == (by(undone, "service") if is_held else None)
        found = next_item(undone)
        assert found["item"]["runId"] == (runs[1] if is_held else runs[0])
        assert found["held"] == is_held
        since = AT + later
        assert hold(undone, runs[0])["hold"] == (by(undone, "service") if is_held else by(undone, "editor", since))


def test_holding_again_goes_on_from_when_it_began(undone: Shop, runs: list[str]):
    hold(undone, runs[0])
    with as_of(AT + timedelta(minutes=4)):
        assert hold(undone, runs[0])["hold"] == by(undone, "editor", AT, AT + timedelta(minutes=9))
    with as_of(AT + timedelta(minutes=10)):
        assert hold(undone, runs[0])["hold"] == by(undone, "editor", AT + timedelta(minutes=10))


def test_what_somebody_else_holds_stays_theirs_and_says_so(undone: Shop, runs: list[str]):
    hold(undone, runs[0], "service")
    with as_of(AT + timedelta(minutes=1)):
        assert hold(undone, runs[0])["hold"] == by(undone, "service")
        release(undone, runs[0])
        assert held(undone, runs[0]) == by(undone, "service")


def test_what_is_let_go_is_free_for_the_next(undone: Shop, runs: list[str]):
    hold(undone, runs[0])
    for _ in range(2):
        release(undone, runs[0])
    assert held(undone, runs[0]) is None
    assert hold(undone, runs[0], "service")["hold"] == by(undone, "service")


def test_a_hold_stops_nobody_from_correcting_or_dismissing(undone: Shop, runs: list[str]):
    for run_id in runs:
        hold(undone, run_id, "service")
    undone.correct(runs[0])
    dismissed = dismiss(undone, runs[1])
    undone.admin.ok("POST", f"runs/{runs[2]}/erase")
    assert "hold" not in dismissed and [held(undone, run_id) for run_id in runs] == [None] * 3


def test_whoever_saves_lets_go_and_others_keep_their_hold(undone: Shop):
    old_rule(undone, judgeClassId=undone.judge_class())
    with as_of(AT):
        run_id = undone.run()
        hold(undone, run_id)
        undone.correct(run_id, by="service")
        assert held(undone, run_id) == by(undone, "editor")
        undone.correct(run_id)
        item = item_of(undone, run_id)
        assert item is not None and item["state"] == "open" and "hold" not in item


@pytest.mark.parametrize("how", ["dismiss", "correct", "erase"])
def test_only_an_open_item_is_held(undone: Shop, runs: list[str], how: str):
    if how == "dismiss":
        dismiss(undone, runs[0])
    elif how == "correct":
        undone.correct(runs[0])
    else:
        undone.admin.ok("POST", f"runs/{runs[0]}/erase")
    path = queue_path(undone, runs[0], "hold")
    assert undone.editor.refused("POST", path) == (409, "judging-item-not-open")
    release(undone, runs[0])
    assert next_item(undone)["item"]["runId"] == runs[1]


def test_what_is_reopened_is_held_by_nobody(undone: Shop, runs: list[str]):
    hold(undone, runs[0])
    dismiss(undone, runs[0])
    assert "hold" not in reopen(undone, runs[0])


def test_what_is_not_in_the_queue_is_not_held(undone: Shop, runs: list[str]):
    other = undone.other_project()
    for path in (queue_path(undone, "nothing", "hold"), f"projects/{other.pk}/judging-queue/{runs[0]}/hold"):
        assert undone.admin.refused("POST", path) == (404, "judging-item-not-found")
        assert undone.admin.refused("DELETE", path) == (404, "judging-item-not-found")


def test_whoever_only_reads_holds_nothing(undone: Shop, runs: list[str]):
    viewer = undone.api("viewer")
    for method, more in (("POST", ["next"]), ("POST", [runs[0], "hold"]), ("DELETE", [runs[0], "hold"])):
        assert viewer.refused(method, queue_path(undone, *more)) == (403, "permission-denied")


class Filtered:
    """Items of two agents, of which one wants a class that only services may give."""

    def __init__(self, shop: Shop) -> None:
        bots = shop.judge_class(assertableBy={"principalKinds": ["service"]})
        self.bots_rule = old_rule(shop, when={"agentIds": ["other"]}, judgeClassId=bots)
        self.rule = old_rule(shop, when={"agentIds": [AGENT]})
        self.bots = bots
        self.others = shop.run(agent={"id": "other", "version": "1"})
        self.ours = shop.run()


@pytest.fixture
def filtered(undone: Shop) -> Iterator[Filtered]:
    old_rule(undone, when={"agentIds": ["nobody"]})
    with as_of(AT):
        yield Filtered(undone)


def test_next_is_for_the_caller_unless_they_ask_for_everyones(undone: Shop, filtered: Filtered):
    assert next_item(undone)["item"]["runId"] == filtered.ours
    assert next_item(undone) == {"held": 0}
    assert next_item(undone, query="forMe=false")["item"]["runId"] == filtered.others
    assert next_item(undone, "service") == {"held": 2, "heldUntil": wire(AT + HOLD)}


def test_next_takes_the_filters_of_the_list(undone: Shop, filtered: Filtered):
    def found(query: str, who: str = "service") -> str | None:
        run_id: str | None = next_item(undone, who, query).get("item", {}).get("runId")
        if run_id is not None:
            release(undone, run_id, who)
        return run_id

    assert found("") == filtered.others
    assert found(f"agentId={AGENT}") == filtered.ours
    assert found(f"ruleId={filtered.bots_rule['ruleId']}") == filtered.others
    assert found(f"judgeClassId={filtered.bots}") == filtered.others
    assert found(f"judgeClassId={filtered.bots}", "editor") is None
    assert found("agentId=nobody") is None
    assert found(f"addedAfter={wire(AT)}") is None
    assert found(f"addedAfter={wire(AT - MS)}") == filtered.others
    assert found("state=open") == filtered.others


@pytest.mark.parametrize("query", ["state=dismissed", f"closedAfter={wire(AT - HOLD)}"])
def test_next_is_never_one_that_has_closed(undone: Shop, filtered: Filtered, query: str):
    dismiss(undone, filtered.ours)
    assert next_item(undone, query=f"{query}&forMe=false") == {"held": 0}


def test_of_the_held_only_those_that_were_asked_for_are_told(undone: Shop, filtered: Filtered):
    for run_id in (filtered.others, filtered.ours):
        hold(undone, run_id, "service")
    for query, number in (
        ("", 1),
        ("forMe=false", 2),
        (f"agentId={AGENT}", 1),
        ("agentId=nobody", 0),
        (f"addedAfter={wire(AT)}&forMe=false", 0),
        (f"addedAfter={wire(AT - MS)}&forMe=false", 2),
        ("state=dismissed&forMe=false", 0),
    ):
        assert next_item(undone, query=query)["held"] == number, query


@pytest.mark.parametrize("query", ["state=closed", "forMe=maybe", "agent=x", "ruleId=", "limit=5", "cursor=x"])
def test_a_filter_that_cannot_be_read_is_refused(undone: Shop, runs: list[str], query: str):
    assert undone.editor.refused("POST", f"{queue_path(undone, 'next')}?{query}") == (400, "bad-input")
    assert held(undone, runs[0]) is None


def test_next_under_a_key_is_the_same_item_again(undone: Shop, runs: list[str]):
    first, again = (undone.editor.post(queue_path(undone, "next"), key="once") for _ in range(2))
    assert first.json()["item"]["runId"] == runs[0] and again.content == first.content


@pytest.mark.parametrize("number", [2, 20])
def test_next_takes_as_many_statements_for_any_number_of_items(undone: Shop, assert_queries: Any, number: int):
    old_rule(undone)
    import_runs(undone, *records(number))
    editor = undone.editor
    # The token, the project; the classes, the rules, their lanes; the oldest, the lock, the hold; how many others
    # hold; the entries and the wants of the answer.
    with assert_queries(exact=11):
        editor.ok("POST", queue_path(undone, "next"))
    assert queue(undone, "limit=0")["total"] == number
