"""Cases and replays for tests of scoring: short ways to say who found what right."""

from __future__ import annotations

import json
from typing import Any

from corrections.decision_check import calls_of
from corrections.grading import Output
from corrections.models import ANSWER_KEY, DECISIONS_KEY
from improve.comparing import Outcome, Tried, outcome
from improve.judged import Judged, JudgedItem, Said, Voice, calls_digest
from improve.models import ReplayState
from improve.scoring import Replayed, Scored, place_value, score, together


def text(value: Any) -> bytes:
    """A value as JSON."""
    return json.dumps(value).encode()


def voice(right: bool, weight: float = 1.0, *, expert: bool = False, said: int = 0) -> Voice:
    """A verdict."""
    return Voice(right, weight, expert, said)


class Case:
    """A recorded run of which people say things, one after the other."""

    def __init__(self, output: Any = None, calls: Any = ()) -> None:
        self.output, self.calls = text(output), text(list(calls))
        self.items: list[JudgedItem] = []
        self.said: list[Said] = []

    def judge(
        self,
        key: str,
        right: bool,
        weight: float = 1.0,
        *,
        pointer: str | None = None,
        expert: bool = False,
        **said: Any,
    ) -> Case:
        """Somebody says that a thing is right or wrong; ``said`` are the correction's words."""
        if "should_call" in said:
            said["should_call"] = json.dumps(said["should_call"])
        self.said.append(Said(**said))
        one = voice(right, weight, expert=expert, said=len(self.said) - 1)
        for item in self.items:
            if (item.key, item.pointer) == (key, pointer):
                item.voices.append(one)
                return self
        self.items.append(JudgedItem(key, [one], pointer, None, self._value(key, pointer)))
        return self

    def answer(self, right: bool, weight: float = 1.0, **more: Any) -> Case:
        """Of the answer."""
        return self.judge(ANSWER_KEY, right, weight, **more)

    def decisions(self, right: bool, weight: float = 1.0, **more: Any) -> Case:
        """Of the decisions."""
        return self.judge(DECISIONS_KEY, right, weight, **more)

    def _value(self, key: str, pointer: str | None) -> str | None:
        if key == DECISIONS_KEY:
            return calls_digest(calls_of(self.calls))
        return place_value(Output(self.output), key, pointer)

    @property
    def judged(self) -> Judged:
        """What was said."""
        return Judged(self.items, self.said)

    def scored(self, output: Any, calls: Any = (), *, experts_only: bool = False, also: Any = ()) -> Scored:
        """What a replay that answers so comes to."""
        replayed = Replayed(output=text(output), calls=text(list(calls)))
        return score(self.judged, replayed, experts_only=experts_only, also=also)

    def again(self, *, experts_only: bool = False) -> Scored:
        """What a replay comes to that does what the run did."""
        replayed = Replayed(output=self.output, calls=self.calls)
        return score(self.judged, replayed, experts_only=experts_only)


def came_out(*scored: Scored) -> Outcome:
    """How a case came out whose repetitions came to this."""
    tried = [Tried(number, ReplayState.ANSWERED, one) for number, one in enumerate(scored, 1)]
    return outcome(tried, recorded=together(part.baseline for part in scored[0].parts))


def said(text_said: str) -> dict[str, Any]:
    """An agent's turn that says so."""
    return {"response": {"content": text_said}}


def call(tool: str, **args: Any) -> dict[str, Any]:
    """A call."""
    return {"tool": tool, "args": args}
