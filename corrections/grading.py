"""How a replay comes out for a correction: each thing that was wrong, then all of it (contract, section 4).

Pure. Values are compared as JSON, by their canonical texts (:mod:`corrections.json_values`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import msgspec

from corrections.decision_check import Expected, calls_of, check
from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Outcome
from kindgi.api.jsontext import Document

# Where an agent's turn has the text of its answer, unless its output is that text.
_ANSWER_TEXT = "/response/content"


class _Response(msgspec.Struct):
    content: str


class _Turn(msgspec.Struct):
    response: _Response


_TURN = msgspec.json.Decoder(_Turn)


class Output:
    """A run's or a replay's output, looked into by pointer; canonical texts of what is there."""

    def __init__(self, text: bytes) -> None:
        """Look into ``text``, which is valid JSON."""
        self._text = text
        self._found: dict[str, str | None] = {}

    @cached_property
    def _document(self) -> Document:
        return Document(self._text)

    def at(self, pointer: str) -> str | None:
        """What ``pointer`` names, or ``None`` for nothing there."""
        if pointer not in self._found:
            span = self._document.find(pointer)
            self._found[pointer] = None if span is None else canonical_text(span)
        return self._found[pointer]

    @cached_property
    def answer(self) -> str:
        """The whole answer: the text of an agent's turn where there is one, else the whole output."""
        try:
            return canonical(_TURN.decode(self._text).response.content)
        except msgspec.DecodeError:  # another output, or one with lone surrogates, of which it knows nothing
            pass
        text = self._document.find(_ANSWER_TEXT)
        return canonical_text((text if text is not None and text[:1] == b'"' else self._document.find("")) or b"null")


def canonical_text(span: bytes) -> str:
    """A JSON text's canonical form, by which values are compared."""
    return canonical(parse(span))


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the version did on a run: JSON texts, ``None`` for what the replay didn't tell."""

    calls: bytes | None
    output: Output | None


class Wrong(NamedTuple):
    """One thing that a correction says was wrong; ``value`` is the canonical text of what was there, where known."""

    key: str
    pointer: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """What people's live verdicts say of values in a run: by canonical text, whether it is right.

    Of answers apart from items; right where people don't agree, or where somebody said that the
    answer should be so.
    """

    answers: Mapping[str, bool] = field(default_factory=dict)
    items: Mapping[str, bool] = field(default_factory=dict)

    def of(self, key: str, value: str) -> bool | None:
        """Whether a value is right in the place of ``key``; ``None`` where nobody has said."""
        return (self.answers if key == ANSWER_KEY else self.items).get(value)


@dataclass(frozen=True, slots=True)
class ToGrade:
    """What grading needs of a correction: what was wrong, and what is right instead.

    ``expected`` is ``None`` where it was erased. ``marks`` is asked only where the rest doesn't tell.
    """

    wrong: Sequence[Wrong]
    expected: Expected | None
    should_say: str | None = None
    marks: Callable[[], Marks] = Marks


class Grade(NamedTuple):
    """How a replay came out: altogether, and by item key in the correction's order."""

    outcome: Outcome
    parts: dict[str, Outcome]


def unchecked(graded: Grade) -> Grade:
    """The grade of the same things when nothing can be told of them any more."""
    return Grade(Outcome.UNCHECKED, dict.fromkeys(graded.parts, Outcome.UNCHECKED))


def grade(correction: ToGrade, replay: Replayed) -> Grade:
    """How ``replay`` comes out for ``correction``."""
    parts = {wrong.key: _part(correction, wrong, replay) for wrong in correction.wrong}
    return Grade(overall(parts.values()), parts)


def overall(outcomes: Iterable[Outcome]) -> Outcome:
    """Right only when all of it is: else wrong before what a person must look at before what wasn't shown."""
    found = set(outcomes)
    for outcome in (Outcome.WRONG, Outcome.CHANGED, Outcome.UNCHECKED):
        if outcome in found:
            return outcome
    return Outcome.RIGHT if found else Outcome.UNCHECKED


def _part(correction: ToGrade, wrong: Wrong, replay: Replayed) -> Outcome:
    if wrong.key == DECISIONS_KEY:
        if replay.calls is None or correction.expected is None:
            return Outcome.UNCHECKED
        return Outcome.RIGHT if check(correction.expected, calls_of(replay.calls)).passed else Outcome.WRONG
    if replay.output is None:
        return Outcome.UNCHECKED
    return _value(correction, wrong, _there(wrong, replay.output))


def _there(wrong: Wrong, output: Output) -> str | None:
    """What the replay has in the place of what was wrong."""
    if wrong.pointer is not None:
        return output.at(wrong.pointer)
    return output.answer if wrong.key == ANSWER_KEY else None


def _value(correction: ToGrade, wrong: Wrong, value: str | None) -> Outcome:
    """What it should say is right. Else what this correction found wrong stays wrong, whoever else found it right."""
    if value is None:
        return Outcome.CHANGED
    if wrong.key == ANSWER_KEY and correction.should_say is not None and value == canonical(correction.should_say):
        return Outcome.RIGHT
    if value == wrong.value:
        return Outcome.WRONG
    marked = correction.marks().of(wrong.key, value)
    if marked is None:
        return Outcome.CHANGED
    return Outcome.RIGHT if marked else Outcome.WRONG
