"""``POST /v1/corrections``: a listed call's args, counted in canonical JSON (RFC 8785), kept to the byte."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from corrections.submissions import canonical_length, check_args
from kindgi.api.errors import BadInput
from tests.support.shops import Shop

FRAME = len('{"a":""}')
INTEGERS = {
    "2^53": 2**53,
    "2^53 + 1": 2**53 + 1,
    "20 digits": 12345678901234567890,
    "-20 digits": -12345678901234567890,
}


def correct(shop: Shop, args: str | bytes) -> Any:
    span = args.encode() if isinstance(args, str) else args
    body = b'{"runId":"%s","decisions":"wrong","shouldCall":[{"tool":"shop.refund","args":%s}]}'
    return shop.editor.post("corrections", body % (shop.run().encode(), span))


def text_of(escape: str) -> str:
    """Args with a text of so many characters that all of it is 4,000."""
    return '{"a":"' + escape * (4000 - FRAME) + '"}'


# Each is exactly 4,000 characters of canonical JSON, whatever it is in bytes; one character more is refused.
AT_THE_LIMIT = {
    "letters": text_of("x"),
    "letters of two bytes": text_of("\u00e9"),
    "letters of four bytes": text_of("\N{CAT}"),
    "escapes that canonical JSON shortens": text_of("\\u0041"),
    "escaped slashes": text_of("\\/"),
    "surrogate pairs": text_of("\\ud83d\\ude00"),
    "white space": text_of("x").replace(":", " : ") + " " * 5000,
    "a key": '{"' + "k" * (4000 - len('{"":1}')) + '":1}',
    "controls that canonical JSON spells out": '{"a":"' + "\\u0001" * 665 + 'xx"}',
    "numbers that canonical JSON spells out": '{"a":[' + ",".join(["1e20"] * 181) + '],"b":"xxxx"}',
    "numbers that canonical JSON shortens": '{"a":[' + ",".join(["1.0e0"] * 1000) + '],"b":"' + "x" * 1986 + '"}',
}


@pytest.mark.parametrize("args", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_4000_characters_are_taken_and_4001_refused(undone: Shop, args: str):
    assert len(rfc8785.dumps(json.loads(args)).decode()) == 4000, "the test's own arithmetic"
    assert correct(undone, args).status_code == 201
    longer = args.replace('"', '"x', 1)
    response = correct(undone, longer)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "bad-input")
    assert "4,000" in error["message"] or "4000" in error["message"]
    assert error["details"]["path"] == "/shouldCall/0/args"


def test_100_fields_are_taken_and_101_refused(undone: Shop):
    for count, status in ((100, 201), (101, 400)):
        assert correct(undone, json.dumps({f"f{n}": n for n in range(count)})).status_code == status


def test_fields_are_counted_at_the_top_only(undone: Shop):
    assert correct(undone, json.dumps({"a": {f"f{n}": n for n in range(101)}})).status_code == 201


@pytest.mark.parametrize("number", INTEGERS.values(), ids=INTEGERS)
def test_integers_past_2_53_are_legal_and_kept_digit_by_digit(undone: Shop, number: int):
    response = correct(undone, f'{{"id": {number}}}')
    assert response.status_code == 201
    assert f'"args":{{"id": {number}}}'.encode() in response.content
    assert f'"args":{{"id": {number}}}'.encode() in undone.editor.get(f"corrections/{response.json()['id']}").content


TAKEN = [
    '{"n": -0.0}',
    '{"n": -0}',
    '{"n": 1.0}',
    '{"n": 1E5}',
    '{"n": 1e-400}',
    '{"n": ' + "9" * 309 + "}",
    '{"n": -' + "9" * 3000 + "}",
    '{"n": 0.' + "0" * 3000 + "1}",
    r'{"s": "\u0000"}',
    r'{"s": "\ud800"}',
    r'{"s": "\ud83d\ude00"}',
    '{"s": "\ue800\\udfff"}',
    '{"deep": ' + "[" * 100 + "]" * 100 + "}",
    '{"a": {"a": {"a": null}}}',
    '{"": ""}',
]
REFUSED = [
    '{"n": 1e400}',
    '{"n": -1e400}',
    '{"a": {"n": 1e309}}',
    '{"n": NaN}',
    '{"n": Infinity}',
    '{"n": -Infinity}',
    '{"n": 01}',
    '{"n": 1.}',
    '{"n": .5}',
    '{"n": +1}',
    '{"n": 0x10}',
    '{"s": "\t"}',
    r'{"s": "\x41"}',
    r'{"s": "\u12"}',
    '{"a": 1, "a": 1}',
    '{"x": {"a": 1, "a": 2}}',
    '{"x": [{"a": 1, "a": 2}]}',
    r'{"a": 1, "\u0061": 2}',
    r'{"\u0000": 1}',
    r'{"\ud800": 1}',
    "{'a': 1}",
    '{"a": 1,}',
    '{"a" 1}',
    '{"' + "k" * 10_000 + '": 1}',
    '{"n": ' + "9" * 5000 + "}",
    '{"deep": ' + "[" * 130 + "]" * 130 + "}",
    '"{}"',
    "[]",
    "null",
    "1",
]


@pytest.mark.parametrize("args", TAKEN, ids=lambda args: args[:40])
def test_odd_args_that_are_json_are_kept_to_the_byte(undone: Shop, args: str):
    response = correct(undone, args)
    assert response.status_code == 201, response.content
    for content in (response.content, undone.editor.get(f"corrections/{response.json()['id']}").content):
        assert b'"shouldCall":[{"tool":"shop.refund","args":' + args.encode() + b"}]" in content


@pytest.mark.parametrize("args", REFUSED, ids=lambda args: args[:40])
def test_args_that_are_no_finite_json_object_are_refused(undone: Shop, args: str):
    response = correct(undone, args)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad-input")


def test_each_listed_call_has_its_own_limit(undone: Shop):
    calls = [{"tool": "shop.refund", "args": {"a": "x" * (4000 - FRAME)}}] * 50
    body = {"runId": undone.run(), "decisions": "wrong", "shouldCall": calls}
    assert undone.editor.ok("POST", "corrections", body)["shouldCall"] == calls


_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abé", max_size=3), inner, max_size=4)
)


@given(st.dictionaries(st.text('abcé\\"', max_size=3), _values, max_size=5), st.integers(0, 2**32))
def test_the_length_is_that_of_rfc_8785_however_the_json_is_spelled(value: dict[str, Any], seed: int):
    canonical = rfc8785.dumps(value).decode()
    assert canonical_length(value) == len(canonical)
    spelled = _spelled(value, random.Random(seed))
    assert json.loads(spelled) == value, "the test's own spelling"
    check_args(spelled.encode(), "/args")


def _spelled(value: Any, choose: random.Random) -> str:
    """``value`` as JSON with white space and escapes here and there."""
    space = choose.choice(["", " ", "\n", "\t "])
    if isinstance(value, dict):
        members = [f"{_spelled(key, choose)}:{space}{_spelled(entry, choose)}" for key, entry in value.items()]
        return "{" + space + f",{space}".join(members) + "}"
    if isinstance(value, list):
        return "[" + f"{space},".join(_spelled(entry, choose) for entry in value) + space + "]"
    return json.dumps(value, ensure_ascii=choose.random() < 0.5)


@given(st.integers(1, 700), st.sampled_from(["1e20", "9e20", "1E+20", "123e18", "1e-6", "100000000000000000000"]))
def test_no_spelling_slips_past_the_limit(count: int, number: str):
    args = f'{{"a":[{",".join([number] * count)}]}}'
    value = float(number)
    assert math.isfinite(value)
    over = len(rfc8785.dumps({"a": [value] * count}).decode()) > 4000
    try:
        check_args(args.encode(), "/args")
    except BadInput:
        assert over
    else:
        assert not over
