"""Items close as their runs are corrected, by either door, once each rule has what it wants (sections 6 and 10)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from judging.models import QueueItemChange
from kindgi.api.times import as_of, wire
from tests.judging.queues import change_rule, dismiss, item_of, old_rule, queue, queued_runs, reopen, rules_path
from tests.support.shops import Shop

AT = datetime(2126, 3, 1, 12, tzinfo=UTC)
DOORS = ["corrections", "judgments"]
both_doors = pytest.mark.parametrize("door", DOORS)


def correct(
    shop: Shop, door: str, run_id: str, judge_class: str | None = None, /, by: str = "editor", **more: Any
) -> dict[str, Any]:
    """Say by a door that the answer was right, as a class or as none."""
    if door == "corrections":
        more |= {"correctorGroupId": judge_class} if judge_class else {}
        return shop.correct(run_id, by=by, **more)
    body = {"runId": run_id, "item": {"key": "answer"}, "verdict": "yes", **more}
    body |= {"judgeClassId": judge_class} if judge_class else {}
    made: dict[str, Any] = shop.api(by).ok("POST", "judgments", body)
    return made


def judgments(shop: Shop, run_id: str) -> list[str]:
    """The ids of the run's live judgments, newest first."""
    return [row["id"] for row in shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"]]


def item(shop: Shop, run_id: str) -> dict[str, Any]:
    found = item_of(shop, run_id)
    assert found is not None
    return found


def state(shop: Shop, run_id: str) -> str:
    stands: str = item(shop, run_id)["state"]
    assert queue(shop, f"state={stands}&limit=0")["total"] == len(queued_runs(shop, f"state={stands}"))
    return stands


def progress(shop: Shop, run_id: str) -> dict[str | None, int]:
    """How many live verdicts the item counts by class, of which the sum is the total."""
    said = item(shop, run_id)["progress"]
    by_class = {row["judgeClassId"]: row["count"] for row in said["byClass"]}
    assert sum(by_class.values()) == said["total"] and 0 not in by_class.values()
    return by_class


# What the rules want, as whom the run is corrected in turn, and how it stands after each.
STORIES: list[tuple[list[str | None], list[str | None], list[str]]] = [
    ([None], [None], ["judged"]),
    ([None], ["peer"], ["judged"]),
    (["expert"], ["expert"], ["judged"]),
    (["expert"], [None, "peer", "expert"], ["open", "open", "judged"]),
    ([None, "expert"], ["expert"], ["judged"]),
    ([None, "expert"], [None, "peer", "expert"], ["open", "open", "judged"]),
    (["expert", "peer"], ["expert", None, "peer"], ["open", "open", "judged"]),
    (["expert", "peer", None], ["peer", "expert"], ["open", "judged"]),
    (["expert", "expert"], ["expert"], ["judged"]),
]


@pytest.mark.parametrize(("wants", "said", "expected"), STORIES, ids=[f"{wants} {said}" for wants, said, _ in STORIES])
@both_doors
def test_an_item_is_judged_once_each_rule_has_what_it_wants(
    undone: Shop, door: str, wants: list[str | None], said: list[str | None], expected: list[str]
):
    classes = {None: None, "expert": undone.judge_class(), "peer": undone.judge_class()}
    for want in wants:
        old_rule(undone, judgeClassId=classes[want])
    run_id = undone.run()
    stood = []
    for number, one in enumerate(said):
        correct(undone, door, run_id, classes[one], by=f"editor:{number}")
        stood.append(state(undone, run_id))
    assert stood == expected
    assert progress(undone, run_id) == {classes[one]: said.count(one) for one in said}


@both_doors
def test_a_judged_item_says_when_and_by_nobodys_wish(undone: Shop, door: str):
    old_rule(undone)
    run_id = undone.run()
    with as_of(AT):
        correct(undone, door, run_id)
    found = item(undone, run_id)
    assert (found["state"], found["closedAt"]) == ("judged", wire(AT))
    assert not found.keys() & {"closedBy", "reason", "hold"}
    assert found["can"] == {"dismiss": False, "reopen": False}
    (change,) = QueueItemChange.objects.filter(item__run_id=run_id)
    assert (change.before, change.after, change.reason) == ("open", "judged", None)
    assert (change.by, change.created_at) == (f"user:{undone.person('editor').pk}", AT)


@both_doors
def test_correcting_again_neither_closes_nor_tells_it_again(undone: Shop, door: str):
    old_rule(undone)
    run_id = undone.run()
    correct(undone, door, run_id)
    before = item(undone, run_id)
    correct(undone, door, run_id, by="editor:2")
    after = item(undone, run_id)
    assert after.pop("progress") == {"total": 2, "byClass": [{"judgeClassId": None, "count": 2}]}
    assert before.pop("progress")["total"] == 1
    assert after == before
    assert QueueItemChange.objects.filter(item__run_id=run_id).count() == 1


def test_each_verdict_of_a_correction_counts(undone: Shop):
    old_rule(undone, judgeClassId=(expert := undone.judge_class()))
    run_id = undone.run()
    undone.correct(run_id, answer="right", decisions="right", items=[{"key": "a", "verdict": "wrong"}])
    assert progress(undone, run_id) == {None: 3}
    undone.correct(run_id, by="editor:2", decisions="wrong", mustNotCall=["shop.mail"], correctorGroupId=expert)
    assert (progress(undone, run_id), state(undone, run_id)) == ({None: 3, expert: 1}, "judged")


def test_an_item_of_the_output_closes_as_well_as_the_answer(undone: Shop):
    old_rule(undone)
    run_id = undone.run()
    undone.editor.ok("POST", "judgments", {"runId": run_id, "item": {"key": "case-a"}, "verdict": "no"})
    assert state(undone, run_id) == "judged"


@both_doors
def test_the_end_users_of_an_app_count_as_anybody(undone: Shop, door: str):
    old_rule(undone)
    run_id = undone.run()
    correct(undone, door, run_id, by="service", participantId="p")
    assert (state(undone, run_id), progress(undone, run_id)) == ("judged", {None: 1})
    correct(undone, door, run_id, by="service", participantId="q")
    assert progress(undone, run_id) == {None: 2}


@both_doors
def test_saying_it_again_as_another_class_before_it_closed_counts_as_that_class(undone: Shop, door: str):
    expert, peer = undone.judge_class(), undone.judge_class()
    old_rule(undone, judgeClassId=expert)
    run_id = undone.run()
    correct(undone, door, run_id, peer)
    assert (state(undone, run_id), progress(undone, run_id)) == ("open", {peer: 1})
    correct(undone, door, run_id, expert)
    assert (state(undone, run_id), progress(undone, run_id)) == ("judged", {expert: 1})


@both_doors
def test_what_closed_it_may_go_and_it_stays_closed(undone: Shop, door: str):
    expert, peer = undone.judge_class(), undone.judge_class()
    old_rule(undone, judgeClassId=expert)
    run_id = undone.run()
    correct(undone, door, run_id, expert)
    closed_at = item(undone, run_id)["closedAt"]
    correct(undone, door, run_id, peer)
    assert (state(undone, run_id), progress(undone, run_id)) == ("judged", {peer: 1})
    (judgment,) = judgments(undone, run_id)
    undone.editor.ok("POST", f"judgments/{judgment}/unregister")
    assert (state(undone, run_id), progress(undone, run_id)) == ("judged", {})
    assert item(undone, run_id)["closedAt"] == closed_at
    assert QueueItemChange.objects.filter(item__run_id=run_id).count() == 1


def test_what_is_taken_back_before_it_closed_is_wanted_again(undone: Shop):
    expert, peer = undone.judge_class(), undone.judge_class()
    old_rule(undone, judgeClassId=expert)
    old_rule(undone, judgeClassId=peer)
    run_id = undone.run()
    made = correct(undone, "corrections", run_id, expert)
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    correct(undone, "judgments", run_id, peer, by="editor:2")
    assert (state(undone, run_id), progress(undone, run_id)) == ("open", {peer: 1})
    correct(undone, "judgments", run_id, expert)
    assert state(undone, run_id) == "judged"


def test_a_judgment_that_is_taken_back_by_itself_leaves_the_others(undone: Shop):
    old_rule(undone, judgeClassId=undone.judge_class())
    run_id = undone.run()
    undone.correct(run_id, answer="right", items=[{"key": "a", "verdict": "right"}])
    newest, _ = judgments(undone, run_id)
    undone.editor.ok("POST", f"judgments/{newest}/unregister")
    assert (progress(undone, run_id), state(undone, run_id)) == ({None: 1}, "open")


def test_a_correction_without_an_item_is_nobodys_business(undone: Shop):
    run_id = undone.run()
    old_rule(undone)
    undone.correct(run_id)
    assert queue(undone)["data"] == []


class Wanted:
    """Runs that wait for a rule that wants an expert's correction, corrected by nobody, a peer, and one of no class."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.expert, self.peer = shop.judge_class(), shop.judge_class()
        self.rule = old_rule(shop, judgeClassId=self.expert)
        self.nobody, self.by_peer, self.plain = (shop.run() for _ in range(3))
        correct(shop, "corrections", self.by_peer, self.peer)
        correct(shop, "judgments", self.plain)

    def states(self) -> list[str]:
        return [state(self.shop, run_id) for run_id in (self.nobody, self.by_peer, self.plain)]


@pytest.fixture
def wanted(undone: Shop) -> Wanted:
    return Wanted(undone)


def test_wanting_anybodys_correction_closes_what_has_one_and_nothing_else(undone: Shop, wanted: Wanted):
    dismissed = undone.run()
    dismiss(undone, dismissed)
    correct(undone, "corrections", dismissed)
    other = old_rule(undone, judgeClassId=wanted.expert)
    both = undone.run()
    correct(undone, "corrections", both)
    assert wanted.states() == ["open"] * 3
    with as_of(AT):
        change_rule(undone, wanted.rule, judgeClassId=None)
    assert wanted.states() == ["open", "judged", "judged"]
    assert (state(undone, dismissed), state(undone, both)) == ("dismissed", "open")
    closed = item(undone, wanted.plain)
    assert closed["closedAt"] == wire(AT) and "closedBy" not in closed
    change_rule(undone, other, judgeClassId=None)
    assert state(undone, both) == "judged"


def test_wanting_another_class_closes_what_has_it(undone: Shop, wanted: Wanted):
    change_rule(undone, wanted.rule, judgeClassId=wanted.peer)
    assert wanted.states() == ["open", "judged", "open"]
    assert item(undone, wanted.nobody)["wantedClassIds"] == [wanted.peer]


def test_wanting_a_class_where_any_would_have_done_asks_more_of_what_waits(undone: Shop):
    expert = undone.judge_class()
    rule = old_rule(undone)
    judged, waiting = undone.run(), undone.run()
    correct(undone, "judgments", judged)
    change_rule(undone, rule, judgeClassId=expert)
    correct(undone, "judgments", waiting)
    assert (state(undone, judged), state(undone, waiting)) == ("judged", "open")
    for run_id in (judged, waiting):
        found = item(undone, run_id)
        assert (found["wantedClassIds"], found["anyJudgment"]) == ([expert], False)
        assert found["rules"] == [{"ruleId": rule["ruleId"], "version": 1}]
    correct(undone, "judgments", waiting, expert, by="editor:2")
    assert state(undone, waiting) == "judged"


def test_a_change_of_anything_else_closes_nothing(undone: Shop, wanted: Wanted):
    change_rule(undone, wanted.rule, name="n", when={}, sample=0.5, maxOpen=1, enabled=False)
    assert wanted.states() == ["open"] * 3


def test_a_change_that_is_refused_closes_nothing(undone: Shop, wanted: Wanted):
    body = {"judgeClassId": None, "maxOpen": 0}
    assert undone.editor.refused("PATCH", rules_path(undone, wanted.rule["ruleId"]), body) == (400, "bad-input")
    assert wanted.states() == ["open"] * 3


def test_the_items_of_a_stopped_rule_keep_what_it_wanted_last(undone: Shop, wanted: Wanted):
    undone.editor.ok("POST", rules_path(undone, wanted.rule["ruleId"], "unregister"))
    assert wanted.states() == ["open"] * 3
    correct(undone, "judgments", wanted.nobody)
    assert state(undone, wanted.nobody) == "open"
    correct(undone, "judgments", wanted.nobody, wanted.expert, by="editor:2")
    assert state(undone, wanted.nobody) == "judged"


def test_a_class_that_was_removed_is_still_wanted(undone: Shop, wanted: Wanted):
    correct(undone, "judgments", wanted.nobody, wanted.peer)
    undone.admin.ok("POST", f"judge-classes/{wanted.expert}/unregister")
    assert wanted.states() == ["open"] * 3
    assert item(undone, wanted.nobody)["wantedClassIds"] == [wanted.expert]


@both_doors
def test_a_dismissed_item_stays_dismissed_when_its_run_is_corrected(undone: Shop, door: str):
    old_rule(undone)
    run_id = undone.run()
    before = dismiss(undone, run_id, reason="A test order")
    correct(undone, door, run_id)
    after = item(undone, run_id)
    assert after.pop("progress")["total"] == 1 and before.pop("progress")["total"] == 0
    assert after == before


@both_doors
def test_what_is_satisfied_is_judged_as_it_is_reopened(undone: Shop, door: str):
    old_rule(undone, judgeClassId=(expert := undone.judge_class()))
    peers, experts = undone.run(), undone.run()
    for run_id, judge_class in ((peers, None), (experts, expert)):
        dismiss(undone, run_id, reason="A test order")
        correct(undone, door, run_id, judge_class)
    with as_of(AT):
        assert reopen(undone, peers)["state"] == "open"
        found = reopen(undone, experts)
    assert (found["state"], found["closedAt"]) == ("judged", wire(AT))
    assert not found.keys() & {"closedBy", "reason"}
    changes = QueueItemChange.objects.filter(item__run_id=experts).values_list("before", "after")
    assert list(changes) == [("open", "dismissed"), ("dismissed", "judged")]


def test_a_rule_that_changed_meanwhile_counts_when_an_item_is_reopened(undone: Shop, wanted: Wanted):
    for run_id in (wanted.nobody, wanted.plain):
        dismiss(undone, run_id)
    change_rule(undone, wanted.rule, judgeClassId=None)
    assert (reopen(undone, wanted.nobody)["state"], reopen(undone, wanted.plain)["state"]) == ("open", "judged")


def test_a_correction_that_is_refused_closes_nothing(undone: Shop):
    old_rule(undone)
    run_id = undone.run()
    body = {"runId": run_id, "answer": "right", "items": [{"key": "a", "pointer": "/nowhere", "verdict": "right"}]}
    assert undone.editor.refused("POST", "corrections", body) == (400, "item-not-found")
    assert state(undone, run_id) == "open"


@pytest.mark.parametrize("rules", [1, 20])
def test_correcting_takes_as_many_statements_for_any_number_of_rules(undone: Shop, assert_queries: Any, rules: int):
    for _ in range(rules):
        old_rule(undone)
    run_id, editor = undone.run(), undone.editor
    body = {"runId": run_id, "item": {"key": "answer"}, "verdict": "yes"}
    with assert_queries(exact=13):  # four of the correction itself, nine of the item
        editor.ok("POST", "judgments", body)


@pytest.mark.parametrize("items", [1, 30])
def test_a_change_closes_any_number_of_items_by_as_many_statements(undone: Shop, assert_queries: Any, items: int):
    rule = old_rule(undone, judgeClassId=undone.judge_class())
    for _ in range(items):
        undone.correct(undone.run())
    editor, path = undone.editor, rules_path(undone, rule["ruleId"])
    with assert_queries(exact=14):
        editor.ok("PATCH", path, {"judgeClassId": None})
    assert queue(undone, "state=judged&limit=0")["total"] == items
