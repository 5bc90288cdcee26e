"""The people of a project, and what it is set to (contract, section 9)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from kindgi.access.models import Membership
from kindgi.access.policies import check_administer
from kindgi.access.selectors import members_of, membership_get, reviewer_roles, user_get, users_to_add
from kindgi.access.services.memberships import membership_add, membership_change, membership_remove
from kindgi.access.services.projects import project_update
from kindgi.api.errors import ApiError
from quality_console.forms.people import AddForm, RoleForm, SettingsForm
from quality_console.frame import ConsoleRequest
from quality_console.roles import role_label
from quality_console.tables.people import SORTS, PeopleTable, PersonRow
from quality_console.views.numbered import page_of
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/people.html"
PER_PAGE = 100
MOST_FOUND = 20


@require_safe
@console
def people(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """The list, perhaps with a dialog over it."""
    return _page(request, _dialog(request))


def _page(request: ConsoleRequest, dialog: dict[str, Any], *, status: int = HTTPStatus.OK) -> HttpResponseBase:
    here, text = _here(request), request.GET.get("q", "").strip()
    every = _rows(request)
    wanted = [row for row in every if _matches(row, text)]
    sort = request.GET.get("sort", "")
    key = SORTS.get(sort.lstrip("-"))
    if key:
        wanted.sort(key=key, reverse=sort.startswith("-"))
    rows, pages = page_of(wanted, request.GET, per_page=PER_PAGE)
    context = {
        "section": "people",
        "table": PeopleTable(rows, here=here, query=request.GET, sorted_by=sort if key else ""),
        "pages": pages,
        "here": here,
        "text": text,
        "total": len(every),
        "top_attributes": "inert" if dialog else "",
        **dialog,
    }
    return page(request, TEMPLATE, context, parts={"people", "dialog"}, status=status)


def _here(request: ConsoleRequest) -> str:
    return reverse("people", args=[request.frame.project.slug])


def _rows(request: ConsoleRequest) -> list[PersonRow]:
    frame = request.frame
    roster = reviewer_roles(frame.caller.tenant_id)
    reach = frame.caller.roles_up_to_own(frame.project.pk) if frame.may_administer else []
    return [
        PersonRow(
            membership=one,
            reviewer=roster.get(one.user_id, ""),
            is_you=one.user_id == frame.user.pk,
            may_change=one.role in reach,
        )
        for one in members_of(frame.project)
    ]


def _matches(row: PersonRow, text: str) -> bool:
    user = row.membership.user
    return text.casefold() in f"{user.display_name}\n{user.email}".casefold()


def _dialog(request: ConsoleRequest) -> dict[str, Any]:
    """What the dialog shows that the address asks for; nothing where it asks for none that this person may use."""
    asked, frame = request.GET.get("dialog", ""), request.frame
    if not frame.may_administer:
        return {}
    if asked == "add":
        return _add_dialog(request)
    if asked == "settings":
        return {"dialog": asked, "form": SettingsForm.of(frame.project)}
    if asked in {"role", "remove"}:
        member = membership_get(project=frame.project, user_id=request.GET.get("person", ""))
        return _member_dialog(request, asked, member)
    return {}


def _roles(request: ConsoleRequest) -> list[str]:
    frame = request.frame
    return frame.caller.roles_up_to_own(frame.project.pk)


def _add_dialog(request: ConsoleRequest, form: AddForm | None = None) -> dict[str, Any]:
    text = request.GET.get("who", "")
    found = users_to_add(project=request.frame.project, text=text, limit=MOST_FOUND + 1)
    form = form or AddForm(initial={"role": "editor"}, people=found[:MOST_FOUND], roles=_roles(request))
    return {"dialog": "add", "form": form, "who": text, "found": found[:MOST_FOUND], "more": len(found) > MOST_FOUND}


def _member_dialog(
    request: ConsoleRequest, which: str, member: Membership, form: RoleForm | None = None, refusal: str = ""
) -> dict[str, Any]:
    form = form or RoleForm(initial={"role": member.role}, roles=_roles(request))
    return {
        "dialog": which,
        "form": form,
        "member": member,
        "refusal": refusal,
        "is_you": member.user_id == request.frame.user.pk,
    }


@require_POST
@console
def add(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Give a person of the tenant a role in the project."""
    project, caller = request.frame.project, request.frame.caller
    check_administer(caller, project.pk)
    named = users_to_add(project=project, text=request.GET.get("who", ""), limit=MOST_FOUND)
    form = AddForm(request.POST, people=named, roles=_roles(request))
    if form.is_valid():
        try:
            user = user_get(tenant_id=caller.tenant_id, user_id=form.cleaned_data["person"])
            role = membership_add(caller=caller, project=project, user=user, role=form.cleaned_data["role"]).role
        except ApiError as refusal:
            form.add_error(None, refusal.message)
        else:
            said = _("%(person)s is added: %(role)s.") % {"person": user, "role": role_label(role)}
            return done(request, _here(request), said)
    return _page(request, _add_dialog(request, form), status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_POST
@console
def change(request: ConsoleRequest, slug: str, user_id: UUID) -> HttpResponseBase:
    """Change a person's role."""
    project, caller = request.frame.project, request.frame.caller
    check_administer(caller, project.pk)
    member = membership_get(project=project, user_id=str(user_id))
    form = RoleForm(request.POST, roles=_roles(request))
    if form.is_valid():
        try:
            membership_change(caller=caller, membership=member, role=form.cleaned_data["role"])
        except ApiError as refusal:
            form.add_error(None, refusal.message)
        else:
            said = _("%(person)s's role is now: %(role)s.") % {"person": member.user, "role": role_label(member.role)}
            return done(request, _here(request), said)
    dialog = _member_dialog(request, "role", member, form)
    return _page(request, dialog, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_POST
@console
def remove(request: ConsoleRequest, slug: str, user_id: UUID) -> HttpResponseBase:
    """Take a person's role away; whoever took their own and may no longer read the project goes home."""
    frame = request.frame
    check_administer(frame.caller, frame.project.pk)
    member = membership_get(project=frame.project, user_id=str(user_id))
    membership_remove(caller=frame.caller, membership=member)
    stays = member.user_id != frame.user.pk or frame.caller.is_tenant_admin
    said = _("%(person)s has no role in %(project)s any more.") % {"person": member.user, "project": frame.project}
    return done(request, _here(request) if stays else reverse("home"), said)


@require_POST
@console
def settings(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Change what the project is called and how it is judged in."""
    frame = request.frame
    check_administer(frame.caller, frame.project.pk)
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return _page(request, {"dialog": "settings", "form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    project_update(caller=frame.caller, project=frame.project, **form.changes)
    return done(request, _here(request), _("Saved."))
