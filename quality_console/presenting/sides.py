"""What a run did beside what a replay of it did: calls by lines, answers by words (contract, section 8)."""

from __future__ import annotations

from dataclasses import dataclass

from quality_console.presenting.clusters import clip
from quality_console.presenting.diffs import compared_lines, word_diff
from quality_console.presenting.runs import RunTexts, present_run
from quality_console.presenting.shown import Change, Segment
from quality_console.presenting.steps import SHOWN, ArgumentLimits, ToolCalls, arguments, short_names

MOST_CALLS = 30
_VALUE = ArgumentLimits(count=SHOWN.count, characters=400)
_LONGEST_ANSWER = 4_000


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its calls and its answer in segments, of which those that the other side has not are marked.

    ``left`` counts the calls that aren't shown; ``has_answer`` says whether there is one at all.
    """

    calls: tuple[Segment, ...]
    answer: tuple[Segment, ...]
    left: int
    has_answer: bool


@dataclass(frozen=True, slots=True)
class Sides:
    """A run as it was recorded, and as it was with the change."""

    recorded: Side
    replayed: Side


def sides_of(recorded: RunTexts, replayed: RunTexts) -> Sides:
    """Both sides; texts are JSON, as runs and replays have them."""
    calls = [ToolCalls(one.calls, one.output) for one in (recorded, replayed)]
    lines = [_call_lines(one) for one in calls]
    compared = compared_lines("\n".join(lines[0]), "\n".join(lines[1]))
    answers = [_answer(one) for one in (recorded, replayed)]
    said = word_diff(answers[0], answers[1])
    first, second = (
        Side(
            calls=_side_of([(pair[0], pair[1]) for pair in compared], side),
            answer=tuple(one for one in said if one.kind != hidden),
            left=max(0, len(calls[side]) - MOST_CALLS),
            has_answer=bool(answers[side]),
        )
        for side, hidden in ((0, Change.NEW), (1, Change.GONE))
    )
    return Sides(first, second)


def _side_of(compared: list[tuple[list[str], list[str]]], side: int) -> tuple[Segment, ...]:
    """The lines of one side; what only it has is marked as gone, or as new."""
    only = (Change.GONE, Change.NEW)[side]
    return tuple(
        Segment(Change.SAME if pair[0] == pair[1] else only, f"{line}\n")
        for pair in compared
        for line in pair[side]
        if line or len(compared) > 1
    )


def _call_lines(calls: ToolCalls) -> list[str]:
    """Each call's tool on a line, its arguments on lines under it."""
    shown = calls.between(0, MOST_CALLS)
    names = short_names([call.tool for call in shown])
    lines: list[str] = []
    for call in shown:
        lines.append(names[call.tool] + (" ✕" if call.refused else ""))
        args, left = arguments(call.args, _VALUE)
        lines += [f"  {arg.name}  {arg.json}" for arg in args]
        lines += ["  …"] if left else []
    return lines


def _answer(texts: RunTexts) -> str:
    """The answer to be read, cut where it goes on for long."""
    answer = present_run(RunTexts(output=texts.output)).answer
    if answer is None or answer.empty:
        return ""
    text = answer.full_text if answer.full_text is not None else answer.said.text
    return text if len(text) <= _LONGEST_ANSWER else clip(text, _LONGEST_ANSWER - 1) + "…"
