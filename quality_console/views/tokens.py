"""The person's own API tokens (contract, section 9)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from kindgi.access.errors import TokenNotFound
from kindgi.access.selectors import token_of, tokens_of
from kindgi.access.services.tokens import Minted, token_revoke
from kindgi.api.ids import parse_id
from kindgi.api.pages import MAX_LIMIT
from quality_console.forms.tokens import TokenForm
from quality_console.frame import ConsoleRequest
from quality_console.tables.tokens import TokenTable
from quality_console.views.minting import mint, token_form
from quality_console.views.numbered import page_of
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/tokens.html"


@require_http_methods(["GET", "HEAD", "POST"])
@console
def tokens(request: ConsoleRequest) -> HttpResponseBase:
    """The list; a POST makes a token, and its answer alone has the secret."""
    if request.method != "POST":
        return _page(request)
    form = token_form(request, sent=True)
    minted = mint(request, form, request.user)
    if minted is None:
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _page(request, minted=minted)


def _page(
    request: ConsoleRequest, *, form: TokenForm | None = None, minted: Minted | None = None, status: int = HTTPStatus.OK
) -> HttpResponseBase:
    asked = "" if request.method == "POST" else request.GET.get("dialog", "")
    rows, pages = page_of(list(tokens_of(request.user)), request.GET, per_page=MAX_LIMIT)
    context: dict[str, Any] = {"minted": minted, "pages": pages, "here": reverse("tokens")}
    context["table"] = TokenTable(rows, query=request.GET, here=reverse("tokens"))
    if form is not None or asked == "new":
        context |= {"dialog": "new", "form": form or token_form(request, sent=False)}
    elif asked == "revoke":
        context |= {"dialog": "revoke", "token": _named(request)}
    if context.get("dialog"):
        context["top_attributes"] = "inert"
    return page(request, TEMPLATE, context, parts={"dialog"}, status=status)


def _named(request: ConsoleRequest) -> Any:
    """The token that the address names; raises ``TokenNotFound``."""
    token_id = parse_id(request.GET.get("token", ""))
    if token_id is None:
        raise TokenNotFound
    return token_of(principal=request.user, token_id=token_id)


@require_POST
@console
def revoke(request: ConsoleRequest, token_id: UUID) -> HttpResponseBase:
    """Revoke a token of one's own, for good."""
    token = token_revoke(caller=request.frame.caller, token=token_of(principal=request.user, token_id=token_id))
    return done(request, reverse("tokens"), _("%(token)s is revoked.") % {"token": token.label or _("The token")})
