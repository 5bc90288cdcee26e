"""Who has a run open: told to others while the page is open, and stopping nobody (contract, section 10)."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_POST

from judging.errors import JudgingItemNotFound, JudgingItemNotOpen
from judging.services.holds import queue_item_hold, queue_item_release
from quality_console.frame import ConsoleRequest
from quality_console.views.pages import console


@require_POST
@console
def hold(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """Hold the run's item for five minutes more. What doesn't wait any more is held by nobody, and isn't refused."""
    with suppress(JudgingItemNotFound, JudgingItemNotOpen):
        queue_item_hold(caller=request.frame.caller, project=request.frame.project, run_id=run_id)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@require_POST
@console
def release(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """Let go of the run's item."""
    with suppress(JudgingItemNotFound):
        queue_item_release(caller=request.frame.caller, project=request.frame.project, run_id=run_id)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
