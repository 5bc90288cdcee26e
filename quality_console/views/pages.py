"""What the views share: who may see a page at all, how it is answered whole or in part, and how a refusal looks."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect, HttpResponseLocation

from kindgi.api.answers import as_api_error, error_headers
from kindgi.api.errors import ApiError, AuthMissing, InternalError, PermissionDenied
from quality_console.frame import ConsoleRequest, Frame
from quality_console.see_other import SeeOther

P = ParamSpec("P")
View = Callable[Concatenate[ConsoleRequest, P], HttpResponseBase]
_VARY = ["HX-Request", "HX-Target", "HX-History-Restore-Request"]
_READS = {"GET", "HEAD"}


def console(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """A page for whoever is signed in; one with ``slug`` in its address is of that project.

    The view gets a :class:`ConsoleRequest`. What changes anything runs in one transaction, which a
    refusal undoes; a refusal is answered as a page, or to HTMX as a notice.
    """

    @never_cache
    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        asked = cast(ConsoleRequest, request)
        asked.frame = Frame(asked.user, cast("str | None", kwargs.get("slug")))
        try:
            if asked.frame.slug is not None:
                asked.frame.project  # noqa: B018 - raises where it isn't for them
            if request.method in _READS or getattr(view, "waits", False):
                return _to_be_shown(asked, view(asked, *args, **kwargs))
            with transaction.atomic():
                return _to_be_shown(asked, view(asked, *args, **kwargs))
        except AuthMissing:
            # To sign in again would lead them here again.
            return refused(request, PermissionDenied(_("You belong to no company, so there's nothing here for you.")))
        except Exception as error:
            refusal = as_api_error(error)
            if isinstance(refusal, InternalError):
                raise
            return refused(request, refusal)

    return answer


def outside_transaction(view: View[P]) -> View[P]:
    """A view that waits for somebody else's server and changes nothing: it holds no transaction meanwhile."""
    view.waits = True  # type: ignore[attr-defined]
    return view


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    parts: Collection[str] = (),
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """The page; to HTMX only the named part that it wants to swap, if that is one of ``parts``.

    A part's name is its element's id (django-template-partials). A part brings new toasts along, if there are any.
    """
    wanted = request.htmx.target if request.htmx and not request.htmx.history_restore_request else None  # type: ignore[attr-defined]
    if wanted in parts:
        text = render_to_string(f"{template}#{wanted}", dict(context), request)
        if len(messages.get_messages(request)):
            text += render_to_string("quality_console/parts/toasts.html", {"swapped": True}, request)
    else:
        text = render_to_string(template, dict(context), request)
    response = HttpResponse(text, status=status)
    patch_vary_headers(response, _VARY)
    return response


def done(request: HttpRequest, to: str, said: str = "", *, undo: str = "") -> HttpResponseBase:
    """After a change: the browser goes on to the page at ``to``, which shows the sentence ``said``.

    ``undo`` is the address that takes the change back by a POST: the sentence offers it for 10 seconds.
    """
    if said:
        messages.success(request, said, extra_tags=undo)
    if request.htmx:  # type: ignore[attr-defined]
        return _located(request, to)
    return SeeOther(to)


def gone_on(request: HttpRequest, to: str, said: str = "", *, undo: str = "") -> HttpResponseBase:
    """Like :func:`done`, by loading the page at ``to`` anew: for another page than the one that was open."""
    if said:
        messages.success(request, said, extra_tags=undo)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(to)
    return SeeOther(to)


def refused(request: HttpRequest, refusal: ApiError) -> HttpResponse:
    """A refusal: as a page, or where HTMX asked as a notice for the place it was asked from."""
    # A request that was refused early on never came to where it is said who asks, nor may what it left unsaid be lost.
    by_htmx = bool(getattr(request, "htmx", False))
    template = "quality_console/parts/refusal.html" if by_htmx else "quality_console/refusal.html"
    text = render_to_string(template, {"refusal": refusal, "messages": ()}, request)
    response = HttpResponse(text, status=refusal.status)
    if by_htmx:
        # Wherever the answer would have gone, what was typed stays there, and this stands in the page's place for it.
        response.headers["HX-Retarget"] = "#notices"
        response.headers["HX-Reswap"] = "innerHTML"
    error_headers(refusal, response)
    return response


def _located(request: HttpRequest, to: str) -> HttpResponse:
    """HTMX goes on to the page at ``to``; where it came from that same page, its history has no new step."""
    response = HttpResponseLocation(to)
    here = urlsplit(request.htmx.current_url or "").path  # type: ignore[attr-defined]
    if here == urlsplit(to).path:
        response.headers["HX-Location"] = json.dumps({"path": to, "push": "false", "replace": "true"})
    return response


def _to_be_shown(request: ConsoleRequest, response: HttpResponseBase) -> HttpResponseBase:
    """A view's own answer to HTMX, marked as meant for the place that asked where its status is one of a refusal.

    What isn't marked is a proxy's word, or a fault's, and isn't put in the place of anything (console.js).
    """
    if request.htmx and request.htmx.target and response.status_code >= HTTPStatus.BAD_REQUEST:
        response.headers.setdefault("HX-Retarget", f"#{request.htmx.target}")
    return response


def _sign_in_first(request: HttpRequest) -> HttpResponseBase:
    """To a page: the sign-in page, which leads back. To HTMX: a notice, so that what was typed stays."""
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect_to_login(request.get_full_path(), reverse("sign-in"))
    text = render_to_string("quality_console/parts/signed_out.html", {}, request)
    response = HttpResponse(text, status=HTTPStatus.UNAUTHORIZED)
    response.headers["HX-Retarget"] = "#notices"
    response.headers["HX-Reswap"] = "innerHTML"
    return response
