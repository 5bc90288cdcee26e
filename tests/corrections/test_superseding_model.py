"""Whatever callers say through either door, in whatever order, the store agrees with a simple model of section 1."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corrections.models import Correction, CorrectionChange, Door, Verdict
from corrections.services.changing import ChangeBody, correction_change
from corrections.services.removing import correction_remove, judgment_remove
from kindgi.access.callers import Caller
from kindgi.access.selectors import caller_for_user
from tests.corrections.judging import correct, judge
from tests.support.shops import Shop

PARTICIPANTS = ["", "p", "q"]
ITEMS = ["answer", "kindgi:correction", "a", "b"]
Who = tuple[int, str]  # which caller, for which participant


@dataclass
class Said:
    """One correction in the model: its verdicts by item, the live ones among them, how it stands and what it became."""

    who: Who
    door: Door
    verdicts: dict[str, bool]
    live: set[str]
    status: str = "fixed"
    recorded_right: bool = False
    superseded_by: UUID | None = None
    history: list[str] = field(default_factory=lambda: ["made"])

    def __post_init__(self) -> None:
        if self.who[1]:
            self.status = "open"
        elif not self.verdicts.get("kindgi:correction", True):
            self.status = "with-owner"
        elif self.is_wrong:
            self.status = "open"
        self.recorded_right = self.status == "fixed"

    @property
    def is_wrong(self) -> bool:
        """Whether anything that counts still says that something was wrong."""
        return not all(self.verdicts[key] for key in self.live)

    @property
    def ended(self) -> bool:
        return not self.live

    def end(self, keys: Collection[str], how: str) -> bool:
        """Take verdicts back; whether that was the last of them."""
        before, was_wrong = len(self.live), self.is_wrong
        self.live -= set(keys)
        if not self.live:
            self.history.append(how)
        elif len(self.live) < before:
            self.history.append(f"part-{how}")
            settled = was_wrong and not self.is_wrong and not self.who[1]
            if settled and self.status in ("open", "being-fixed", "with-owner"):
                self.status, self.recorded_right = "fixed", True
        return not self.live


@dataclass
class Model:
    """Section 1 in a few lines: who said what, and what of it counts."""

    said: dict[UUID, Said] = field(default_factory=dict)

    def add(self, made: UUID, who: Who, door: Door, verdicts: dict[str, bool]) -> None:
        """A new correction, which takes back what its caller said before of the same."""
        for earlier in self.said.values():
            if earlier.who != who or earlier.ended:
                continue
            whole = door is Door.CORRECTIONS and earlier.door is Door.CORRECTIONS
            if earlier.end(earlier.verdicts if whole else verdicts, "superseded"):
                earlier.superseded_by = made
        self.said[made] = Said(who, door, verdicts, set(verdicts))

    def remove(self, gone: UUID, keys: Collection[str]) -> None:
        """One that its maker takes back, or what it says of one item."""
        if self.said[gone].end(keys, "removed"):
            self.said[gone].status, self.said[gone].recorded_right = "removed", False

    def set_status(self, made: UUID, status: str) -> None:
        """By hand: it clears what fixed it."""
        one = self.said[made]
        if (status, False) != (one.status, one.recorded_right):
            one.history.append("changed")
        one.status, one.recorded_right = status, False

    def alive(self) -> list[UUID]:
        return [made for made, one in self.said.items() if not one.ended]

    def live_verdicts(self) -> set[tuple[UUID, str]]:
        return {(made, key) for made, said in self.said.items() for key in said.live}


who = st.tuples(st.integers(0, 1), st.sampled_from(PARTICIPANTS))
corrections = st.tuples(
    st.just("correct"), who, st.dictionaries(st.sampled_from(ITEMS), st.booleans(), min_size=1, max_size=4)
)
judgments = st.tuples(st.just("judge"), who, st.tuples(st.sampled_from(ITEMS), st.booleans()))
removals = st.tuples(st.just("remove"), st.integers(0, 100), st.none())
parts = st.tuples(st.just("remove part"), st.integers(0, 100), st.integers(0, 100))
by_hand = st.tuples(st.just("set"), st.integers(0, 100), st.sampled_from(["open", "being-fixed", "wont-fix"]))
steps = st.lists(
    st.one_of(corrections, judgments, corrections, judgments, removals, parts, parts, by_hand), min_size=1, max_size=14
)


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
    if kind in ("remove", "remove part", "set"):
        alive = model.alive()
        if alive:
            made = alive[whose % len(alive)]
            change(kind, made, said, callers[model.said[made].who[0]], model)
        return
    caller, participant = callers[whose[0]], whose[1]
    if kind == "judge":
        key, right = said
        made = judge(caller, run_id, key, right=right, participant=participant).pk
        model.add(made, whose, Door.JUDGMENTS, {key: right})
        return
    model.add(correct(caller, run_id, **body(said, participant)).pk, whose, Door.CORRECTIONS, said)


def change(kind: str, made: UUID, said: Any, caller: Caller, model: Model) -> None:
    """What its maker does about one that counts."""
    if kind == "set":
        correction_change(caller=caller, correction_id=str(made), body=ChangeBody(status=said))
        model.set_status(made, said)
    elif kind == "remove":
        correction_remove(caller=caller, correction_id=str(made))
        model.remove(made, model.said[made].verdicts)
    else:
        keys = sorted(model.said[made].live)
        key = keys[said % len(keys)]
        judgment_remove(caller=caller, judgment_id=str(Verdict.objects.get(correction=made, item_key=key).pk))
        model.remove(made, [key])


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
        assert (row.unregistered_at is not None) == one.ended
        assert row.status == one.status and (row.fixed_in or {}).get("how") == (
            "recorded-right" if one.recorded_right else None
        )
        assert row.superseded_by_id == one.superseded_by
        check_history(row, one)


def check_history(row: Correction, said: Said) -> None:
    changes = list(CorrectionChange.objects.filter(correction=row).order_by("revision"))
    assert [change.revision for change in changes] == list(range(1, row.revision + 1)), "no gap"
    assert [change.kind for change in changes] == said.history
    times = [change.created_at for change in changes]
    assert times == sorted(times) and times[-1] == row.updated_at
