"""An end user is erased while others write about them: whichever comes first, none of their words are left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest import mock
from uuid import uuid4

from corrections.services import erasure as corrections_erasure
from kindgi.runs.services import erasure
from tests.corrections.test_participant_erasure import OLD, purge
from tests.support.dumps import where_said
from tests.support.parallel import at_once
from tests.support.racing import pausing, without_the_runs_lock
from tests.support.shops import Shop, completed

WORD, PERSON = "word5d2b", "p"
LOCKED_TO_CHANGE = "corrections.services.changing.runs_erased"


@contextmanager
def without_lock(module: ModuleType, statement: str) -> Iterator[None]:
    """Read what the statement reads, and don't lock it."""
    lock, text = "FOR NO KEY UPDATE", getattr(module, statement)
    assert lock in text
    with mock.patch.object(module, statement, text.replace(lock, "")):
        yield


def erase_while(shop: Shop, target: str, write: Callable[[], Any]) -> tuple[Any, Any]:
    """The answers of a write that pauses once it called ``target``, and of an erasure that begins in that moment."""
    admin, path = shop.admin, f"projects/{shop.project.pk}/participants/{PERSON}/erase"
    reached, erased = threading.Event(), threading.Event()

    def erase() -> Any:
        reached.wait(timeout=30)
        answer = admin.post(path)
        erased.set()
        return answer

    with pausing(target, reached=reached, until=erased):
        written, answer = at_once([write, erase])
    assert answer.status_code == 200
    return written, answer.json()["erased"]


def correct(shop: Shop) -> tuple[Any, Any]:
    run_id, editor = shop.run(participantId=PERSON), shop.editor
    said = {"runId": run_id, "answer": "wrong", "shouldSay": WORD, "why": WORD}
    return erase_while(
        shop, "corrections.services.recording.live_verdicts", lambda: editor.post("corrections", said, key="k")
    )


def test_a_correction_of_their_run_that_was_first_is_erased(fresh: Shop):
    corrected, erased = correct(fresh)
    assert corrected.status_code == 201 and (erased["runs"], erased["corrections"]) == (1, 1)
    assert where_said(WORD) == set()


def test_control_without_the_runs_lock_its_words_are_left(fresh: Shop):
    with without_the_runs_lock():
        corrected, _ = correct(fresh)
    assert corrected.status_code == 201 and where_said(WORD) == {"text", "bytes"}


def report(shop: Shop) -> tuple[Any, Any]:
    run_id, admin = shop.run(status="running", participantId=PERSON, input=None, output=None), shop.admin
    late = completed(participantId=PERSON, output=WORD, failureMessage=WORD)
    return erase_while(shop, "kindgi.runs.services.recording._lock", lambda: admin.put(f"runs/{run_id}", late))


def test_a_report_that_was_first_is_erased(fresh: Shop):
    reported, erased = report(fresh)
    assert reported.status_code == 200 and erased["runs"] == 1
    assert where_said(WORD) == set()


def test_control_without_locking_their_runs_the_reports_words_are_left(fresh: Shop):
    with without_lock(erasure, "_LOCK"):
        reported, _ = report(fresh)
    assert reported.status_code == 200 and "runs_runcontent.output" in where_said(WORD)


def change_of_a_purged_run(shop: Shop) -> tuple[Any, Any]:
    run_id = shop.run(participantId=PERSON, createdAt=OLD, completedAt=OLD)
    made, editor = shop.correct(run_id), shop.editor
    purge(shop, run_id)
    change = {"statusNote": WORD, "reason": WORD}
    return erase_while(shop, LOCKED_TO_CHANGE, lambda: editor.patch(f"corrections/{made['id']}", change, key="k"))


def test_a_change_about_a_run_that_is_purged_is_erased_when_it_was_first(fresh: Shop):
    changed, erased = change_of_a_purged_run(fresh)
    assert changed.status_code == 200 and (erased["corrections"], erased["copies"]) == (1, 1)
    assert where_said(WORD) == set()


def test_control_without_locking_the_corrections_the_changes_words_are_left(fresh: Shop):
    with without_lock(corrections_erasure, "_LOCK_OF_PARTICIPANT"):
        changed, _ = change_of_a_purged_run(fresh)
    assert changed.status_code == 200 and where_said(WORD) == {"text", "bytes"}


def test_a_change_about_a_purged_run_that_comes_second_is_refused(fresh: Shop):
    run_id = fresh.run(participantId=PERSON, createdAt=OLD, completedAt=OLD)
    made, editor, admin = fresh.correct(run_id), fresh.editor, fresh.admin
    purge(fresh, run_id)
    erasing = threading.Event()

    def change() -> Any:
        erasing.wait(timeout=30)
        return editor.patch(f"corrections/{made['id']}", {"statusNote": WORD})

    with pausing("corrections.services.erasure.contents_clear", reached=erasing):
        erased, changed = at_once(
            [lambda: admin.post(f"projects/{fresh.project.pk}/participants/{PERSON}/erase"), change]
        )
    assert erased.status_code == 200
    assert (changed.status_code, changed.json()["error"]["code"]) == (410, "run-erased")
    assert where_said(WORD) == set()


def erase_twice(shop: Shop) -> list[int]:
    """How many runs each of four erasures at once took."""
    admin = shop.admin
    admin.ok("POST", "runs/import", [{"id": str(uuid4()), **completed(participantId=PERSON)} for _ in range(30)])
    path = f"projects/{shop.project.pk}/participants/{PERSON}/erase"
    return [answer.json()["erased"]["runs"] for answer in at_once([lambda: admin.post(path)] * 4)]


def test_several_erasures_at_once_take_everything_once(fresh: Shop):
    assert sorted(erase_twice(fresh)) == [0, 0, 0, 30]


def test_people_who_are_erased_at_once_and_were_corrected_for_each_other_do_not_wait_in_a_ring(fresh: Shop):
    people = ["a", "b", "c"]
    for run_id, person in [(fresh.run(participantId=person), person) for person in people * 5]:
        for other in people:
            if other != person:
                fresh.correct(run_id, by="service", participantId=other, answer="wrong", why=WORD)
    admin, project = fresh.admin, fresh.project.pk
    works = [lambda one=one: admin.post(f"projects/{project}/participants/{one}/erase") for one in people]
    assert [answer.status_code for answer in at_once(works)] == [200] * 3
    assert where_said(WORD) == set()
