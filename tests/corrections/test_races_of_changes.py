"""Changes, removals and corrections at once: none is lost, no history has a gap, nobody waits in a ring."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import pytest

from corrections.models import Correction, CorrectionChange, Verdict
from corrections.selectors import correction_get
from corrections.services import changing, locking
from kindgi.runs.models import Run
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import histories_are_gapless, meeting, pausing
from tests.support.shops import Shop

LOCKED = "corrections.services.changing.check_live"
CHANGES: list[dict[str, Any]] = [
    {"status": "being-fixed"},
    {"sortedTo": "developer"},
    {"statusNote": "Seen"},
    {"link": {"kind": "improve-run", "id": "7"}},
]


@contextmanager
def without_locks() -> Iterator[None]:
    """Change corrections without locking their rows or their runs'."""

    def unlocked(*, caller: Any, correction_id: str) -> tuple[Correction, Run | None]:
        correction = correction_get(caller=caller, correction_id=correction_id)
        return correction, Run.objects.filter(run_id=correction.run_id).first()

    with mock.patch.object(changing, "correction_lock", unlocked):
        yield


def change_at_once(shop: Shop, made: dict[str, Any], changes: list[dict[str, Any]]) -> list[int]:
    api, path = shop.editor, f"corrections/{made['id']}"
    with meeting(LOCKED, len(changes)):
        answers = at_once([lambda change=change: api.patch(path, change) for change in changes])  # type: ignore[misc]
    return [answer.status_code for answer in answers]


def lost(shop: Shop, made: dict[str, Any]) -> list[str]:
    """What of ``CHANGES`` the correction doesn't have."""
    now = shop.editor.ok("GET", f"corrections/{made['id']}")
    wanted = {"status": "being-fixed", "sortedTo": "developer", "link": {"kind": "improve-run", "id": "7"}}
    missing = [name for name, value in wanted.items() if now.get(name) != value]
    return missing + ([] if now.get("statusNote", {}).get("text") == "Seen" else ["statusNote"])


def test_changes_of_different_fields_all_hold(fresh: Shop):
    made = fresh.correct(fresh.run(), answer="wrong", why="w")
    assert change_at_once(fresh, made, CHANGES) == [200] * 4
    assert lost(fresh, made) == [] and histories_are_gapless(made["runId"])


def test_control_without_the_locks_changes_are_lost(fresh: Shop):
    made = fresh.correct(fresh.run(), answer="wrong", why="w")
    with without_locks(), without_constraint("corrections_correctionchange", "correction_change_once"):
        change_at_once(fresh, made, CHANGES)
        assert lost(fresh, made) and not histories_are_gapless(made["runId"])


def test_the_constraint_alone_keeps_the_history_gapless(fresh: Shop):
    made = fresh.correct(fresh.run(), answer="wrong", why="w")
    with without_locks():
        statuses = change_at_once(fresh, made, CHANGES)
    assert 1 <= statuses.count(200) < 4
    assert histories_are_gapless(made["runId"])


def test_sixteen_changes_of_one_field_make_one_chain(fresh: Shop):
    made = fresh.correct(fresh.run(), answer="wrong", why="w")
    notes = [f"Note {n}" for n in range(16)]
    assert change_at_once(fresh, made, [{"statusNote": note, "reason": f"Why {note}"} for note in notes]) == [200] * 16
    history = list(CorrectionChange.objects.filter(correction_id=made["id"]).order_by("revision"))[1:]
    assert sorted(change.after["statusNote"] for change in history) == sorted(notes)
    assert all(change.why == f"Why {change.after['statusNote']}" for change in history)
    befores = [change.before.get("statusNote") for change in history]
    assert befores == [None, *(change.after["statusNote"] for change in history[:-1])], (
        "each begins where the last ended"
    )


def remove_against_correct(shop: Shop) -> tuple[str, list[Any]]:
    """Remove a correction while its maker corrects the run again; the removal pauses with its row locked."""
    run_id = shop.run()
    made = shop.correct(run_id, answer="right", items=[{"key": "a", "verdict": "right"}])
    api, body = shop.editor, {"runId": run_id, "answer": "right"}
    locked = threading.Event()

    def correct() -> Any:
        locked.wait(timeout=30)
        return api.post("corrections", body)

    with pausing("corrections.services.removing.check_remove", reached=locked):
        answers = at_once([lambda: api.post(f"corrections/{made['id']}/unregister"), correct])
    return run_id, answers


