"""The classes of judges that apply to a project (contract, sections 5 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corrections.errors import JudgeClassNameTaken, JudgeClassNotFound
from corrections.models import JudgeClass
from corrections.policies import can_administer_class, check_administer_class
from corrections.selectors import judge_classes_of
from corrections.services.classes import judge_class_change, judge_class_create, judge_class_unregister
from judging.selectors.rules import rules_wanting
from judging.words.classes import A_SHARE_WEIGHTS, EXPERTS_CORRECTIONS, REMOVING_KEEPS, removing_strands
from kindgi.access.models import User
from kindgi.access.selectors import memberships_of
from kindgi.api.errors import ApiError, PermissionDenied
from quality_console.filters.classes import ClassesFilter
from quality_console.forms.classes import AGENT, PROJECT, TENANT, ChangeClassForm, ClassForm, NewClassForm
from quality_console.frame import ConsoleRequest
from quality_console.tables.classes import class_rows, class_table, sorts_of
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/judge_classes.html"
MOST_PEOPLE = 300


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab, with the dialog that the address names, where the person may have it."""
    opened = _DIALOGS.get(request.GET.get("dialog", ""))
    return _answer(request, opened(request) if opened else {})


@require_POST
@console
def create(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Make a class of the project, of an agent in it, or of the tenant."""
    if not _scopes(request):
        raise PermissionDenied(_("This needs an admin of the project."))
    form = _new_form(request, request.POST)
    project = request.frame.project
    return _save(
        request,
        {"dialog": "new", "form": form},
        lambda: judge_class_create(caller=request.frame.caller, body=form.body(project)),
        _("%(name)s was made."),
    )


@require_POST
@console
def change(request: ConsoleRequest, slug: str, class_id: UUID) -> HttpResponseBase:
    """Change a class that applies to the project's runs."""
    judge_class = _known(request, class_id)
    check_administer_class(request.frame.caller, judge_class)
    form = ChangeClassForm(request.POST, people=_people(request), judge_class=judge_class)
    return _save(
        request,
        {"dialog": "change", "form": form, "judge_class": judge_class},
        lambda: judge_class_change(caller=request.frame.caller, judge_class_id=str(class_id), body=form.body()),
        _("%(name)s was changed."),
    )


@require_POST
@console
def remove(request: ConsoleRequest, slug: str, class_id: UUID) -> HttpResponseBase:
    """Retire a class: no new correction can name it."""
    check_administer_class(request.frame.caller, _known(request, class_id))
    removed = judge_class_unregister(caller=request.frame.caller, judge_class_id=str(class_id))
    return done(request, _back(request), _("%(name)s was removed.") % {"name": removed.name})


def _save(
    request: ConsoleRequest, dialog: Mapping[str, Any], save: Callable[[], JudgeClass], said: str
) -> HttpResponseBase:
    """Do as a form says; the form again with what is wrong in it, or with why it was refused."""
    form: ClassForm = dialog["form"]
    if not form.is_valid():
        return _answer(request, dialog, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        saved = save()
    except JudgeClassNameTaken as taken:
        form.add_error("name", taken.message)
        return _answer(request, dialog, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except ApiError as refusal:
        form.add_error(None, refusal.message)
        return _answer(request, dialog, status=refusal.status)
    return done(request, _back(request), said % {"name": saved.name})


def _answer(request: ConsoleRequest, dialog: Mapping[str, Any], *, status: int = HTTPStatus.OK) -> HttpResponseBase:
    frame = request.frame
    found = ClassesFilter(request.GET, queryset=judge_classes_of(frame.project))
    rows = class_rows(found.qs, rules=frame.rules_live, caller=frame.caller)
    rules = f"{reverse('quality', args=[frame.slug])}?tab=rules"
    table, pages = class_table(rows, request=request, rules_address=rules)
    context: dict[str, Any] = {
        "section": "quality",
        "tab": "judge-classes",
        "table": table,
        "pages": pages,
        "sorts": sorts_of(table),
        "asked": found.form.cleaned_data,
        "scopes": _scopes(request),
        "sentences": [A_SHARE_WEIGHTS, EXPERTS_CORRECTIONS],
        "back": _back(request),
        "top_attributes": "inert" if dialog else "",
        **dialog,
    }
    return page(request, TEMPLATE, context, parts={"tab", "dialog"}, status=status)


def _new(request: ConsoleRequest) -> dict[str, Any]:
    return {"dialog": "new", "form": _new_form(request)} if _scopes(request) else {}


def _change(request: ConsoleRequest) -> dict[str, Any]:
    judge_class = _to_change(request)
    if judge_class is None:
        return {}
    form = ChangeClassForm(people=_people(request), judge_class=judge_class)
    return {"dialog": "change", "form": form, "judge_class": judge_class}


def _remove(request: ConsoleRequest) -> dict[str, Any]:
    judge_class = _to_change(request)
    if judge_class is None:
        return {}
    rules = [
        rule.name if rule.project_id == request.frame.project.pk else f"{rule.name}, {rule.project.name}"
        for rule in rules_wanting(judge_class)
    ]
    strands = removing_strands(rules) if rules else ""
    return {"dialog": "remove", "judge_class": judge_class, "keeps": REMOVING_KEEPS, "strands": strands}


_DIALOGS: dict[str, Callable[[ConsoleRequest], dict[str, Any]]] = {"new": _new, "change": _change, "remove": _remove}


def _new_form(request: ConsoleRequest, said: Any = None) -> NewClassForm:
    return NewClassForm(said, people=_people(request), scopes=_scopes(request) or [PROJECT])


def _scopes(request: ConsoleRequest) -> list[str]:
    """Where the person may have classes."""
    here = [PROJECT, AGENT] if request.frame.may_administer else []
    return [*here, TENANT] if request.frame.caller.administers_tenant else here


def _people(request: ConsoleRequest) -> list[User]:
    """Whom a class can name: the project's people who haven't left, by name; the first so many."""
    people = [one.user for one in memberships_of(request.frame.project) if one.user.is_active]
    return sorted(people, key=lambda person: (str(person).casefold(), person.email))[:MOST_PEOPLE]


def _to_change(request: ConsoleRequest) -> JudgeClass | None:
    """The class that the address names, if it applies here and the person may change it."""
    wanted = request.GET.get("class", "")
    found = next((one for one in request.frame.classes_here if str(one.pk) == wanted), None)
    return found if found and can_administer_class(request.frame.caller, found) else None


def _known(request: ConsoleRequest, class_id: UUID) -> JudgeClass:
    """A class of the project or of its tenant, also one that was removed; raises ``JudgeClassNotFound``."""
    here = (None, request.frame.project.pk)
    for one in request.frame.classes:
        if one.pk == class_id and one.project_id in here:
            return one
    raise JudgeClassNotFound


def _back(request: ConsoleRequest) -> str:
    """The tab as it is under the dialog."""
    query = request.GET.copy()
    query["tab"] = "judge-classes"
    for name in ("dialog", "class"):
        query.pop(name, None)
    return f"{reverse('quality', args=[request.frame.slug])}?{query.urlencode()}"
