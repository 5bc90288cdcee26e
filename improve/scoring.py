"""What a replay comes to for a test case (contract, section 7; docs/test-sets.md). Knows no database.

Each verdict is evidence about a value. A replay's value in the place of a judged one has the
recorded verdicts where it is the same, and no others, so that a value never differs from itself. Else
it has whatever people said of that value: that the answer should be so, that another item of the same
list with it is right or wrong, what the expected calls say of other decisions. Where nobody who counts
has said anything of it, it is changed.

Evidence says which share of a value is right. What the thing weighs is the recorded verdicts' weight
on both sides, so that a case counts no less for a loss, and no more for having been asked about often.
Weights are summed exactly, so that neither the order of verdicts nor rounding says that anything differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import msgspec

from corrections.decision_check import Made, calls_of, check
from corrections.grading import Output
from corrections.json_values import canonical
from corrections.models import ANSWER_KEY, DECISIONS_KEY
from improve.judged import Judged, JudgedItem, Said, Voice, calls_digest, value_digest


class Tally(NamedTuple):
    """What verdicts come to: the weight that is right, and all of it."""

    right: Fraction = Fraction()
    total: Fraction = Fraction()

    @property
    def share(self) -> Fraction | None:
        """The share that is right, ``None`` where nothing weighs."""
        return self.right / self.total if self.total else None

    def weighing(self, total: Fraction) -> Tally | None:
        """The same share of another weight, ``None`` where nothing weighs."""
        share = self.share
        return None if share is None else Tally(share * total, total)

    @property
    def has_wrong(self) -> bool:
        """Whether anything says wrong."""
        return self.right < self.total


NOTHING = Tally()


def together(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies."""
    found = list(tallies)
    return Tally(sum((one.right for one in found), Fraction()), sum((one.total for one in found), Fraction()))


@dataclass(frozen=True, slots=True)
class Part:
    """One judged thing beside what a replay has in its place; ``candidate`` is ``None`` where that is changed.

    ``same`` says that both have the same value. Both sides have the same weight.
    """

    key: str
    pointer: str | None
    same: bool
    baseline: Tally
    candidate: Tally | None


@dataclass(frozen=True, slots=True)
class Scored:
    """What one replay comes to for a case, part by part."""

    parts: Sequence[Part]

    @property
    def has_changed(self) -> bool:
        """Whether it has something that nobody has judged."""
        return any(part.candidate is None for part in self.parts)

    @property
    def has_changed_from_right(self) -> bool:
        """Whether it has something that nobody has judged in the place of what was right."""
        return any(part.candidate is None and part.baseline.right > 0 for part in self.parts)

    @property
    def counts(self) -> bool:
        """Whether it can be compared: something is known of it, and not only right things beside changed ones."""
        candidate = self.candidate
        return candidate.total > 0 and (candidate.has_wrong or not self.has_changed)

    @property
    def baseline(self) -> Tally:
        """The recorded run's side, of the parts that are known on both."""
        return together(part.baseline for part in self.parts if part.candidate is not None)

    @property
    def candidate(self) -> Tally:
        """The replay's side."""
        return together(part.candidate for part in self.parts if part.candidate is not None)


class Replayed:
    """What a replay answered, as it is compared: JSON texts, of which the calls may be missing, which are none then."""

    def __init__(self, *, output: bytes, calls: bytes | None) -> None:
        """Look into both when something asks."""
        self._output = Output(output)
        self._calls = calls

    @cached_property
    def calls(self) -> list[Made]:
        """The calls that it made."""
        return calls_of(self._calls or b"[]")

    @cached_property
    def calls_value(self) -> str:
        """What stands for them."""
        return calls_digest(self.calls)

    @cached_property
    def whole(self) -> tuple[str, str]:
        """What stands for all of the answer: its output, and its calls."""
        return place_value(self._output, "", None) or "", self.calls_value

    def value_of(self, item: JudgedItem) -> str | None:
        """What stands for the value in the place of a judged thing; ``None`` where there is none."""
        return self.calls_value if item.kind == DECISIONS_KEY else place_value(self._output, item.key, item.pointer)


