"""Filters for rules: what is open, and how a catch-up stands."""

from __future__ import annotations

from django import template
from django.template import Context

from judging.models import CatchUp, CatchUpState
from judging.words import catch_ups as words
from judging.words import rules as rule_words
from quality_console.times import sentence_with_time

register = template.Library()


@register.filter
def open_now(count: int) -> str:
    """``3 open``."""
    return rule_words.open_now(count)


@register.filter
def catch_up_told(job: CatchUp) -> str:
    """How far a catch-up is, or what it came to, in the three counts."""
    counts = words.caught_up(
        queued=job.queued, already_queued=job.already_queued, already_reviewed=job.already_reviewed
    )
    if job.state != CatchUpState.DONE:
        return words.catching_up(counts, done=job.done, of=job.of)
    matches = job.queued + job.already_queued + job.already_reviewed

    def told(since: str | None) -> str:
        return words.caught_up_among(counts, matches=matches, last=job.last, since=since)

    return told(None) if job.since is None else sentence_with_time(told, job.since)


@register.simple_tag
def catches_up_alone() -> str:
    """That a catch-up needs nobody to watch it."""
    return str(rule_words.CATCHES_UP_ALONE)


@register.simple_tag(takes_context=True)
def query_without(context: Context, name: str, value: object) -> str:
    """The page's query without one of the values of ``name``, with its question mark."""
    query = context["request"].GET.copy()
    query.setlist(name, [one for one in query.getlist(name) if one != str(value)])
    query["tab"] = "rules"
    return f"?{query.urlencode()}"
