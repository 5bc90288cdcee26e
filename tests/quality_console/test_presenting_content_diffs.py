"""A block's content against what is suggested for it: numbered lines, words in them, and bounds on all of it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from quality_console.presenting.content_diffs import MOST_ROWS, ContentDiff, content_diff, text_of_content
from quality_console.presenting.shown import Change


def prompt(template: str) -> str:
    return json.dumps({"template": template})


def settings(**values: object) -> str:
    return json.dumps({"values": values})


def told(diff: ContentDiff) -> list[str]:
    sign = {Change.SAME: " ", Change.GONE: "-", Change.NEW: "+"}
    return [
        f"({line.folded} unchanged)"
        if line.folded
        else f"{sign[line.kind]}{line.old or ''}/{line.new or ''} {''.join(one.text for one in line.segments)}"
        for line in diff.lines
    ]


def test_lines_are_numbered_on_both_sides_and_what_is_unchanged_is_folded():
    was = [f"line {n}" for n in range(1, 21)]
    should = [*was[:9], "line ten", "another", *was[10:]]
    diff = content_diff(prompt("\n".join(was)), prompt("\n".join(should)))
    assert told(diff) == [
        "(7 unchanged)",
        " 8/8 line 8",
        " 9/9 line 9",
        "-10/ line 10",
        "+/10 line ten",
        "+/11 another",
        " 11/12 line 11",
        " 12/13 line 12",
        "(8 unchanged)",
    ]
    assert (diff.added, diff.taken_out, diff.left, diff.folds) == (2, 1, 0, True)
    assert len(content_diff(prompt("\n".join(was)), prompt("\n".join(should)), whole=True).lines) == 22


def test_a_line_that_changed_says_by_words_what_changed():
    diff = content_diff(prompt("Call it with the address."), prompt("Call it, with the country, with the address."))
    gone, new = diff.lines
    assert "".join(one.text for one in gone.segments) == "Call it with the address."
    assert [one.text for one in new.segments if one.kind == Change.NEW]
    assert all(one.kind != Change.NEW for one in gone.segments)


def test_lines_that_have_nothing_in_common_are_another_line_each():
    gone, new = content_diff(prompt("abcdefgh"), prompt("12345678 xyz")).lines
    assert [one.kind for one in (*gone.segments, *new.segments)] == [Change.SAME, Change.SAME]


def test_settings_are_compared_by_their_keys():
    was = settings(days=30, tone="warm", limits={"refund": 1, "mail": 2})
    should = settings(days=90, tone="warm", limits={"refund": 1, "mail": 2})
    assert told(content_diff(was, should)) == [
        " 1/1 {",
        '-2/   "days": 30,',
        '+/2   "days": 90,',
        ' 3/3   "tone": "warm",',
        ' 4/4   "limits": {',
        "(4 unchanged)",
    ]


def test_numbers_in_settings_are_shown_as_they_are_spelled():
    assert "1.0" in text_of_content('{"values": {"a": 1.0, "b": 12345678901234567890}}')
    assert "12345678901234567890" in text_of_content('{"values": {"a": 1.0, "b": 12345678901234567890}}')


def test_a_template_of_a_mebibyte_is_compared_and_shown_up_to_a_limit():
    was = "\n".join(f"{n}: the quick brown fox" for n in range(40_000))
    for should in (was.replace("quick", "slow"), was[: len(was) // 2], "x" * len(was), was + "\nmore"):
        diff = content_diff(prompt(was), prompt(should))
        assert len(diff.lines) <= MOST_ROWS
        assert sum(len(one.text) for line in diff.lines for one in line.segments) < 1_000_000
        assert diff.added or diff.taken_out


LINES = st.lists(st.sampled_from(["a b", "b", "", "c d e", "c d f", "}"]), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_both_texts_can_be_read_off_the_difference(was: str, should: str):
    diff = content_diff(prompt(was), prompt(should), whole=True)

    def side(*kinds: Change) -> str:
        lines = [line for line in diff.lines if line.kind in kinds]
        return "\n".join("".join(one.text for one in line.segments) for line in lines)

    assert side(Change.SAME, Change.GONE) == was
    assert side(Change.SAME, Change.NEW) == should
    assert [line.old for line in diff.lines if line.old] == list(range(1, was.count("\n") + 2))
    assert [line.new for line in diff.lines if line.new] == list(range(1, should.count("\n") + 2))
