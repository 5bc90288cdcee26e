"""Charts of shares that the server draws: in percents of their width and height, so that they fit any (contract, 8).

A chart has a row for each agent version: a dot at its share, a bar for the range. One of which there
is too little to say keeps its row and gets no mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from judging.intervals import Range
from judging.trends import VersionTrend
from judging.words.parts import percent, percent_range
from judging.words.results import TOO_FEW_TO_SAY, version_label


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a version's bar begins, how wide it is, where its dot is and how far down, each such as ``64.25%``."""

    low: str
    width: str
    share: str
    y: str


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A version's name and figures beside its mark; without a mark ``few`` says why."""

    name: str
    share: str = ""
    range: str = ""
    few: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; ``title`` says all of it to somebody who doesn't see it."""

    title: str
    rows: list[ChartRow]
    marks: list[Mark]


def chart_of(versions: Sequence[VersionTrend], *, title: str) -> Chart | None:
    """The chart of the versions in their order; ``None`` where none of them has a range."""
    marks = [
        _mark(one.share, one.range, place=(place + 0.5) / len(versions))
        for place, one in enumerate(versions)
        if one.share is not None and one.range is not None
    ]
    return Chart(title, [_row(one) for one in versions], marks) if marks else None


def chart_of_shares(rows: Sequence[tuple[str, float, Range]], *, title: str) -> Chart:
    """The chart of named shares with their ranges, in their order."""
    marks = [_mark(share, found, place=(place + 0.5) / len(rows)) for place, (_name, share, found) in enumerate(rows)]
    return Chart(title, [ChartRow(name, percent(share), percent_range(found)) for name, share, found in rows], marks)


def _mark(share: float, found: Range, *, place: float) -> Mark:
    return Mark(_part(found.low), _part(found.high - found.low), _part(share), _part(place))


def _part(of_whole: float) -> str:
    """As SVG has it, whatever language is active."""
    return f"{of_whole * 100:.2f}%"


def _row(one: VersionTrend) -> ChartRow:
    name = version_label(one.agent_version)
    if one.too_few:
        return ChartRow(name, few=str(TOO_FEW_TO_SAY))
    if one.share is None or one.range is None:
        return ChartRow(name, few=_("nothing counts"))
    return ChartRow(name, percent(one.share), percent_range(one.range))
