"""Characters that turn the direction of a text are signs in it, and nothing else of it changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quality_console.presenting.directing import Piece, undirected
from quality_console.presenting.shown import Change, Segment
from quality_console.templatetags.changes import marked

CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("kind", list(Change))
@pytest.mark.parametrize("control", CONTROLS)
def test_each_is_named_and_isnt_in_the_page(kind: Change, control: str):
    shown = str(marked([Segment(kind, f"TAB{control}<b>")]))
    assert f">U+{ord(control):04X}</bdi>&lt;b&gt;" in shown and shown.count("TAB") == 1
    assert not set(shown) & set(CONTROLS)


def test_its_name_is_unicodes():
    found = list(undirected("a\u202eb"))
    assert found == [Piece("a"), Piece("U+202E", "right-to-left override"), Piece("b")]


@given(st.text(st.sampled_from("a b\nש\u200d🏴" + CONTROLS)))
def test_all_else_stays_as_it_is(text: str):
    pieces = list(undirected(text))
    assert "".join(one.text for one in pieces if not one.name) == re.sub(f"[{CONTROLS}]", "", text)
    assert sum(bool(one.name) for one in pieces) == sum(text.count(one) for one in CONTROLS)
