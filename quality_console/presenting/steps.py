"""A run's calls of tools as its page lists them, each with its result where the output tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.printing import RESULT, block_of, json_block, one_line
from quality_console.presenting.shown import Argument, Part, Place, Step
from quality_console.presenting.spans import Text, below, decoded, elements, fields, kind_of, string_of

# Where an agent's output repeats its calls with their results, in the same order.
TOOL_CALLS = "/toolCalls"
# Names of a call's result, and of how long it took, in the order in which they are looked for.
_RESULTS = ("result", "output")
_DURATIONS = ("durationMs", "duration_ms", "latencyMs", "latency_ms")
_ERRORS = ("error", "isError", "is_error")
_NOTHING = frozenset({b"null", b"false", b'""', b"{}", b"[]", b"0"})
MOST_STEPS = 100
_PEEK = 160
_NAME = 200


@dataclass(frozen=True, slots=True)
class ArgumentLimits:
    """How many arguments of a call are shown, and how many characters of all of them together."""

    count: int
    characters: int


SHOWN = ArgumentLimits(count=30, characters=1200)
_ARGUMENT_PEEK = 60


class ToolCall(NamedTuple):
    """A call by its fields: its number from 1, its tool, the JSON text of its arguments, and where that stands."""

    n: int
    tool: str
    args: bytes
    refused: bool
    place: Place


class ToolCalls:
    """A run's calls, looked into only where they are shown."""

    def __init__(self, calls: bytes | None, output: bytes | None) -> None:
        """The calls as reported, or where none were, those that the output repeats."""
        told = Text(output).find(TOOL_CALLS) if output is not None else None
        self._told = elements(told) if told is not None else []
        self._reported = calls is not None and kind_of(calls.strip()) == "array"
        self._calls = elements(calls.strip()) if calls is not None and self._reported else self._told
        self._part = Place(Part.CALLS) if self._reported else Place(Part.OUTPUT, TOOL_CALLS)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._calls)

    def between(self, start: int, end: int) -> list[ToolCall]:
        """Those with an index from ``start`` to before ``end``."""
        return [self._at(index) for index in range(max(0, start), min(end, len(self)))]

    def _at(self, index: int) -> ToolCall:
        found = fields(self._calls[index])
        return ToolCall(
            n=index + 1,
            tool=string_of(found.get("tool", b"null")) or string_of(found.get("name", b"null")) or "",
            args=found.get("args", b"{}"),
            refused=found.get("refused") == b"true",
            place=Place(self._part.part, below(below(self._part.pointer, index), "args")),
        )

    def told(self, call: ToolCall) -> dict[str, bytes]:
        """What the output says of a call: the fields of the entry at its place, when that is of the same tool."""
        found = fields(self._told[call.n - 1]) if call.n <= len(self._told) else {}
        return found if string_of(found.get("tool", found.get("name", b"null"))) == call.tool else {}


def steps_of(calls: ToolCalls, *, tools: Sequence[Mapping[str, Any]] | None, start: int = 0) -> tuple[Step, ...]:
    """Up to :data:`MOST_STEPS` steps from the index ``start``; ``tools`` are the version's, where registered."""
    writes = writes_of(tools)
    shown = calls.between(start, start + MOST_STEPS)
    names = short_names([*writes, *(call.tool for call in shown)])
    return tuple(_step(call, calls.told(call), writes, names) for call in shown)


def short_names(tools: Iterable[str]) -> dict[str, str]:
    """Each tool's id as it is shown, without the dotted words that all of them begin with."""
    parts = {tool: tool.split(".") for tool in tools}
    first = next(iter(parts.values()), [])
    same = min((len(words) - 1 for words in parts.values()), default=0)
    while any(words[:same] != first[:same] for words in parts.values()):
        same -= 1
    return {tool: clip(printable(".".join(words[same:]) or tool), _NAME) for tool, words in parts.items()}


def writes_of(tools: Sequence[Mapping[str, Any]] | None) -> dict[str, bool]:
    """Whether each registered tool changes something."""
    return {str(tool["id"]): bool(tool.get("writes", False)) for tool in tools or []}


def _step(call: ToolCall, told: Mapping[str, bytes], writes: Mapping[str, bool], names: Mapping[str, str]) -> Step:
    args, left = arguments(call.args, SHOWN)
    name = next((name for name in _RESULTS if name in told), None)
    place = Place(Part.OUTPUT, below(below(TOOL_CALLS, call.n - 1), name or ""))
    return Step(
        n=call.n,
        tool=clip(printable(call.tool), _NAME),
        short=names[call.tool],
        writes=writes.get(call.tool),
        refused=call.refused,
        failed=_failed(told, None if name is None else told[name]),
        peek=_peek(args, left),
        args=args,
        args_left=left,
        whole_args=json_block(call.args, call.place, RESULT),
        result=None if name is None else block_of(told[name], place, RESULT),
        milliseconds=_milliseconds(told),
    )


def _failed(told: Mapping[str, bytes], result: bytes | None) -> bool:
    """Whether a result is an error: it begins with that word, or it, or its entry, has one under a name for it."""
    if any(told.get(name, b"null") not in _NOTHING for name in _ERRORS):
        return True
    if result is None:
        return False
    if result[:1] == b'"':
        return result[1:20].lstrip().lower().startswith((b"error", b"traceback"))
    found = fields(result) if result[:1] == b"{" else {}
    return any(found.get(name, b"null") not in _NOTHING for name in _ERRORS)


def _milliseconds(told: Mapping[str, bytes]) -> int | None:
    for name in _DURATIONS:
        span = told.get(name, b"")
        if span.isdigit() and len(span) < 12:
            return int(span)
    return None


def arguments(span: bytes, limits: ArgumentLimits) -> tuple[tuple[Argument, ...], int]:
    """The fields of a call's arguments up to the limits, and how many more there are."""
    found: list[Argument] = []
    every = fields(span)
    left = limits.characters
    for name, value in every.items():
        if len(found) >= limits.count or left <= 0:
            break
        found.append(_argument(name, value, left))
        left -= len(found[-1].name) + len(found[-1].json)
    return tuple(found), len(every) - len(found)


def _argument(name: str, span: bytes, left: int) -> Argument:
    line = one_line(span, left)
    text = decoded(span)
    return Argument(
        name=clip(printable(name), _NAME),
        json=line if len(text) > left else printable(text),
        peek=one_line(span, _ARGUMENT_PEEK),
        cut=len(text) > left or name != printable(name),
    )


def _peek(args: Iterable[Argument], left: int) -> str:
    """A call's arguments on one short line."""
    line = ", ".join(f"{arg.name} {arg.peek}" for arg in args) + (", …" if left else "")
    return line if len(line) <= _PEEK else clip(line, _PEEK - 1) + "…"
