"""Correcting a run: the form is looked at, changed in its shape, saved; and a correction is taken back."""

from __future__ import annotations

from http import HTTPStatus

from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corrections.errors import CorrectionNotFound
from corrections.models import Correction
from corrections.policies import is_made_by
from corrections.selectors import correction_get
from corrections.services.taking_back import can_be_taken_back, correction_take_back
from judging.models import QueueItem, State
from judging.selectors.run_items import entries_of_run
from judging.words.items import left_queue
from kindgi.access.policies import check_write
from kindgi.access.selectors import people_named
from kindgi.api.errors import ApiError
from quality_console.correcting import notices
from quality_console.correcting.form import CorrectionForm
from quality_console.correcting.opening import Opened
from quality_console.correcting.reshaping import add_named, reshape
from quality_console.correcting.saving import form_problems, form_save, says_the_same
from quality_console.frame import ConsoleRequest
from quality_console.queue.asked import asked_of, tab_address
from quality_console.queue.starting import next_run
from quality_console.views.pages import console, gone_on
from quality_console.views.run import opened_run, run_answer

_SAVES = {"save", "next"}
_ANYWAY = "-anyway"


@require_POST
@console
def correct(request: ConsoleRequest, slug: str, run_id: str) -> HttpResponseBase:
    """Save what the form says, or answer it as it was changed; what was typed comes back whatever happens."""
    opened = opened_run(request, run_id)
    check_write(request.frame.caller, request.frame.project.pk)
    form = opened.sent_form(request.POST)
    do = request.POST.get("do", "look")
    if do.removesuffix(_ANYWAY) in _SAVES:
        # Who names a tool and saves means it, whether or not they pressed "Add" in between.
        add_named(form)
        return _save(opened, form, do)
    if request.htmx.target == "correction-checks":
        return _looked_at(request, form)
    reshape(form, do)
    return _answer(opened, form)


def _answer(opened: Opened, form: CorrectionForm, status: int = HTTPStatus.OK) -> HttpResponse:
    return run_answer(opened, form=form, status=status)


def _looked_at(request: ConsoleRequest, form: CorrectionForm) -> HttpResponse:
    """What follows from the marks, and the answer's difference, while somebody types."""
    checks = render_to_string("quality_console/parts/correction_checks.html", {"form": form}, request)
    diff = render_to_string("quality_console/parts/correction_diff.html", {"form": form, "swapped": True}, request)
    return HttpResponse(checks + diff)


