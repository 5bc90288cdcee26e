"""What a form on a suggested change's page is held against beside its fields (contract, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django import forms
from django.utils.translation import gettext as _

from improve.history import Step
from improve.models import Finding, Proposal
from improve.selectors.live import version_run_instead
from improve.selectors.proposals import proposal_history, proposal_standing
from improve.statuses import Action
from kindgi.access.callers import Caller
from kindgi.api.errors import ApiError
from kindgi.api.times import now
from quality_console.frame import Frame

# Two clicks, and a browser that sends again what got no answer.
_TWICE = timedelta(seconds=15)
_STEPS: Mapping[Action, frozenset[Step]] = {
    Action.EVALUATE: frozenset({Step.EVALUATION_STARTED}),
    Action.CANCEL: frozenset({Step.EVALUATION_CANCELLED}),
    Action.RESCORE: frozenset({Step.RESCORED}),
    Action.REQUEST: frozenset({Step.REQUESTED, Step.REFUSED, Step.SUPERSEDED}),
    Action.ROLLBACK: frozenset({Step.ROLLED_BACK}),
    Action.WITHDRAW: frozenset({Step.WITHDRAWN}),
}
_DECIDED = {"approve": frozenset({Step.PROMOTED, Step.SUPERSEDED}), "reject": frozenset({Step.REJECTED})}


def done_just_now(caller: Caller, proposal: Proposal, action: Action, form: forms.Form) -> bool:
    """Whether the last thing that happened to it is this, done by the same person a moment ago, in the same words."""
    last = proposal_history(proposal)[0]
    steps = _DECIDED[form.cleaned_data["decision"]] if action == Action.DECIDE else _STEPS.get(action, frozenset())
    same = last.by in (caller.actor, "") and last.reason in (form.cleaned_data.get("reason", ""), "")
    if form.cleaned_data.get("reason") and not last.reason:
        return False
    return last.step in steps and same and now() - last.at < _TWICE


def says_enough(frame: Frame, proposal: Proposal, action: Action, form: forms.Form) -> bool:
    """Whether a tenant admin who asks for what isn't better to go live says why: else it would be refused for good."""
    if action != Action.REQUEST or form.cleaned_data["reason"] or not frame.caller.is_tenant_admin:
        return True
    standing = proposal_standing(caller=frame.caller, proposal=proposal)
    if action not in standing.can:
        return True
    if standing.evaluation is None or standing.evaluation.finding != Finding.BETTER:
        form.add_error("reason", _("Say why it should go live although it isn't better: the reviewer reads it."))
    elif version_run_instead(proposal):
        form.add_error("reason", _("The project runs another version by now. Say why this should go live instead."))
    return form.is_valid()


def field_of(form: forms.Form, refusal: ApiError) -> str | None:
    """The form's field that a refusal is about, or ``None``."""
    path = str((refusal.details or {}).get("path", "")).strip("/")
    name = "experts_only" if path == "expertsOnly" else path
    return name if name in form.fields else None
