"""The Suggested changes tab (contract, section 8)."""

from __future__ import annotations

from django.http import HttpResponseBase

from quality_console.changes.tab import ChangesTab
from quality_console.frame import ConsoleRequest
from quality_console.views.pages import page


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab."""
    context = {"section": "quality", "tab": "suggested-changes", "shown": ChangesTab(request.frame, request.GET)}
    return page(request, "quality_console/suggested_changes.html", context, parts={"tab"})
