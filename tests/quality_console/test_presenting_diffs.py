"""What two texts differ in: the segments are both texts again, no letter is torn, and no texts take long."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quality_console.presenting.clusters import clip, printable, words_of
from quality_console.presenting.diffs import even, line_diff, word_diff
from quality_console.presenting.shown import Change, Segment

some_text = st.lists(
    st.sampled_from(
        [
            "a ",
            "b",
            " ",
            "\n",
            "\r\n",
            "é",
            "e\u0301",
            "👩‍👩‍👧",
            "🇩🇪",
            "👍🏽",
            "שלום ",
            "漢字",
            "नि",
            "\u200d",
            "\ufe0f",
        ]
    )
    | st.text(max_size=3),
    max_size=30,
).map("".join)


def texts_of(segments: list[Segment]) -> tuple[str, str]:
    """The two texts that the segments are made of."""
    was = "".join(segment.text for segment in segments if segment.kind != Change.NEW)
    should = "".join(segment.text for segment in segments if segment.kind != Change.GONE)
    return was, should


def as_marked(segments: list[Segment]) -> str:
    signs = {Change.SAME: "{}", Change.GONE: "[-{}-]", Change.NEW: "[+{}+]"}
    return "".join(signs[segment.kind].format(segment.text) for segment in segments)


@settings(deadline=None, max_examples=60)
@given(some_text, some_text)
def test_segments_are_both_texts_again(was: str, should: str) -> None:
    for found in (word_diff(was, should), line_diff(was, should)):
        assert texts_of(found) == (even(was), even(should))
        assert all(segment.text for segment in found)
        assert all(one.kind != other.kind for one, other in pairwise(found))


@settings(deadline=None, max_examples=60)
@given(some_text)
def test_a_text_doesnt_differ_from_itself(text: str) -> None:
    assert {segment.kind for segment in word_diff(text, text)} <= {Change.SAME}


@settings(deadline=None, max_examples=60)
@given(some_text)
def test_words_are_the_text_again(text: str) -> None:
    assert "".join(words_of(text)) == text


@pytest.mark.parametrize(
    "letters",
    [
        "e\u0301",
        "👩‍👩‍👧",
        "🇩🇪",
        "👍🏽",
        "1\ufe0f\u20e3",
        "नि",
        "กำ",
        "❤️‍🔥",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_a_letter_with_its_marks_is_never_torn(letters: str) -> None:
    assert words_of(letters) == [letters]
    for limit in range(1, len(letters)):
        assert clip(f"x{letters}", limit + 1) in ("x", f"x{letters}")
    assert clip(f"x{letters}y", len(letters) + 1) == f"x{letters}"


def test_flags_are_cut_between_two_countries() -> None:
    assert words_of("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]
    assert clip("🇩🇪🇫🇷", 3) == "🇩🇪"
    assert clip("🇩🇪🇫🇷", 2) == "🇩🇪"


def test_a_phrase_changes_as_one() -> None:
    assert as_marked(word_diff("Your default account address", "Your account address and order")) == (
        "Your [-default -]account address[+ and order+]"
    )
    assert as_marked(word_diff("it moved back again today", "it went to Rome today")) == (
        "it [-moved back again-][+went to Rome+] today"
    )


def test_words_of_a_script_from_right_to_left_stay_whole() -> None:
    assert as_marked(word_diff("مرحبًا يا صديقي", "مرحبًا يا أخي")) == "مرحبًا يا [-صديقي-][+أخي+]"


def test_lines_are_compared_whole() -> None:
    assert as_marked(line_diff("one\ntwo\nthree", "one\n2\nthree")) == "one\n[-two\n-][+2\n+]three"


def test_the_end_of_a_line_is_no_difference() -> None:
    assert word_diff("a\r\nb", "a\nb") == [Segment(Change.SAME, "a\nb")]


def test_long_texts_are_compared_by_lines_or_whole_and_no_texts_take_long() -> None:
    source = random.Random(7)
    words = [str(source.randrange(60)) for _ in range(8_000)]
    pairs = [
        ("a b " * 1_000, "b a c " * 1_000),
        (" ".join(words[:4_000]), " ".join(words[4_000:])),
        ("x" * 1_000_000, "y" * 1_000_000),
        ("one\n" * 9_000, "two\none\n" * 4_000),
        ("\n" * 30_000, "\n" * 29_000 + "x"),
    ]
    for was, should in pairs:
        start = time.process_time()
        assert texts_of(word_diff(was, should)) == (was, should)
        assert time.process_time() - start < 3


@settings(deadline=None, max_examples=60)
@given(st.text(st.characters()))
def test_what_is_printable_can_be_sent_and_stays_so(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert printable(shown) == shown


def test_what_cant_be_printed_is_spelled() -> None:
    assert printable("a\0b\ud800c\r\nd\te") == "a\\u0000b\\ud800c\nd\te"
