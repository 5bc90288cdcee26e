"""Whatever callers say through either door, in whatever order, the store agrees with a simple model of section 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corrections.models import Correction, CorrectionChange, Door, Verdict
from corrections.services.changing import correction_remove
from kindgi.access.callers import Caller
from kindgi.access.selectors import caller_for_user
from tests.corrections.judging import correct, judge
from tests.support.shops import Shop

PARTICIPANTS = ["", "p", "q"]
ITEMS = ["answer", "kindgi:correction", "a", "b"]
Who = tuple[int, str]  # which caller, for which participant


@dataclass
class Said:
    """One correction in the model: its verdicts by item, the live ones among them, and how it ended."""

    who: Who
    door: Door
    verdicts: dict[str, bool]
    live: set[str]
    ended: str = ""
    superseded_by: UUID | None = None


@dataclass
class Model:
    """Section 1 in a few lines: who said what, and what of it counts."""

    said: dict[UUID, Said] = field(default_factory=dict)

    def add(self, made: UUID, who: Who, door: Door, verdicts: dict[str, bool]) -> None:
        """A new correction, which takes back what its caller said before of the same."""
        for earlier in self.said.values():
            if earlier.who != who or earlier.ended:
                continue
            if door is Door.CORRECTIONS and earlier.door is Door.CORRECTIONS:
                earlier.live = set()
            earlier.live -= verdicts.keys()
            if not earlier.live:
                earlier.ended, earlier.superseded_by = "superseded", made
        self.said[made] = Said(who, door, verdicts, set(verdicts))

    def remove(self, gone: UUID) -> None:
        """One that its maker takes back."""
        self.said[gone].ended, self.said[gone].live = "removed", set()

    def live_verdicts(self) -> set[tuple[UUID, str]]:
        return {(made, key) for made, said in self.said.items() for key in said.live}


who = st.tuples(st.integers(0, 1), st.sampled_from(PARTICIPANTS))
corrections = st.tuples(
    st.just("correct"), who, st.dictionaries(st.sampled_from(ITEMS), st.booleans(), min_size=1, max_size=4)
)
judgments = st.tuples(st.just("judge"), who, st.tuples(st.sampled_from(ITEMS), st.booleans()))
removals = st.tuples(st.just("remove"), st.integers(0, 100), st.none())
steps = st.lists(st.one_of(corrections, judgments, corrections, judgments, removals), min_size=1, max_size=14)


@given(steps=steps)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_store_agrees_with_the_model(undone: Shop, steps: list[Any]):
    callers = [caller_for_user(undone.person(name)) for name in ("editor", "editor:2")]
    with taken_back():
        run_id, model = undone.run(), Model()
        for step in steps:
            take(step, callers, run_id, model)
        check(model, run_id)


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def take(step: Any, callers: list[Caller], run_id: str, model: Model) -> None:
    kind, whose, said = step
    if kind == "remove":
        alive = [made for made, one in model.said.items() if not one.ended]
        if alive:
            gone = alive[whose % len(alive)]
            correction_remove(caller=callers[model.said[gone].who[0]], correction_id=str(gone))
            model.remove(gone)
        return
    caller, participant = callers[whose[0]], whose[1]
    if kind == "judge":
        key, right = said
        made = judge(caller, run_id, key, right=right, participant=participant)
        model.add(made.pk, whose, Door.JUDGMENTS, {key: right})
        return
    made = correct(caller, run_id, **body(said, participant))
    model.add(made.pk, whose, Door.CORRECTIONS, said)


def body(said: dict[str, bool], participant: str) -> dict[str, Any]:
    words = {True: "right", False: "wrong"}
    sent: dict[str, Any] = {"participantId": participant} if participant else {}
    if "kindgi:correction" in said:
        sent["decisions"] = words[said["kindgi:correction"]]
        sent |= {} if said["kindgi:correction"] else {"mustNotCall": ["shop.mail"]}
    if "answer" in said:
        sent["answer"] = words[said["answer"]]
        sent |= {} if said["answer"] else {"shouldSay": "s"}
    listed = [{"key": key, "verdict": words[right]} for key, right in said.items() if key in ("a", "b")]
    return sent | ({"items": listed} if listed else {})


def check(model: Model, run_id: str) -> None:
    stored = {one.pk: one for one in Correction.objects.filter(run_id=run_id)}
    assert stored.keys() == model.said.keys(), "nothing is ever deleted"
    verdicts = list(Verdict.objects.filter(run_id=run_id))
    said = {(one.correction_id, one.item_key): one.right for one in verdicts}
    assert said == {(made, key): right for made, one in model.said.items() for key, right in one.verdicts.items()}
    alive = [one for one in verdicts if one.unregistered_at is None]
    assert {(one.correction_id, one.item_key) for one in alive} == model.live_verdicts()
    once = {(one.item_key, one.made_by_id, one.participant_id) for one in alive}
    assert len(once) == len(alive), "exactly one live verdict for each item, caller and participant"
    for made, one in model.said.items():
        row = stored[made]
        assert (row.unregistered_at is not None) == bool(one.ended)
        assert (row.status == "removed") == (one.ended == "removed")
        assert row.superseded_by_id == one.superseded_by
        check_history(row, one)


def check_history(row: Correction, said: Said) -> None:
    kinds = list(CorrectionChange.objects.filter(correction=row).order_by("revision").values_list("revision", "kind"))
    assert [revision for revision, _ in kinds] == list(range(1, row.revision + 1)), "no gap"
    assert [kind for _, kind in kinds] == ["made", *([said.ended] if said.ended else [])]
