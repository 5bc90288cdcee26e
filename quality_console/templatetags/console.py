"""Tags of the console: icons, times, people, tool names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from quality_console import roles, times

register = template.Library()

_BREAKS = re.compile(r"(?<=[_.\-/:])")
_LETTERS = re.compile(r"[^\W\d_]")


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite ``icons.svg``; what it means is said beside it, or by its button's name."""
    sprite = static("quality_console/icons.svg")
    return format_html('<svg class="i" aria-hidden="true"><use href="{}#{}"/></svg>', sprite, name)


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """``24 Oct 2026, 9 PM EDT``, with the exact instant on hover; nothing of no time."""
    return "" if at is None else times.with_instant(at, times.moment(at))


@register.filter
def short_moment(at: datetime | None) -> SafeString | str:
    """``18 Nov, 5:48 AM``, with the exact instant on hover; nothing of no time."""
    return "" if at is None else times.with_instant(at, times.short_moment(at))


@register.filter
def clock(at: datetime | None) -> SafeString | str:
    """``9:41 AM``, with the exact instant on hover; nothing of no time."""
    return "" if at is None else times.with_instant(at, times.clock(at))


@register.filter
def initials(name: str) -> str:
    """Up to two letters for a person's sign: ``IO`` of Ines Okafor; of an email its first."""
    words = [word for word in re.split(r"[\s@.]+", name) if _LETTERS.match(word)]
    letters = [words[0], words[-1]] if len(words) > 1 and "@" not in name else words[:1]
    return "".join(word[0].upper() for word in letters) or "?"


@register.filter
def breakable(name: str) -> SafeString:
    """A tool's or an id's name that may break after its separators, so that long ones wrap well."""
    return mark_safe("<wbr>".join(escape(part) for part in _BREAKS.split(name)))  # noqa: S308 - each part is escaped


@register.filter
def role_label(role: str) -> str:
    """A role in a project in a word: ``Editor``."""
    return roles.role_label(role)


@register.filter
def short_id(value: object) -> str:
    """The first eight characters of an id, as pages name a run beside its agent."""
    return str(value)[:8]


@register.filter
def of(counts: Mapping[Any, int], key: object) -> int:
    """The count that a mapping has under a key; none is 0."""
    return counts.get(key, 0)


@register.simple_tag(takes_context=True)
def narrows(context: Context) -> SafeString:
    """Attributes of a form whose fields narrow the page's list: what is chosen swaps the list, the page stays.

    Coming back, a browser fills in nothing that was chosen later: the fields say what the list is of.
    """
    text = (
        'action="{0}" autocomplete="off" data-narrows hx-get="{0}" hx-trigger="change delay:300ms, submit"'
        ' hx-target="#tab" hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace"'
    )
    return format_html(text, context["request"].path)


@register.simple_tag(takes_context=True)
def hidden_query(context: Context, *besides: str) -> SafeString:
    """What the address asks for as hidden fields, so that a form which sets ``besides`` keeps it; its page is left."""
    left = {*besides, "after", "before", "page"}
    given = [(name, value) for name, values in context["request"].GET.lists() for value in values if name not in left]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', given)
