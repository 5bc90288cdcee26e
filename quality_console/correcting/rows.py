"""The lines of the correction form, as its template prints them."""

from __future__ import annotations

from dataclasses import dataclass

from quality_console.correcting.typed import Field
from quality_console.presenting.form_calls import Tools
from quality_console.presenting.runs import RunTexts
from quality_console.presenting.steps import ToolCalls


@dataclass(frozen=True, slots=True)
class Corrected:
    """The run as a form needs it: its texts, its version's tools, its agent, and the answer that it gave."""

    run_id: str
    agent_id: str
    texts: RunTexts
    tools: Tools
    said: str | None

    def calls(self) -> ToolCalls:
        """The calls that it made."""
        return ToolCalls(self.texts.calls, self.texts.output)


@dataclass(frozen=True, slots=True)
class ArgRow:
    """An argument's line: the names of its fields in the form, what they hold, what was called, what is wrong."""

    at: str
    value_at: str
    name: str
    text: str
    ticked: bool
    was: str
    cut: bool
    error: str


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call's line; ``args`` are ``None`` while it isn't edited, ``error`` says what is wrong with the whole."""

    n: int
    tool: str
    short: str
    kind: str
    said: str
    only: bool
    args: list[ArgRow] | None
    more: list[Field]
    error: str

    @property
    def more_at(self) -> str:
        """How the fields of arguments that the run didn't give are named."""
        return f"more-{self.n}"


@dataclass(frozen=True, slots=True)
class Group:
    """Calls that follow one another; those that only read are folded while nothing is said of them."""

    calls: list[CallRow]
    folded: bool

    @property
    def first(self) -> CallRow:
        """The first."""
        return self.calls[0]

    @property
    def last(self) -> CallRow:
        """The last."""
        return self.calls[-1]

    @property
    def opened(self) -> bool:
        """Whether something is said of one of them."""
        return any(call.kind for call in self.calls)


@dataclass(frozen=True, slots=True)
class AddedRow:
    """A call that was added."""

    index: int
    tool: str
    short: str
    only: bool
    args: list[Field]
    error: str

    @property
    def at(self) -> str:
        """How the fields of its arguments are named."""
        return f"add-{self.index}"


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item of the output: the name of its field in the form, and what is said of it."""

    name: str
    key: str
    pointer: str
    label: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class that can be chosen, or with ``why`` one that can't."""

    id: str
    name: str
    counts: str
    why: str = ""
