"""Tags of suggested changes: what differs, marked, with nothing in it that makes it read as another text."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from quality_console.presenting.directing import undirected
from quality_console.presenting.shown import Change, Segment

register = template.Library()

_SIGN = '<bdi class="control" dir="ltr" title="{}">{}</bdi>'


@register.filter
def marked(segments: Iterable[Segment]) -> SafeString:
    """The segments' text, of which what is gone is a ``del`` and what is new an ``ins``."""
    return format_html_join("", "{}", ((_marked(one),) for one in segments))


def _marked(one: Segment) -> SafeString:
    text = _signed(one.text)
    if one.kind == Change.GONE:
        return format_html("<del>{}</del>", text)
    return format_html("<ins>{}</ins>", text) if one.kind == Change.NEW else text


def _signed(text: str) -> SafeString:
    """The text with a sign for each control of direction, apart from what stands around it."""
    pieces = ((format_html(_SIGN, one.name, one.text) if one.name else one.text,) for one in undirected(text))
    return format_html_join("", "{}", pieces)
