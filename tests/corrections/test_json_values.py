"""JSON values are equal by value, whatever they are spelled like, and no spelling is too much."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corrections.json_values import Number, canonical, elements, members, parse

EQUAL = [
    ("1", "1.0"),
    ("1", "1e0"),
    ("1", "10e-1"),
    ("1", "0.001E+3"),
    ("1", "1.000000000000000000000000000"),
    ("0", "-0"),
    ("0", "0.0"),
    ("0", "-0.000e-99999999999999999999"),
    ("0", "0e999999999999999999999999999"),
    ("100", "1e2"),
    ("100000000000000000000", "1e20"),
    ("1e999999999999999999999", "10e999999999999999999998"),
    ("1e999999999999999999999", "1e+0999999999999999999999"),
    ("1e-999999999999999999999", "0.1e-999999999999999999998"),
    ('"\\u00e9"', '"é"'),
    ('"\\/"', '"/"'),
    ('"\\ud83d\\ude00"', '"😀"'),
    ('"\\u0000"', '"\\u0000"'),
    ('"\\ud800"', '"\\uD800"'),
    ('{"a": 1, "b": {"c": 2, "d": [1]}}', '{"b":{"d":[1.0],"c":2e0},"a":1}'),
    ('{"\\u0061": 1}', '{"a": 1}'),
    (" [ 1 , 2 ] ", "[1,2]"),
    ('{"a": 1, "a": 2}', '{"a": 2}'),
]
DIFFERENT = [
    ("1", '"1"'),
    ("1", "true"),
    ("0", "false"),
    ("0", "null"),
    ("null", '"null"'),
    ("true", '"true"'),
    ("false", "null"),
    ("1", "-1"),
    ("1", "1.000000000000000000000000001"),
    ("12345678901234567890", "12345678901234567891"),
    ("9007199254740993", "9007199254740992"),
    ("0.1", "0.1000000000000000055511151231257827"),
    ("1e400", "1e401"),
    ("1e999999999999999999999", "1e999999999999999999998"),
    ("1e-400", "0"),
    ('"é"', '"e\\u0301"'),
    ('"\\ud800"', '"\\ud801"'),
    ('"\\ud800"', '"\\\\ud800"'),
    ('"a"', '"a\\u0000"'),
    ('"a"', '"A"'),
    ('""', "null"),
    ("[]", "{}"),
    ("[]", "null"),
    ("[1, 2]", "[2, 1]"),
    ("[1, [2]]", "[[1], 2]"),
    ("[1]", "[1, 1]"),
    ('{"a": null}', "{}"),
    ('{"a": 1}', '{"A": 1}'),
    ('{"a": {"b": 1}}', '{"a": {"b": 1, "c": 2}}'),
    ('{"a":1,"b":2}', '{"a":"1,\\"b\\":2"}'),
]

finite_floats = st.floats(allow_nan=False, allow_infinity=False)
strings = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud800", "\udfff\0", "é", "e\u0301", '"', "\\"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite_floats | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)
digits = st.text("0123456789", min_size=1, max_size=25)


@st.composite
def number_texts(draw: st.DrawFn) -> str:
    """A number as JSON's grammar allows it."""
    whole = draw(digits).lstrip("0") or "0"
    fraction = draw(st.just("") | digits.map(lambda text: f".{text}"))
    exponent = draw(st.just("") | st.tuples(st.sampled_from(["e", "E", "e-", "E+"]), st.integers(0, 40)).map(_joined))
    return draw(st.sampled_from(["", "-"])) + whole + fraction + exponent


def _joined(parts: tuple[str, int]) -> str:
    return "".join(map(str, parts))


