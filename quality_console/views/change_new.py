"""Suggesting a change of an agent (contract, sections 7 and 8)."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from improve.errors import BlockNotFound, ProposalUnchanged
from improve.services.proposals import proposal_create
from improve.words.acting import NO_BLOCKS, SUGGESTED_ALREADY
from kindgi.access.policies import check_write
from kindgi.api.errors import BadInput
from quality_console.changes.draft import Draft
from quality_console.forms.changes import focus_on_error
from quality_console.frame import ConsoleRequest
from quality_console.views.pages import console, gone_on, page

_CONTENT = "/change/content"


@require_http_methods(["GET", "HEAD", "POST"])
@console
def suggest(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """The page on which a change is drafted; a POST drafts it, or leads to the one that says the same."""
    check_write(request.frame.caller, request.frame.project.pk)
    draft = Draft(request.frame, request.GET, request.POST if request.method == "POST" else None)
    if request.method != "POST" or draft.shows_another:
        return _page(request, draft)
    if draft.block is None or not draft.form.is_valid():
        return _page(request, draft, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        proposal, is_new = proposal_create(caller=request.frame.caller, body=draft.body())
    except (BadInput, BlockNotFound) as refusal:
        return _refused(request, draft, refusal)
    said = _("The change is drafted. Evaluate it next.") if is_new else str(SUGGESTED_ALREADY)
    return gone_on(request, reverse("suggested-change", args=[slug, proposal.pk]), said)


def _refused(request: ConsoleRequest, draft: Draft, refusal: BadInput | BlockNotFound) -> HttpResponse:
    """The page with what was typed, and what is wrong beside the field that it is about."""
    place = str((refusal.details or {}).get("path", ""))
    of_content = isinstance(refusal, ProposalUnchanged) or place.startswith(_CONTENT)
    said = refusal.message.removeprefix(f"{place}: ")
    if at := place.removeprefix(f"{_CONTENT}/values") if place.startswith(f"{_CONTENT}/values/") else "":
        said = _("At %(place)s: %(said)s") % {"place": f"/values{at}", "said": said}
    draft.form.add_error("content" if of_content else None, said)
    return _page(request, draft, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _page(request: ConsoleRequest, draft: Draft, *, status: int = HTTPStatus.OK) -> HttpResponse:
    focus_on_error(draft.form)
    context = {"section": "quality", "draft": draft, "no_blocks": NO_BLOCKS, "here": request.get_full_path()}
    return page(request, "quality_console/suggest_change.html", context, parts={"draft"}, status=status)
