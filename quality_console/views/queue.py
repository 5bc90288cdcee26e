"""What waits for a correction, and what did: the list, dismissing and reopening, going on (contract, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from judging.selectors.queue_next import reasons_of
from judging.services.items import queue_items_dismiss, queue_items_reopen_each
from kindgi.api.ids import parse_id
from quality_console.forms.queue import ReasonForm
from quality_console.frame import ConsoleRequest
from quality_console.queue.acts import dismissing_said, reopening_said
from quality_console.queue.asked import asked_of
from quality_console.queue.board import board_read
from quality_console.queue.dialogs import Dismissing, dismissing, still_open
from quality_console.queue.starting import next_run, own_run
from quality_console.see_other import SeeOther
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/to_correct.html"


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab, and the dialog that its address names."""
    runs = request.GET.getlist("run") if request.GET.get("dialog") == "dismiss" else []
    runs = still_open(request.frame, runs) if runs and request.frame.may_write else []
    if runs:
        return _shown(request, dismissing(request.frame, request.GET, runs, ReasonForm()))
    return _shown(request, None)


def _shown(request: ConsoleRequest, dialog: Dismissing | None, status: int = HTTPStatus.OK) -> HttpResponse:
    """The page. Under a dialog it is as if none were asked for, also in what its links and forms keep."""
    query = request.GET.copy()
    for name in ("dialog", "run"):
        query.pop(name, None)
    request.GET = query  # type: ignore[assignment]
    context: dict[str, Any] = {"section": "quality", "tab": "to-correct", "dialog": dialog}
    if not (request.htmx and request.htmx.target == "dialog"):
        context["board"] = board_read(request.frame, query)
    return page(request, TEMPLATE, context, parts={"tab", "dialog"}, status=status)


@require_POST
@console
def dismiss(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Dismiss the runs, for the reason that is given; then the list that the address asks for."""
    # Undo says the reason in its address.
    form = ReasonForm(request.POST if "reason" in request.POST else request.GET)
    runs, frame = _runs(request), request.frame
    if not form.is_valid():
        return _shown(request, dismissing(frame, request.GET, runs, form), HTTPStatus.UNPROCESSABLE_ENTITY)
    reason = form.cleaned_data["reason"]
    several = queue_items_dismiss(caller=frame.caller, project=frame.project, run_ids=runs, reason=reason or None)
    said = dismissing_said(several, tenant_id=frame.caller.tenant_id, reason=reason)
    undo = _undo(request, "queue-reopen", [str(item.run_id) for item in several.done])
    return done(request, asked_of(frame, request.GET).address(), said, undo=undo)


@require_POST
@console
def reopen(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Put the dismissed runs back; then the list that the address asks for."""
    runs, frame = _runs(request), request.frame
    reasons = reasons_of(project=frame.project, run_ids=[one for one in map(parse_id, runs) if one is not None])
    several = queue_items_reopen_each(caller=frame.caller, project=frame.project, run_ids=runs)
    said = reopening_said(several, tenant_id=frame.caller.tenant_id)
    back = [str(item.run_id) for item in several.done if item.closed_at is None]
    # What each was dismissed for can be said again only where it was the same.
    undo = _undo(request, "queue-dismiss", back, reason=reasons.pop()) if len(reasons) == 1 else ""
    return done(request, asked_of(frame, request.GET).address(), said, undo=undo)


@require_POST
@console
def start(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Go on to the next run of the list that nobody holds, else to one's own; back to the list, where there is none."""
    asked, caller = asked_of(request.frame, request.GET), request.frame.caller
    address, why = next_run(caller=caller, view=asked.view)
    address = address or own_run(caller=caller, view=asked.view)
    if address is None:
        return done(request, asked.address(state=None), why)
    return done(request, address) if request.htmx else SeeOther(address)


def _runs(request: ConsoleRequest) -> Sequence[str]:
    """The runs that it is about: one by its own button, the ticked ones, or those that Undo names."""
    only = request.POST.get("only")
    return [only] if only else request.POST.getlist("run") or request.GET.getlist("run")


def _undo(request: ConsoleRequest, name: str, runs: Sequence[str], **said: str) -> str:
    """The address that takes a change of the runs back; none where nothing was changed."""
    if not runs:
        return ""
    asked = asked_of(request.frame, request.GET)
    query = urlencode([*(("run", run_id) for run_id in runs), *((key, text) for key, text in said.items() if text)])
    return f"{reverse(name, args=[request.frame.project.slug])}?{'&'.join(filter(None, [query, asked.query()]))}"