def same(left: str, right: str) -> bool:
    """Whether two JSON texts are equal, by both of the ways to ask."""
    one, other = parse(left.encode()), parse(right.encode())
    equal = canonical(one) == canonical(other)
    if not isinstance(one, bool) and not isinstance(other, bool):
        assert (one == other) == equal
    return equal


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_a_value_is_equal_to_itself_in_another_spelling(left: str, right: str):
    assert same(left, right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_other_values_are_not_equal(left: str, right: str):
    assert not same(left, right)


@given(number_texts(), number_texts())
def test_two_numbers_are_equal_exactly_when_their_fractions_are(left: str, right: str):
    assert same(left, right) == (Fraction(left) == Fraction(right))


@given(number_texts(), st.integers(0, 30))
def test_a_number_is_equal_to_itself_with_its_point_elsewhere(text: str, places: int):
    sign, kept, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    whole = "".join(map(str, kept)).lstrip("0") or "0"
    moved = f"{'-' * sign}{whole}" + ("0" * places if whole != "0" else "") + f"e{exponent - places}"
    assert same(text, moved)


@given(number_texts())
def test_a_number_keeps_its_exact_value(text: str):
    assert Fraction(parse(text.encode()).text) == Fraction(text)


@given(values, values)
def test_plain_values_are_equal_as_their_json_is(left: Any, right: Any):
    def spelled(value: Any) -> str:
        return canonical(parse(json.dumps(value).encode()))

    assert canonical(left) == spelled(left)
    assert (canonical(left) == canonical(right)) == (spelled(left) == spelled(right))


@given(values)
def test_the_canonical_text_is_json_of_an_equal_value(value: Any):
    assert canonical(parse(canonical(value).encode())) == canonical(value)


@given(st.dictionaries(strings, values, max_size=5), st.randoms())
def test_the_order_of_keys_is_free(members: dict[str, Any], random: Any):
    entries = list(members.items())
    random.shuffle(entries)
    assert canonical(dict(entries)) == canonical(members)


@pytest.mark.parametrize(
    "text",
    [
        "1" * 100_000,
        "-" + "9" * 1_000_000,
        "1e" + "9" * 1_000_000,
        "1.5e-" + "9" * 1_000_000,
        "0." + "0" * 1_000_000 + "1",
        "[" * 128 + "]" * 128,
        '{"a":' * 128 + "1" + "}" * 128,
    ],
    ids=lambda text: f"{text[:6]}…, {len(text)} long",
)
def test_nothing_is_too_large_to_compare(text: str):
    assert canonical(parse(text.encode())) == canonical(parse(f" {text} ".encode()))
    assert canonical(parse(text.encode())) != canonical(parse(f"[{text}]".encode()))


def test_plain_numbers_are_numbers_of_the_same_value():
    plain: list[tuple[int | float, str]] = [(1, "1"), (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e300, "1e300")]
    plain += [(10**20, "100000000000000000000"), (10**5000 - 1, "9" * 5000), (5e-324, "5e-324")]
    for value, text in plain:
        assert canonical(value) == canonical(parse(text.encode())), text[:30]
    assert canonical(True) != canonical(1)
    assert canonical(0.1 + 0.2) != canonical(0.3)


def test_a_number_compares_by_value_and_is_no_string():
    assert parse(b"1.0") == parse(b"1") == Number("1")
    assert parse(b"1") != parse(b'"1"')


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[Infinity]", "", "{", "01", "1.", "[1] 2", "'a'"])
def test_what_is_no_json_is_refused(text: str):
    with pytest.raises(ValueError):
        parse(text.encode())


@pytest.mark.parametrize("value", ['"\\u00e9"', '"\\ud800"', '[1.00, {"a" : "\\udfff"}]', '{"x":"}"}', "1E+2", '""'])
@pytest.mark.parametrize("space", ["", " ", "\n\t "])
def test_members_and_elements_are_as_they_are_spelled(value: str, space: str):
    array = f"{space}[{space}{value}{space},{space}null{space}]{space}".encode()
    assert [bytes(element) for element in elements(array)] == [value.encode(), b"null"]
    spelled = f'{space}{{{space}"b"{space}:{space}{value}{space},"\\ud800":1,"a":{value}}}{space}'.encode()
    fields = {name: bytes(field) for name, field in members(spelled).items()}
    assert fields == {"b": value.encode(), "\ud800": b"1", "a": value.encode()}
    assert list(fields) == ["b", "\ud800", "a"]


def test_nothing_has_neither_members_nor_elements():
    assert (members(b"{}"), elements(b"[ ]")) == ({}, [])
    for span in (b"[]", b"1", b'"\\ud800"', b"{", b'{"a":"\\ud800"', b""):
        with pytest.raises(ValueError):
            members(span)
    for span in (b"{}", b"null", b'"\\ud800"', b"[1", b""):
        with pytest.raises(ValueError):
            elements(span)


@pytest.mark.parametrize("value", [object(), {1: 2}, b"text", {1}, 1j])
def test_what_has_no_place_in_json_is_refused(value: Any):
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_infinite_number_has_a_text(value: float):
    with pytest.raises(ValueError, match="no JSON number"):
        canonical([value])
