"""A time inside a sentence has its exact instant, and nothing else of the sentence is ever markup."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

from django.template import Context, Template

from kindgi.api.times import wire
from quality_console.times import clock, moment, sentence_with_time

AT = datetime(2026, 11, 30, 20, 13, 7, tzinfo=UTC)


def test_a_time_in_a_sentence_keeps_its_place_and_has_the_exact_instant():
    said = sentence_with_time(lambda when: f"Erased {when}.", AT)
    instant = wire(AT)
    assert said == f'Erased <time datetime="{instant}" title="{instant}">{moment(AT)}</time>.'
    assert f">{clock(AT)}</time>" in sentence_with_time(str, AT, clock)


def test_whatever_else_the_sentence_says_is_escaped_once():
    evil = "<script>alert('x')</script> & \"y\" <time>"
    said = sentence_with_time(lambda when: f"Dismissed by {evil} {when}: {evil}", AT)
    assert said.count("<time") == said.count("<") / 2 == 1
    assert said.count(escape(evil)) == 2
    assert Template("{{ said }}").render(Context({"said": said})) == said
