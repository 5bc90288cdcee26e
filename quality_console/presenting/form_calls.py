"""A run's calls and its version's tools as the correction form lists them (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from corrections.submissions import MAX_ARGS_CHARS, MAX_ARGS_FIELDS
from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.shown import CallGroup, CallToMark, ToolChoice
from quality_console.presenting.spans import can_be_printed, fields
from quality_console.presenting.steps import ArgumentLimits, ToolCalls, arguments, short_names, writes_of

MOST_CALLS = 50
LONGEST_TOOL = 200
# All that a page has to edit: of each call what a correction could hold, of all of them a fixed size.
EDITABLE = ArgumentLimits(count=MAX_ARGS_FIELDS, characters=MAX_ARGS_CHARS)
_ALL_CHARACTERS = 100_000
_LOOKED_AT = 1000

Tools = Sequence[Mapping[str, Any]] | None


def calls_to_mark(calls: ToolCalls, *, tools: Tools, start: int = 0) -> tuple[CallGroup, ...]:
    """Up to 50 calls from the index ``start``, in groups: those that only read and follow one another are one.

    Where all only read, what was wrong is among them, and none are folded.
    """
    shown = list(_to_mark(calls, tools, start))
    groups: list[CallGroup] = []
    for only_read, run in groupby(shown, key=lambda call: call.only_reads):
        found = tuple(run)
        if only_read and 1 < len(found) < len(shown):
            groups.append(CallGroup(found, folded=True))
        else:
            groups += [CallGroup((call,), folded=False) for call in found]
    return tuple(groups)


def _to_mark(calls: ToolCalls, tools: Tools, start: int) -> Iterator[CallToMark]:
    writes = writes_of(tools)
    shown = calls.between(start, start + MOST_CALLS)
    names = short_names([*writes, *(call.tool for call in shown)])
    left = _ALL_CHARACTERS
    for call in shown:
        args, more = arguments(call.args, ArgumentLimits(EDITABLE.count, min(EDITABLE.characters, left)))
        left -= sum(len(arg.name) + len(arg.json) for arg in args)
        tool = clip(printable(call.tool), LONGEST_TOOL)
        yield CallToMark(call.n, tool, names[call.tool], writes.get(call.tool) is False, args, more)


def tool_choices(calls: ToolCalls, *, tools: Tools) -> list[ToolChoice]:
    """The version's tools by their ids, or where none were registered those that were called."""
    writes = writes_of(tools)
    parameters: dict[str, dict[str, None]] = {}
    for call in calls.between(0, _LOOKED_AT):
        parameters.setdefault(call.tool, {}).update(dict.fromkeys(fields(call.args)))
    ids = sorted(tool for tool in (parameters if tools is None else writes) if can_be_named(tool))
    names = short_names(ids)
    return [ToolChoice(tool, names[tool], writes.get(tool), _printable(parameters.get(tool, {}))) for tool in ids]


def _printable(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(printable(name) for name in islice(names, MAX_ARGS_FIELDS))


def can_be_named(tool: str) -> bool:
    """Whether a correction can name a tool of this id (contract, section 4)."""
    return 0 < len(tool) <= LONGEST_TOOL and can_be_printed(tool)
