"""A block's content against the one suggested for it: by lines, and in a line by words (contract, section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.diffs import compared_lines, even, word_diff
from quality_console.presenting.printing import FULL, json_block
from quality_console.presenting.shown import Change, Segment
from quality_console.presenting.spans import encoded, fields, string_of

# Unchanged lines that stand around what changed; fewer than this many between two changes aren't folded.
CONTEXT = 2
_WORTH_FOLDING = 3
MOST_ROWS = 400
_LONGEST_LINE = 2_000
# Lines that agree in fewer of their letters than this are another line each, not one that was changed.
_ALIKE = 0.4
_LONGEST_PAIR = 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the difference; ``old`` and ``new`` are its numbers, from 1, in the texts that have it.

    ``folded`` counts the unchanged lines that one row stands for; that row has no text.
    """

    kind: Change
    old: int | None = None
    new: int | None = None
    segments: tuple[Segment, ...] = ()
    folded: int = 0


@dataclass(frozen=True, slots=True)
class ContentDiff:
    """The difference; ``left`` counts the rows that aren't shown, ``folds`` says that unchanged lines are folded."""

    lines: list[Line]
    added: int
    taken_out: int
    left: int
    folds: bool


class _Pair(NamedTuple):
    was: list[str]
    should: list[str]


def text_of_content(content: str) -> str:
    """A block's content to be read: a prompt's template, or settings' values as JSON by lines."""
    found = fields(encoded(content.strip()))
    template = string_of(found.get("template", b"null"))
    if template is not None:
        return even(template)
    return json_block(found.get("values", b"{}"), None, FULL).text


def content_diff(was: str, should: str, *, whole: bool = False) -> ContentDiff:
    """The two contents, as blocks have them; unchanged lines are folded unless it shall be the ``whole``."""
    lines = list(_lines(compared_lines(text_of_content(was), text_of_content(should))))
    added = sum(line.kind == Change.NEW for line in lines)
    gone = sum(line.kind == Change.GONE for line in lines)
    shown = lines if whole else list(_folded(lines))
    return ContentDiff(
        lines=[_printed(line) for line in shown[:MOST_ROWS]],
        added=added,
        taken_out=gone,
        left=sum(line.folded or 1 for line in shown[MOST_ROWS:]),
        folds=any(line.folded for line in shown),
    )


def _lines(compared: Iterable[tuple[list[str], list[str]]]) -> Iterator[Line]:
    """Each line with its numbers; what is gone of a pair before what is new."""
    old = new = 0
    for was, should in compared:
        if was == should:
            for text in was:
                old, new = old + 1, new + 1
                yield Line(Change.SAME, old, new, (Segment(Change.SAME, text),))
            continue
        gone, came = _paired(_Pair(was, should))
        yield from (Line(Change.GONE, old + n, None, segments) for n, segments in enumerate(gone, start=1))
        yield from (Line(Change.NEW, None, new + n, segments) for n, segments in enumerate(came, start=1))
        old, new = old + len(was), new + len(should)


def _paired(pair: _Pair) -> tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]]:
    """The lines of both sides; lines that are alike, place by place, tell what in them changed."""
    gone: list[tuple[Segment, ...]] = [(Segment(Change.SAME, text),) for text in pair.was]
    came: list[tuple[Segment, ...]] = [(Segment(Change.SAME, text),) for text in pair.should]
    for n, (was, should) in enumerate(zip(pair.was, pair.should, strict=False)):
        if n >= MOST_ROWS or max(len(was), len(should)) > _LONGEST_PAIR or not _alike(was, should):
            continue
        segments = word_diff(was, should)
        gone[n] = tuple(one for one in segments if one.kind != Change.NEW)
        came[n] = tuple(one for one in segments if one.kind != Change.GONE)
    return gone, came


def _alike(was: str, should: str) -> bool:
    matcher = SequenceMatcher(None, was, should, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE


def _folded(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, of which those that are unchanged and far from any change are one row for all."""
    near = _near_changes(lines)
    run: list[Line] = []
    for place, line in enumerate(lines):
        if place not in near:
            run.append(line)
            continue
        yield from _run_folded(run)
        run = []
        yield line
    yield from _run_folded(run)


def _near_changes(lines: Sequence[Line]) -> set[int]:
    changed = [place for place, line in enumerate(lines) if line.kind != Change.SAME]
    return {near for place in changed for near in range(place - CONTEXT, place + CONTEXT + 1)}


def _run_folded(run: list[Line]) -> Iterator[Line]:
    if len(run) < _WORTH_FOLDING:
        yield from run
    else:
        yield Line(Change.SAME, folded=len(run))


def _printed(line: Line) -> Line:
    """The line as a page can have it: no control characters, and no longer than anybody reads."""
    left, segments = _LONGEST_LINE, []
    for one in line.segments:
        text = clip(printable(one.text), left)
        segments.append(Segment(one.kind, text))
        left -= len(text)
        if left <= 0:
            segments.append(Segment(Change.SAME, "…"))
            break
    return Line(line.kind, line.old, line.new, tuple(segments), line.folded)
