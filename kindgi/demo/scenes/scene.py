"""One conversation with an agent, and what a careful reviewer would say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A call that the agent made, and what came back."""

    tool: str
    args: dict[str, Any]
    result: Any
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Flaw:
    """What was wrong, in the words of somebody who looked.

    It is about the decisions when calls are named, about the items when places are, and else
    about the answer alone.
    """

    why: str
    should_say: str = ""
    should_call: tuple[dict[str, Any], ...] = ()
    must_not_call: tuple[str, ...] = ()
    wrong_places: tuple[int, ...] = ()

    @property
    def of_decisions(self) -> bool:
        """Whether the agent should have acted otherwise."""
        return bool(self.should_call or self.must_not_call)


@dataclass(frozen=True, slots=True)
class Scene:
    """A conversation: what was said before, the message, the calls, the answer, and its flaw if it has one."""

    message: str
    answer: str
    steps: tuple[Step, ...] = ()
    before: tuple[tuple[str, str], ...] = ()
    context: dict[str, Any] = field(default_factory=dict)
    matches: tuple[dict[str, Any], ...] = ()
    flaw: Flaw | None = None
    praise: str = "Nothing to add."

    def input(self) -> dict[str, Any]:
        """The run's input."""
        said: dict[str, Any] = {"message": self.message}
        if self.before:
            said["history"] = [{"role": role, "content": content} for role, content in self.before]
        return {**said, "context": {"channel": "chat", **self.context}}

    def output(self) -> dict[str, Any]:
        """The run's output."""
        called = [
            {"tool": step.tool, "args": step.args, "result": step.result, "refused": step.refused}
            for step in self.steps
        ]
        output: dict[str, Any] = {"response": {"content": self.answer}}
        if self.matches:
            output["matches"] = list(self.matches)
        return {**output, "toolCalls": called}

    def calls(self) -> list[dict[str, Any]]:
        """The run's calls."""
        return [{"tool": step.tool, "args": step.args, "refused": step.refused} for step in self.steps]


Maker = Callable[[Random, bool], Scene]
"""Makes a scene, with a flaw when the second argument says so."""


def call(tool: str, **args: Any) -> dict[str, Any]:
    """A call as a correction lists it."""
    return {"tool": tool, "args": args}
