"""Test runs and people who move the same corrections at once: every history is a chain that ends where things stand.

Each transition meets each contender at its weakest moment, after the test run has read and graded and before it
moves anything; the controls take the compare away from the compare-and-swap.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from corrections import models
from corrections.services.history import state_of
from corrections.services.test_runs import moving, recording
from kindgi.runs.content import unpack
from tests.corrections.replaying import OWNERS, WRONG, body, path, replay
from tests.support.parallel import at_once
from tests.support.racing import PATIENCE, histories_are_gapless, pausing
from tests.support.shops import Shop

READ = "corrections.services.test_runs.recording.candidates_of"
LOCKED = "corrections.services.test_runs.recording.corrections_lock"
COMPARE = "AND correction.revision = new.revision AND correction.unregistered_at IS NULL"

# What was said, what happened, and then the test run whose move is raced for.
TRANSITIONS: dict[str, tuple[dict[str, Any], list[tuple[str, str]], tuple[str, str]]] = {
    "fixed": (WRONG, [], ("right", "pin")),
    "fixed for owner": (OWNERS, [], ("right", "latest")),
    "reopened": (WRONG, [("right", "pin")], ("wrong", "went-back")),
    "reopened for owner": (OWNERS, [("right", "pin")], ("wrong", "unpin")),
    "fixed again": (WRONG, [("right", "pin"), ("wrong", "went-back")], ("right", "pin")),
}
Contender = Callable[[Shop, dict[str, Any], tuple[str, str]], Any]
CONTENDERS: dict[str, Contender] = {
    "the same test run": lambda shop, made, move: replay(shop, made["runId"], *move, by="service"),
    "a person's status": lambda shop, made, move: shop.api("editor:2").ok(
        "PATCH", f"corrections/{made['id']}", {"status": "wont-fix"}
    ),
    "the maker's removal": lambda shop, made, move: shop.editor.ok("POST", f"corrections/{made['id']}/unregister"),
    "the maker's second thought": lambda shop, made, move: shop.editor.ok(
        "POST", "corrections", {"runId": made["runId"], "answer": "right"}
    ),
    "another judgment of all of it": lambda shop, made, move: [
        shop.editor.ok("POST", "judgments", {"runId": made["runId"], **judged})
        for judged in (
            {"item": {"key": "answer"}, "verdict": "yes"},
            {
                "item": {"key": "kindgi:correction"},
                "verdict": "no",
                "correction": {"calls": [], "notCalled": ["shop.mail"]},
            },
        )
    ],
}
# A person who sorts it to somebody else changes where a reopened one goes.
RESORTS: Contender = lambda shop, made, move: shop.api("editor:2").ok(  # noqa: E731
    "PATCH", f"corrections/{made['id']}", {"sortedTo": "owner" if move[0] == "wrong" else "developer"}
)


def is_a_chain(correction_id: str) -> bool:
    """Whether each entry of a history begins where the last ended, and the correction stands where the newest does."""
    correction = models.Correction.objects.get(pk=correction_id)
    stands: dict[str, Any] = {}
    for change in models.CorrectionChange.objects.filter(correction=correction).order_by("revision"):
        if any(stands.get(name) != value for name, value in change.before.items()) or not _is_a_move(change):
            return False
        for name in change.before:
            stands.pop(name)
        stands |= change.after
    return all(value == stands.get(name) for name, value in state_of(correction).items())


def _is_a_move(change: models.CorrectionChange) -> bool:
    """Whether a test run may have made this change."""
    if change.kind == "fixed":
        return change.before["status"] in ("open", "being-fixed", "with-owner")
    if change.kind == "reopened":
        fixed: bool = change.before["status"] == "fixed" and change.before["fixedIn"]["how"] != "recorded-right"
        return fixed
    return True


def raced(shop: Shop, transition: str, contender: Contender) -> dict[str, Any]:
    """The correction after ``contender`` did its work between the test run's reading and its moving."""
    said, events, move = TRANSITIONS[transition]
    made = shop.correct(shop.run(), **said)
    for event in events:
        replay(shop, made["runId"], *event)
    reading, done = threading.Event(), threading.Event()
    shop.api("editor:2"), shop.api("service")

    def contend() -> None:
        reading.wait(timeout=PATIENCE)
        try:
            contender(shop, made, move)
        finally:
            done.set()

    with pausing(READ, reached=reading, until=done):
        answers = at_once([lambda: shop.admin.post(path(shop), body(made["runId"], *move)), contend])
    assert answers[0].status_code == 201 and answers[1] is None, answers
    return made


