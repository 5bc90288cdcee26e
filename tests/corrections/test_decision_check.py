"""Whether the decisions were right: what is compared, when two calls match, and what is said of the rest."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from corrections.decision_check import (
    Called,
    Checked,
    Difference,
    Expected,
    Listed,
    Made,
    Nearest,
    Unmet,
    calls_of,
    check,
)
from corrections.json_values import canonical

Args = dict[str, Any]


def checked(listed: list[str], made: list[str], never: list[str] | None = None) -> Checked:
    """The verdict on calls given by their tool, a letter, and their args as JSON: ``a{"n":1}``."""
    return check(expected_of(listed, never), calls_of(text_of(made).encode("utf-8", "surrogatepass")))


def expected_of(listed: list[str], never: list[str] | None = None) -> Expected:
    return Expected.of(should_call=text_of(listed) if listed else None, must_not_call=never)


def text_of(calls: list[str]) -> str:
    return "[" + ",".join(f'{{"tool":"{call[0]}","args":{call[1:]}}}' for call in calls) + "]"


PASSES: list[tuple[list[str], list[str]]] = [
    (["a{}", 'a{"n":1}'], ['a{"n":1}', 'a{"n":2}']),  # the contract's own
    (['a{"n":1}', "a{}"], ['a{"n":2}', 'a{"n":1}']),
    ([], []),
    ([], ['a{"n":1}']),
    (["a{}"], ['a{"n":1,"m":[2]}']),
    (["a{}"], ["a{}"]),
    (['a{"n":1}'], ['a{"m":2,"n":1}']),
    (['a{"n":1,"m":2}'], ['a{"m":2,"n":1}']),
    (['a{"n":1}'], ['a{"n":1.0}']),
    (['a{"n":1e0}'], ['a{"n":1}']),
    (['a{"n":0}'], ['a{"n":-0.0}']),
    (['a{"n":12345678901234567890}'], ['a{"n":12345678901234567890.0}']),
    (['a{"n":1e999999999999999999999}'], ['a{"n":10e999999999999999999998}']),
    (['a{"n":null}'], ['a{"n":null}']),
    (['a{"n":true}'], ['a{"n":true}']),
    (['a{"n":"\\u00e9"}'], ['a{"n":"é"}']),
    (['a{"n":"é"}'], ['a{"n":"\\u00E9"}']),
    (['a{"n":"\\/"}'], ['a{"n":"/"}']),
    (['a{"n":"\\"\\\\\\n"}'], ['a{"n":"\\u0022\\u005c\\u000a"}']),
    (['a{"n":"\\u0000"}'], ['a{"n":"\\u0000"}']),
    (['a{"n":"\\ud800"}'], ['a{"n":"\\uD800"}']),
    (['a{"n":"x"}'], ['a{"n":"x","m":"\\ud800"}']),
    (['a{"n":"x"}'], ['a{"\\ud800":1,"n":"x"}']),
    (['a{"n":"😀"}'], ['a{"n":"\\ud83d\\ude00"}']),
    (['a{"n":{"x":1,"y":[1,2]}}'], ['a{"n":{"y":[1.0,2],"x":1}}']),
    (['a{"n":[]}'], ['a{"n":[ ]}']),
    (['a{"n":1}', 'b{"n":1}'], ['b{"n":1}', 'a{"n":1}']),
    (["a{}", "a{}"], ['a{"n":1}', 'a{"n":1}']),
    (["a{}"], ["a{}", "b{}", "b{}"]),  # b isn't named
]
FAILS: list[tuple[list[str], list[str]]] = [
    (["a{}"], []),
    (["a{}"], ["b{}"]),
    (["a{}"], ["a{}", "a{}"]),
    (["a{}", "a{}"], ["a{}"]),
    (["a{}", 'a{"n":1}'], ['a{"n":2}', 'a{"n":3}']),
    (['a{"n":1}', 'a{"n":1}'], ['a{"n":1}', 'a{"n":2}']),
    (['a{"n":1}'], ['a{"n":true}']),
    (['a{"n":0}'], ['a{"n":false}']),
    (['a{"n":1}'], ['a{"n":"1"}']),
    (['a{"n":"1"}'], ['a{"n":1}']),
    (['a{"n":null}'], ["a{}"]),
    (['a{"n":null}'], ['a{"n":0}']),
    (['a{"n":null}'], ['a{"n":"null"}']),
    (['a{"n":12345678901234567890}'], ['a{"n":12345678901234567891}']),
    (['a{"n":9007199254740993}'], ['a{"n":9007199254740992}']),
    (['a{"n":1e400}'], ['a{"n":1e401}']),
    (['a{"n":"é"}'], ['a{"n":"e\\u0301"}']),
    (['a{"n":"\\ud800"}'], ['a{"n":"\\ud801"}']),
    (['a{"n":"\\\\n"}'], ['a{"n":"\\n"}']),
    (['a{"n":[1,2]}'], ['a{"n":[2,1]}']),
    (['a{"n":{"x":1}}'], ['a{"n":{"x":1,"y":2}}']),  # whole, not a part
    (['a{"x":1}'], ['a{"n":{"x":1}}']),  # top level only
    (['a{"n":{}}'], ['a{"n":[]}']),
    (['a{"n":1,"m":2}'], ['a{"n":1}']),
]


@pytest.mark.parametrize(("listed", "made"), PASSES)
def test_passes(listed: list[str], made: list[str]):
    verdict = checked(listed, made)
    assert verdict == Checked(True, [], [], [], expected_of(listed).tools)


@pytest.mark.parametrize(("listed", "made"), FAILS)
def test_fails(listed: list[str], made: list[str]):
    verdict = checked(listed, made)
    assert not verdict.passed
    assert verdict.unmet or verdict.extra


def test_a_forbidden_tool_must_not_be_called():
    assert checked([], ["a{}"], ["b"]).passed
    assert checked([], ["a{}", "b{}", 'b{"n":1}'], ["b"]).forbidden == [Called(1, "b"), Called(2, "b")]
    assert not checked(["a{}"], ["a{}", "b{}"], ["b"]).passed


def test_a_refused_call_counts_as_called():
    refused = [Made("a", {}, refused=True)]
    assert check(Expected([Listed("a", {})]), refused).passed
    assert check(Expected(not_called=["a"]), refused).forbidden == [Called(0, "a", refused=True)]
    assert check(Expected([Listed("a", {})]), [*refused, Made("a", {})]).extra == [Called(1, "a")]


def test_the_tools_that_were_compared_are_named_as_they_are_listed():
    assert checked(["b{}", "a{}", "b{}"], [], ["d", "c", "d"]).tools == ["b", "a", "d", "c"]
    assert checked([], ["a{}"]).tools == []


def test_a_tool_in_both_lists_can_not_pass():
    verdict = check(Expected([Listed("a", {})], ["a"]), [Made("a", {})])
    assert verdict == Checked(False, [Unmet(0, "a")], [], [Called(0, "a")], ["a"])


def test_nothing_is_near_where_the_tool_was_not_called():
    assert checked(["a{}"], ["b{}"]).unmet == [Unmet(0, "a")]


def plain(nearest: Nearest | None) -> Any:
    """Index, then the argument that differs with what was expected and what was there, then who has it."""
    if nearest is None:
        return None
    differs = nearest.differs
    told = None if differs is None else [differs.argument, spelled(differs.expected), spelled(differs.actual)]
    return [nearest.index, told, nearest.counted_for]


def spelled(value: Any) -> str | None:
    return bytes(value).decode() if isinstance(value, Raw) else None


@pytest.mark.parametrize(
    ("listed", "made", "nearest"),
    [
        # the first argument that differs is the first in the listed call's order, to the byte as it came
        (['a{"x":1,"y":2.0,"z":3}'], ['a{"z":4,"y":1e1,"x":1}'], {0: [0, ["y", "2.0", "1e1"], None]}),
        (['a{"x":1}'], ['a{"X":1}'], {0: [0, ["x", "1", None], None]}),
        (['a{"x":1}'], ['a{"x":null}'], {0: [0, ["x", "1", "null"], None]}),
        # fewest differences, then the earliest
        (['a{"x":1,"y":1}'], ['a{"x":2,"y":2}', 'a{"x":1,"y":2}'], {0: [1, ["y", "1", "2"], None]}),
        (['a{"x":1}'], ['a{"x":2}', 'a{"x":3}'], {0: [0, ["x", "1", "2"], None]}),
        # a call that isn't counted for another goes before one that is nearer
        (
            ['a{"x":1,"y":1}', 'a{"x":1,"y":1,"z":1}'],
            ['a{"x":1,"y":1}', 'a{"x":5}'],
            {1: [1, ["x", "1", "5"], None]},
        ),
        # the closest pair first, though it is listed later
        (
            ['a{"x":1,"y":1}', 'a{"x":2,"y":2}'],
            ['a{"x":2,"y":3}', 'a{"x":4,"y":4}'],
            {0: [1, ["x", "1", "4"], None], 1: [0, ["y", "2", "3"], None]},
        ),
        # where all are taken, they share
        (["a{}", "a{}"], ['a{"x":1}'], {1: [0, None, 0]}),
        (['a{"x":1}', 'a{"x":2}'], ['a{"x":3}'], {0: [0, ["x", "1", "3"], None], 1: [0, ["x", "2", "3"], None]}),
        (['a{"x":1}', 'a{"x":2}'], ['a{"x":2}'], {0: [0, ["x", "1", "2"], 1]}),
    ],
)
def test_the_nearest_call(listed: list[str], made: list[str], nearest: dict[int, Any]):
    assert {one.index: plain(one.nearest) for one in checked(listed, made).unmet} == nearest


def test_indexes_are_those_of_the_whole_lists():
    verdict = checked(["a{}", 'b{"x":1}', "c{}"], ["d{}", "c{}", 'b{"x":2}', "c{}", "a{}"], ["d"])
    differs = verdict.unmet[0].nearest
    assert [(one.index, one.tool) for one in verdict.unmet] == [(1, "b")]
    assert differs is not None and differs.index == 2
    assert (verdict.extra, verdict.forbidden) == ([Called(3, "c")], [Called(0, "d")])


def test_the_earlier_of_two_equal_listed_calls_is_kept():
    assert [one.index for one in checked(['a{"x":1}', 'a{"x":1}'], ['a{"x":1}']).unmet] == [1]
    # the second can only have what the first took at once, and the third what the first moves to
    listed = ['a{"x":1}', 'a{"x":1,"y":1}', 'a{"x":1,"z":1}']
    assert [one.index for one in checked(listed, ['a{"x":1,"y":1}', 'a{"x":1,"z":1}']).unmet] == [2]


def test_python_values_do_as_well_as_spans():
    expected = Expected([Listed("a", {"x": 1, "y": {"b": [1.5], "a": None}, "z": "é"})])
    assert check(
        expected, calls_of('[{"tool":"a","args":{"x":1.0,"y":{"a":null,"b":[15e-1]},"z":"é"}}]'.encode())
    ).passed
    assert check(expected, [Made("a", {"z": "é", "y": {"a": None, "b": [1.5]}, "x": 1.0})]).passed
    assert check(
        expected, [Made("a", {"z": Raw(b'"\\u00e9"'), "y": {"a": None, "b": [1.5]}, "x": Raw(b"1.00")})]
    ).passed
    nearest = check(expected, [Made("a", {"x": True, "y": 1})]).unmet[0].nearest
    assert nearest == Nearest(0, Difference("x", 1, True))
    nearest = check(Expected([Listed("a", {"x": 1})]), [Made("a", {})]).unmet[0].nearest
    assert nearest == Nearest(0, Difference("x", 1, UNSET))


def test_stored_calls_are_read_to_the_byte():
    text = '[ {"refused": true, "tool": "a", "args": {"n": 1.00, "s": "\\u00e9"}} , {"args":{},"tool":"b"} ]'
    made = calls_of(text.encode())
    assert [(call.tool, call.refused) for call in made] == [("a", True), ("b", False)]
    assert {name: bytes(span) for name, span in made[0].args.items()} == {"n": b"1.00", "s": b'"\\u00e9"'}
    lone = text.replace("\\u00e9", "\\ud800")
    assert {name: bytes(span) for name, span in calls_of(lone.encode())[0].args.items()} == {
        "n": b"1.00",
        "s": b'"\\ud800"',
    }
    assert calls_of(b"[]") == []


scalars = st.sampled_from([1, 1.0, True, 0, False, None, "1", "é", "e\u0301", '"', "\\", "\n", "\ud800"])
nested = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pq"), inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from("xyz"), nested, max_size=3)
calls = st.lists(st.tuples(st.sampled_from("ab"), arguments), max_size=5)


def from_json(listed: list[tuple[str, Args]], made: list[tuple[str, Args]], never: list[str]) -> Checked:
    """The verdict on spans, of which half are spelled with escapes."""

    def text(calls: list[tuple[str, Args]], ascii_only: bool) -> str:
        return json.dumps([{"tool": tool, "args": args} for tool, args in calls], ensure_ascii=ascii_only)

    expected = Expected.of(should_call=text(listed, True), must_not_call=never)
    unescaped = text(made, "\ud800" in text(made, False))
    return check(expected, calls_of(unescaped.encode()))


def by_trying_all(listed: list[tuple[str, Args]], made: list[tuple[str, Args]]) -> bool:
    """Whether there is an assignment, by the contract's words."""
    for tool in {tool for tool, _ in listed}:
        wanted = [args for name, args in listed if name == tool]
        had = [args for name, args in made if name == tool]
        if len(wanted) != len(had):
            return False
        if not any(all(map(fits, wanted, order)) for order in permutations(had)):
            return False
    return True


