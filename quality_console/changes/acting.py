"""Doing what a form on a suggested change's page asks for, by the same services as /v1 (contract, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from msgspec import UNSET

from improve.evaluating import EvaluateBody
from improve.models import Proposal
from improve.selectors.case_pages import evaluation_facts
from improve.selectors.proposals import proposal_get, proposal_standing
from improve.services.evaluations import proposal_cancel, proposal_evaluate, proposal_rescore
from improve.services.promoting import proposal_decide, proposal_request, proposal_roll_back
from improve.services.proposals import proposal_withdraw
from improve.services.sending import answers_send
from improve.statuses import Action, Status
from improve.suggesting import DecideBody, ReasonBody
from improve.words.acting import answers_sent
from kindgi.access.callers import Caller
from quality_console.changes.evaluated import COMPARED

Act = Callable[[Caller, Proposal, Mapping[str, Any]], str]


def act(caller: Caller, proposal: Proposal, action: Action, form: forms.Form) -> str:
    """Do it, as the form that is valid says; what was done, in a sentence. Raises what the services raise."""
    return _ACTS[action](caller, proposal, form.cleaned_data)


def _evaluate(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    body = EvaluateBody(
        repetitions=said["repetitions"],
        experts_only=said["experts_only"],
        versions=said["versions"] or UNSET,
        since=said["since"] or UNSET,
    )
    proposal_evaluate(caller=caller, proposal_id=str(proposal.pk), body=body)
    return gettext("Its evaluation has begun.")


def _cancel(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    proposal_cancel(caller=caller, proposal_id=str(proposal.pk))
    return gettext("The evaluation was cancelled.")


def _rescore(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    # A page may be older than another's count.
    evaluation = proposal_standing(caller=caller, proposal=proposal).evaluation
    if evaluation is not None and evaluation.finding in COMPARED and not evaluation_facts(evaluation).said_since:
        return gettext("Nobody has said anything of them since, so nothing was counted again.")
    proposal_rescore(caller=caller, proposal_id=str(proposal.pk))
    return gettext("What people said since is counted.")


def _send(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    return answers_sent(answers_send(caller=caller, proposal_id=str(proposal.pk)))


def _request(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    proposal_request(caller=caller, proposal_id=str(proposal.pk), body=ReasonBody(reason=said["reason"] or UNSET))
    status = _status(caller, proposal)
    if status == Status.REFUSED:
        return gettext("It isn't better on the test cases, so this was refused.")
    if status == Status.SUPERSEDED:
        return gettext("The project runs another version by now, so this was superseded.")
    return gettext("Asked. A reviewer decides.")


def _decide(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    body = DecideBody(decision=said["decision"], reason=said["reason"] or UNSET)
    proposal_decide(caller=caller, proposal_id=str(proposal.pk), body=body)
    status = _status(caller, proposal)
    if status == Status.SUPERSEDED:
        return gettext("Another version went live meanwhile, so this one didn't: it is superseded.")
    return gettext("It is live.") if status == Status.PROMOTED else gettext("It was rejected.")


def _roll_back(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    proposal_roll_back(caller=caller, proposal_id=str(proposal.pk), body=ReasonBody(reason=said["reason"] or UNSET))
    return gettext("It was rolled back.")


def _status(caller: Caller, proposal: Proposal) -> Status:
    fresh = proposal_get(caller=caller, proposal_id=str(proposal.pk))
    return proposal_standing(caller=caller, proposal=fresh).status


def _withdraw(caller: Caller, proposal: Proposal, said: Mapping[str, Any]) -> str:
    proposal_withdraw(caller=caller, proposal_id=str(proposal.pk), reason=said["reason"])
    return gettext("It was withdrawn.")


_ACTS: Mapping[Action, Act] = {
    Action.EVALUATE: _evaluate,
    Action.CANCEL: _cancel,
    Action.RESCORE: _rescore,
    Action.SEND: _send,
    Action.REQUEST: _request,
    Action.DECIDE: _decide,
    Action.ROLLBACK: _roll_back,
    Action.WITHDRAW: _withdraw,
}
