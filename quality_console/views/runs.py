"""The runs of a project, newest first (contract, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase, QueryDict
from django.views.decorators.http import require_safe

from corrections.selectors import corrections_standing
from judging.selectors.queue import queue_states
from kindgi.api.errors import BadInput
from kindgi.api.pages import DEFAULT_LIMIT, Cursor, PageRequest, newest_first, oldest_first
from kindgi.runs.models import Run
from kindgi.runs.selectors import run_agents, runs_of
from quality_console.filters.runs import STATUSES, RunListFilter, choices_as
from quality_console.frame import ConsoleRequest
from quality_console.run_asked import asked_words
from quality_console.tables.runs import RunRow, RunsTable
from quality_console.views.pages import console, page

MORE = ("status", "agentVersion", "flowId", "since", "until", "replays", "dryRuns", "erased", "topLevel")


@dataclass(frozen=True, slots=True)
class Window:
    """The runs of a page, and where those are that are newer and older."""

    runs: list[Run]
    newer: str | None
    older: str | None


@require_safe
@console
def runs(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """A page of the runs that the address asks for."""
    project = request.frame.project
    filters = RunListFilter(request.GET, queryset=runs_of(project))
    refused = filters.form.errors
    window = _window(filters.qs, request.GET)
    asked = asked_words(filters)
    context = {
        "section": "runs",
        "table": RunsTable(_rows(request, window.runs), query=request.GET),
        "window": window,
        "filters": filters,
        "refused": [(filters.form.fields[name].label or name, errors[0]) for name, errors in refused.items()],
        "asked": asked,
        "more": sum(bool(request.GET.get(name)) for name in MORE),
        "agents": _agents(request),
        "statuses": STATUSES.items(),
        "selects": choices_as(request.GET),
    }
    return page(request, "quality_console/runs.html", context, parts={"tab"})


def _agents(request: ConsoleRequest) -> list[str]:
    """What to choose from: the agents that have runs, and the one that the address names."""
    found = run_agents(request.frame.project)
    named = request.GET.get("agentId", "")
    return found if not named or named in found else [named, *found]


def _window(rows: QuerySet[Run], query: QueryDict) -> Window:
    """The page after or before the place that the address names; the newest, where it names none."""
    before, after = _place(query, "before"), _place(query, "after")
    if before is not None:
        found = oldest_first(rows, PageRequest(cursor=before))
        if found.next_cursor is not None:
            newest_on_top = found.rows[::-1]
            return Window(newest_on_top, _cursor(newest_on_top[0]), _cursor(newest_on_top[-1]))
        after = None
    found = newest_first(rows, PageRequest(limit=DEFAULT_LIMIT, cursor=after))
    newer = _cursor(found.rows[0]) if after is not None and found.rows else None
    return Window(found.rows, newer, found.next_cursor)


def _place(query: QueryDict, name: str) -> Cursor | None:
    text = query.get(name)
    try:
        return Cursor.decode(text) if text else None
    except BadInput:
        return None


def _cursor(run: Run) -> str:
    return Cursor(run.created_at, run.pk).encode()


def _rows(request: ConsoleRequest, found: list[Run]) -> list[RunRow]:
    tenant_id, run_ids = request.frame.caller.tenant_id, [run.run_id for run in found]
    queued: dict[Any, str] = queue_states(tenant_id=tenant_id, run_ids=run_ids)
    corrected = corrections_standing(caller=request.frame.caller, run_ids=run_ids)
    slug = request.frame.project.slug
    return [RunRow(run, slug, queued.get(run.run_id, ""), run.run_id in corrected) for run in found]
