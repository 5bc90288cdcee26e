"""What the correction form's marks of calls say (contract, section 4).

A call marked right is one that should be made with just its arguments; one marked "like this
instead" with those that are ticked. A tool of which a call shouldn't have been made must not be
called at all, unless another of its calls should be: then how often it is listed says that there
is one too many, since a listed tool must be called exactly as often as it is listed. Calls
without a mark are listed nowhere.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext, ngettext
from msgspec import Raw

from corrections.decision_check import Expected, Made, check
from corrections.json_values import parse
from corrections.submissions import MAX_ARGS_CHARS, MAX_ARGS_FIELDS, ListedCall, calls_text, check_args
from judging.words.parts import listed, number
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import check_depth
from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.form_calls import Tools, can_be_named
from quality_console.presenting.shown import Mark, MarkKind, Problem
from quality_console.presenting.spans import encoded, fields, object_of
from quality_console.presenting.steps import ToolCall, ToolCalls, short_names

MOST_LISTED = 50
_MOST_CHECKED = 1000
_MOST_NUMBERS = 20


@dataclass(frozen=True, slots=True)
class Marked:
    """What marks come to: ``should_call`` and ``must_not_call`` as a correction has them, if there are no problems.

    ``notes`` say in words what follows from the marks and may not be meant.
    """

    should_call: tuple[ListedCall, ...]
    must_not_call: tuple[str, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """``should_call`` as JSON."""
        return calls_text(list(self.should_call))

    @property
    def expected(self) -> Expected:
        """What a replay is checked for."""
        return Expected.of(should_call=self.text if self.should_call else None, must_not_call=self.must_not_call)


def expected_from_marks(calls: ToolCalls, marks: Sequence[Mark], *, tools: Tools) -> Marked:
    """What a correction with these marks says of the decisions, and why it can't be sent, if it can't.

    ``tools`` are the version's, of which each tool must be one where they are registered.
    """
    reading = _Reading(calls, None if tools is None else {str(tool["id"]) for tool in tools})
    for index, mark in enumerate(marks):
        reading.read(index, mark)
    reading.count(len(marks))
    return Marked(
        should_call=tuple(reading.should_call),
        must_not_call=tuple(reading.must_not_call),
        problems=tuple(reading.problems),
        notes=() if reading.problems else tuple(reading.notes()),
    )


@dataclass
class _Reading:
    """The marks as far as they were read."""

    calls: ToolCalls
    known: set[str] | None
    should_call: list[ListedCall] = field(default_factory=list)
    unwanted: dict[str, list[int]] = field(default_factory=dict)
    marked: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    @property
    def must_not_call(self) -> list[str]:
        """Unwanted tools that no listed call needs."""
        wanted = {call.tool for call in self.should_call}
        return [tool for tool in self.unwanted if tool not in wanted]

    def read(self, index: int, mark: Mark) -> None:
        """Read one mark."""
        call = self._call(mark.n)
        if mark.n is not None and call is None:
            return self._refuse(index, gettext("This run has no call %(n)s.") % {"n": mark.n})
        tool = mark.tool if call is None else call.tool
        if not can_be_named(tool):
            return self._refuse(index, gettext("A correction can't name a tool of this id."))
        if self.known is not None and tool not in self.known:
            # As the reference says it.
            return self._refuse(index, gettext('The judged version has no tool "%(tool)s".') % {"tool": tool})
        if call is not None:
            self.marked.add(call.n)
        if mark.kind == MarkKind.NEVER:
            self.unwanted.setdefault(tool, []).extend([] if call is None else [call.n])
            return None
        given = fields(call.args) if call is not None and mark.kind == MarkKind.RIGHT else self._given(index, mark)
        return None if given is None else self._list(index, tool, given)

    def _call(self, n: int | None) -> ToolCall | None:
        found = [] if n is None else self.calls.between(n - 1, n)
        return found[0] if found and found[0].n == n else None

    def _refuse(self, index: int | None, text: str, argument: str | None = None) -> None:
        self.problems.append(Problem(index, argument, text))

    def _given(self, index: int, mark: Mark) -> dict[str, bytes] | None:
        """The ticked arguments, or ``None`` where one of them is no JSON."""
        given: dict[str, bytes] = {}
        for name, text in mark.args:
            problem = value_problem(text)
            if problem is not None:
                self._refuse(index, problem, name)
            given[name] = encoded(text.strip(" \t\r\n"))
        return None if any(problem.mark == index for problem in self.problems) else given

    def _list(self, index: int, tool: str, args: Mapping[str, bytes]) -> None:
        problem = args_problem(args)
        if problem is not None:
            return self._refuse(index, problem)
        self.should_call.append(ListedCall(tool=tool, args=Raw(object_of(args))))
        return None

    def count(self, marks: int) -> None:
        """Refuse too many of them, or none."""
        if not marks:
            self._refuse(None, gettext("Mark at least one call, or add one that it should have made."))
        if len(self.should_call) > MOST_LISTED:
            self._refuse(None, gettext("A correction can list up to %(most)s calls.") % {"most": MOST_LISTED})
        if len(self.must_not_call) > MOST_LISTED:
            self._refuse(None, gettext("A correction can rule out up to %(most)s tools.") % {"most": MOST_LISTED})

    def notes(self) -> list[str]:
        """What follows from the marks: calls that are one too many, and a check that the run itself passes."""
        times = Counter(call.tool for call in self.should_call)
        numbers: dict[str, list[int]] = {}
        for call in self.calls.between(0, _MOST_CHECKED):
            if call.tool in times and call.n not in self.marked:
                numbers.setdefault(call.tool, []).append(call.n)
        names = short_names([*(self.known or ()), *times])
        notes = [_ruled_out(names[tool], times[tool], self.unwanted[tool]) for tool in times if tool in self.unwanted]
        notes += [_unmarked(names[tool], times[tool], unmarked) for tool, unmarked in numbers.items()]
        if self._passes():
            notes.append(gettext("What it called passes this check: marked like this, nothing of it was wrong."))
        return notes

    def _passes(self) -> bool:
        if len(self.calls) > _MOST_CHECKED:
            return False
        made = [Made(call.tool, fields(call.args), call.refused) for call in self.calls.between(0, len(self.calls))]
        text = calls_text(self.should_call) if self.should_call else None
        return check(Expected.of(should_call=text, must_not_call=self.must_not_call), made).passed


def _times(tool: str, count: int) -> dict[str, str]:
    times = gettext("once") if count == 1 else gettext("%(count)s times") % {"count": number(count)}
    return {"tool": tool, "times": times}


def _numbers(numbers: Sequence[int]) -> str:
    shown = [number(n) for n in numbers[:_MOST_NUMBERS]]
    if len(numbers) > _MOST_NUMBERS:
        shown.append(gettext("%(left)s more") % {"left": number(len(numbers) - _MOST_NUMBERS)})
    return listed(shown)


def _ruled_out(tool: str, count: int, numbers: Sequence[int]) -> str:
    """Why a tool that is listed isn't ruled out too."""
    said = {**_times(tool, count), "numbers": _numbers(numbers)}
    if not numbers:
        return gettext("%(tool)s can't be ruled out: it is also listed as a call that it should have made.") % said
    return (
        ngettext(
            "%(tool)s must be called %(times)s: that rules out call %(numbers)s, not the whole tool.",
            "%(tool)s must be called %(times)s: that rules out calls %(numbers)s, not the whole tool.",
            len(numbers),
        )
        % said
    )


