"""What every template of the console has besides its view's own."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from quality_console.views.themes import theme_of


def console(request: HttpRequest) -> dict[str, Any]:
    """The frame, where there is one; the chosen theme, and the zone that times are shown in."""
    return {
        "frame": getattr(request, "frame", None),
        "theme": theme_of(request),
        "zone": timezone.get_current_timezone_name(),
    }
