"""``GET /v1/corrections/{id}/history``: who changed what, when, from what, to what, and why; nothing is left out."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corrections.models import Correction, CorrectionChange
from kindgi.access.models import User
from kindgi.api.ids import new_id
from kindgi.api.pages import Cursor
from kindgi.api.times import now
from tests.support.shops import Shop


def history(shop: Shop, made: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes, oldest first."""
    found: list[dict[str, Any]] = shop.editor.ok("GET", f"corrections/{made['id']}/history", query={"limit": 100})[
        "data"
    ]
    return found[::-1]


def test_it_begins_with_how_it_was_made(undone: Shop):
    for body, to in (
        ({"answer": "right"}, {"status": "fixed"}),
        ({"answer": "wrong", "why": "w"}, {"status": "open", "sortedTo": "improve"}),
        ({"decisions": "wrong", "mustNotCall": ["shop.mail"]}, {"status": "with-owner", "sortedTo": "owner"}),
        ({"answer": "right", "participantId": "p"}, {"status": "open"}),
    ):
        made = undone.correct(undone.run(), **body)
        (entry,) = history(undone, made)
        assert entry.pop("id")
        assert entry == {"revision": 1, "kind": "made", "at": made["createdAt"], "by": made["madeBy"], "to": to}


def test_each_change_says_who_when_from_to_and_why(undone: Shop):
    made = undone.correct(undone.run(), answer="wrong", why="w")
    path, link = f"corrections/{made['id']}", {"kind": "improve-run", "id": "7"}
    steps: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
        ("editor", {"status": "being-fixed"}, {"status": "open"}, {"status": "being-fixed"}),
        ("service", {"statusNote": "a"}, {}, {"statusNote": "a"}),
        ("admin", {"statusNote": "b", "reason": "better"}, {"statusNote": "a"}, {"statusNote": "b"}),
        ("editor", {"sortedTo": "owner", "link": link}, {"sortedTo": "improve"}, {"sortedTo": "owner", "link": link}),
        ("editor", {"link": None, "sortedTo": None}, {"sortedTo": "owner", "link": link}, {}),
    ]
    for number, (who, body, before, after) in enumerate(steps, start=2):
        changed = undone.api(who).ok("PATCH", path, body)
        entry = history(undone, made)[-1]
        assert entry["revision"] == number and entry["kind"] == "changed"
        assert entry["at"] == changed["updatedAt"]
        assert entry.get("from", {}) == before and entry["to"] == after
        assert entry.get("why") == body.get("reason")
        person = undone.person(who)
        assert entry["by"]["kind"] == ("user" if isinstance(person, User) else "service")
        assert not isinstance(person, User) or entry["by"]["id"] == str(person.pk)


def test_what_a_status_by_hand_clears_is_in_it(undone: Shop):
    made = undone.correct(undone.run())
    undone.editor.ok("PATCH", f"corrections/{made['id']}", {"status": "open"})
    entry = history(undone, made)[-1]
    assert entry["from"] == {"status": "fixed", "fixedIn": made["fixedIn"]} and entry["to"] == {"status": "open"}


def test_the_same_status_by_hand_that_clears_is_a_change(undone: Shop):
    made = undone.correct(undone.run(), answer="wrong", why="w")
    reopened = {"version": "2", "how": "pin", "at": made["createdAt"]}
    Correction.objects.filter(pk=made["id"]).update(reopened_in=reopened)
    undone.editor.ok("PATCH", f"corrections/{made['id']}", {"status": "open"})
    entry = history(undone, made)[-1]
    assert entry["from"] == {"reopenedIn": reopened} and entry["to"] == {}


def test_a_removal_is_in_it(undone: Shop):
    made = undone.correct(undone.run())
    undone.admin.ok("POST", f"corrections/{made['id']}/unregister")
    entry = history(undone, made)[-1]
    assert (entry["revision"], entry["kind"]) == (2, "removed")
    assert (entry["from"], entry["to"]) == ({"status": "fixed", "fixedIn": made["fixedIn"]}, {"status": "removed"})
    assert "fixedIn" not in undone.editor.ok("GET", f"corrections/{made['id']}")
    assert entry["by"]["id"] == str(undone.person("tenant-admin").pk)


def test_a_refused_change_is_not_in_it(undone: Shop):
    made = undone.correct(undone.run())
    for by, body in (("viewer", {"status": "open"}), ("editor", {"status": "fixed"}), ("editor", {})):
        undone.api(by).refused("PATCH", f"corrections/{made['id']}", body)
    assert len(history(undone, made)) == 1


