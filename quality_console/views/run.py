"""A run's page (contract, section 8): what happened in it, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from msgspec import UNSET

from corrections.models import Correction
from corrections.selectors import corrections_counted, corrections_of_run
from improve.selectors.board import proposal_tried_by
from kindgi.api.errors import NotFound
from kindgi.api.jsontext import encode
from kindgi.runs.api import schemas
from kindgi.runs.models import Run
from kindgi.runs.selectors import runs_related
from quality_console.changes.rows import title_of
from quality_console.correcting.form import CorrectionForm
from quality_console.correcting.opening import Opened
from quality_console.correction_dialogs import dialog_asked, dialog_of
from quality_console.forms.corrections import ChangeForm
from quality_console.frame import ConsoleRequest
from quality_console.presenting.runs import part_as_it_came, part_of
from quality_console.presenting.shown import Part, Place
from quality_console.run_content import shown_on_page
from quality_console.run_page import RunOnPage, run_get_for_page
from quality_console.run_queue import QueuePlace, queue_place
from quality_console.said.corrections import Said, said_of_run
from quality_console.views.pages import console, page

MOST_RELATED = 20
_PAGE = "quality_console/run.html"
# In the address: the correction that a form begins with.
_FROM = "from"
_PARTS = {"steps", "answer", "dialog"}
_CONTENT = ("input", "output", "calls")


@require_safe
@console
def run(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """The tab that ``tab`` names; Overview, where it names none that there is."""
    if request.GET.get("tab") == "corrections":
        return run_answer(opened_run(request, run_id))
    found = run_get_for_page(request, run_id)
    context = {
        **_shown(request, found, queue_place(request, found, in_list=False), beside_a_form=False),
        "tab": "overview",
        "live_count": corrections_counted(project=request.frame.project, run_id=found.id),
        "related": [] if found.purged else _related(found.run),
    }
    return page(request, _PAGE, context, parts=_PARTS)


def opened_run(request: ConsoleRequest, run_id: str) -> Opened:
    """The run with its place in the queue and its corrections, as its Corrections tab has it."""
    found = run_get_for_page(request, run_id)
    place = queue_place(request, found, in_list=True)
    return Opened(request, found, place, corrections_of_run(project=request.frame.project, run_id=found.id))


def run_answer(opened: Opened, *, form: CorrectionForm | None = None, status: int = HTTPStatus.OK) -> HttpResponse:
    """The Corrections tab, or to HTMX the part that it wants: with a form as it was sent, or as it is begun."""
    said, context = _corrections(opened, form)
    request = opened.request
    if request.htmx and request.htmx.target == "correction" and context["form"] is not None:
        text = render_to_string("quality_console/parts/correction_form.html#correction", context, request)
        return HttpResponse(text, status=status)
    context["dialog"] = dialog_asked(request, said)
    return page(request, _PAGE, context, parts=_PARTS, status=status)


def run_with_dialog(opened: Opened, *, about: Correction, what: str, form: ChangeForm, status: int) -> HttpResponse:
    """The Corrections tab with a dialog about one of the corrections, as it was filled in."""
    said, context = _corrections(opened, None)
    context["dialog"] = dialog_of(what, str(about.pk), said, form=form)
    return page(opened.request, _PAGE, context, parts=_PARTS, status=status)


def _shown(request: ConsoleRequest, found: RunOnPage, place: QueuePlace, *, beside_a_form: bool) -> dict[str, Any]:
    """What both tabs have."""
    start = request.GET.get("steps", "")
    steps_from = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0
    shown, steps = shown_on_page(found, steps_from=steps_from, beside_a_form=beside_a_form)
    return {
        "section": "quality" if place.list is not None else "runs",
        "found": found,
        "run": found.run,
        "place": place,
        "shown": shown,
        "steps": steps,
        "raw_answer": request.GET.get("answer") == "raw",
        "tried_for": _tried_for(request, found),
    }


def _corrections(opened: Opened, form: CorrectionForm | None) -> tuple[Said, dict[str, Any]]:
    """What the Corrections tab has. Who has said something sees it, and changes it when they ask for that."""
    request, found, place = opened.request, opened.run, opened.place
    content = _shown(request, found, place, beside_a_form=True)
    said = said_of_run(request, found, opened.corrections, answer=content["shown"].answer, besides=[place.holder])
    if (
        form is None
        and found.can_be_corrected
        and request.frame.may_write
        and (opened.own is None or _FROM in request.GET)
    ):
        form = opened.form()
    return said, {
        **content,
        "tab": "corrections",
        "said": said,
        "live_count": said.live_count,
        "holder": said.names.of(*place.holder) if place.holder else "",
        "form": form,
        "form_alone": form is not None and not said.shows_any,
        "hidden_said": said.blind,
    }


def _tried_for(request: ConsoleRequest, found: RunOnPage) -> tuple[str, str] | None:
    """The address and the name of the suggested change that the run is a try-out of; one statement of such a run."""
    if found.purged or not found.run.eval_run_id:
        return None
    proposal = proposal_tried_by(project=request.frame.project, evaluation_id=found.run.eval_run_id)
    if proposal is None:
        return None
    return reverse("suggested-change", args=[request.frame.slug, proposal.pk]), title_of(proposal.hypothesis)


def _related(run: Run) -> list[tuple[str, list[Run]]]:
    """The runs that this one came of or that came of it, by what they are to it."""
    kinds: list[tuple[str, Callable[[Run], bool]]] = [
        (_("Part of"), lambda other: other.run_id == run.parent_run_id),
        (_("Replay of"), lambda other: other.run_id == run.replay_of),
        (_("Its parts"), lambda other: other.parent_run_id == run.run_id),
        (_("Its replays"), lambda other: other.replay_of == run.run_id),
    ]
    found = runs_related(run, limit=MOST_RELATED)
    return [(what, others) for what, is_so in kinds if (others := [one for one in found if is_so(one)])]


@require_safe
@console
def part(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """The whole of what stands at a place of the run's content: as a page, for HTMX alone, or as plain text."""
    found = run_get_for_page(request, run_id)
    place = _place(request)
    as_text = request.GET.get("as") == "text"
    block = None if place is None else (part_as_it_came if as_text else part_of)(found.texts, place)
    if block is None:
        raise NothingThere
    if as_text:
        return HttpResponse(block.text, content_type="text/plain; charset=utf-8")
    alone = request.htmx and not request.htmx.history_restore_request
    template = "quality_console/parts/run_block.html" if alone else "quality_console/run_part.html"
    context = {
        "found": found,
        "run": found.run,
        "piece": block,
        "place": place,
        "section": "runs",
        "whole": True,
        "quote": "quote" in request.GET,
    }
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request"])
    return response


def _place(request: ConsoleRequest) -> Place | None:
    name = request.GET.get("part", "")
    return Place(Part(name), request.GET.get("pointer", "")) if name in set(Part) else None


class NothingThere(NotFound):
    """The run's content has nothing at such a place, or not any more."""

    code = "nothing-at-place"
    default_message = "There's nothing at this place of the run's content."


@require_safe
@console
def raw(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """The run with all its content as JSON, to the byte, as ``/v1`` has it; with ``download`` to be saved as a file."""
    found = run_get_for_page(request, run_id)
    if found.purged:
        answer = {name: one for name in _CONTENT if (one := schemas.content_part(found.content, name)) is not UNSET}
        body = encode({"id": found.id, **answer})
    else:
        run_as_sent = schemas.run_answer(found.run)
        for name in _CONTENT:
            setattr(run_as_sent, name, schemas.content_part(found.content, name))
        body = encode(run_as_sent)
    response = HttpResponse(body, content_type="application/json")
    if "download" in request.GET:
        response.headers["Content-Disposition"] = f'attachment; filename="run-{found.id}.json"'
    return response
