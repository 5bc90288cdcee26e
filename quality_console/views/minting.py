"""Making tokens on a page: the secret is in that one answer, and nowhere else (contract, section 9)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _

from kindgi.access.models import ServiceAccount, TokenRole, User
from kindgi.access.selectors import projects_found
from kindgi.access.services.tokens import Minted, token_mint
from kindgi.api.errors import ApiError
from quality_console.forms.tokens import TokenForm
from quality_console.frame import ConsoleRequest

MOST_PROJECTS = 1000
_SENT = "token-forms-sent"
_REMEMBERED = 20


def token_form(request: ConsoleRequest, *, sent: bool) -> TokenForm:
    """The form with what this person may choose; with what they sent, or empty."""
    caller = request.frame.caller
    roles = TokenRole.values if caller.administers_tenant else [TokenRole.MEMBER]
    projects = projects_found(caller=caller, text="", first=[], offset=0, limit=MOST_PROJECTS)
    given: Any = {"data": request.POST} if sent else {"initial": {"once": uuid4(), "role": TokenRole.MEMBER}}
    return TokenForm(**given, roles=roles, projects=projects)


def mint(request: ConsoleRequest, form: TokenForm, principal: User | ServiceAccount) -> Minted | None:
    """The new token; ``None`` where the form is to be shown again with what is wrong."""
    if not form.is_valid():
        return None
    sent: list[str] = request.session.get(_SENT, [])
    once = str(form.cleaned_data["once"])
    if once in sent:
        form.add_error(None, _("This token was made already. Its secret isn't shown a second time: make another."))
        return None
    try:
        minted = token_mint(caller=request.frame.caller, principal=principal, spec=form.spec)
    except ApiError as refusal:
        form.add_error(None, refusal.message)
        return None
    request.session[_SENT] = [*sent, once][-_REMEMBERED:]
    return minted
