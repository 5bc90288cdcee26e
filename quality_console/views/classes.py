"""The classes of judges that apply to a project (contract, section 8)."""

from __future__ import annotations

from django.http import HttpResponseBase

from quality_console.frame import ConsoleRequest
from quality_console.views.pages import page


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab."""
    return page(request, "quality_console/judge_classes.html", {"tab": "judge-classes"}, parts={"tab"})
