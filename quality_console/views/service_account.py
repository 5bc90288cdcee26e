"""One service account: its roles, its tokens, and taking it away (contract, section 9)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from kindgi.access.errors import ProjectNotFound, ServiceAccountNotFound
from kindgi.access.models import ServiceAccount
from kindgi.access.policies import check_tenant_admin
from kindgi.access.selectors import projects_found, service_account_get, token_of, tokens_of
from kindgi.access.services.service_accounts import (
    service_account_grant,
    service_account_ungrant,
    service_account_unregister,
)
from kindgi.access.services.tokens import token_revoke
from kindgi.api.ids import parse_id
from kindgi.api.pages import MAX_LIMIT
from quality_console.forms.service_accounts import GrantForm
from quality_console.frame import ConsoleRequest
from quality_console.roles import role_label
from quality_console.tables.tokens import TokenTable
from quality_console.views.minting import MOST_PROJECTS, mint, token_form
from quality_console.views.numbered import page_of
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/service_account.html"


@require_http_methods(["GET", "HEAD", "POST"])
@console
def service_account(request: ConsoleRequest, account_id: UUID) -> HttpResponseBase:
    """The account; a POST makes a token for it, and its answer alone has the secret."""
    account = _account(request, account_id)
    if request.method != "POST":
        return _page(request, account, _dialog(request, account))
    form = token_form(request, sent=True)
    minted = mint(request, form, account)
    if minted is None:
        return _page(request, account, {"dialog": "new", "form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _page(request, account, {"minted": minted})


def _account(request: ConsoleRequest, account_id: UUID) -> ServiceAccount:
    """A registered account of the tenant; raises ``PermissionDenied``, ``ServiceAccountNotFound``."""
    check_tenant_admin(request.frame.caller)
    account = service_account_get(caller=request.frame.caller, service_account_id=str(account_id))
    if account.unregistered_at is not None:
        raise ServiceAccountNotFound
    return account


def _address(account: ServiceAccount) -> str:
    return reverse("service-account", args=[account.pk])


def _page(
    request: ConsoleRequest, account: ServiceAccount, more: dict[str, Any], *, status: int = HTTPStatus.OK
) -> HttpResponseBase:
    rows, pages = page_of(list(tokens_of(account)), request.GET, per_page=MAX_LIMIT)
    names = {project.pk: project for project in _projects(request)}
    grants = [(grant, names[grant.project_id], role_label(grant.role)) for grant in account.grants.all()]
    context = {
        "account": account,
        "grants": sorted(grants, key=lambda one: one[1].name.casefold()),
        "grant_form": more.pop("grant_form", None) or GrantForm(projects=names.values()),
        "table": TokenTable(rows, query=request.GET, here=_address(account)),
        "pages": pages,
        "here": _address(account),
        "top_attributes": "inert" if more.get("dialog") else "",
        **more,
    }
    return page(request, TEMPLATE, context, parts={"dialog"}, status=status)


def _projects(request: ConsoleRequest) -> list[Any]:
    return projects_found(caller=request.frame.caller, text="", first=[], offset=0, limit=MOST_PROJECTS)


def _dialog(request: ConsoleRequest, account: ServiceAccount) -> dict[str, Any]:
    asked = request.GET.get("dialog", "")
    if asked == "new":
        return {"dialog": asked, "form": token_form(request, sent=False)}
    if asked == "unregister":
        return {"dialog": asked}
    token_id = parse_id(request.GET.get("token", ""))
    if asked == "revoke" and token_id is not None:
        return {"dialog": asked, "token": token_of(principal=account, token_id=token_id)}
    return {}


@require_POST
@console
def revoke(request: ConsoleRequest, account_id: UUID, token_id: UUID) -> HttpResponseBase:
    """Revoke a token of the account's, for good."""
    account = _account(request, account_id)
    token = token_revoke(caller=request.frame.caller, token=token_of(principal=account, token_id=token_id))
    return done(request, _address(account), _("%(token)s is revoked.") % {"token": token.label or _("The token")})


@require_POST
@console
def grant(request: ConsoleRequest, account_id: UUID) -> HttpResponseBase:
    """Give the account a role in a project, in place of the one that it had there."""
    account = _account(request, account_id)
    form = GrantForm(request.POST, projects=_projects(request))
    if not form.is_valid():
        return _page(request, account, {"grant_form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    role = form.cleaned_data["role"]
    service_account_grant(caller=request.frame.caller, account=account, project=form.chosen, role=role)
    said = _("%(account)s in %(project)s: %(role)s.")
    return done(
        request, _address(account), said % {"account": account, "project": form.chosen, "role": role_label(role)}
    )


@require_POST
@console
def ungrant(request: ConsoleRequest, account_id: UUID, project_id: UUID) -> HttpResponseBase:
    """Take the account's role in a project away."""
    account = _account(request, account_id)
    given = next((one for one in account.grants.all() if one.project_id == project_id), None)
    if given is None:
        raise ProjectNotFound
    service_account_ungrant(caller=request.frame.caller, grant=given)
    return done(request, _address(account), _("%(account)s has no role there any more.") % {"account": account})


@require_POST
@console
def unregister(request: ConsoleRequest, account_id: UUID) -> HttpResponseBase:
    """Take the account away: its tokens no longer work."""
    account = _account(request, account_id)
    service_account_unregister(caller=request.frame.caller, account=account)
    return done(request, reverse("service-accounts"), _("%(account)s is taken away.") % {"account": account})
