"""What somebody has typed into a correction's form, whatever it is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import QueryDict

from quality_console.presenting.shown import Mark, MarkKind
from quality_console.presenting.spans import decoded, fields
from quality_console.presenting.steps import ToolCall

_CALL = re.compile(r"m-([1-9]\d{0,8})")
MOST_ADDED = 50


@dataclass(slots=True)
class Field:
    """An argument as it stands in the form: its JSON text, and whether it is to be compared."""

    name: str
    text: str
    ticked: bool = True


@dataclass(slots=True)
class TypedCall:
    """What is said of a call that the run made.

    ``kind`` is one of :class:`MarkKind` or empty; ``args`` are its arguments as they were edited,
    ``None`` where they weren't shown yet.
    """

    kind: str = ""
    only: bool = False
    args: list[Field] | None = None


@dataclass(slots=True)
class AddedCall:
    """A call that the run should have made besides; an argument without a text isn't compared."""

    tool: str
    only: bool = False
    args: list[Field] = field(default_factory=list)


@dataclass(slots=True)
class Typed:
    """A whole form.

    ``class_id`` is empty for no class, and ``None`` while none is chosen. ``never`` are tools that
    must not be called and weren't; ``to_add`` is a tool that is named beside "Add" and of which no
    call was added yet; ``items`` are verdicts by pointer, and ``keyed`` those of items that have
    none, by key; ``list_pointer`` is the list of the output that is shown.
    """

    decisions: str = ""
    answer: str = ""
    calls: dict[int, TypedCall] = field(default_factory=dict)
    calls_from: int = 0
    added: list[AddedCall] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    to_add: str = ""
    should_say: str = ""
    why: str = ""
    items: dict[str, str] = field(default_factory=dict)
    keyed: dict[str, str] = field(default_factory=dict)
    list_pointer: str | None = None
    class_id: str | None = ""
    participant: str = ""

    def marks(self, calls: Mapping[int, ToolCall]) -> list[Mark]:
        """What the form says of calls: of the run's in their order, of those that were added, and of other tools."""
        said = [_mark(n, calls.get(n), typed) for n, typed in sorted(self.calls.items()) if typed.kind]
        said += [Mark(MarkKind.INSTEAD, call.tool, args=_compared(call.only, call.args)) for call in self.added]
        return said + [Mark(MarkKind.NEVER, tool) for tool in self.never]

    @property
    def unnamed_arguments(self) -> bool:
        """Whether an argument has a value and no name."""
        every = [call.args or [] for call in self.calls.values() if call.kind == MarkKind.INSTEAD and not call.only]
        every += [call.args for call in self.added if not call.only]
        return any(arg.ticked and not arg.name for args in every for arg in args)

    @property
    def unread_calls(self) -> list[int]:
        """The calls that should have been called otherwise, whose arguments weren't shown to be edited."""
        return [n for n, typed in self.calls.items() if typed.kind == MarkKind.INSTEAD and typed.args is None]


def _mark(n: int, call: ToolCall | None, typed: TypedCall) -> Mark:
    args = typed.args if typed.args is not None else as_called(call)
    return Mark(MarkKind(typed.kind), call.tool if call else "", n, _compared(typed.only, args))


def _compared(only: bool, args: Sequence[Field]) -> tuple[tuple[str, str], ...]:
    return () if only else tuple((arg.name, arg.text) for arg in args if arg.ticked and arg.name)


def as_called(call: ToolCall | None) -> list[Field]:
    """A call's arguments as the run gave them, each to be compared."""
    return [] if call is None else [Field(name, decoded(span)) for name, span in fields(call.args).items()]


def typed_in(sent: QueryDict, calls: Mapping[int, ToolCall]) -> Typed:
    """A form that was sent; ``calls`` are the run's, by number. What the form can't have sent is left out."""
    typed = Typed(
        decisions=_one_of(sent.get("decisions"), ("right", "wrong")),
        answer=_one_of(sent.get("answer"), ("right", "wrong")),
        calls_from=_number(sent.get("calls-from")),
        to_add=_text(sent.get("add-tool")),
        should_say=_text(sent.get("should-say")),
        why=_text(sent.get("why")),
        list_pointer=sent.get("list"),
        class_id=sent.get("class"),
        participant=sent.get("participant", "") if sent.get("participant", "").strip() else "",
    )
    for name, said in sent.items():
        if (found := _CALL.fullmatch(name)) and int(found[1]) in calls:
            n = int(found[1])
            typed.calls[n] = _call(sent, n, calls[n])
        elif name[:2] in ("i:", "k:") and isinstance(said, str) and said in ("right", "wrong"):
            (typed.items if name[0] == "i" else typed.keyed)[name[2:]] = said
    typed.added = [_added(sent, _number(index)) for index in sent.getlist("added")[:MOST_ADDED]]
    typed.never = list(dict.fromkeys(tool for tool in sent.getlist("never")[:MOST_ADDED] if tool))
    return typed


def _call(sent: QueryDict, n: int, call: ToolCall) -> TypedCall:
    kind = _one_of(sent.get(f"m-{n}"), [kind.value for kind in MarkKind])
    if f"e-{n}" not in sent:
        return TypedCall(kind)
    ticked = set(sent.getlist(f"t-{n}"))
    args = as_called(call)
    for index, arg in enumerate(args):
        arg.text, arg.ticked = sent.get(f"a-{n}-{index}", arg.text), str(index) in ticked
    return TypedCall(kind, f"only-{n}" in sent, args + _pairs(sent, f"more-{n}"))


def _added(sent: QueryDict, index: int) -> AddedCall:
    name = f"add-{index}"
    return AddedCall(sent.get(f"{name}-tool", ""), f"{name}-only" in sent, _pairs(sent, name))


def _pairs(sent: QueryDict, name: str) -> list[Field]:
    """Arguments that aren't the run's, each a name and a text; one without either is none."""
    named = zip(sent.getlist(f"{name}-name"), sent.getlist(f"{name}-value"), strict=False)
    return [Field(key.strip(), text, bool(text.strip())) for key, text in named if key.strip() or text.strip()]


def _one_of(value: str | None, known: Sequence[str]) -> str:
    return value if value is not None and value in known else ""


def _number(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 8 else 0


def _text(value: str | None) -> str:
    """A text as it was typed: browsers send the ends of lines as CR LF."""
    return (value or "").replace("\r\n", "\n").strip("\n")
