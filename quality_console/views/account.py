"""The person's own password (contract, section 9)."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from quality_console.forms.account import PasswordForm
from quality_console.frame import ConsoleRequest
from quality_console.views.pages import console, done, page

TEMPLATE = "quality_console/password.html"


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@console
def password(request: ConsoleRequest) -> HttpResponseBase:
    """The form, and what becomes of it: this session stays, the person's others end."""
    form = PasswordForm(request.user, request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return page(request, TEMPLATE, {"form": form})
    if not form.is_valid():
        return page(request, TEMPLATE, {"form": form}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    form.save()
    update_session_auth_hash(request, request.user)
    return done(request, reverse("password"), _("Password changed. Wherever else you were signed in, you aren't now."))
