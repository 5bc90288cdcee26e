"""What Django refuses itself, outside of any view, as the console says such things; to HTMX as a notice.

Under ``/v1`` its middleware makes JSON of all of them.
"""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.translation import gettext as _

from kindgi.api.errors import BadInput, InternalError, NotFound, PermissionDenied
from quality_console.views.pages import refused


def not_from_here(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without the token that this browser has now, such as one opened before signing in anew."""
    if getattr(request, "htmx", False):
        # The answer brings the token that is valid now, and what was typed is still there.
        get_token(request)
        again = _("This page is older than your last signing in. Nothing was saved: send it again, as it is.")
        return refused(request, PermissionDenied(again))
    text = _("This page is older than your last signing in. Reload it, and send it again; nothing was saved.")
    return refused(request, PermissionDenied(text))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that can't be read, or is too large."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        too_large = _("This is more than can be sent at once. Nothing was saved; send less of it.")
        return refused(request, BadInput(too_large))
    return refused(request, BadInput(_("This can't be read.")))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What may not be done."""
    return refused(request, PermissionDenied(_("You may not do this.")))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """An address that there isn't."""
    return refused(request, NotFound(_("There's no such page, or it isn't for you.")))


def failed(request: HttpRequest) -> HttpResponse:
    """A fault of ours, which is in the log under the request's id."""
    return refused(request, InternalError(_("Something went wrong here. The request's number helps to find out what.")))
