"""A correction's times only move on: a change after one that another clock dated later is dated no earlier."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from corrections.models import Correction, CorrectionChange
from kindgi.api.times import now, wire
from tests.corrections.judging import judgment
from tests.support.shops import Shop

SAID: dict[str, Any] = {"answer": "wrong", "why": "w", "items": [{"key": "a", "verdict": "wrong"}]}
Writer = Callable[[Shop, dict[str, Any]], Any]


def patch(**body: Any) -> Writer:
    return lambda shop, made: shop.editor.ok("PATCH", f"corrections/{made['id']}", body)


def remove(shop: Shop, made: dict[str, Any]) -> None:
    shop.editor.ok("POST", f"corrections/{made['id']}/unregister")


def remove_judgments(*keys: str) -> Writer:
    def removed(shop: Shop, made: dict[str, Any]) -> None:
        found = shop.editor.ok("GET", "judgments", query={"runId": made["runId"]})["data"]
        for key in keys:
            (one,) = (one for one in found if one["item"]["key"] == key)
            shop.editor.ok("POST", f"judgments/{one['id']}/unregister")

    return removed


def correct(shop: Shop, made: dict[str, Any]) -> None:
    shop.correct(made["runId"])


def judge(*keys: str) -> Writer:
    def judged(shop: Shop, made: dict[str, Any]) -> None:
        for key in keys:
            shop.editor.ok("POST", "judgments", judgment(made["runId"], key))

    return judged


# Who changes a correction, and the kinds of change that its history then has.
WRITERS: dict[str, tuple[Writer, list[str]]] = {
    "a status by hand": (patch(status="wont-fix"), ["changed"]),
    "a re-sort": (patch(sortedTo="developer", reason="r"), ["changed"]),
    "a note": (patch(statusNote="seen"), ["changed"]),
    "removed": (remove, ["removed"]),
    "a judgment removed": (remove_judgments("a"), ["part-removed"]),
    "all judgments removed": (remove_judgments("a", "answer"), ["part-removed", "removed"]),
    "superseded": (correct, ["superseded"]),
    "a part superseded": (judge("a"), ["part-superseded"]),
    "all parts superseded": (judge("a", "answer"), ["part-superseded", "superseded"]),
}


@pytest.mark.parametrize(("writer", "kinds"), WRITERS.values(), ids=WRITERS)
def test_no_writer_sets_a_correction_back(undone: Shop, writer: Writer, kinds: list[str]):
    made = undone.correct(undone.run(), **SAID)
    ahead = now() + timedelta(hours=1)
    Correction.objects.filter(pk=made["id"]).update(updated_at=ahead, revision=2)
    CorrectionChange.objects.create(
        correction_id=made["id"], revision=2, kind="changed", by={"kind": "rule"}, created_at=ahead
    )
    writer(undone, made)
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    history = undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"]
    assert [entry["kind"] for entry in history] == [*kinds[::-1], "changed", "made"]
    assert read["updatedAt"] == wire(ahead)
    assert [entry["at"] for entry in history] == [wire(ahead)] * (len(kinds) + 1) + [made["createdAt"]]
    gone = kinds[-1] in ("removed", "superseded")
    assert read.get("unregisteredAt") == (wire(ahead) if gone else None)
    times = [read[name]["at"] for name in ("sorted", "statusNote", "fixedIn") if name in read]
    assert set(times) <= {wire(ahead), made["createdAt"]}
    for one in undone.editor.ok("GET", "judgments", query={"runId": made["runId"]})["data"]:
        assert one["createdAt"] < wire(ahead)


def test_a_judgment_ends_when_the_correction_says_so(undone: Shop):
    made = undone.correct(undone.run(), **SAID)
    ahead = now() + timedelta(hours=1)
    Correction.objects.filter(pk=made["id"]).update(updated_at=ahead)
    found = undone.editor.ok("GET", "judgments", query={"runId": made["runId"]})["data"]
    remove_judgments("a", "answer")(undone, made)
    for one in found:
        assert undone.editor.ok("GET", f"judgments/{one['id']}")["unregisteredAt"] == wire(ahead)


@pytest.mark.parametrize(("writer", "kinds"), WRITERS.values(), ids=WRITERS)
def test_what_was_last_changed_earlier_is_dated_now(undone: Shop, writer: Writer, kinds: list[str]):
    before = now()
    made = undone.correct(undone.run(), **SAID)
    Correction.objects.filter(pk=made["id"]).update(updated_at=before - timedelta(hours=1))
    writer(undone, made)
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    assert wire(before) <= read["updatedAt"] <= wire(now())
    (entry, *_) = undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"]
    assert entry["at"] == read["updatedAt"] and entry["kind"] == kinds[-1]
