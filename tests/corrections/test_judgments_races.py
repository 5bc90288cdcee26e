"""Judgments of one run at once: one live verdict an item, no lost history. Each guard is taken away once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from corrections.models import Correction, Verdict
from corrections.selectors import correction_get
from corrections.services import removing
from tests.corrections.judging import judgment
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import histories_are_gapless, meeting, pausing, without_the_runs_lock
from tests.support.shops import Shop

READ = "corrections.services.recording.live_verdicts"
LOCKED = "corrections.services.removing.verdicts_of"
WRONG: dict[str, Any] = {"answer": "wrong", "why": "w"}


def live(run_id: str) -> list[str]:
    """The items of the run's live verdicts."""
    found = Verdict.objects.filter(run_id=run_id, unregistered_at=None).order_by("item_key")
    return list(found.values_list("item_key", flat=True))


def statuses(answers: list[Any]) -> list[int]:
    return [getattr(answer, "status_code", 0) for answer in answers]


def in_order(run_id: str) -> bool:
    """Whether a correction counts exactly as long as a verdict of it does, and no history has a gap."""
    counting = set(Verdict.objects.filter(run_id=run_id, unregistered_at=None).values_list("correction_id", flat=True))
    alive = set(Correction.objects.filter(run_id=run_id, unregistered_at=None).values_list("pk", flat=True))
    return alive == counting and histories_are_gapless(run_id)


def judge_at_once(shop: Shop, run_id: str, count: int = 8) -> list[int]:
    """One person judges the same item at so many connections."""
    api = shop.editor
    bodies = [judgment(run_id, "a", right=number % 2 == 0) for number in range(count)]
    with meeting(READ, count):
        return statuses(at_once([lambda body=body: api.post("judgments", body) for body in bodies]))  # type: ignore[misc]


def test_judgments_of_one_item_leave_one_live_verdict(fresh: Shop):
    run_id = fresh.run()
    assert judge_at_once(fresh, run_id) == [201] * 8
    assert live(run_id) == ["a"] and in_order(run_id)
    gone = Verdict.objects.filter(run_id=run_id).exclude(unregistered_at=None)
    assert len(set(gone.values_list("superseded_by", flat=True))) == 7, "each took the place of one"


def test_the_index_alone_keeps_one_live_verdict_whoever_forgets_to_lock(fresh: Shop):
    run_id = fresh.run()
    with without_the_runs_lock():
        answered = judge_at_once(fresh, run_id)
    assert 1 <= answered.count(201) < 8 and live(run_id) == ["a"] and in_order(run_id)


def test_control_without_lock_and_index_there_are_several_live_verdicts(fresh: Shop):
    run_id = fresh.run()
    with without_constraint("corrections_verdict", "verdict_one_live"), without_the_runs_lock():
        judge_at_once(fresh, run_id)
        assert len(live(run_id)) > 1


def judge_against_correct(shop: Shop) -> tuple[str, list[int]]:
    """One person judges an item and corrects the run, naming it, at the same moment."""
    run_id, api = shop.run(), shop.editor
    said = {"runId": run_id, "answer": "right", "items": [{"key": "a", "verdict": "wrong"}]}
    with meeting(READ, 2):
        answers = at_once([lambda: api.post("judgments", judgment(run_id, "a")), lambda: api.post("corrections", said)])
    return run_id, statuses(answers)


def test_a_judgment_and_a_correction_of_one_person_leave_one_live_verdict_an_item(fresh: Shop):
    run_id, answered = judge_against_correct(fresh)
    assert answered == [201, 201]
    assert live(run_id) == ["a", "answer"] and in_order(run_id)


def test_control_without_lock_and_index_both_count(fresh: Shop):
    with without_constraint("corrections_verdict", "verdict_one_live"), without_the_runs_lock():
        run_id, _ = judge_against_correct(fresh)
        assert live(run_id) == ["a", "a", "answer"]


def first_judgment(shop: Shop, run_id: str, key: str) -> str:
    found = shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"]
    return str(next(one["id"] for one in found if one["item"]["key"] == key))


@contextmanager
def without_locks() -> Iterator[None]:
    """Remove judgments without locking the correction or its run."""

    def unlocked(*, caller: Any, correction_id: str) -> tuple[Correction, None]:
        return correction_get(caller=caller, correction_id=correction_id), None

    with mock.patch.object(removing, "correction_lock", unlocked):
        yield


def remove_against_judge(shop: Shop, key: str) -> tuple[str, dict[str, Any], list[Any]]:
    """A judgment is taken back, pausing with its rows locked, while its maker judges the item again."""
    run_id, api = shop.run(), shop.editor
    made = shop.correct(run_id, **WRONG, items=[{"key": "a", "verdict": "wrong"}])
    path = f"judgments/{first_judgment(shop, run_id, key)}/unregister"
    locked, judged = threading.Event(), threading.Event()

    def judge() -> Any:
        locked.wait(timeout=30)
        answer = api.post("judgments", judgment(run_id, key))
        judged.set()
        return answer

    with pausing(LOCKED, reached=locked, until=judged):
        return run_id, made, at_once([lambda: api.post(path), judge])


