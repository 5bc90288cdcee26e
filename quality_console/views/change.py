"""A suggested change's page, and what is done on it (contract, sections 7 and 8)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from improve import errors
from improve.models import Proposal
from improve.selectors.proposals import proposal_standing
from improve.statuses import Action, Status
from improve.words.acting import stands_now
from kindgi.api.errors import ApiError, BadInput, Conflict, NotFound
from quality_console.changes.acting import act as act_on
from quality_console.changes.acts import FORMS
from quality_console.changes.checks import done_just_now, field_of, says_enough
from quality_console.changes.page import ChangePage, proposal_of_page
from quality_console.changes.rows import row_of
from quality_console.forms.changes import focus_on_error
from quality_console.frame import ConsoleRequest
from quality_console.see_other import SeeOther
from quality_console.views.pages import console, done, page

Sent = tuple[Action, forms.Form]
_PAGE = "quality_console/suggested_change.html"
_PARTS = "quality_console/parts/"


@require_safe
@console
def change(request: ConsoleRequest, slug: str, proposal_id: UUID) -> HttpResponseBase:
    """The page."""
    return _answer(request, proposal_of_page(request, proposal_id))


@require_safe
@console
def progress(request: ConsoleRequest, slug: str, proposal_id: UUID) -> HttpResponseBase:
    """How far its evaluation is: the part of a page that asks again and again, until all of the page has changed.

    Where somebody types in the page, ``typed``, it isn't loaded anew: it is said that the evaluation has ended.
    """
    proposal = proposal_of_page(request, proposal_id)
    shown = ChangePage(request, proposal)
    is_over = _is_over(request, shown)
    if is_over and not request.GET.get("typed"):
        return HttpResponseClientRefresh()
    context: dict[str, Any] = {"shown": shown, "here": _here(request, proposal), "ended": is_over}
    template = "change_tested.html" if request.GET.get("of") == "test-run" else "change_progress.html"
    if request.GET.get("in") == "row":
        template = "change_stands.html"
        context["row"] = row_of(shown.standing, names={}, me=request.frame.caller.actor)
    elif not shown.tested if template == "change_tested.html" else not shown.evaluation:
        raise NotFound(_("Nothing goes on here."))
    return render(request, _PARTS + template, context)


def _is_over(request: ConsoleRequest, shown: ChangePage) -> bool:
    """Whether a page waits for an evaluation that somebody or something has ended."""
    waits = request.htmx and request.GET.get("of") != "test-run"
    return bool(waits) and shown.standing.status != Status.EVALUATING


@require_http_methods(["GET", "HEAD", "POST"])
@console
def act(request: ConsoleRequest, slug: str, proposal_id: UUID, action: str) -> HttpResponseBase:
    """Do something with it; a page that is older than what became of it is answered with how it stands now.

    Whoever comes here by a link, such as after signing in anew, is led to the page.
    """
    proposal = proposal_of_page(request, proposal_id)
    if request.method != "POST":
        return SeeOther(_here(request, proposal))
    if action not in set(Action):
        raise BadInput("There's no such action.")
    wanted = Action(action)
    form = FORMS[wanted](request.POST)
    if not form.is_valid() or not says_enough(request.frame, proposal, wanted, form):
        return _refused(request, proposal, (wanted, form))
    try:
        said = act_on(request.frame.caller, proposal, wanted, form)
    except errors.ProposalWrongStatus:
        return _too_late(request, proposal, (wanted, form))
    except (BadInput, Conflict, errors.TestSetNotFound) as refusal:
        form.add_error(field_of(form, refusal), refusal.message)
        return _refused(request, proposal, (wanted, form), refusal)
    return done(request, _here(request, proposal), said)


def _here(request: ConsoleRequest, proposal: Proposal) -> str:
    return reverse("suggested-change", args=[request.frame.slug, proposal.pk])


def _answer(
    request: ConsoleRequest, proposal: Proposal, *, sent: Sent | None = None, status: int = HTTPStatus.OK, **more: str
) -> HttpResponse:
    context = {
        "section": "quality",
        "shown": ChangePage(request, proposal, sent=sent),
        "here": _here(request, proposal),
        **more,
    }
    return page(request, _PAGE, context, parts={"change"}, status=status)


def _refused(request: ConsoleRequest, proposal: Proposal, sent: Sent, refusal: ApiError | None = None) -> HttpResponse:
    """The page with the form as it was sent, and what is wrong with it."""
    status = refusal.status if isinstance(refusal, Conflict) else HTTPStatus.UNPROCESSABLE_ENTITY
    focus_on_error(sent[1])
    fresh = proposal_of_page(request, proposal.pk)
    page_now = ChangePage(request, fresh, sent=sent)
    action, form = sent
    is_shown = action in page_now.standing.can
    said = "" if is_shown or refusal is None else refusal.message
    return _answer(
        request, fresh, sent=sent, status=status, said_now=said, typed="" if is_shown else form.data.get("reason", "")
    )


def _too_late(request: ConsoleRequest, proposal: Proposal, sent: Sent) -> HttpResponseBase:
    """The page as it is by now, saying so; what was typed isn't lost. Of what was sent twice the second is done."""
    fresh = proposal_of_page(request, proposal.pk)
    if done_just_now(request.frame.caller, fresh, *sent):
        return done(request, _here(request, fresh))
    standing = proposal_standing(caller=request.frame.caller, proposal=fresh)
    said = stands_now(standing.status, version=fresh.candidate_version)
    typed = request.POST.get("reason", "")
    return _answer(request, fresh, status=HTTPStatus.CONFLICT, said_now=said, typed=typed)
