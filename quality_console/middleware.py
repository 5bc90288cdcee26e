"""The viewer's time zone, for the whole request."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from quality_console.times import zone_of


class TimeZoneMiddleware:
    """Times are shown in the zone that the browser names (contract, section 10)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Wrap the rest of the stack."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the zone in force."""
        with timezone.override(zone_of(request)):
            return self.get_response(request)
