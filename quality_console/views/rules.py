"""The judging rules of a project: their tab, and the dialogs that open over it (contract, section 8)."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase

from judging import errors
from judging.models import JudgingRule
from judging.policies import check_change_rules
from judging.selectors.rules import rule_get
from judging.selectors.rules_shown import open_by_rule
from judging.words.rules import removing_leaves
from quality_console.forms.catch_ups import QueueRecentForm
from quality_console.frame import ConsoleRequest
from quality_console.rule_editor import RuleEditor
from quality_console.rules_tab import RulesTab, tab_address
from quality_console.views.pages import page

_PARTS = {"tab", "dialog"}


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab, and the dialog that the address names; raises ``PermissionDenied`` where that isn't for the person."""
    dialog = _DIALOGS.get(request.GET.get("dialog", ""))
    if dialog is None:
        return shown(request)
    check_change_rules(request.frame.caller, request.frame.project)
    return dialog(request)


def shown(request: ConsoleRequest, *, status: int = HTTPStatus.OK, **dialog: Any) -> HttpResponse:
    """The tab; with ``dialog``, the template of one, the one and all that it says."""
    context = {
        "section": "quality",
        "tab": "rules",
        "shown": RulesTab(request),
        "close": tab_address(request),
        "top_attributes": "inert" if dialog else "",
        **dialog,
    }
    return page(request, "quality_console/rules.html", context, parts=_PARTS, status=status)


def editor_shown(request: ConsoleRequest, editor: RuleEditor, *, status: int = HTTPStatus.OK) -> HttpResponse:
    """The tab with the editor over it."""
    return shown(request, status=status, dialog="quality_console/parts/rule_editor.html", editor=editor)


def remove_shown(request: ConsoleRequest, rule: JudgingRule) -> HttpResponse:
    """The tab with the question whether to remove a rule over it."""
    open_items = open_by_rule(request.frame.project).get(rule.pk, 0)
    return shown(request, dialog="quality_console/parts/rule_remove.html", rule=rule, stays=removing_leaves(open_items))


def queue_shown(
    request: ConsoleRequest, rule: JudgingRule, form: QueueRecentForm, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    """The tab with the question over it which runs to bring a rule to."""
    return shown(request, status=status, dialog="quality_console/parts/rule_queue.html", rule=rule, form=form)


def rule_in_force(request: ConsoleRequest, rule_id: str) -> JudgingRule:
    """The rule, which wasn't removed; raises ``JudgingRuleNotFound``."""
    rule = rule_get(project=request.frame.project, rule_id=rule_id)
    if rule.unregistered_at is not None:
        raise errors.JudgingRuleNotFound("The judging rule was removed.")
    return rule


def _asked_for(request: ConsoleRequest) -> JudgingRule:
    return rule_in_force(request, request.GET.get("rule", ""))


def _new(request: ConsoleRequest) -> HttpResponseBase:
    return editor_shown(request, RuleEditor(request.frame))


def _change(request: ConsoleRequest) -> HttpResponseBase:
    return editor_shown(request, RuleEditor(request.frame, rule=_asked_for(request)))


def _remove(request: ConsoleRequest) -> HttpResponseBase:
    return remove_shown(request, _asked_for(request))


def _queue(request: ConsoleRequest) -> HttpResponseBase:
    return queue_shown(request, _asked_for(request), QueueRecentForm(initial={"last": 100}))


_DIALOGS: dict[str, Callable[[ConsoleRequest], HttpResponseBase]] = {
    "new": _new,
    "change": _change,
    "remove": _remove,
    "queue": _queue,
}
