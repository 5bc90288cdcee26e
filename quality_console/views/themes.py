"""Light or dark: as the system says, or as was chosen, which a cookie remembers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from quality_console.see_other import SeeOther

COOKIE = "theme"
THEMES = ("light", "dark")
_YEAR = 365 * 24 * 3600


def theme_of(request: HttpRequest) -> str:
    """``light`` or ``dark``; empty where the system decides."""
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in THEMES else ""


@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Remember the theme; then back to the page that it was chosen on."""
    back = request.META.get("HTTP_REFERER", "")
    here = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponse(status=204) if request.htmx else SeeOther(back if here else reverse("home"))  # type: ignore[attr-defined]
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(COOKIE, chosen, max_age=_YEAR, samesite="Lax", secure=request.is_secure())
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
