"""What a text was against what it should have been: by words, by lines where that is too much, or whole.

Segments in their order, without those that are new, are the one text; without those that are
gone, the other. Both texts' lines end in LF alone, as :func:`even` has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from quality_console.presenting.clusters import words_of
from quality_console.presenting.shown import Change, Segment

MOST_CHARACTERS = 40_000
# Pairs of equal pieces that a comparison may have to look at; it is this that makes one slow.
_MOST_PAIRS = 60_000
_MOST_PIECES = 6_000


def even(text: str) -> str:
    """A text whose lines end in LF alone, as browsers and reporters don't agree on it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def word_diff(was: str, should: str) -> list[Segment]:
    """The two texts by words; by lines or whole where they are too long or repeat themselves too much."""
    was, should = even(was), even(should)
    compared = _compared(words_of, was, should)
    return line_diff(was, should) if compared is None else _joined(_calmed(compared))


def line_diff(was: str, should: str) -> list[Segment]:
    """The two texts by lines, each segment one or more whole lines; whole where there are too many."""
    was, should = even(was), even(should)
    compared = _compared(_lines, was, should)
    return _joined([(was, should)] if compared is None else compared)


def compared_lines(was: str, should: str) -> list[tuple[list[str], list[str]]]:
    """Runs of lines, without their ends, in the one text and in the other, equal or not; all of both as one if long."""
    first, second = was.split("\n"), should.split("\n")
    start = _agreeing(first, second)
    end = _agreeing(first[start:][::-1], second[start:][::-1])
    before, after = first[:start], first[len(first) - end :]
    first, second = first[start : len(first) - end], second[start : len(second) - end]
    if max(len(first), len(second)) > _MOST_PIECES or _pairs(first, second) > _MOST_PAIRS:
        middle = [(first, second)]
    else:
        matcher = SequenceMatcher(None, first, second, autojunk=False)
        middle = [(first[a:b], second[c:d]) for _, a, b, c, d in matcher.get_opcodes()]
    return [pair for pair in [(before, before), *middle, (after, after)] if pair[0] or pair[1]]


def _lines(text: str) -> list[str]:
    """Lines with their ends."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _compared(split: Callable[[str], list[str]], was: str, should: str) -> list[tuple[str, str]] | None:
    """What stands in the one text and in the other, pair by pair, equal or not; ``None`` where that takes too long."""
    if max(len(was), len(should)) > MOST_CHARACTERS:
        return None
    first, second = split(was), split(should)
    start = _agreeing(first, second)
    end = _agreeing(first[start:][::-1], second[start:][::-1])
    before, after = "".join(first[:start]), "".join(first[len(first) - end :])
    first, second = first[start : len(first) - end], second[start : len(second) - end]
    if max(len(first), len(second)) > _MOST_PIECES or _pairs(first, second) > _MOST_PAIRS:
        return None
    matcher = SequenceMatcher(str.isspace, first, second, autojunk=False)
    middle = [("".join(first[a:b]), "".join(second[c:d])) for _, a, b, c, d in matcher.get_opcodes()]
    return [(before, before), *middle, (after, after)]


def _agreeing(first: Sequence[str], second: Sequence[str]) -> int:
    """How many pieces the two begin with together."""
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _pairs(first: Sequence[str], second: Sequence[str]) -> int:
    counts = Counter(second)
    return sum(counts[piece] for piece in first if not piece.isspace())


def _calmed(compared: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same, where space between two changes is part of both, so that a phrase changes as one."""
    calm: list[tuple[str, str]] = []
    for index, (was, should) in enumerate(compared):
        between = was == should and was.isspace() and 0 < index < len(compared) - 1
        changes = between and _differs(compared[index - 1]) and _differs(compared[index + 1])
        if calm and (changes or (_differs((was, should)) and _differs(calm[-1]))):
            calm[-1] = (calm[-1][0] + was, calm[-1][1] + should)
        else:
            calm.append((was, should))
    return calm


def _differs(pair: tuple[str, str]) -> bool:
    return pair[0] != pair[1]


def _joined(compared: Sequence[tuple[str, str]]) -> list[Segment]:
    """The pairs as segments, neighbours of a kind as one; what is gone before what is new."""
    found: list[Segment] = []
    for kind, text in _kinds(compared):
        if found and found[-1].kind == kind:
            found[-1] = Segment(kind, found[-1].text + text)
        elif text:
            found.append(Segment(kind, text))
    return found


def _kinds(compared: Sequence[tuple[str, str]]) -> Iterator[tuple[Change, str]]:
    for was, should in compared:
        if was == should:
            yield Change.SAME, was
        else:
            yield Change.GONE, was
            yield Change.NEW, should