def _save(opened: Opened, form: CorrectionForm, do: str) -> HttpResponseBase:
    go = do.removesuffix(_ANYWAY)
    form.checked = True
    form.problems = form_problems(form)
    if form.problems:
        return _answer(opened, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        with transaction.atomic():
            if do == go and (notice := _by_another(opened, form, go)) is not None:
                form.notice, form.seen = notice, opened.seen
                return _answer(opened, form, HTTPStatus.CONFLICT)
            if opened.own is not None and says_the_same(form, opened.own):
                # Seen so it is unchanged. Not seen, it is this form's own, of which the answer was lost on its way.
                unchanged = form.seen["seen-own"] == str(opened.own.pk)
                return _unchanged(opened, go) if unchanged else _saved(opened, opened.own, go)
            if do == go and (notice := _meanwhile(opened, form, go)) is not None:
                form.notice, form.seen = notice, opened.seen
                return _answer(opened, form, HTTPStatus.CONFLICT)
            return _saved(opened, form_save(form), go)
    except ApiError as refusal:
        form.notice = _refusal(opened, refusal)
        invalid = refusal.status == HTTPStatus.BAD_REQUEST
        return _answer(opened, form, HTTPStatus.UNPROCESSABLE_ENTITY if invalid else HTTPStatus.CONFLICT)


def _by_another(opened: Opened, form: CorrectionForm, go: str) -> notices.Notice | None:
    """That somebody else has signed in since the form was opened."""
    if form.seen["seen-person"] in ("", str(opened.request.user.pk)):
        return None
    return notices.somebody_else(str(opened.request.user), action=go + _ANYWAY)


def _meanwhile(opened: Opened, form: CorrectionForm, go: str) -> notices.Notice | None:
    """What has happened since the form was opened that its sender may want to know first."""
    item, seen, own = opened.item, form.seen, opened.own
    if own is not None and seen["seen-own"] != str(own.pk):
        return notices.corrected_meanwhile(own, action=go + _ANYWAY)
    if item is not None and seen["seen-item"] == State.OPEN and item.state in (State.JUDGED, State.DISMISSED):
        by = _closer(opened, item)
        return notices.closed_meanwhile(item, by=by, action=go + _ANYWAY)
    return None


def _closer(opened: Opened, item: QueueItem) -> str:
    """Who closed the item, by name."""
    live = next((one for one in opened.corrections if one.live), None)
    actor = item.closed_by
    if not actor and live is not None:
        actor = f"{'user' if live.made_by_kind == 'user' else 'service_account'}:{live.made_by_id}"
    names = people_named(tenant_id=item.tenant_id, actors=[actor] if actor else [])
    return names.get(actor, _("Somebody"))


def _refusal(opened: Opened, refusal: ApiError) -> notices.Notice:
    request = opened.request
    start = tab_address(request.frame.project.slug)
    return notices.refused(refusal, next_run=start, request_id=getattr(request, "request_id", ""))


def _unchanged(opened: Opened, go: str) -> HttpResponseBase:
    return _go_on(opened, go, _("Nothing was changed."), undo="")


def _saved(opened: Opened, correction: Correction, go: str) -> HttpResponseBase:
    request = opened.request
    undo = ""
    if can_be_taken_back(correction):
        undo = reverse("correction-undo", args=[request.frame.project.slug, correction.pk]) + _query(request.GET)
    return _go_on(opened, go, " ".join([_("Saved."), *_left(opened)]), undo=undo)


def _go_on(opened: Opened, go: str, said: str, *, undo: str) -> HttpResponseBase:
    """To the next run that waits, or back to the run itself."""
    request, slug = opened.request, opened.request.frame.project.slug
    if go == "next":
        address, why_none = next_run(caller=request.frame.caller, view=asked_of(request.frame, request.GET).view)
        if address is not None:
            return gone_on(request, address, said, undo=undo)
        return gone_on(request, tab_address(slug), f"{said} {why_none}", undo=undo)
    here = reverse("run", args=[slug, opened.run.id]) + f"?tab=corrections{opened.place.query}"
    return gone_on(request, here, said, undo=undo)


def _left(opened: Opened) -> list[str]:
    """That the run has left the queue by this, and why."""
    if not opened.place.waits:
        return []
    now = entries_of_run(project=opened.request.frame.project, run_id=opened.run.id)
    if not now or now[0].item.state != State.JUDGED:
        return []
    if len(now) > 1:
        return [_("The run left the queue.")]
    names = {one.pk: one.name for one in opened.request.frame.classes}
    wanted = now[0].rule.judge_class_id
    return [left_queue(rule=now[0].rule.name, judge_class=None if wanted is None else names.get(wanted))]


def _query(query: QueryDict) -> str:
    return f"?{query.urlencode()}" if query else ""


@require_POST
@console
def undo(request: ConsoleRequest, slug: str, correction_id: str) -> HttpResponseBase:
    """Take back what was just saved; what it had replaced is there again, or the form with what was typed."""
    caller = request.frame.caller
    correction = correction_get(caller=caller, correction_id=correction_id)
    if correction.project_id != request.frame.project.pk or not is_made_by(caller, correction):
        raise CorrectionNotFound(correction_id)
    here = reverse("run", args=[slug, correction.run_id]) + "?tab=corrections"
    kept = f"&{request.GET.urlencode()}" if request.GET else ""
    if not correction.live:
        return gone_on(request, here + kept, _("It was taken back already."))
    if correction_take_back(caller=caller, correction_id=correction_id):
        return gone_on(request, here + kept, _("Taken back: what you had said before stands again."))
    return gone_on(request, f"{here}{kept}&from={correction.pk}", _("Taken back."))
