"""What an endpoint answers: ``{output, calls}``, each kept to the byte (contract, sections 3 and 7)."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from improve.replaying.problems import Problem
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import MAX_DEPTH, decode, decode_span
from kindgi.runs.records import Call, check_calls

# What a place may be told by: our own fields, and numbers. What else stands in an answer may be somebody's words.
_PLACE = re.compile(r"(/(output|calls|tool|args|refused|\d{1,6}))*")
_SAID = re.compile(
    r"Expected `[a-z |]+`( of length >= \d+)?(, got `[a-z]+`)?"
    r"|Object missing required field `(calls|tool|args)`"
    r"|args must be an object"
    r"|a string can't hold a NUL or a lone surrogate here"
)


class Answer(NamedTuple):
    """What the agent would do. Without an ``output`` a call of a tool was refused, and it stopped there."""

    calls: bytes
    output: bytes | None


class NotAnAnswer(Exception):
    """Why it isn't one, as :mod:`improve.replaying.problems` says it."""

    def __init__(self, problem: Problem, detail: str = "") -> None:
        """``detail`` is what the problem's sentence names."""
        super().__init__(problem)
        self.problem, self.detail = problem, detail


class _Body(msgspec.Struct, rename="camel"):
    """More fields may be there, for the endpoint's own purposes."""

    calls: Raw
    output: Raw | UnsetType = UNSET


def read_answer(body: bytes) -> Answer:
    """The answer that ``body`` is; raises :class:`NotAnAnswer`. What /v1 refuses of a run is refused here, too."""
    try:
        said = decode(body, _Body)
        calls = bytes(said.calls)
        check_calls(calls, "/calls")
    except BadInput as refused:
        raise _problem_of(refused) from None
    output = None if isinstance(said.output, UnsetType) else bytes(said.output)
    if output not in (None, b"null"):
        return Answer(calls, output)
    if any(call.refused is True for call in decode_span(calls, list[Call], "/calls")):
        return Answer(calls, None)
    if output is None:
        raise NotAnAnswer(Problem.NO_OUTPUT)
    return Answer(calls, output)


def _problem_of(refused: BadInput) -> NotAnAnswer:
    """What is told of it stays when words are erased, so nothing that was in the answer is."""
    details = refused.details or {}
    if "maxDepth" in details:
        return NotAnAnswer(Problem.TOO_DEEP, str(MAX_DEPTH))
    if "path" in details or refused.message.startswith("/"):
        return NotAnAnswer(Problem.WRONG_SHAPE, _told(refused.message.removesuffix(".")))
    return NotAnAnswer(Problem.NOT_JSON)


def _told(message: str) -> str:
    """Where it is and what, in our own words alone: an unknown field's name is the answer's."""
    place, said = "", message
    if message.startswith("/"):
        place, _sep, said = message.partition(": ")
    found = _PLACE.match(place)
    known = said if _SAID.fullmatch(said) else "a field that isn't known here"
    return f"{found.group()}: {known}." if found and found.group() else f"{known}."