def _unmarked(tool: str, count: int, numbers: Sequence[int]) -> str:
    """That calls without a mark are ruled out, since their tool is listed."""
    said = {**_times(tool, count), "numbers": _numbers(numbers)}
    return (
        ngettext(
            "%(tool)s must be called %(times)s: call %(numbers)s has no mark. Mark it right to keep it.",
            "%(tool)s must be called %(times)s: calls %(numbers)s have no mark. Mark them right to keep them.",
            len(numbers),
        )
        % said
    )


def value_problem(text: str) -> str | None:
    """Why a text isn't the JSON of an argument's value, or ``None``."""
    stripped = text.strip(" \t\r\n")
    if not stripped:
        return gettext('Write a JSON value, such as "text", 12 or true.')
    try:
        check_depth(encoded(stripped))
        parse(stripped.encode("utf-8"))
    except BadInput:
        return gettext("This is nested too deep.")
    except (ValueError, RecursionError):
        if stripped[0] in '{["':
            return gettext("This is no valid JSON.")
        return gettext("This is no valid JSON. A text goes in quotes: %(quoted)s") % {"quoted": _quoted(stripped)}
    return None


def _quoted(text: str) -> str:
    return json.dumps(clip(printable(text), 60), ensure_ascii=False)


def args_problem(args: Mapping[str, bytes]) -> str | None:
    """Why a correction can't list a call with these arguments, or ``None``."""
    if len(args) > MAX_ARGS_FIELDS:
        return gettext("A call can be listed with up to %(most)s arguments.") % {"most": MAX_ARGS_FIELDS}
    try:
        check_args(object_of(args), "")
    except (BadInput, RecursionError):
        return gettext(
            "These arguments can't be compared whole: they have more than %(most)s characters, a field twice, "
            "or a number that is too large. List the call with fewer of them."
        ) % {"most": number(MAX_ARGS_CHARS)}
    return None
