"""What becomes of a correction of which only some verdicts were superseded or removed: noted, and closed when due."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.models import Correction
from tests.corrections.judging import judgment
from tests.support.shops import Shop

WRONG: dict[str, Any] = {"decisions": "wrong", "mustNotCall": ["shop.mail"]}


def judge(shop: Shop, run_id: str, key: str, *, right: bool = True, by: str = "editor", **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = shop.api(by).ok("POST", "judgments", judgment(run_id, key, right=right) | more)
    return made


def items(**said: bool) -> list[dict[str, str]]:
    return [{"key": key, "verdict": "right" if right else "wrong"} for key, right in said.items()]


def read(shop: Shop, made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = shop.editor.ok("GET", f"corrections/{made['id']}")
    return found


def last(shop: Shop, made: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = shop.editor.ok("GET", f"corrections/{made['id']}/history")["data"][0]
    return entry


def verdict_id(shop: Shop, run_id: str, key: str) -> str:
    found = shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"]
    (one,) = (judged for judged in found if judged["item"]["key"] == key)
    return str(one["id"])


def unregister(shop: Shop, run_id: str, key: str) -> None:
    shop.editor.ok("POST", f"judgments/{verdict_id(shop, run_id, key)}/unregister")


def test_a_judgment_that_replaces_one_item_is_in_the_corrections_history(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False, b=False))
    judged = judge(undone, run_id, "a")
    now, entry = read(undone, made), last(undone, made)
    assert now["items"] == items(b=False) and now["answer"] == "right"
    assert (now["status"], now["sortedTo"]) == ("open", "improve")
    assert now["updatedAt"] == entry["at"] == judged["createdAt"] and "unregisteredAt" not in now
    other, _ = undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"]
    del entry["id"]
    assert entry == {
        "revision": 2,
        "kind": "part-superseded",
        "at": judged["createdAt"],
        "by": judged["assertedBy"],
        "to": {"supersededBy": other["id"], "items": ["a"]},
    }


def test_a_judgment_taken_back_is_in_its_corrections_history(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False, b=False))
    unregister(undone, run_id, "b")
    now, entry = read(undone, made), last(undone, made)
    assert now["items"] == items(a=False) and now["status"] == "open"
    assert now["updatedAt"] == entry["at"] > made["updatedAt"]
    assert (entry["revision"], entry["kind"], entry["to"]) == (2, "part-removed", {"items": ["b"]})
    assert entry["by"] == made["madeBy"] and "from" not in entry


# What a correction says, the one item that ends, and where the correction stands then.
LEFT: list[tuple[dict[str, Any], str, str]] = [
    ({"answer": "right", "items": items(a=False)}, "a", "fixed"),
    ({"answer": "wrong", "why": "w", "items": items(a=True)}, "answer", "fixed"),
    ({**WRONG, "answer": "right"}, "kindgi:correction", "fixed"),
    ({"answer": "wrong", "why": "w", "items": items(a=False, b=True)}, "a", "open"),
    ({"answer": "right", "items": items(a=False)}, "answer", "open"),
    ({**WRONG, "items": items(a=False)}, "a", "with-owner"),
    ({**WRONG, "items": items(a=False)}, "kindgi:correction", "with-owner"),
]


@pytest.mark.parametrize("how", ["superseded", "removed"])
@pytest.mark.parametrize(("said", "key", "status"), LEFT, ids=[f"{said} without {key}" for said, key, _ in LEFT])
def test_it_is_recorded_right_once_nothing_that_is_left_says_wrong(
    undone: Shop, said: dict[str, Any], key: str, status: str, how: str
):
    run_id = undone.run()
    made = undone.correct(run_id, **said)
    if how == "superseded":
        judge(undone, run_id, key, right=False)
    else:
        unregister(undone, run_id, key)
    now, entry = read(undone, made), last(undone, made)
    assert entry["kind"] == f"part-{how}" and entry["to"]["items"] == [key]
    assert (now["status"], now["sortedTo"], now["sorted"]) == (status, made["sortedTo"], made["sorted"])
    if status == "fixed":
        fixed_in = {"how": "recorded-right", "at": now["updatedAt"]}
        assert now["fixedIn"] == entry["to"]["fixedIn"] == fixed_in
        assert (entry["from"], entry["to"]["status"]) == ({"status": made["status"]}, "fixed")
    else:
        assert "fixedIn" not in now and "from" not in entry


@pytest.mark.parametrize("status", ["open", "being-fixed", "with-owner", "wont-fix"])
def test_only_what_was_not_decided_yet_becomes_fixed(undone: Shop, status: str):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False))
    undone.editor.ok("PATCH", f"corrections/{made['id']}", {"status": status, "statusNote": "Seen"})
    judge(undone, run_id, "a")
    now = read(undone, made)
    assert now["status"] == ("wont-fix" if status == "wont-fix" else "fixed")
    assert now["statusNote"]["text"] == "Seen"


def test_what_somebody_opened_though_nothing_was_wrong_stays_open(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=True))
    undone.editor.ok("PATCH", f"corrections/{made['id']}", {"status": "open"})
    judge(undone, run_id, "a", right=False)
    assert read(undone, made)["status"] == "open" and "fixedIn" not in read(undone, made)
    other = undone.correct(undone.run(), answer="right", items=items(a=True))
    undone.editor.ok("PATCH", f"corrections/{other['id']}", {"status": "with-owner"})
    unregister(undone, other["runId"], "a")
    assert read(undone, other)["status"] == "with-owner"


def test_what_a_test_run_fixed_stays_fixed_by_it(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False))
    by_pin = {"version": "2.0.0", "how": "pin", "at": made["createdAt"]}
    Correction.objects.filter(pk=made["id"]).update(status="fixed", fixed_in=by_pin)
    unregister(undone, run_id, "a")
    assert read(undone, made)["fixedIn"] == by_pin and last(undone, made)["to"] == {"items": ["a"]}


def test_what_a_test_run_reopened_is_closed_and_says_so(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False))
    by_pin = {"version": "2.0.0", "how": "pin", "at": made["createdAt"]}
    again = {"version": "3.0.0", "how": "pin", "at": made["createdAt"]}
    Correction.objects.filter(pk=made["id"]).update(fixed_in=by_pin, reopened_in=again)
    unregister(undone, run_id, "a")
    now, entry = read(undone, made), last(undone, made)
    assert now["status"] == "fixed" and now["fixedIn"]["how"] == "recorded-right" and "reopenedIn" not in now
    assert entry["from"] == {"status": "open", "fixedIn": by_pin, "reopenedIn": again}


def test_what_was_made_for_an_end_user_stays_open(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False), participantId="p")
    judge(undone, run_id, "a", participantId="p")
    now = read(undone, made)
    assert now["status"] == "open" and "fixedIn" not in now and last(undone, made)["kind"] == "part-superseded"


def test_another_caller_or_participant_takes_nothing_back(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", items=items(a=False))
    judge(undone, run_id, "a", by="editor:2")
    judge(undone, run_id, "a", participantId="p")
    now = read(undone, made)
    assert {name: now[name] for name in made} == made and last(undone, made)["kind"] == "made"


def test_the_last_verdict_ends_the_correction_itself(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, items=items(a=False, b=False))
    judge(undone, run_id, "a")
    judged = judge(undone, run_id, "b")
    gone = read(undone, made)
    assert (
        gone["unregisteredAt"] == judged["createdAt"]
        and gone["supersededBy"] == last(undone, made)["to"]["supersededBy"]
    )
    kinds = [one["kind"] for one in undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"]]
    assert kinds == ["superseded", "part-superseded", "made"]
    assert gone["items"] == items(a=False, b=False), "what is gone reads as it was said"


def test_a_correction_takes_back_the_judgments_that_it_names_and_its_predecessor_whole(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id, answer="right", items=items(a=False, b=False))
    named, kept = judge(undone, run_id, "a"), judge(undone, run_id, "c")
    second = undone.correct(run_id, items=items(a=True))
    found = undone.editor.ok("GET", "judgments", query={"runId": run_id})["data"]
    assert [one["id"] for one in found] == [verdict_id(undone, run_id, "a"), kept["id"]]
    replaced = undone.editor.ok("GET", f"judgments/{named['id']}")
    assert (replaced["supersededBy"], replaced["unregisteredAt"]) == (found[0]["id"], second["createdAt"])
    assert read(undone, first)["supersededBy"] == second["id"]


def test_a_judgment_by_any_door_is_superseded_by_the_verdict_that_replaced_it(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, answer="right", items=items(a=True))
    first = verdict_id(undone, run_id, "answer")
    second = judge(undone, run_id, "answer", right=False, reason="Second look")
    third = judge(undone, run_id, "answer", judgeClassId=undone.judge_class())
    for old, new in ((first, second["id"]), (second["id"], third["id"])):
        assert undone.editor.ok("GET", f"judgments/{old}")["supersededBy"] == new
    found = undone.editor.ok("GET", "judgments", query={"runId": run_id})["data"]
    assert [(one["item"]["key"], one["verdict"]) for one in found] == [("answer", "yes"), ("a", "yes")]


def test_an_unnamed_verdict_of_a_superseded_correction_has_no_successor(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, items=items(a=True, b=True))
    gone = verdict_id(undone, run_id, "b")
    second = undone.correct(run_id, items=items(a=True))
    now = undone.editor.ok("GET", f"judgments/{gone}")
    assert now["unregisteredAt"] == second["createdAt"] and "supersededBy" not in now


def test_expected_calls_go_with_the_verdict_on_the_decisions(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="right", decisions="wrong", shouldCall=[{"tool": "shop.refund"}], why="w")
    decisions = verdict_id(undone, run_id, "kindgi:correction")
    judge(undone, run_id, "kindgi:correction")
    now = read(undone, made)
    assert not now.keys() & {"decisions", "shouldCall", "mustNotCall"} and now["status"] == "fixed"
    kept = undone.editor.ok("GET", f"judgments/{decisions}")
    assert kept["correction"] == {"calls": [{"tool": "shop.refund", "args": {}}], "notCalled": []}
    answer = undone.editor.ok("GET", f"judgments/{verdict_id(undone, run_id, 'answer')}")
    assert answer["reason"] == "w" and "correction" not in answer


@pytest.mark.parametrize("key", ["a", "answer"])
def test_replacing_a_part_takes_a_fixed_number_of_statements(undone: Shop, assert_queries: Any, key: str):
    run_id, editor = undone.run(), undone.editor
    undone.correct(run_id, answer="wrong", why="w", items=items(**{f"k{n}": True for n in range(50)}, a=False))
    with assert_queries(at_most=10):
        editor.ok("POST", "judgments", judgment(run_id, key))
