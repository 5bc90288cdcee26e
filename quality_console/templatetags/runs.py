"""Tags of a run's page: where the whole of what was cut is read."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext

from judging.words.parts import number
from quality_console.presenting.shown import Place, Step

register = template.Library()


@register.simple_tag(takes_context=True)
def part_address(context: Context, place: Place, how: str = "") -> str:
    """The address of what stands at a place of the page's run; ``how`` is ``quote`` or ``text``, or neither."""
    said = {"part": place.part.value, "pointer": place.pointer}
    said |= {"as": "text"} if how == "text" else {}
    said |= {"quote": "1"} if how == "quote" else {}
    return f"{reverse('run-part', args=[context['frame'].slug, context['run'].run_id])}?{urlencode(said)}"


@register.filter
def has_more(step: Step) -> bool:
    """Whether a step's arguments aren't all shown whole."""
    return step.args_left > 0 or any(arg.cut for arg in step.args)


@register.filter
def duration(milliseconds: int) -> str:
    """How long something took: ``43 s``, ``2 min 5 s``, ``310 ms``."""
    if milliseconds < 1000:
        return gettext("%(n)s ms") % {"n": milliseconds}
    seconds = round(milliseconds / 1000)
    if seconds < 60:
        return gettext("%(n)s s") % {"n": seconds}
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return gettext("%(minutes)s min %(seconds)s s") % {"minutes": number(minutes), "seconds": seconds}
    hours, minutes = divmod(minutes, 60)
    return gettext("%(hours)s h %(minutes)s min") % {"hours": number(hours), "minutes": minutes}


register.filter("number", number)
