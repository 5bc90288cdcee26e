"""A JSON Pointer finds what RFC 6901 says it finds, as the bytes that are there (contract, section 4)."""

import json

import jsonpointer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi.api.errors import BadInput
from kindgi.api.jsontext import Document, pointer_parts, resolve

DOCUMENT = json.dumps(
    {
        "matches": [{"id": "a", "score": 1.0}, [10, 20], "text"],
        "": {"": "empty keys"},
        "a/b": 1,
        "m~n": 2,
        "~1": 3,
        "%61": 4,
        "01": 5,
        "-": 6,
        "é": 7,
        " ": 8,
        "null": None,
        "list": [],
    },
    ensure_ascii=False,
)

FOUND = {
    "/matches/0/id": '"a"',
    "/matches/0/score": "1.0",
    "/matches/1/1": "20",
    "/matches/1": "[10, 20]",
    "/": '{"": "empty keys"}',
    "//": '"empty keys"',
    "/a~1b": "1",
    "/m~0n": "2",
    "/~01": "3",
    "/%61": "4",
    "/01": "5",
    "/-": "6",
    "/é": "7",
    "/ ": "8",
    "/null": "null",
}
NOTHING = [
    "/matches/-",
    "/matches/01",
    "/matches/1/00",
    "/matches/3",
    "/matches/-1",
    "/matches/+1",
    "/matches/1.0",
    "/matches/1e0",
    "/matches/ 1",
    "/matches/\u0660",
    "/matches/99999999999999999999",
    "/matches/",
    "/matches/0/",
    "/matches/0/id/",
    "/matches/2/0",
    "/matches/2/length",
    "/matches/0/score/0",
    "/null/a",
    "/list/0",
    "/list/-",
    "///",
    "/a/b",
    "/a%2Fb",
    "/e",
    "/no/such",
    "/Matches",
]
NO_POINTERS = [
    "matches",
    "matches/0",
    "#/matches",
    "0",
    " /matches",
    "/~",
    "/~2",
    "/a~",
    "/m~n",
    "/~~",
    "/a/~3b",
    "./a",
]

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=4), st.sampled_from(["a", "\x00", "😀"])
)
names = st.one_of(
    st.sampled_from(["", "a", "0", "1", "01", "-", "~", "/", "~0", "~1", "a/b", "é", "\ue800"]), st.text(max_size=3)
)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=20
)
pointers = st.lists(names, max_size=4).map(lambda parts: jsonpointer.JsonPointer.from_parts(parts).path)


def test_no_tokens_mean_the_whole_document():
    assert resolve(DOCUMENT.encode(), "") == DOCUMENT.encode()
    assert resolve(b"  [1]\n", "") == b"[1]"


@pytest.mark.parametrize(("pointer", "value"), FOUND.items())
def test_it_finds(pointer, value):
    assert resolve(DOCUMENT.encode(), pointer) == value.encode()


@pytest.mark.parametrize("pointer", NOTHING)
def test_it_finds_nothing(pointer):
    assert resolve(DOCUMENT.encode(), pointer) is None


@pytest.mark.parametrize("pointer", NO_POINTERS)
def test_what_is_no_pointer_is_bad_input(pointer):
    for use in (pointer_parts, lambda pointer: resolve(DOCUMENT.encode(), pointer)):
        with pytest.raises(BadInput, match="is not a JSON Pointer"):
            use(pointer)


@settings(max_examples=200, deadline=None)
@given(documents, pointers)
def test_it_agrees_with_the_jsonpointer_library(document, pointer):
    """But for `-`, which the library gives a meaning of its own, and for strings, which it steps into."""
    text = json.dumps(document)
    found = resolve(text.encode(), pointer)
    assert (None if found is None else [json.loads(found)]) == _by_library(json.loads(text), pointer)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_it_finds_every_value_of_a_document(document):
    text = Document(json.dumps(document).encode())
    for pointer, value in _all_values(document, []):
        assert json.loads(text.find(pointer) or b"") == value


def test_the_last_of_two_equal_keys_counts_as_for_everybody():
    assert resolve(b'{"a": 1, "a": 2}', "/a") == b"2"
    assert resolve(b'{"a": [1], "a": {"b": 3}}', "/a/b") == b"3"


@pytest.mark.parametrize(
    "value",
    [
        b"1.0",
        b"1e400",
        b"-0.0",
        b"12345678901234567890",
        b'"\\ud800"',
        b'"\\u00e9"',
        b'{ "b":1 , "a" : 2}',
        b'"\\\\ud800"',
    ],
)
def test_what_it_finds_is_spelled_as_it_was(value):
    assert resolve(b'{"deep": [0, {"here" : ' + value + b" }]}", "/deep/1/here") == value
    beside = b'{"lone": "\\udfff", "deep": [0, {"here" : ' + value + b" }]}"
    assert resolve(beside, "/deep/1/here") == value


def test_a_key_of_private_use_is_not_taken_for_a_lone_surrogate():
    assert resolve(b'{"\\ud800": 1}', "/\ue800") is None
    assert resolve('{"\ue800": 1}'.encode(), "/\ue800") == b"1"
    assert resolve(rb'{"\\ud800": 1, "lone": "\udfff"}', r"/\ud800") == b"1"


def test_a_hundred_pointers_into_a_large_document_cost_little_more_than_one():
    text = json.dumps({"matches": [{"id": number, "text": "word " * 200} for number in range(1000)]}).encode()
    document = Document(text)
    assert [document.find(f"/matches/{number}/id") for number in range(100)] == [
        b"%d" % number for number in range(100)
    ]


def _by_library(document, pointer):
    for part in jsonpointer.JsonPointer(pointer).parts:
        if isinstance(document, str) or (isinstance(document, list) and part == "-"):
            return None
        try:
            document = jsonpointer.JsonPointer.from_parts([part]).resolve(document)
        except jsonpointer.JsonPointerException:
            return None
    return [document]


def _all_values(document, parts):
    yield jsonpointer.JsonPointer.from_parts(parts).path, document
    if isinstance(document, dict):
        for key, value in document.items():
            yield from _all_values(value, [*parts, key])
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from _all_values(value, [*parts, str(index)])