def place_value(output: Output, key: str, pointer: str | None) -> str | None:
    """What stands for an output's value in a judged thing's place; what has no place is about all of the output."""
    if pointer is None and key == ANSWER_KEY:
        return value_digest(output.answer)
    found = output.at(pointer or "")
    return None if found is None else value_digest(found)


def counted(judged: Judged, *, experts_only: bool) -> Judged:
    """``judged`` with only the verdicts that weigh something, the experts' alone where these count alone."""
    items = []
    for item in judged.items:
        voices = [voice for voice in item.voices if voice.weight > 0 and (voice.expert or not experts_only)]
        if voices:
            items.append(msgspec.structs.replace(item, voices=voices))
    return Judged(items, judged.said)


def recorded_tally(judged: Judged) -> Tally:
    """What the verdicts of ``judged`` come to, thing by thing taken together."""
    return together(_tally(item.voices) for item in judged.items)


def score(judged: Judged, replayed: Replayed, *, experts_only: bool, also: Sequence[Judged] = ()) -> Scored:
    """What ``replayed`` comes to for a case, by what counts of ``judged`` (:func:`counted`).

    Where none of it counts, each thing is only the same or another. ``also`` is what counts of what
    people said of runs that were made of the case's answers.
    """
    counts = counted(judged, experts_only=experts_only)
    if not counts.items:
        return Scored([_uncounted(item, replayed) for item in judged.items])
    said_of = [counts, *also]
    return Scored([_part(item, replayed, said_of) for item in counts.items])


def _uncounted(item: JudgedItem, replayed: Replayed) -> Part:
    value = replayed.value_of(item)
    same = value is not None and value == item.value
    return Part(item.key, item.pointer, same, NOTHING, NOTHING if same else None)


def _part(item: JudgedItem, replayed: Replayed, said_of: Sequence[Judged]) -> Part:
    baseline = _tally(item.voices)
    value = replayed.value_of(item)
    if value is not None and value == item.value:
        return Part(item.key, item.pointer, True, baseline, baseline)
    found = together(_evidence(item, value, replayed, said_of))
    return Part(item.key, item.pointer, False, baseline, found.weighing(baseline.total))


def _evidence(item: JudgedItem, value: str | None, replayed: Replayed, said_of: Sequence[Judged]) -> Iterator[Tally]:
    """What is said of another value than the recorded one."""
    if value is None:
        return
    yield _marked(item.kind, value, said_of)
    if item.kind == DECISIONS_KEY:
        yield from _checked(replayed.calls, value, said_of)
    elif item.kind == ANSWER_KEY:
        yield from _told(value, said_of)


def _marked(kind: str, value: str, said_of: Sequence[Judged]) -> Tally:
    """What people said where they found that very value."""
    items = (item for judged in said_of for item in judged.items if item.value == value and item.kind == kind)
    return together(_tally(item.voices) for item in items)


def _checked(calls: Sequence[Made], value: str, said_of: Sequence[Judged]) -> Iterator[Tally]:
    """What the expected calls say of others than those that they were said of."""
    for voice, said, found in _wrong(DECISIONS_KEY, said_of):
        expected = said.expected
        if expected is not None and found != value:
            weight = Fraction(voice.weight)
            yield Tally(weight if check(expected, calls).passed else Fraction(), weight)


def _told(value: str, said_of: Sequence[Judged]) -> Iterator[Tally]:
    """That the answer should be so."""
    for voice, said, found in _wrong(ANSWER_KEY, said_of):
        if said.should_say is not None and found != value and value_digest(canonical(said.should_say)) == value:
            yield Tally(Fraction(voice.weight), Fraction(voice.weight))


def _wrong(key: str, said_of: Sequence[Judged]) -> Iterator[tuple[Voice, Said, str | None]]:
    """Each verdict that says wrong, with its correction's words and what it was said of."""
    for judged in said_of:
        for item in judged.items:
            if item.key == key:
                yield from ((one, judged.said[one.said], item.value) for one in item.voices if not one.right)


def _tally(voices: Iterable[Voice]) -> Tally:
    found = list(voices)
    right = sum((Fraction(one.weight) for one in found if one.right), Fraction())
    return Tally(right, sum((Fraction(one.weight) for one in found), Fraction()))
