"""Making and changing rules in the editor (contract, sections 6 and 8)."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corrections.errors import JudgeClassNotFound
from judging.models import JudgingRule
from judging.policies import check_change_rules
from judging.selectors.rules_shown import rule_version_get
from judging.services.rules import rule_change, rule_create, rule_lock
from kindgi.api.errors import BadInput
from quality_console.frame import ConsoleRequest
from quality_console.rule_editor import RuleEditor
from quality_console.rules_tab import tab_address
from quality_console.views.pages import console, done, page
from quality_console.views.rules import editor_shown, rule_in_force

# A preview is asked for as the rule itself is sent, since what is typed may be too long for an address.
_PREVIEW = "preview"
_REFUSALS = (BadInput, JudgeClassNotFound)


@require_POST
@console
def create(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Make a rule; what can't be made stays in the editor. With ``preview`` only what it would have queued."""
    frame = request.frame
    check_change_rules(frame.caller, frame.project)
    editor = RuleEditor(frame, typed=request.POST)
    if _PREVIEW in request.POST:
        return _previewed(request, editor)
    if not editor.form.is_valid():
        return editor_shown(request, editor, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        made = rule_create(caller=frame.caller, project=frame.project, body=editor.form.body())
    except _REFUSALS as refusal:
        editor.form.refuse(refusal)
        return editor_shown(request, editor, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return done(request, tab_address(request), _("The rule “%(name)s” was made.") % {"name": made.name})


@require_POST
@console
def change(request: ConsoleRequest, slug: str, rule_id: str) -> HttpResponseBase:
    """Change a rule from the version that was seen; where there is another by now, that is said and nothing saved."""
    frame = request.frame
    check_change_rules(frame.caller, frame.project)
    if _PREVIEW in request.POST:
        return _previewed(request, _editor(request, rule_in_force(request, rule_id)))
    rule_lock(caller=frame.caller, project=frame.project, rule_id=rule_id)
    rule = rule_in_force(request, rule_id)
    editor = _editor(request, rule)
    if not editor.is_of_latest:
        editor.bring_together(rule)
        return editor_shown(request, editor, status=HTTPStatus.CONFLICT)
    if not editor.form.is_valid():
        return editor_shown(request, editor, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    before = rule.version
    try:
        changed = rule_change(caller=frame.caller, project=frame.project, rule_id=rule_id, body=editor.form.change())
    except _REFUSALS as refusal:
        editor.form.refuse(refusal)
        return editor_shown(request, editor, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return done(request, tab_address(request), _told(changed, is_new=changed.version > before))


def _previewed(request: ConsoleRequest, editor: RuleEditor) -> HttpResponseBase:
    """The preview alone where the editor asks for it by itself: by then that may be closed, so it brings no toasts."""
    if request.htmx:
        return page(request, "quality_console/parts/rule_preview.html", {"preview": editor.preview})
    return editor_shown(request, editor)


def _editor(request: ConsoleRequest, rule: JudgingRule) -> RuleEditor:
    """The editor over the version that the person has seen."""
    number = request.POST.get("version", "")
    seen = rule_version_get(rule, int(number)) if number.isdecimal() and len(number) < 9 else None
    return RuleEditor(request.frame, rule=rule, seen=seen, typed=request.POST)


def _told(rule: JudgingRule, *, is_new: bool) -> str:
    if not is_new:
        return _("Nothing was changed, so there's no new version.")
    return _("“%(name)s” is at version %(version)d now.") % {"name": rule.name, "version": rule.version}
