"""Taking back what was just saved leaves what its maker had said before as it was: no more, and no less."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.models import Correction, Verdict
from corrections.selectors import correction_get
from corrections.services.taking_back import can_be_taken_back, correction_take_back
from kindgi.access.selectors import caller_for_user
from tests.support.shops import Shop

LINK = {"kind": "pull-request", "url": "https://git.example/1"}


def judged(shop: Shop, run_id: str, key: str, verdict: str = "no", **said: Any) -> str:
    body = {"runId": run_id, "item": {"key": key}, "verdict": verdict, **said}
    return str(shop.editor.ok("POST", "judgments", body)["id"])


def counts(run_id: str) -> set[tuple[str, bool, str | None]]:
    """What counts of the run, with the texts that go with it."""
    live = Verdict.objects.filter(run_id=run_id, unregistered_at=None).select_related("correction")
    return {(one.item_key, one.right, one.correction.why) for one in live}


def take_back(shop: Shop, correction_id: str) -> list[Correction]:
    return correction_take_back(caller=caller_for_user(shop.person("editor")), correction_id=correction_id)


def test_a_first_correction_leaves_nothing(undone: Shop):
    run_id = undone.run()
    assert take_back(undone, undone.correct(run_id)["id"]) == [] and counts(run_id) == set()


def test_a_correction_of_another_is_theirs_still(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, by="service", answer="wrong", why="Theirs")
    take_back(undone, undone.correct(run_id)["id"])
    assert counts(run_id) == {("answer", False, "Theirs")}


def test_what_was_said_whole_is_said_whole_again(undone: Shop):
    run_id = undone.run()
    body: dict[str, Any] = {
        "decisions": "wrong", "shouldCall": [{"tool": "shop.mail", "args": {"to": "a"}}],
        "mustNotCall": ["shop.refund"], "answer": "wrong", "shouldSay": "Yes", "why": "First",
        "items": [{"key": "case-a", "verdict": "wrong", "pointer": "/matches/0", "rank": 0}],
    }  # fmt: skip
    before = undone.correct(run_id, **body)
    (again,) = take_back(undone, undone.correct(run_id, answer="right")["id"])
    after = undone.editor.ok("GET", f"corrections/{again.pk}")
    same = ("decisions", "shouldCall", "mustNotCall", "answer", "shouldSay", "why", "items", "status", "sortedTo")
    for said in (before, after):
        said["items"] = [(one["key"], one["verdict"], one["pointer"], one["rank"]) for one in said["items"]]
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_what_was_said_item_by_item_is_all_there_again(undone: Shop):
    run_id = undone.run()
    for key in ("answer", "tone", "length"):
        judged(undone, run_id, key, reason=f"Why {key}")
    before = counts(run_id)
    items = [{"key": key, "verdict": "right"} for key in ("tone", "length")]
    assert len(take_back(undone, undone.correct(run_id, answer="right", items=items)["id"])) == 3
    assert counts(run_id) == before


def test_of_what_was_replaced_in_part_the_rest_stays(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, answer="wrong", why="First", items=[{"key": "tone", "verdict": "wrong"}])
    before = counts(run_id)
    newer = judged(undone, run_id, "tone", "yes")
    take_back(undone, str(Verdict.objects.get(pk=newer).correction_id))
    assert counts(run_id) == before


def test_what_its_maker_had_taken_back_before_stays_taken_back(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, answer="wrong", why="First", items=[{"key": "tone", "verdict": "wrong"}])
    answer = Verdict.objects.get(run_id=run_id, item_key="answer")
    undone.editor.ok("POST", f"judgments/{answer.pk}/unregister")
    take_back(undone, undone.correct(run_id, answer="right", items=[{"key": "tone", "verdict": "right"}])["id"])
    assert counts(run_id) == {("tone", False, "First")}


def test_it_stands_where_it_stood_with_note_and_link(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id, answer="wrong", why="First")
    change = {"status": "being-fixed", "sortedTo": "developer", "statusNote": "Soon", "link": LINK}
    undone.editor.ok("PATCH", f"corrections/{first['id']}", change)
    (again,) = take_back(undone, undone.correct(run_id)["id"])
    after = undone.editor.ok("GET", f"corrections/{again.pk}")
    assert (after["status"], after["sortedTo"], after["statusNote"]["text"]) == ("being-fixed", "developer", "Soon")
    assert after["link"] == LINK


@pytest.mark.parametrize("what", ["retired", "fixed", "nothing"])
def test_what_could_not_be_said_again_as_it_stood_is_not_offered(undone: Shop, what: str):
    run_id, expert = undone.run(), undone.judge_class()
    undone.correct(run_id, answer="wrong", why="First", correctorGroupId=expert)
    if what == "retired":
        undone.admin.ok("POST", f"judge-classes/{expert}/unregister")
    if what == "fixed":
        Correction.objects.filter(run_id=run_id).update(status="fixed")
    second = undone.correct(run_id)["id"]
    found = correction_get(caller=caller_for_user(undone.person("editor")), correction_id=second)
    assert can_be_taken_back(found) is (what == "nothing")
