"""Content goes through to the byte or is refused; nothing else happens to it (contract, sections 2 and 3)."""

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode, decode_span, encode
from kindgi.api.operations import Answer, Body

EVERY_TIME = settings(max_examples=150, deadline=None)


class Listed(Body):
    """An entry with content of its own."""

    name: str
    args: Raw | UnsetType = UNSET


class Request(Body):
    """Text beside content, in every place where the project has content."""

    text: str = ""
    content: Raw | UnsetType = UNSET
    listed: list[Listed] = msgspec.field(default_factory=list)
    by_name: dict[str, Raw] = msgspec.field(default_factory=dict)
    anything: Any = None


class Reply(Answer):
    """What holds content again."""

    content: Raw


# JSON texts as clients spell them, not as a serializer would: every escape, odd numbers, keys twice.
hexes = st.integers(0, 0xFFFF).map("{:04x}".format)
escapes = st.one_of(
    st.sampled_from([r"\"", r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t", r"\u0000", r"\ud83d\uDE00"]),
    hexes.map(r"\u".__add__),
    hexes.map(lambda code: r"\u" + code.upper()),
    st.builds(r"\u{}{:02X}".format, st.sampled_from(["d8", "db", "DC", "dF", "e0", "e8", "EF"]), st.integers(0, 0xFF)),
)
plain = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\')
strings = st.lists(st.one_of(plain, escapes), max_size=8).map(lambda parts: '"' + "".join(parts) + '"')
numbers = st.one_of(
    st.integers(-(10**25), 10**25).map(str),
    st.builds("{}.{:04d}e{:+d}".format, st.integers(-99, 99), st.integers(0, 9999), st.integers(-500, 500)),
    st.sampled_from(
        ["1e400", "-1e400", "-0.0", "-0", "0e0", "1.0", "12345678901234567890", "9007199254740993", "1e-999"]
    ),
)
spaces = st.text(" \t\r\n", max_size=2)
keys = st.one_of(strings, st.sampled_from(['"a"', '"a"', '"' + "k" * 10_000 + '"']))


def containers(inner):
    spaced = st.tuples(spaces, inner, spaces).map("".join)
    members = st.tuples(keys, spaces, spaced).map(lambda member: f"{member[0]}{member[1]}:{member[2]}")
    return st.one_of(
        st.lists(spaced, max_size=4).map(lambda parts: "[" + ",".join(parts) + "]"),
        st.lists(members, max_size=4).map(lambda parts: "{" + ",".join(parts) + "}"),
    )


texts = st.recursive(st.one_of(strings, numbers, st.sampled_from(["null", "true", "false"])), containers, max_leaves=12)


def taken(body: bytes, kind=Request):
    """The body as it was read, or ``None`` when it was refused."""
    try:
        return decode(body, kind)
    except BadInput as refused:
        assert refused.message
        return None


def has_lone_surrogate(text: str) -> bool:
    value = json.loads(text, object_pairs_hook=list)
    return bool(re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)))


def escapes_private_use(text: str) -> bool:
    escaped = [found.group(1) for found in re.finditer(r"\\(?:u([0-9a-fA-F]{4})|.)", text) if found.group(1)]
    return any(0xE800 <= int(code, 16) <= 0xEFFF for code in escaped)


@EVERY_TIME
@given(texts)
@example('"\\ud800"')
@example('"\\\\ud800 \\ud800"')
@example('{"\\udfff": "\\\\\\udfff", "\\uD800\\uDC00": "\\ud800\\ud800\\udc00"}')
@example('"\\ue800 \\ud800"')
@example('"\\\\ue800 \\ud800"')
@example('"\ue800 \\ud800"')
def test_content_comes_out_as_it_went_in(text):
    body = b'{"content": ' + text.encode() + b' , "listed": [{"name": "a", "args":' + text.encode() + b"}]}"
    found = taken(body)
    if found is None:
        assert has_lone_surrogate(text) and escapes_private_use(text), "Only what can't be told apart is refused."
        return
    assert encode(Reply(content=found.content)) == b'{"content":' + text.encode() + b"}"
    assert bytes(found.listed[0].args) == text.encode()