@contextmanager
def without_the_compare() -> Iterator[None]:
    """Move corrections whatever has become of them, or of what people say of their runs, since they were read."""
    assert COMPARE in moving._MOVE
    with (
        mock.patch.object(moving, "_MOVE", moving._MOVE.replace(COMPARE, "")),
        mock.patch.object(recording, "changed_since", lambda scope, candidates: []),
    ):
        yield


@pytest.mark.parametrize("contender", [*CONTENDERS, "a person's sorting"])
@pytest.mark.parametrize("transition", TRANSITIONS)
def test_a_move_and_whatever_else_happens_to_the_correction_make_one_chain(
    fresh: Shop, transition: str, contender: str
):
    made = raced(fresh, transition, CONTENDERS.get(contender, RESORTS))
    assert is_a_chain(made["id"]) and histories_are_gapless(made["runId"])
    read = fresh.editor.ok("GET", f"corrections/{made['id']}")
    results = models.TestResult.objects.filter(correction_id=made["id"]).order_by("created_at", "pk")
    if contender in ("the same test run", "a person's status", "a person's sorting"):
        raced_for = len(TRANSITIONS[transition][1]) + 1 + (contender == "the same test run")
        assert results.count() == raced_for, "what was read anew is told too"
        assert list(results)[-1].status_after == read["status"]
    if contender == "a person's status":
        assert read["status"] == "wont-fix" and "fixedIn" not in read
    if contender == "a person's sorting" and transition.startswith("reopened"):
        assert read["status"] == "with-owner"


@pytest.mark.parametrize("contender", ["the same test run", "a person's status", "the maker's removal"])
@pytest.mark.parametrize("transition", TRANSITIONS)
def test_control_without_the_compare_the_chain_breaks(fresh: Shop, transition: str, contender: str):
    with without_the_compare():
        made = raced(fresh, transition, CONTENDERS[contender])
    assert not is_a_chain(made["id"])


@pytest.mark.parametrize("transition", ["reopened", "reopened for owner"])
def test_control_without_the_compare_a_reopened_one_goes_to_whom_it_was_sorted_before(fresh: Shop, transition: str):
    said = TRANSITIONS[transition][0]
    other: Contender = lambda shop, made, move: shop.api("editor:2").ok(  # noqa: E731
        "PATCH", f"corrections/{made['id']}", {"sortedTo": "developer" if said is OWNERS else "owner"}
    )
    with without_the_compare():
        made = raced(fresh, transition, other)
    read = fresh.editor.ok("GET", f"corrections/{made['id']}")
    assert (read["status"] == "with-owner") != (read["sortedTo"] == "owner")


class TestMarks:
    """What others say of a run's values is what its corrections are graded by: all of one test run by the same."""

    def raced(self, shop: Shop, meanwhile: Callable[[dict[str, Any], dict[str, Any]], Any]) -> list[str]:
        """How two people's corrections of a run came out, of which ``meanwhile`` happens to one or to a third's."""
        run_id = shop.run()
        first = shop.correct(run_id, answer="wrong", why="No.")
        shop.correct(run_id, by="editor:2", answer="wrong", why="No!")
        third = shop.correct(run_id, by="service", **WRONG)
        reading, done = threading.Event(), threading.Event()

        def contend() -> None:
            reading.wait(timeout=PATIENCE)
            meanwhile(first, third)
            done.set()

        with pausing(READ, reached=reading, until=done):
            answers = at_once([lambda: shop.admin.post(path(shop), body(run_id, "right")), contend])
        assert answers[0].status_code == 201 and answers[1] is None, answers
        assert is_a_chain(first["id"]) and histories_are_gapless(run_id)
        told = models.TestResult.objects.exclude(correction_id=third["id"]).values_list("outcome", flat=True)
        assert len(told) == 2, "each once"
        return list(told)

    def removed_and_changed(self, shop: Shop) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
        """A third takes back what they said that it should say, and one of the two others is sorted anew."""
        return lambda first, third: (
            shop.admin.ok("POST", f"corrections/{third['id']}/unregister"),
            shop.admin.ok("PATCH", f"corrections/{first['id']}", {"sortedTo": "developer"}),
        )

    def test_what_was_taken_back_meanwhile_marks_nothing_any_more(self, fresh: Shop):
        assert self.raced(fresh, self.removed_and_changed(fresh)) == ["changed", "changed"]

    def test_control_without_a_second_look_one_is_fixed_by_it_and_the_other_is_not(self, fresh: Shop):
        with mock.patch.object(recording, "changed_since", lambda scope, candidates: []):
            assert sorted(self.raced(fresh, self.removed_and_changed(fresh))) == ["changed", "right"]

    def test_one_that_changed_meanwhile_leaves_the_others_as_they_were_told(self, fresh: Shop):
        changed: Callable[..., Any] = lambda first, third: fresh.admin.ok(  # noqa: E731
            "PATCH", f"corrections/{first['id']}", {"sortedTo": "developer"}
        )
        assert self.raced(fresh, changed) == ["right", "right"]


