"""Times as pages show them: in the viewer's zone, which the browser names in a cookie (contract, section 10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils import dateformat, timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from kindgi.api.times import wire

COOKIE = "timezone"
_NAMES = available_timezones()
# Stands for a time while a sentence is made: nothing that is stored can hold it, PostgreSQL's texts have none.
_TIME = "\x00"


def zone_of(request: HttpRequest) -> ZoneInfo:
    """The zone that the browser has named; UTC until it has, or where it names none that there is."""
    name = request.COOKIES.get(COOKIE, "")
    return ZoneInfo(name if name in _NAMES else "UTC")


def moment(at: datetime) -> str:
    """A time to the minute with its zone, as sentences have it: ``24 Oct 2026, 9 PM EDT``."""
    local = timezone.localtime(at)
    return dateformat.format(local, f"j M Y, {_clock(local)} T")


def short_moment(at: datetime, *, today: datetime | None = None) -> str:
    """A time to the minute for a table: ``18 Nov, 5:48 AM``, with its year where that isn't this one."""
    local, present = timezone.localtime(at), timezone.localtime(today)
    year = "" if local.year == present.year else " Y"
    return dateformat.format(local, f"j M{year}, {_clock(local)}")


def clock(at: datetime) -> str:
    """The time of day: ``9:41 AM``."""
    local = timezone.localtime(at)
    return dateformat.format(local, _clock(local))


def with_instant(at: datetime, text: str) -> SafeString:
    """A time that reads ``text``, with the exact instant on hover."""
    return format_html('<time datetime="{0}" title="{0}">{1}</time>', wire(at), text)


def sentence_with_time(
    sentence: Callable[[str], str], at: datetime, how: Callable[[datetime], str] = moment
) -> SafeString:
    """What ``sentence`` makes of the time in words, for a page: the time has its instant, all else is escaped."""
    said = escape(sentence(_TIME))
    return mark_safe(said.replace(_TIME, with_instant(at, how(at))))  # noqa: S308 - all but the time is escaped


def _clock(local: datetime) -> str:
    return "g A" if local.minute == 0 else "g:i A"
