"""Suggested changes of the project's agents (contract, section 8)."""

from __future__ import annotations

from django.http import HttpResponseBase

from quality_console.frame import ConsoleRequest
from quality_console.views.pages import page


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab."""
    return page(
        request,
        "quality_console/suggested_changes.html",
        {"section": "quality", "tab": "suggested-changes"},
        parts={"tab"},
    )
