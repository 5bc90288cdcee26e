"""The tenant's service accounts, for its admins: what they may do, and the tokens that they act through (section 9)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from kindgi.access.policies import check_tenant_admin
from kindgi.access.selectors import projects_found, service_accounts_of
from kindgi.access.services.service_accounts import service_account_create
from kindgi.api.errors import ApiError
from quality_console.forms.service_accounts import AccountForm
from quality_console.frame import ConsoleRequest
from quality_console.tables.service_accounts import SORTS, AccountsTable
from quality_console.views.minting import MOST_PROJECTS
from quality_console.views.numbered import page_of
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/service_accounts.html"
PER_PAGE = 100


@require_http_methods(["GET", "HEAD", "POST"])
@console
def service_accounts(request: ConsoleRequest) -> HttpResponseBase:
    """The registered accounts; a POST makes one, and goes on to its page for its first token."""
    caller = request.frame.caller
    check_tenant_admin(caller)
    if request.method != "POST":
        return _page(request, _form(request) if request.GET.get("dialog") == "new" else None)
    form = _form(request, request.POST)
    if form.is_valid():
        said = form.cleaned_data
        try:
            account = service_account_create(
                caller=caller,
                name=said["name"],
                description=said["description"],
                is_tenant_admin=said["is_tenant_admin"],
                roles=form.roles,
            )
        except ApiError as refusal:
            form.add_error("name", refusal.message)
        else:
            return done(request, _address(account.pk), _("%(account)s is made.") % {"account": account})
    return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _address(account_id: UUID) -> str:
    return reverse("service-account", args=[account_id])


def _form(request: ConsoleRequest, sent: Any = None) -> AccountForm:
    every = projects_found(caller=request.frame.caller, text="", first=[], offset=0, limit=MOST_PROJECTS)
    return AccountForm(sent, projects=every)


def _page(request: ConsoleRequest, form: AccountForm | None, *, status: int = HTTPStatus.OK) -> HttpResponseBase:
    accounts = service_accounts_of(request.frame.caller)
    sort = request.GET.get("sort", "")
    key = SORTS.get(sort.lstrip("-"))
    if key:
        accounts.sort(key=key, reverse=sort.startswith("-"))
    rows, pages = page_of(accounts, request.GET, per_page=PER_PAGE)
    context = {
        "table": AccountsTable(rows, query=request.GET, sorted_by=sort if key else "account"),
        "pages": pages,
        "here": reverse("service-accounts"),
        "form": form,
        "top_attributes": "inert" if form else "",
    }
    return page(request, TEMPLATE, context, parts={"dialog"}, status=status)
