"""Times as pages show them: in the viewer's zone, which the browser names in a cookie (contract, section 10)."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils import dateformat, timezone

COOKIE = "timezone"
_NAMES = available_timezones()


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


def _clock(local: datetime) -> str:
    return "g A" if local.minute == 0 else "g:i A"