def test_removing_and_superseding_the_same_correction_wait_for_each_other(fresh: Shop):
    run_id, (removed, made) = remove_against_correct(fresh)
    assert (removed.status_code, made.status_code) == (200, 201)
    alive = Correction.objects.get(run_id=run_id, unregistered_at=None)
    assert str(alive.pk) == made.json()["id"]
    assert Verdict.objects.filter(run_id=run_id, unregistered_at=None).count() == 1
    assert histories_are_gapless(run_id)


def test_control_without_the_runs_lock_they_wait_in_a_ring(fresh: Shop):
    with mock.patch.object(locking, "Run"):
        _, answers = remove_against_correct(fresh)
    assert sorted(answer.status_code for answer in answers) in ([200, 409], [201, 409])
    (refused,) = (answer.json()["error"] for answer in answers if answer.status_code == 409)
    assert refused["code"] == "lock-timeout"


def test_a_correction_that_was_superseded_meanwhile_is_not_removed(fresh: Shop):
    run_id = fresh.run()
    made = fresh.correct(run_id)
    api, reading = fresh.editor, threading.Event()

    def remove() -> Any:
        reading.wait(timeout=30)
        return api.post(f"corrections/{made['id']}/unregister")

    with pausing("corrections.services.recording.live_verdicts", reached=reading):
        again, removed = at_once([lambda: api.post("corrections", {"runId": run_id, "answer": "right"}), remove])
    assert again.status_code == 201
    assert (removed.status_code, removed.json()["error"]["code"]) == (409, "correction-superseded")
    assert histories_are_gapless(run_id)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_a_change_and_a_superseding_correction_keep_each_others_words(fresh: Shop, change: dict[str, Any]):
    run_id = fresh.run()
    made = fresh.correct(run_id, answer="wrong", why="w")
    api, locked = fresh.editor, threading.Event()

    def correct() -> Any:
        locked.wait(timeout=30)
        return api.post("corrections", {"runId": run_id, "answer": "right"})

    with pausing(LOCKED, reached=locked):
        changed, again = at_once([lambda: api.patch(f"corrections/{made['id']}", change), correct])
    assert (changed.status_code, again.status_code) == (200, 201)
    read = api.ok("GET", f"corrections/{made['id']}")
    assert read["supersededBy"] == again.json()["id"] and next(iter(change)) in read
    assert [entry["kind"] for entry in api.ok("GET", f"corrections/{made['id']}/history")["data"]] == [
        "superseded",
        "changed",
        "made",
    ]
    assert histories_are_gapless(run_id)


def test_everything_at_once_ends_in_order(fresh: Shop):
    run_id = fresh.run()
    made = [fresh.correct(run_id, by=name, answer="wrong", why="w") for name in ("editor", "editor:2", "service")]
    works: list[Any] = []
    for name, one in zip(("editor", "editor:2", "service"), made, strict=True):
        api, path = fresh.api(name), f"corrections/{one['id']}"
        works += [
            lambda api=api: api.post("corrections", {"runId": run_id, "answer": "right"}),
            lambda api=api, path=path: api.patch(path, {"status": "wont-fix"}),
            lambda api=api, path=path: api.patch(path, {"statusNote": "Seen"}),
            lambda api=api, path=path: api.post(f"{path}/unregister"),
        ]
    with ExitStack() as stack:
        stack.enter_context(meeting(LOCKED, 3))
        stack.enter_context(meeting("corrections.services.recording.live_verdicts", 3))
        answers = at_once(works)
    refusals = {answer.json()["error"]["code"] for answer in answers if answer.status_code >= 400}
    assert refusals <= {"correction-superseded", "correction-removed"}
    assert Correction.objects.filter(run_id=run_id, unregistered_at=None).count() == 3
    assert Verdict.objects.filter(run_id=run_id, unregistered_at=None).count() == 3
    assert histories_are_gapless(run_id)
