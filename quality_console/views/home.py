"""The home page: what waits for the person in each project (contract, section 8)."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from kindgi.access.models import Project
from kindgi.access.selectors import projects_found
from quality_console.frame import ConsoleRequest
from quality_console.roles import role_of
from quality_console.views.numbered import NumberedPage, number_of
from quality_console.views.pages import console, page

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project, how many runs wait for the person in it, and what they are there."""

    project: Project
    waiting: int
    role: str


@require_safe
@console
def home(request: ConsoleRequest) -> HttpResponseBase:
    """The projects that the person may read, those with something to do first, with how many runs wait in each."""
    text, number = request.GET.get("q", ""), number_of(request.GET)
    frame = request.frame
    waiting = {project_id: count for project_id, count in frame.waiting.items() if count}
    found = projects_found(
        caller=frame.caller, text=text, first=waiting, offset=(number - 1) * PER_PAGE, limit=PER_PAGE + 1
    )
    rows = [ProjectRow(one, waiting.get(one.pk, 0), role_of(frame.caller, one.pk)) for one in found[:PER_PAGE]]
    context = {
        "rows": rows,
        "pages": NumberedPage(number, has_next=len(found) > PER_PAGE),
        "text": text,
        "searchable": bool(text) or number > 1 or len(found) > 8,
        "projects_waiting": len(waiting),
        "tenant": frame.user.tenant,
    }
    return page(request, "quality_console/home.html", context, parts={"projects"})
