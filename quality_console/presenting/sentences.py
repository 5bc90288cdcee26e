"""What a correction will be checked for on a replay, in words (contract, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from corrections.decision_check import Expected
from corrections.json_values import canonical, parse
from judging.words.parts import joined_clauses, listed, number
from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.printing import one_line
from quality_console.presenting.shown import Sentence
from quality_console.presenting.spans import fields
from quality_console.presenting.steps import ToolCalls

# Around what is code in a sentence while it is put together; no printable text holds them.
_OPEN, _CLOSE = "\x02", "\x03"
_MOST_ARGUMENTS = 6
_MOST_HOWS = 10
_VALUE, _NAME = 60, 200
_LOOKED_AT = 1000


def checks_in_words(
    expected: Expected, *, calls: ToolCalls | None = None, names: Mapping[str, str] | None = None
) -> list[Sentence]:
    """A sentence for each tool that is compared, in the order in which they are named, and one for the others.

    ``calls`` are the corrected run's: what is listed as one of them was called is said so. ``names``
    are the tools' ids as they are shown. No sentence where nothing is compared.
    """
    if not expected.tools:
        return []
    shown = names or {}
    numbers = _numbers(expected, calls)
    by_tool: dict[str, list[Mapping[str, Any]]] = {}
    for call in expected.calls:
        by_tool.setdefault(call.tool, []).append(call.args)
    sentences = [_called(tool, args, numbers, shown) for tool, args in by_tool.items()]
    sentences += [
        _sentence(gettext("%(tool)s must not be called") % {"tool": _tool(tool, shown)}) for tool in expected.not_called
    ]
    return [*sentences, _sentence(gettext("the other tools aren't compared"))]


def _numbers(expected: Expected, calls: ToolCalls | None) -> dict[tuple[str, str], int]:
    """The first call of each tool with the same arguments, by the tool and their canonical text."""
    if calls is None:
        return {}
    tools = {call.tool for call in expected.calls}
    found: dict[tuple[str, str], int] = {}
    for call in calls.between(0, _LOOKED_AT):
        if call.tool in tools:
            found.setdefault((call.tool, _canonical(fields(call.args))), call.n)
    return found


def _canonical(args: Mapping[str, Any]) -> str:
    try:
        return canonical({name: parse(bytes(value)) for name, value in args.items()})
    except RecursionError:  # nested deeper than any correction may be
        return ""


def _called(
    tool: str, every: Sequence[Mapping[str, Any]], numbers: Mapping[tuple[str, str], int], shown: Mapping[str, str]
) -> Sentence:
    hows = [_how(args, numbers.get((tool, _canonical(args))) if args else None) for args in every]
    said: dict[str, Any] = {"tool": _tool(tool, shown), "count": number(len(every))}
    if len(hows) == 1:
        return _sentence(gettext("%(tool)s must be called once, %(how)s") % {**said, "how": hows[0]})
    if len(set(hows)) == 1:
        return _sentence(gettext("%(tool)s must be called %(count)s times, each %(how)s") % {**said, "how": hows[0]})
    if len(hows) > _MOST_HOWS:
        hows = [*hows[:_MOST_HOWS], gettext("and %(left)s more") % {"left": number(len(hows) - _MOST_HOWS)}]
    return _sentence(
        gettext("%(tool)s must be called %(count)s times: %(hows)s") % {**said, "hows": joined_clauses(hows)}
    )


def _how(args: Mapping[str, Any], n: int | None) -> str:
    if not args:
        return gettext("whatever its arguments")
    if n is not None:
        return gettext("as call %(n)s was") % {"n": number(n)}
    pairs = [
        f"{clip(printable(name), _NAME)} {_code(one_line(bytes(value), _VALUE))}"
        for name, value in list(args.items())[:_MOST_ARGUMENTS]
    ]
    if len(args) > _MOST_ARGUMENTS:
        pairs.append(gettext("%(left)s more arguments") % {"left": number(len(args) - _MOST_ARGUMENTS)})
    return gettext("with %(arguments)s") % {"arguments": listed(pairs)}


def _tool(tool: str, shown: Mapping[str, str]) -> str:
    return _code(shown.get(tool) or clip(printable(tool), _NAME))


def _code(text: str) -> str:
    return f"{_OPEN}{text}{_CLOSE}"


def _sentence(text: str) -> Sentence:
    pieces: list[tuple[bool, str]] = []
    for part in text.split(_OPEN):
        code, closed, plain = part.partition(_CLOSE)
        pieces += [(True, code), (False, plain)] if closed else [(False, part)]
    return Sentence(tuple(piece for piece in pieces if piece[1]))
