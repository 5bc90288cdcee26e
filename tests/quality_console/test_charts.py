"""A chart draws what its sentences say: in percents, each version in its row, and nothing where too little is known."""

from __future__ import annotations

from typing import Any

from django.utils.translation import override

from judging.results import Group, counts
from judging.trends import trend
from judging.words.results import chart_title
from quality_console.charts import chart_of


def group(version: str | None, right: int, of: int) -> Group:
    """So many runs with a verdict each, of which so many say right."""
    found = counts([{None: (1, int(number < right))} for number in range(of)])
    states: dict[str, Any] = {"open": 0, "judged": of, "dismissed": 0, "erased": 0, "skipped_by_cap": 0}
    return Group(rule_version=1, agent_version=version, **states, **found._asdict())


def versions(*groups: Group) -> Any:
    """Their trend's versions, newest first."""
    return trend(groups, rule_version=1, weights={None: 1.0}, names={}).latest.versions


def part(text: str) -> float:
    """A percentage of the plot."""
    assert text.endswith("%")
    return float(text[:-1])


def test_each_dot_is_at_the_share_inside_of_its_bar_which_is_the_range():
    found = versions(group("2.0.0", 11, 12), group("1.0.0", 3, 12))
    chart = chart_of(found, title="")
    assert chart is not None
    for mark, one in zip(chart.marks, found, strict=True):
        assert part(mark.share) == round(one.share * 100, 2)
        assert part(mark.low) == round(one.range.low * 100, 2)
        assert abs(part(mark.low) + part(mark.width) - one.range.high * 100) < 0.02
        assert part(mark.low) <= part(mark.share) <= part(mark.low) + part(mark.width) <= 100


def test_rows_share_the_height_and_marks_are_in_the_middle_of_theirs():
    chart = chart_of(versions(*(group(f"{number}.0.0", 6, 12) for number in range(1, 5))), title="")
    assert chart is not None
    assert [mark.y for mark in chart.marks] == ["12.50%", "37.50%", "62.50%", "87.50%"]
    assert [row.name for row in chart.rows] == ["4.0.0", "3.0.0", "2.0.0", "1.0.0"]


def test_a_version_with_too_little_to_say_keeps_its_row_and_gets_no_mark():
    found = versions(group("2.0.0", 9, 9), group("1.0.0", 10, 10))
    chart = chart_of(found, title=chart_title("Everything", found))
    assert chart is not None
    assert [row.few for row in chart.rows] == ["too few to say", ""]
    assert [mark.y for mark in chart.marks] == ["75.00%"]
    assert chart.rows[1].share == "100%"
    assert "2.0.0 too few corrections; 1.0.0 100%, range 72 to 100%" in chart.title


def test_where_no_version_has_a_range_there_is_no_chart():
    assert chart_of(versions(group("1.0.0", 9, 9)), title="") is None
    assert chart_of([], title="") is None


def test_what_is_drawn_is_the_same_in_every_language():
    with override("de"):
        chart = chart_of(versions(group("1.0.0", 1, 12)), title="")
    assert chart is not None
    assert chart.marks[0].share == "8.33%"
