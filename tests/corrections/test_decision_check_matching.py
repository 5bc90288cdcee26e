"""The matching is as large as any, keeps those that come first, and counts of agreeing fields are right."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corrections.agreements import Counts, agreements
from corrections.json_values import canonical
from corrections.matching import assign, bits

columns = st.integers(0, 6)
tables = columns.flatmap(lambda width: st.lists(st.integers(0, 2**width - 1), max_size=6))


def matched(options: list[int]) -> tuple[int, ...]:
    """Of the largest matchings' sets of rows, the one whose rows come earliest, by trying all."""
    best: tuple[int, ...] = ()
    width = max((option.bit_length() for option in options), default=0)
    rows = len(options)
    for order in permutations(range(max(width, rows)), rows):
        having = tuple(row for row in range(rows) if options[row] >> order[row] & 1)
        if len(having) > len(best) or (len(having) == len(best) and having < best):
            best = having
    return best


@given(tables)
def test_it_is_a_matching_as_large_as_any_and_the_earliest_rows_have_theirs(options: list[int]):
    assigned = assign(options)
    taken = [column for column in assigned if column is not None]
    assert len(set(taken)) == len(taken)
    assert all(column is None or options[row] >> column & 1 for row, column in enumerate(assigned))
    assert tuple(row for row, column in enumerate(assigned) if column is not None) == matched(options)


@given(st.lists(st.integers(0, 2**12 - 1), max_size=12))
def test_what_is_matched_never_depends_on_later_rows(options: list[int]):
    for end in range(len(options)):
        before = [column is not None for column in assign(options[:end])]
        assert [column is not None for column in assign(options)][:end] == before


def test_taking_the_first_that_fits_would_be_wrong():
    assert assign([0b11, 0b01]) == [1, 0]
    assert assign([0b011, 0b001, 0b110, 0b100]) == [1, 0, 2, None]


def test_a_long_way_of_moves_is_found_without_recursion():
    rows = 3000
    options = [0b11 << row for row in range(rows - 1)] + [1]
    assert assign(options) == [*range(1, rows), 0]


def test_nothing_to_match():
    assert assign([]) == []
    assert assign([0, 0]) == [None, None]


def test_bits_come_lowest_first():
    assert list(bits(0b101001)) == [0, 3, 5]
    assert list(bits(0)) == []


@given(st.lists(st.integers(0, 2**9 - 1), max_size=20), st.integers(-1, 40), st.integers(0, 2**9 - 1))
def test_counts_are_those_of_counting(sets: list[int], count: int, among: int):
    expected = {call for call in bits(among) if sum(members >> call & 1 for members in sets) == count}
    assert set(bits(Counts(sets).exactly(count, among))) == expected


values = st.sampled_from([1, 1.0, 2, True, None, "1", "\\", "a\n", "é", [1], [1.0], {"a": 1}, {"a": 2}, 1e300, 10**300])
argument_sets = st.lists(st.dictionaries(st.sampled_from("xyz"), values, max_size=3), max_size=12)


@given(argument_sets, argument_sets)
def test_agreements_are_those_of_comparing_each_pair(listed: list[dict[str, Any]], made: list[dict[str, Any]]):
    found = agreements(listed, made)
    for wanted, masks in zip(listed, found, strict=True):
        assert list(masks) == list(wanted)
        for name, value in wanted.items():
            equal = [call for call, args in enumerate(made) if name in args and same(args[name], value)]
            assert list(bits(masks[name])) == equal


def same(left: Any, right: Any) -> bool:
    return canonical(left) == canonical(right)