@EVERY_TIME
@given(texts)
def test_content_in_a_map_comes_out_as_it_went_in(text):
    found = taken(b'{"byName": {"a": ' + text.encode() + b"}}")
    assert found is None or bytes(found.by_name["a"]) == text.encode()


@EVERY_TIME
@given(st.lists(texts, max_size=3).map(lambda parts: "[" + ",".join(parts) + "]"))
def test_a_span_of_content_is_read_as_the_whole_was(text):
    found = taken(b'{"content": ' + text.encode() + b"}")
    assume(found is not None)
    assert [json.loads(bytes(part)) for part in decode_span(bytes(found.content), list[Raw], "/content")] == json.loads(
        text
    )


@EVERY_TIME
@given(strings, texts)
@example('"\\\\ud800"', '"\\ud800"')
@example('"\\\\ue800"', '"\\ud800"')
@example('"\ue800"', '"\\ud800"')
@example('"\\ud83d\\ude00"', '"\\ud800"')
def test_text_is_exactly_what_was_sent_or_refused(text, content):
    body = f'{{"text": {text}, "content": {content}, "listed": [{{"name": {text}}}]}}'.encode()
    found = taken(body)
    if found is not None:
        meant = json.loads(text)
        assert found.text == meant and found.listed[0].name == meant
        assert "\0" not in found.text
        found.text.encode("utf-8")


@EVERY_TIME
@given(texts, texts)
def test_values_that_are_parsed_hold_no_nul_and_no_surrogate(value, content):
    found = taken(f'{{"anything": {value}, "content": {content}}}'.encode())
    if found is not None:
        text = msgspec.json.encode(found.anything).decode()
        assert "\\u0000" not in text
        assert json.loads(text, parse_float=str, parse_int=str) is not None or value == "null"


@EVERY_TIME
@given(st.binary(max_size=60) | st.text('{}[]",:\\u0dD8e\x00 tnull', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(body):
    for kind in (Request, Raw, list[Raw], dict[str, Raw], list[Listed]):
        found = taken(body, kind)
        if found is not None:
            json.loads(body.decode("utf-8"))


@EVERY_TIME
@given(texts)
def test_what_is_read_as_content_is_json_for_everybody(text):
    found = taken(b'{"content": ' + text.encode() + b"}")
    assert found is None or json.loads(bytes(found.content)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "-",
        "NaN",
        "Infinity",
        "[1,]",
        '{"a":1,}',
        "'a'",
        '"\t"',
        '"\\x"',
        '"\\u12"',
        "nul",
        "/**/1",
        "1 2",
        "",
    ],
)
def test_content_that_is_no_json_is_refused(text):
    assert taken(b'{"content": ' + text.encode() + b"}") is None


def test_lone_surrogates_by_the_hundred_thousand_come_out_as_they_went_in():
    text = b'["' + b"\\ud800" * 300_000 + b'"]'
    found = taken(b'{"content":' + text + b"}")
    assert found is not None and bytes(found.content) == text


def test_an_error_names_the_place_by_a_pointer():
    with pytest.raises(BadInput) as refused:
        decode(b'{"listed": [{"name": "a"}, {"name": 1}]}', Request)
    assert refused.value.details == {"path": "/listed/1/name"}
    with pytest.raises(BadInput, match=r"^/listed/0: .*`nme`"):
        decode(b'{"listed": [{"nme": "a"}]}', Request)
    with pytest.raises(BadInput, match=r"^/listed/0/name: a string can't hold a NUL"):
        decode(b'{"listed": [{"name": "\\u0000"}]}', Request)
    with pytest.raises(BadInput) as refused:
        decode_span(b'[{"name": 1}]', list[Listed], "/calls")
    assert refused.value.details == {"path": "/calls/0/name"}
