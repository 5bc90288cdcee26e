"""Tags of suggested changes: what differs, marked."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from quality_console.presenting.shown import Change, Segment

register = template.Library()


@register.filter
def marked(segments: Iterable[Segment]) -> SafeString:
    """The segments' text, of which what is gone is a ``del`` and what is new an ``ins``."""
    return format_html_join("", "{}", ((_marked(one),) for one in segments))


def _marked(one: Segment) -> SafeString | str:
    if one.kind == Change.GONE:
        return format_html("<del>{}</del>", one.text)
    return format_html("<ins>{}</ins>", one.text) if one.kind == Change.NEW else one.text