def test_it_comes_in_pages_newest_first(undone: Shop):
    made = undone.correct(undone.run())
    for number in range(6):
        undone.editor.ok("PATCH", f"corrections/{made['id']}", {"statusNote": str(number)})
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = undone.editor.ok("GET", f"corrections/{made['id']}/history", query={"limit": 2, **cursor})
        seen += [entry["revision"] for entry in page["data"]]
        if not page["hasMore"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert seen == [7, 6, 5, 4, 3, 2, 1]


def add_changes(made: dict[str, Any], chance: random.Random, count: int) -> None:
    """Put ``count`` changes into its history as processes with clocks of their own do: times and ids say no order."""
    last = CorrectionChange.objects.filter(correction_id=made["id"]).latest("revision")
    CorrectionChange.objects.bulk_create(
        CorrectionChange(
            id=UUID(int=chance.getrandbits(128)),
            created_at=last.created_at + timedelta(milliseconds=chance.choice([0, 0, 0, 1])),
            correction_id=made["id"],
            revision=last.revision + number,
            kind="changed",
            by={"kind": "rule"},
        )
        for number in range(1, count + 1)
    )


@pytest.mark.parametrize("seed", range(10))
def test_pages_follow_the_revisions_and_no_clock(undone: Shop, seed: int):
    chance = random.Random(seed)
    made = undone.correct(undone.run())
    path = f"corrections/{made['id']}/history"
    count = chance.randint(1, 25)
    add_changes(made, chance, count)
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = undone.editor.ok("GET", path, query={"limit": chance.randint(1, 4), **cursor})
        seen += [entry["revision"] for entry in page["data"]]
        if not page["hasMore"]:
            break
        cursor = {"cursor": page["nextCursor"]}
        add_changes(made, chance, chance.randint(0, 3))
    assert seen == list(range(count + 1, 0, -1))


def test_after_a_change_of_another_correction_there_is_nothing(undone: Shop):
    made, other, chance = undone.correct(undone.run()), undone.correct(undone.run()), random.Random(0)
    for one in (made, other):
        add_changes(one, chance, 3)
    paths = [f"corrections/{one['id']}/history" for one in (made, other)]
    cursor = undone.editor.ok("GET", paths[0], query={"limit": 2})["nextCursor"]
    unknown = Cursor(now(), new_id()).encode()
    assert undone.editor.ok("GET", paths[1], query={"cursor": cursor}) == {"data": [], "hasMore": False}
    assert undone.editor.ok("GET", paths[0], query={"cursor": unknown}) == {"data": [], "hasMore": False}
    assert len(undone.editor.ok("GET", paths[0], query={"cursor": cursor})["data"]) == 2


def test_a_page_takes_as_many_statements_wherever_it_begins(undone: Shop, assert_queries: Callable[..., Any]):
    made, api = undone.correct(undone.run()), undone.editor
    add_changes(made, random.Random(0), 20)
    query: dict[str, Any] = {"limit": 5}
    for _ in range(2):
        with assert_queries(exact=4):  # the token, the correction, its verdicts, the page
            page = api.ok("GET", f"corrections/{made['id']}/history", query=query)
        query["cursor"] = page["nextCursor"]


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "101"}, {"cursor": "x"}, {"status": "open"}], ids=str)
def test_a_parameter_that_it_does_not_take_is_refused(undone: Shop, query: dict[str, str]):
    made = undone.correct(undone.run())
    assert undone.editor.refused("GET", f"corrections/{made['id']}/history", query=query) == (400, "bad-input")


changes = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["open", "being-fixed", "with-owner", "wont-fix"]),
        "sortedTo": st.sampled_from([None, "improve", "developer", "owner"]),
        "statusNote": st.sampled_from([None, "a", "b"]),
        "link": st.sampled_from([None, {"kind": "improve-run", "id": "1"}, {"kind": "suggested-change", "id": "1"}]),
    },
).filter(bool)


@given(steps=st.lists(changes, max_size=6))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_playing_it_back_gives_what_the_correction_is(undone: Shop, steps: list[dict[str, Any]]):
    made = undone.correct(undone.run(), answer="wrong", why="w")
    for body in steps:
        undone.editor.ok("PATCH", f"corrections/{made['id']}", body)
    state: dict[str, Any] = {}
    for number, entry in enumerate(history(undone, made), start=1):
        assert entry["revision"] == number
        for name, value in entry.get("from", {}).items():
            assert state.pop(name) == value
        assert not state.keys() & entry["to"].keys()
        state |= entry["to"]
    stands = undone.editor.ok("GET", f"corrections/{made['id']}")
    assert state.pop("statusNote", None) == stands.get("statusNote", {}).get("text")
    assert state == {name: stands[name] for name in ("status", "sortedTo", "link", "fixedIn") if name in stands}
