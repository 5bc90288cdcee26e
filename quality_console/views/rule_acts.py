"""Removing rules, and bringing them to runs that have ended already (contract, sections 6 and 8)."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from judging.models import CatchUpState
from judging.policies import check_change_rules
from judging.selectors.catch_up import catch_up_get
from judging.selectors.rules import rule_get
from judging.selectors.rules_shown import open_by_rule
from judging.services.catch_up import catch_up_begin
from judging.services.rules import rule_unregister
from judging.tasks import catch_up
from kindgi.api.errors import BadInput
from kindgi.celery import send
from quality_console.forms.catch_ups import QueueRecentForm
from quality_console.frame import ConsoleRequest
from quality_console.rules_tab import tab_address
from quality_console.see_other import SeeOther
from quality_console.views.pages import console, done, page
from quality_console.views.rules import queue_shown, rule_in_force


@require_POST
@console
def remove(request: ConsoleRequest, slug: str, rule_id: str) -> HttpResponseBase:
    """Stop a rule; the runs that it queued stay."""
    frame = request.frame
    rule = rule_get(project=frame.project, rule_id=rule_id)
    rule_unregister(caller=frame.caller, project=frame.project, rule_id=rule_id)
    return done(request, tab_address(request), _("The rule “%(name)s” was removed.") % {"name": rule.name})


@require_POST
@console
def queue_recent(request: ConsoleRequest, slug: str, rule_id: str) -> HttpResponseBase:
    """Ask for a catch-up, which a worker does; the tab shows how far it is."""
    frame = request.frame
    check_change_rules(frame.caller, frame.project)
    rule, form = rule_in_force(request, rule_id), QueueRecentForm(request.POST)
    if not form.is_valid():
        return queue_shown(request, rule, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        job = catch_up_begin(caller=frame.caller, project=frame.project, rule_id=rule_id, body=form.body())
    except BadInput as refusal:
        form.add_error(None, refusal.message)
        return queue_shown(request, rule, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if job.state == CatchUpState.RUNNING:
        send(catch_up, str(job.pk))
    return done(request, tab_address(request, catch_up=job.pk))


@require_safe
@console
def progress(request: ConsoleRequest, slug: str, rule_id: str, catch_up_id: str) -> HttpResponseBase:
    """How far a catch-up is, for the tab that shows it; once it has ended, also how many of the rule's items wait."""
    project = request.frame.project
    job = catch_up_get(rule=rule_get(project=project, rule_id=rule_id), catch_up_id=catch_up_id)
    if not request.htmx:
        return SeeOther(tab_address(request, catch_up=job.pk))
    context = {"job": job, "is_polled": True, "shows_open": "open" in request.GET}
    if job.state != CatchUpState.RUNNING:
        context["open_items"] = open_by_rule(project).get(job.rule_id, 0)
    return page(request, "quality_console/parts/rule_catch_up.html", context)
