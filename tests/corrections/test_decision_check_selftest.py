"""``manage.py decision_check_selftest``: changes of a run's calls, and what the check must say of each."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import given
from hypothesis import strategies as st

from corrections import decision_check, mutations
from corrections.decision_check import Listed, Made, calls_of
from corrections.json_values import canonical, parse
from corrections.mutations import MOST_PLACES, MUTATIONS, another, reordered, spread, twin
from corrections.submissions import ListedCall, calls_text
from tests.support.shops import completed

CALLS: list[dict[str, Any]] = [
    {"tool": "shop.lookup", "args": {"order": 4711, "with": {"lines": [1, {"b": 2, "a": 1}], "notes": None}}},
    {"tool": "shop.lookup", "args": {"order": "4711"}},
    {"tool": "shop.mail", "args": {"text": "It's on its way.", "urgent": False}, "refused": True},
    {"tool": "shop.lookup", "args": {}},
]
RUNS = [
    completed(calls=CALLS),
    completed(calls=[]),
    completed(),
    completed(calls=CALLS[3:]),
    {**completed(calls=CALLS), "status": "failed"},
]

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=3) | st.sampled_from(["1", "true", "null", "-0", "1e5", "\ud800"])
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(st.sampled_from("xyz"), values | st.sampled_from([1, "1", True]), max_size=3)
runs = st.lists(st.builds(Made, st.sampled_from("ab"), arguments), max_size=5)


def lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps({"id": str(uuid4()), **record}).encode() + b"\n" for record in records)


def selftest(path: Path, text: bytes) -> tuple[str, str]:
    """What the command prints for a file of ``text``, and its error."""
    file, out, error = path / "runs.jsonl", StringIO(), ""
    file.write_bytes(text)
    try:
        call_command("decision_check_selftest", str(file), stdout=out)
    except CommandError as raised:
        error = str(raised)
    return out.getvalue(), error


def row(report: str, name: str) -> list[int]:
    """Tried, as demanded, otherwise, not applicable."""
    (line,) = [line for line in report.splitlines() if line.startswith(f"{name} ")]
    return [int(count) for count in line.split()[-4:]]


def test_it_tries_each_change_at_each_place(tmp_path: Path):
    report, error = selftest(tmp_path, lines(RUNS))
    assert error == ""
    assert "5 runs read, 2 of them completed with calls." in report
    assert row(report, "its own calls") == [2, 2, 0, 0]
    assert row(report, "a call dropped") == [5, 5, 0, 0]
    assert row(report, "a call doubled") == [5, 5, 0, 0]
    assert row(report, "an argument's value changed") == [5, 5, 0, 1]
    assert row(report, "an argument's type changed,") == [3, 3, 0, 1]
    assert row(report, "a forbidden tool called") == [7, 7, 0, 0]
    assert row(report, "two calls swapped") == [3, 3, 0, 1]
    assert row(report, "keys reordered at every level") == [2, 2, 0, 1]
    assert row(report, "an argument not listed") == [5, 5, 0, 1]


@given(runs)
def test_every_change_comes_out_as_demanded_on_any_run(calls: list[Made]):
    for mutation in MUTATIONS:
        for case in mutation.cases(calls):
            assert case.as_demanded(), mutation.name


def test_taking_the_first_call_that_fits_would_be_found_out(tmp_path: Path):
    def first_fit(options: list[int]) -> list[int | None]:
        taken: list[int | None] = []
        for option in options:
            free = [column for column in range(option.bit_length()) if option >> column & 1 and column not in taken]
            taken.append(free[0] if free else None)
        return taken

    calls = [{"tool": "a", "args": {"n": 1}}, {"tool": "a", "args": {}}]
    with mock.patch.object(decision_check, "assign", first_fit):
        report, error = selftest(tmp_path, lines([completed(calls=calls[::-1])]))
    assert "otherwise" in report and error
    assert row(report, "two calls swapped") == [1, 0, 1, 0]
    assert "line 1, two calls swapped: case 1 isn't as demanded." in report


@pytest.mark.parametrize("changed", [("4711", "4712"), ('"notes":null', '"notes":0'), ("shop.mail", "shop.lookup")])
def test_a_correction_that_is_stored_otherwise_would_be_found_out(tmp_path: Path, changed: tuple[str, str]):
    def lossy(calls: list[ListedCall]) -> str:
        return calls_text(calls).replace('": ', '":').replace(*changed)

    with mock.patch.object(mutations, "calls_text", lossy):
        _, error = selftest(tmp_path, lines(RUNS[:1]))
    assert error


def test_what_is_listed_is_what_is_stored_to_the_byte():
    spelled = rb'{"n":1.0, "big":12345678901234567890,"\ud800":"\ud800","e":1E2}'
    (call,) = calls_of(b'[{"tool":"a","args":' + spelled + b"}]")
    (case,) = MUTATIONS[0].cases([call])
    (listed,) = case.expected.calls
    assert listed == Listed("a", call.args) and case.as_demanded()


def test_a_line_that_is_no_run_is_told_and_fails(tmp_path: Path):
    bad = [b"{}\n", b"nonsense\n", b'"' + b"x" * 2**21 + b'"\n']
    report, error = selftest(tmp_path, lines(RUNS[:1]) + b"\n" + b"".join(bad))
    assert "1 runs read, 1 of them completed with calls." in report
    assert [line.partition(":")[0] for line in report.splitlines()[-3:]] == ["line 3", "line 4", "line 5"]
    assert error == "3 checks or lines were not as they must be."


def test_it_reads_standard_input():
    out = StringIO()
    with mock.patch("sys.stdin", mock.Mock(buffer=BytesIO(lines(RUNS)))):
        call_command("decision_check_selftest", "-", stdout=out)
    assert "5 runs read" in out.getvalue()


def test_a_file_that_is_not_there_is_said():
    with pytest.raises(CommandError, match="No such file"):
        call_command("decision_check_selftest", "/nowhere/runs.jsonl")


@given(values)
def test_another_value_is_another(value: Any):
    value = parse(json.dumps(value).encode())
    assert canonical(another(value)) != canonical(value)
    assert twin(value) is value or canonical(twin(value)) != canonical(value)
    assert canonical(reordered(value)[0]) == canonical(value)


def test_twins():
    pairs = [("1", "1.0"), (1, '"1"'), (True, '"true"'), ("true", "true"), (None, '"null"'), ("null", "null")]
    for value, other in pairs:
        assert canonical(twin(value)) == canonical(parse(other.encode()))
    for value in ("", "a", '"1"', "[1]", [1], {"a": 1}):
        assert twin(value) is value


def test_places_are_spread_over_a_long_run():
    assert spread(range(3)) == [0, 1, 2]
    places = spread(range(1000))
    assert (len(places), places[0], places[-1]) == (MOST_PLACES, 0, 995)
