"""The home page: what waits for the person in each project."""

from __future__ import annotations

from django.http import HttpResponseBase

from quality_console.frame import ConsoleRequest
from quality_console.views.pages import console, page


@console
def home(request: ConsoleRequest) -> HttpResponseBase:
    """The projects that the person may read, with how many runs wait for them in each."""
    return page(request, "quality_console/home.html", {})