def fits(wanted: Args, had: Args) -> bool:
    return all(name in had and canonical(had[name]) == canonical(value) for name, value in wanted.items())


@given(calls, calls)
def test_it_passes_exactly_when_some_assignment_does(listed: list[tuple[str, Args]], made: list[tuple[str, Args]]):
    assert from_json(listed, made, []).passed == by_trying_all(listed, made)


@given(calls, st.lists(st.sampled_from("bc"), max_size=2), st.data())
def test_the_order_of_calls_listed_ones_and_keys_is_free(made: list[tuple[str, Args]], never: list[str], data: Any):
    listed = [call for call in made if call[0] == "a"][:4] or made[:2]
    never = [tool for tool in never if tool not in {tool for tool, _ in listed}]
    verdict = from_json(listed, made, never)
    keys = [(tool, dict(data.draw(st.permutations(list(args.items()))))) for tool, args in made]
    other = from_json(data.draw(st.permutations(listed)), data.draw(st.permutations(keys)), never)
    assert other.passed == verdict.passed
    assert len(other.unmet) == len(verdict.unmet)
    assert Counter(one.tool for one in other.extra) == Counter(one.tool for one in verdict.extra)
    assert Counter(one.tool for one in other.forbidden) == Counter(one.tool for one in verdict.forbidden)


