"""Nesting is bounded before anything recurses, at a price that a 2 MiB body can't drive up (contract, section 2)."""

import json
import time
from contextlib import suppress

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.bodies import shapes
from kindgi.api.bodies import MAX_BYTES
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import MAX_DEPTH, check_depth, decode
from kindgi.api.operations import Body

SECONDS = 1.0  # the aim is 0.2 s; a test machine may be busy


class Content(Body):
    """What the bodies are read as."""

    content: msgspec.Raw


def depth(value) -> int:
    """How deep ``value`` is nested, by recursion."""
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def is_refused(body: bytes, limit: int) -> bool:
    try:
        check_depth(body, limit)
    except BadInput as refused:
        assert refused.details == {"maxDepth": limit}
        return True
    return False


tricky = st.text(alphabet=st.sampled_from('[]{}"\\,:/ua0é\ud7ff\ue000😀\x00\x1f\u2028 '), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), tricky)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(tricky, inner, max_size=4), max_leaves=30
)
spellings = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 1]),
        "separators": st.sampled_from([None, (",", ":"), (" , ", " : ")]),
    }
)


@settings(max_examples=200, deadline=None)
@given(documents, st.integers(0, 6), spellings)
@example(['["', ["\\", '"', "]"]], 1, {})
@example({"[": {"]": '\\"['}}, 1, {})
def test_it_agrees_with_counting_by_recursion(document, limit, spelling):
    body = json.dumps(document, **spelling).encode()
    assert is_refused(body, limit) == (depth(document) > limit)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='[]{}"\\a,', max_size=200).map(str.encode), st.integers(1, 8))
def test_what_is_no_json_is_refused_by_it_or_by_the_decoder_and_never_fails(body, limit):
    try:
        value = json.loads(body)
    except ValueError:
        is_refused(body, limit)
        with pytest.raises(BadInput):
            decode(body, msgspec.Raw)
    else:
        assert is_refused(body, limit) == (depth(value) > limit)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_the_limit_itself_is_allowed_and_one_more_is_not(opening):
    closing = "]" if opening == "[" else "}"
    inside = "[]" if opening == "[" else "{}"
    for levels, allowed in ((MAX_DEPTH, True), (MAX_DEPTH + 1, False)):
        text = opening * (levels - 1) + inside + closing * (levels - 1)
        assert is_refused(text.encode(), MAX_DEPTH) != allowed


def test_the_envelope_of_a_body_counts_too():
    allowed = b'{"content":' + b"[" * 127 + b"]" * 127 + b"}"
    assert bytes(decode(allowed, Content).content) == b"[" * 127 + b"]" * 127
    with pytest.raises(BadInput) as refused:
        decode(b'{"content":' + b"[" * 128 + b"]" * 128 + b"}", Content)
    assert refused.value.details == {"maxDepth": MAX_DEPTH}


@pytest.mark.parametrize(("name", "body"), shapes(MAX_BYTES), ids=[name for name, _ in shapes(MAX_BYTES)])
def test_two_mebibytes_of_any_shape_are_dealt_with_at_once(name, body):
    assert MAX_BYTES * 0.9 < len(body) <= MAX_BYTES
    begun = time.perf_counter()
    with suppress(BadInput):
        decode(body, Content)
    assert time.perf_counter() - begun < SECONDS
