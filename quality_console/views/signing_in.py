"""Signing in with email and password, and out (contract, section 9)."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse

from quality_console.forms.account import SignInForm


class SignIn(LoginView):
    """Who is signed in already is led on."""

    template_name = "quality_console/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The form with what was wrong; the password is to be typed anew."""
        return self.render_to_response(self.get_context_data(form=form), status=HTTPStatus.UNPROCESSABLE_ENTITY)


class SignOut(LogoutView):
    """By a POST alone; back to the sign-in page."""

    next_page = "sign-in"
