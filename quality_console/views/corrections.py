"""How a correction stands, changed by hand; and a correction taken back (contract, section 4)."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corrections.errors import CorrectionNotFound
from corrections.models import Correction, Status
from corrections.policies import is_made_by
from corrections.selectors import correction_get, corrections_of_run
from corrections.services.changing import correction_change
from corrections.services.removing import correction_remove
from kindgi.api.errors import BadInput, Conflict
from quality_console.correction_dialogs import TITLES
from quality_console.forms.corrections import FORMS, ChangeForm
from quality_console.frame import ConsoleRequest
from quality_console.run_page import run_get_for_page
from quality_console.run_queue import KEPT
from quality_console.said.blindness import is_blind, own_among
from quality_console.said.words import STATUSES, sorted_words
from quality_console.views.pages import console, gone_on
from quality_console.views.run import opened_run, run_with_dialog


@require_POST
@console
def change(request: ConsoleRequest, slug: str, correction_id: str, what: str) -> HttpResponseBase:
    """Change one thing of a correction: its status, whom it is sorted to, its note or its link."""
    correction = _correction(request, correction_id)
    if what not in FORMS:
        raise BadInput("There's no such change.")
    form = FORMS[what](request.POST)
    # A status is also set by a menu, which asks for no reason.
    asked_in_a_dialog = what in TITLES and (what != "status" or "reason" in request.POST)
    if not form.is_valid():
        if not asked_in_a_dialog:
            raise BadInput("There's no such change.")
        return _again(request, correction, what, form)
    try:
        changed = correction_change(caller=request.frame.caller, correction_id=correction_id, body=form.body())
    except Conflict as refusal:
        if not asked_in_a_dialog:
            raise
        # What can't be changed any more has no dialog either: the page says why, and how it stands now.
        return gone_on(request, _back(request, correction), refusal.message)
    return gone_on(request, _back(request, correction), _said(what, changed))


def _again(request: ConsoleRequest, correction: Correction, what: str, form: ChangeForm) -> HttpResponse:
    """The dialog with what was typed and what is wrong with it."""
    opened = opened_run(request, str(correction.run_id))
    return run_with_dialog(opened, about=correction, what=what, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_POST
@console
def remove(request: ConsoleRequest, slug: str, correction_id: str) -> HttpResponseBase:
    """Take a correction back, for ever."""
    correction = _correction(request, correction_id)
    correction_remove(caller=request.frame.caller, correction_id=correction_id)
    return gone_on(request, _back(request, correction), _("The correction was removed. It counts no more."))


def _correction(request: ConsoleRequest, correction_id: str) -> Correction:
    """A correction of the page's project; raises ``CorrectionNotFound``, also for one that is hidden from them."""
    found = correction_get(caller=request.frame.caller, correction_id=correction_id)
    if found.project_id != request.frame.project.pk or _is_hidden(request, found):
        raise CorrectionNotFound(correction_id)
    return found


def _is_hidden(request: ConsoleRequest, correction: Correction) -> bool:
    """Whether the page of its run doesn't show it to whoever asks; five statements at most."""
    frame, run_id = request.frame, correction.run_id
    if is_made_by(frame.caller, correction) or not is_blind(frame, has_own=False, can_be_corrected=True):
        return False
    own = own_among(frame.caller, corrections_of_run(project=frame.project, run_id=run_id))
    page = run_get_for_page(request, str(run_id))
    return is_blind(frame, has_own=own, can_be_corrected=page.can_be_corrected)


def _back(request: ConsoleRequest, correction: Correction) -> str:
    """The run's Corrections tab at the correction, in the list of the queue that it was opened from."""
    said = {"tab": "corrections", **{name: request.GET[name] for name in KEPT if name in request.GET}}
    address = reverse("run", args=[request.frame.slug, correction.run_id])
    # To HTMX without the place in the page: a browser that is sent to one stays on the page as it is.
    return f"{address}?{urlencode(said)}" + ("" if request.htmx else f"#correction-{correction.pk}")


def _said(what: str, correction: Correction) -> str:
    """The change in a sentence."""
    if what == "status":
        return _("It stands as: %(status)s.") % {"status": STATUSES[Status(correction.status)]}
    if what == "sort":
        return _("Sorted to: %(whom)s.") % {"whom": sorted_words(correction.sorted_to)}
    if what == "note":
        return _("The note was saved.") if correction.status_note else _("The note was taken away.")
    return _("The link was saved.") if correction.link else _("The link was taken away.")