def test_taking_a_judgment_back_and_judging_again_wait_for_each_other(fresh: Shop):
    run_id, made, answers = remove_against_judge(fresh, "a")
    assert statuses(answers) == [200, 201]
    assert live(run_id) == ["a", "answer"] and in_order(run_id)
    history = fresh.editor.ok("GET", f"corrections/{made['id']}/history")["data"]
    assert [entry["kind"] for entry in history] == ["part-removed", "made"], "there was nothing left to supersede"
    removed = Verdict.objects.get(correction_id=made["id"], item_key="a")
    assert removed.superseded_by_id is None


def test_control_without_the_locks_one_of_the_two_is_lost(fresh: Shop):
    with without_locks(), without_constraint("corrections_correctionchange", "correction_change_once"):
        run_id, _, _ = remove_against_judge(fresh, "a")
        assert not histories_are_gapless(run_id)


def test_a_judgment_that_was_superseded_meanwhile_is_not_removed(fresh: Shop):
    run_id, api = fresh.run(), fresh.editor
    fresh.correct(run_id, **WRONG, items=[{"key": "a", "verdict": "wrong"}])
    path, reading = f"judgments/{first_judgment(fresh, run_id, 'a')}/unregister", threading.Event()

    def remove() -> Any:
        reading.wait(timeout=30)
        return api.post(path)

    with pausing(READ, reached=reading):
        again, removed = at_once([lambda: api.post("judgments", judgment(run_id, "a")), remove])
    assert again.status_code == 201
    assert (removed.status_code, removed.json()["error"]["code"]) == (409, "correction-superseded")
    assert live(run_id) == ["a", "answer"] and in_order(run_id)


def remove_all_at_once(shop: Shop, count: int = 4) -> tuple[dict[str, Any], list[int]]:
    """All judgments of a correction are taken back at the same moment."""
    run_id, api = shop.run(), shop.editor
    made = shop.correct(run_id, items=[{"key": f"k{n}", "verdict": "wrong"} for n in range(count)])
    found = api.ok("GET", "judgments", query={"runId": run_id})["data"]
    works = [lambda one=one: api.post(f"judgments/{one['id']}/unregister") for one in found]
    with meeting(LOCKED, count):
        return made, statuses(at_once(works))


def test_the_last_of_all_that_are_taken_back_at_once_removes_the_correction(fresh: Shop):
    made, answered = remove_all_at_once(fresh)
    assert answered == [200] * 4 and in_order(made["runId"])
    now = fresh.editor.ok("GET", f"corrections/{made['id']}")
    history = fresh.editor.ok("GET", f"corrections/{made['id']}/history")["data"]
    assert now["status"] == "removed"
    assert [entry["kind"] for entry in history] == ["removed", *["part-removed"] * 3, "made"]


def test_control_without_the_locks_a_correction_outlives_its_judgments(fresh: Shop):
    with without_locks(), without_constraint("corrections_correctionchange", "correction_change_once"):
        made, _ = remove_all_at_once(fresh)
        assert not in_order(made["runId"])


@pytest.mark.parametrize("changing", ["patch", "judge"])
def test_what_ends_parts_at_once_keeps_the_history_gapless(fresh: Shop, changing: str):
    run_id, api = fresh.run(), fresh.editor
    keys = [f"k{n}" for n in range(6)]
    made = fresh.correct(run_id, **WRONG, items=[{"key": key, "verdict": "wrong"} for key in keys])
    paths = [f"judgments/{first_judgment(fresh, run_id, key)}/unregister" for key in keys[:2]]
    works: list[Any] = [lambda path=path: api.post(path) for path in paths]
    works += [lambda key=key: api.post("judgments", judgment(run_id, key)) for key in keys[2:]]
    if changing == "patch":
        works.append(lambda: api.patch(f"corrections/{made['id']}", {"status": "being-fixed"}))
    with meeting(READ, 3):
        answers = at_once(works)
    assert set(statuses(answers)) == {200, 201} and in_order(run_id)
    assert live(run_id) == ["answer", *keys[2:]]
    kinds = [entry["kind"] for entry in api.ok("GET", f"corrections/{made['id']}/history")["data"]]
    expected = ["made", *["part-removed"] * 2, *["part-superseded"] * 4, *(["changed"] if changing == "patch" else [])]
    assert sorted(kinds) == sorted(expected)


def test_without_the_runs_lock_the_corrections_own_keeps_the_history_gapless(fresh: Shop):
    run_id, api = fresh.run(), fresh.editor
    keys = [f"k{n}" for n in range(6)]
    made = fresh.correct(run_id, **WRONG, items=[{"key": key, "verdict": "wrong"} for key in keys])
    with without_the_runs_lock(), meeting(READ, 6):
        answers = at_once([lambda key=key: api.post("judgments", judgment(run_id, key)) for key in keys])  # type: ignore[misc]
    assert statuses(answers) == [201] * 6 and in_order(run_id)
    assert Correction.objects.get(pk=made["id"]).revision == 7
