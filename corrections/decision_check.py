"""Whether a run or a replay decided as a correction says it should have (contract, section 4). Knows no database.

Only the tools that the correction names are compared. Each listed call takes one call of its tool,
by maximum matching, so that the order of neither matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec
from msgspec import UNSET, Raw

from corrections.agreements import Counts, agreements
from corrections.json_values import elements, members, parse
from corrections.matching import assign, lowest


@dataclass(frozen=True, slots=True)
class Listed:
    """A call that should have been made: its ``args`` are some of the call's, and `{}` asks only for the call.

    An argument's value is a span of JSON (:class:`msgspec.Raw`), or a Python value.
    """

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made; one that was ``refused`` counts as made."""

    tool: str
    args: Mapping[str, Any]
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """What a correction says of the decisions; empty where it says nothing of calls."""

    calls: Sequence[Listed] = ()
    not_called: Sequence[str] = ()

    @classmethod
    def of(cls, *, should_call: str | None, must_not_call: Sequence[str] | None) -> Self:
        """What a correction's row says: ``should_call`` is the JSON text of ``[{tool, args}]``."""
        calls = calls_of(should_call.encode("utf-8", "surrogatepass")) if should_call else []
        return cls([Listed(call.tool, call.args) for call in calls], list(must_not_call or []))

    @property
    def tools(self) -> list[str]:
        """The tools that are compared, as they are first named."""
        return list(dict.fromkeys([*(call.tool for call in self.calls), *self.not_called]))


@dataclass(frozen=True, slots=True)
class Difference:
    """An argument that isn't as it was listed; ``actual`` is ``UNSET`` where the call has no such argument."""

    argument: str
    expected: Any
    actual: Any = UNSET


@dataclass(frozen=True, slots=True)
class Nearest:
    """The call that comes nearest to an unmet listed one.

    ``differs`` is the first argument that isn't as listed. It is ``None`` where all are, and the
    call was counted for another listed call, ``counted_for``.
    """

    index: int
    differs: Difference | None = None
    counted_for: int | None = None


@dataclass(frozen=True, slots=True)
class Unmet:
    """A listed call that no call was left for; ``nearest`` is ``None`` where its tool wasn't called at all."""

    index: int
    tool: str
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """A call that shouldn't have been made."""

    index: int
    tool: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict. ``tools`` are those that were compared; where there are none, nothing was, and it passed.

    Each call of a compared tool is counted once: for a listed call, as the nearest of an unmet
    one, in ``extra``, or in ``forbidden``.
    """

    passed: bool
    unmet: list[Unmet]
    extra: list[Called]
    forbidden: list[Called]
    tools: list[str]


class _Call(msgspec.Struct):
    tool: str
    args: dict[str, Raw]
    refused: bool = False


_CALLS = msgspec.json.Decoder(list[_Call])


def calls_of(span: bytes) -> list[Made]:
    """The calls in the JSON text of a run's or a replay's calls, which was checked when it came; args to the byte."""
    try:
        return [Made(call.tool, call.args, call.refused) for call in _CALLS.decode(span)]
    except msgspec.DecodeError:  # it knows no lone surrogates
        return [_call_of(members(bytes(call))) for call in elements(span)]


def _call_of(fields: Mapping[str, Raw]) -> Made:
    refused = bytes(fields.get("refused", b"false")) == b"true"
    return Made(parse(bytes(fields["tool"])), members(bytes(fields["args"])), refused)


def check(expected: Expected, calls: Sequence[Made]) -> Checked:
    """Compare ``calls`` with what was ``expected``; in the order of the lists, and the same each time."""
    not_called = set(expected.not_called)
    listed: dict[str, list[int]] = {}
    for index, listed_call in enumerate(expected.calls):
        listed.setdefault(listed_call.tool, []).append(index)
    made: dict[str, list[int]] = {tool: [] for tool in listed}
    for index, call in enumerate(calls):
        if call.tool in made and call.tool not in not_called:
            made[call.tool].append(index)
    unmet: list[Unmet] = []
    extra: list[int] = []
    for tool, rows in listed.items():
        compared = _Tool(tool, expected.calls, rows, calls, made[tool])
        unmet += compared.unmet
        extra += compared.extra
    forbidden = [index for index, call in enumerate(calls) if call.tool in not_called]
    return Checked(
        passed=not (unmet or extra or forbidden),
        unmet=sorted(unmet, key=lambda one: one.index),
        extra=[_called(calls, index) for index in sorted(extra)],
        forbidden=[_called(calls, index) for index in forbidden],
        tools=expected.tools,
    )


def _called(calls: Sequence[Made], index: int) -> Called:
    return Called(index, calls[index].tool, calls[index].refused)


class _Tool:
    """The listed calls and the calls of one tool, compared; inside, both are numbered from 0."""

    def __init__(
        self, tool: str, listed: Sequence[Listed], rows: Sequence[int], calls: Sequence[Made], columns: Sequence[int]
    ) -> None:
        """Match ``rows``, indexes in ``listed``, with ``columns``, indexes in ``calls``."""
        self._rows, self._columns = rows, columns
        self._listed = [listed[row].args for row in rows]
        self._made = [calls[column].args for column in columns]
        self._agreed = agreements(self._listed, self._made)
        self._everyone = (1 << len(columns)) - 1
        assigned = assign([self._matches(row) for row in range(len(rows))])
        left = [row for row, column in enumerate(assigned) if column is None]
        self._counted_for = {column: row for row, column in enumerate(assigned) if column is not None}
        nearest = self._nearest(left) if columns else {}
        self.unmet = [Unmet(rows[row], tool, self._told(row, nearest.get(row))) for row in left]
        used = self._counted_for.keys() | nearest.values()
        self.extra = [index for column, index in enumerate(columns) if column not in used]

    def _matches(self, row: int) -> int:
        """The calls that match a listed one: those that agree in each argument."""
        matching = self._everyone
        for agreeing in self._agreed[row].values():
            matching &= agreeing
        return matching

    def _nearest(self, rows: Sequence[int]) -> dict[int, int]:
        """For each unmet row the call that comes nearest; there is at least one call.

        Calls that are counted for none go first, each to one row, the closest pair first. Rows
        that this leaves without one share whichever call is nearest. By fewest differences, then
        in order.
        """
        counts = {row: Counts(self._agreed[row].values()) for row in rows}
        free = self._everyone
        for column in self._counted_for:
            free ^= 1 << column
        found: dict[int, int] = {}
        for differing in range(max((counts[row].of for row in rows), default=0) + 1):
            for row in rows:
                near = 0 if row in found else counts[row].exactly(counts[row].of - differing, free)
                if near:
                    found[row] = lowest(near)
                    free ^= near & -near
        return {row: found[row] if row in found else self._closest(counts[row]) for row in rows}

    def _closest(self, counts: Counts) -> int:
        near = (counts.exactly(agreeing, self._everyone) for agreeing in range(counts.of, -1, -1))
        return next(lowest(calls) for calls in near if calls)

    def _told(self, row: int, column: int | None) -> Nearest | None:
        """The nearest call of ``row`` by its index, with what sets the two apart."""
        if column is None:
            return None
        taker = self._counted_for.get(column)
        return Nearest(
            index=self._columns[column],
            differs=self._difference(row, column),
            counted_for=None if taker is None else self._rows[taker],
        )

    def _difference(self, row: int, column: int) -> Difference | None:
        for name, agreeing in self._agreed[row].items():
            if not agreeing >> column & 1:
                return Difference(name, self._listed[row][name], self._made[column].get(name, UNSET))
        return None
