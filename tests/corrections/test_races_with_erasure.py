"""A run is erased while it is corrected: whichever comes first, none of its words are left (contract, section 3)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from corrections.models import Correction, Verdict
from corrections.services import changing
from kindgi.api import idempotency
from kindgi.runs import hooks
from kindgi.runs.models import Run
from kindgi.runs.services import erasure
from tests.support.parallel import at_once
from tests.support.racing import pausing, without_the_runs_lock
from tests.support.shops import Shop

WORDS = "the words of a person"
SAID: dict[str, Any] = {
    "decisions": "wrong",
    "shouldCall": [{"tool": "shop.mail", "args": {"text": WORDS}}],
    "answer": "wrong",
    "shouldSay": WORDS,
    "why": WORDS,
    "items": [{"key": "a", "pointer": "/text", "verdict": "wrong"}],
}


def correct_and_erase(shop: Shop) -> tuple[str, Any, Any]:
    """A correction that pauses once it has read the run, and an erasure that begins in that moment."""
    run_id = shop.run(output={"text": WORDS}, input=WORDS)
    editor, admin = shop.editor, shop.admin
    read, erased = threading.Event(), threading.Event()

    def erase() -> Any:
        read.wait(timeout=30)
        answer = admin.post(f"runs/{run_id}/erase")
        erased.set()
        return answer

    with pausing("corrections.services.recording.live_verdicts", reached=read, until=erased):
        corrected, answer = at_once([lambda: editor.post("corrections", {"runId": run_id, **SAID}, key="k"), erase])
    assert answer.status_code == 200
    return run_id, corrected, editor.post("corrections", {"runId": run_id, **SAID}, key="k")


def words_are_left(shop: Shop, run_id: str) -> bool:
    found = shop.editor.get("corrections", runId=run_id, include="removed,superseded")
    texts = [found.content]
    for row in found.json()["data"]:
        texts += [shop.editor.get(f"corrections/{row['id']}{more}").content for more in ("", "/history")]
    values = Verdict.objects.filter(run_id=run_id, item_value__isnull=False).exists()
    return values or any(WORDS.encode() in text for text in texts)


def test_a_correction_that_was_first_is_erased_with_its_run(fresh: Shop):
    run_id, corrected, replay = correct_and_erase(fresh)
    assert corrected.status_code == 201
    assert Correction.objects.filter(run_id=run_id).count() == 1
    assert not words_are_left(fresh, run_id)
    assert (replay.status_code, replay.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")


def test_control_without_the_runs_lock_words_are_left(fresh: Shop):
    with without_the_runs_lock():
        run_id, corrected, replay = correct_and_erase(fresh)
    assert corrected.status_code == 201
    assert words_are_left(fresh, run_id) and replay.status_code == 201


def change_and_erase(shop: Shop) -> tuple[str, Any]:
    """A change that pauses with the correction locked, an erasure meanwhile, and the change's retry."""
    made = shop.correct(shop.run(), **{**SAID, "items": []})
    editor, admin, path = shop.editor, shop.admin, f"corrections/{made['id']}"
    change = {"statusNote": WORDS, "reason": WORDS}
    locked = threading.Event()

    def erase() -> Any:
        locked.wait(timeout=30)
        return admin.post(f"runs/{made['runId']}/erase")

    with pausing("corrections.services.changing.check_live", reached=locked):
        changed, erased = at_once([lambda: editor.patch(path, change, key="k"), erase])
    assert (changed.status_code, erased.status_code) == (200, 200)
    return made["runId"], editor.patch(path, change, key="k")


def test_a_change_that_was_first_is_erased_and_its_answer_is_not_given_again(fresh: Shop):
    run_id, replay = change_and_erase(fresh)
    assert not words_are_left(fresh, run_id)
    assert (replay.status_code, replay.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")


def test_words_that_come_after_the_erasure_are_refused(fresh: Shop):
    made = fresh.correct(fresh.run(), answer="wrong", why="w")
    editor, admin, path = fresh.editor, fresh.admin, f"corrections/{made['id']}"
    erasing = threading.Event()

    def change() -> Any:
        erasing.wait(timeout=30)
        return editor.patch(path, {"statusNote": WORDS, "reason": WORDS})

    with pausing("kindgi.runs.services.erasure.check_administer", reached=erasing):
        erased, changed = at_once([lambda: admin.post(f"runs/{made['runId']}/erase"), change])
    assert erased.status_code == 200
    assert (changed.status_code, changed.json()["error"]["code"]) == (410, "run-erased")
    assert not words_are_left(fresh, made["runId"])


@contextmanager
def forgetting_too_early() -> Iterator[None]:
    """Don't wait for changes of corrections, and forget kept answers before what the apps above keep is erased."""

    def early(runs: Any) -> Any:
        idempotency.forget(tenant_id=runs[0].tenant_id, subject_ids=[run.run_id for run in runs])
        return run_erased(runs)

    def run_unlocked(*, caller: Any, correction_id: str) -> tuple[Correction, Run | None]:
        locked = Correction.objects.select_for_update(no_key=True).get(pk=correction_id)
        return locked, Run.objects.filter(run_id=locked.run_id).first()

    run_erased = hooks.run_erased
    with (
        mock.patch.object(erasure, "idempotency"),
        mock.patch.object(hooks, "run_erased", early),
        mock.patch.object(changing, "correction_lock", run_unlocked),
    ):
        yield


def test_control_an_answer_that_is_kept_after_the_forgetting_is_given_again(fresh: Shop):
    with forgetting_too_early():
        _, replay = change_and_erase(fresh)
    assert replay.status_code == 200 and WORDS.encode() in replay.content