@given(calls, calls, st.booleans())
def test_every_compared_call_is_counted_once(listed: list[tuple[str, Args]], made: list[tuple[str, Args]], spans: bool):
    never = ["c"] if any(tool == "b" for tool, _ in listed) else ["b"]
    if spans:
        verdict = from_json(listed, made, never)
    else:
        verdict = check(Expected([Listed(*call) for call in listed], never), [Made(*call) for call in made])
    for tool in {tool for tool, _ in listed}:
        count, wanted = (sum(name == tool for name, _ in calls) for calls in (made, listed))
        unmet = [one for one in verdict.unmet if one.tool == tool]
        extra = [one for one in verdict.extra if one.tool == tool]
        near = {one.nearest.index for one in unmet if one.nearest and one.nearest.counted_for is None}
        assert len(extra) == max(0, count - wanted)
        assert all((one.nearest is None) == (count == 0) for one in unmet)
        assert near.isdisjoint(one.index for one in extra)
        assert (wanted - len(unmet)) + len(near) + len(extra) == count
    assert [made[one.index][0] for one in verdict.forbidden] == [tool for tool, _ in made if tool in never]
    assert verdict.passed == (not verdict.unmet and not verdict.extra and not verdict.forbidden)


@given(calls, calls)
def test_what_differs_does_and_what_comes_before_it_does_not(
    listed: list[tuple[str, Args]], made: list[tuple[str, Args]]
):
    for one in check(Expected([Listed(*call) for call in listed]), [Made(*call) for call in made]).unmet:
        if one.nearest is None:
            continue
        wanted, had = listed[one.index][1], made[one.nearest.index][1]
        different = [name for name in wanted if not fits({name: wanted[name]}, had)]
        if one.nearest.differs is None:
            assert not different and one.nearest.counted_for is not None
        else:
            assert one.nearest.differs.argument == different[0]
            assert one.nearest.differs.actual == had.get(different[0], UNSET)