class TestErasure:
    """What an erasure takes doesn't come back by a test run that read the run before."""

    def raced(self, shop: Shop) -> list[Any]:
        """The erasure passes between the test run's reading and its locks."""
        made = shop.correct(shop.run(), **WRONG)
        reading, done = threading.Event(), threading.Event()

        def erase() -> Any:
            reading.wait(timeout=PATIENCE)
            try:
                return shop.admin.post(f"runs/{made['runId']}/erase")
            finally:
                done.set()

        with pausing(READ, reached=reading, until=done):
            answers = at_once([lambda: shop.editor.post(path(shop), body(made["runId"], "right")), erase])
        assert [answer.status_code for answer in answers] == [201, 200]
        return list(models.Replay.objects.all())

    def test_a_run_that_was_erased_meanwhile_is_unchecked_and_nothing_is_kept(self, fresh: Shop):
        assert self.raced(fresh) == []
        assert models.TestResult.objects.get().outcome == "unchecked"
        assert models.Correction.objects.get().status == "open"

    def test_control_whoever_does_not_look_again_keeps_the_words(self, fresh: Shop):
        with mock.patch.object(recording, "corrections_lock", lambda scope, run_ids: set()):
            (kept,) = self.raced(fresh)
        assert unpack(kept.output) is not None

    def test_an_erasure_waits_for_a_test_run_and_takes_its_replays(self, fresh: Shop):
        made = fresh.correct(fresh.run(), **WRONG)
        locked = threading.Event()

        def erase() -> Any:
            locked.wait(timeout=PATIENCE)
            return fresh.admin.post(f"runs/{made['runId']}/erase")

        with pausing(LOCKED, reached=locked):
            answers = at_once([lambda: fresh.editor.post(path(fresh), body(made["runId"], "right")), erase])
        assert [answer.status_code for answer in answers] == [201, 200]
        kept = models.Replay.objects.get()
        assert kept.calls is None and kept.output is None
        assert models.Correction.objects.get().status == "fixed"


def test_two_test_runs_and_a_person_at_once_for_a_while(fresh: Shop):
    made = [fresh.correct(fresh.run(), **(WRONG if n % 2 else OWNERS)) for n in range(6)]
    apis = [fresh.editor, fresh.api("service"), fresh.api("editor:2")]

    def try_versions(api: Any, seed: int) -> list[int]:
        rng, statuses = random.Random(seed), []
        for turn in range(12):
            some = rng.sample(made, 4)
            sent = body(some[0]["runId"], "right", rng.choice(["pin", "latest"]), version=f"{seed}.{turn}")
            outcomes = [rng.choice(["right", "wrong"]) for _ in some]
            sent["replays"] = [
                body(one["runId"], outcome)["replays"][0] for one, outcome in zip(some, outcomes, strict=True)
            ]
            statuses.append(api.post(path(fresh), sent).status_code)
        return statuses

    def change() -> list[int]:
        rng = random.Random(3)
        changes = [{"status": status} for status in ("open", "being-fixed", "with-owner")] + [{"sortedTo": "owner"}]
        return [
            apis[2].patch(f"corrections/{rng.choice(made)['id']}", rng.choice(changes)).status_code for _ in range(40)
        ]

    answers = at_once([lambda: try_versions(apis[0], 1), lambda: try_versions(apis[1], 2), change])
    assert [set(statuses) for statuses in answers] == [{201}, {201}, {200}], answers
    for one in made:
        assert is_a_chain(one["id"]) and histories_are_gapless(one["runId"])
