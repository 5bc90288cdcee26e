"""Bipartite matching over bitmasks. Knows nothing of calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def assign(options: Sequence[int]) -> list[int | None]:
    """A maximum matching: for each row the column that it gets, or ``None``; each column goes to one row at most.

    ``options[row]`` has a bit for each column that would do. Row after row takes a column, and
    those before it move aside where that frees one (Kuhn's algorithm). So a row that has a column
    keeps one, and of all the largest matchings this is one whose rows come earliest; Hopcroft and
    Karp's has as many rows, but not these. A search looks at each row once at most, as all of a
    row's columns are one integer.
    """
    columns: list[int | None] = [None] * len(options)
    rows: dict[int, int] = {}
    taken = 0
    for row in range(len(options)):
        found = _free_column(row, options, rows, taken)
        if found is None:
            continue
        column, reached_from = found
        taken |= 1 << column
        while True:  # back along the way, each row handing its column on
            mover = reached_from[column]
            given_up, columns[mover] = columns[mover], column
            rows[column] = mover
            if given_up is None:
                break
            column = given_up
    return columns


def _free_column(
    row: int, options: Sequence[int], rows: dict[int, int], taken: int
) -> tuple[int, dict[int, int]] | None:
    """A column that ``row`` could have if others moved, the nearest and lowest; and each column's row on the way."""
    reached_from: dict[int, int] = {}
    queue, seen = [row], 0
    for mover in queue:
        fresh = options[mover] & ~seen
        free = fresh & ~taken
        if free:
            column = lowest(free)
            reached_from[column] = mover
            return column, reached_from
        seen |= fresh
        for column in bits(fresh):
            reached_from[column] = mover
            queue.append(rows[column])
    return None


def lowest(mask: int) -> int:
    """The lowest bit that is set in ``mask``, which isn't 0."""
    return (mask & -mask).bit_length() - 1


def bits(mask: int) -> Iterator[int]:
    """The bits that are set in ``mask``, lowest first."""
    while mask:
        yield lowest(mask)
        mask &= mask - 1
