"""Signing in with email and password, and out (contract, section 9)."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView


class SignIn(LoginView):
    """Who is signed in already is led on."""

    template_name = "quality_console/sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """By a POST alone; back to the sign-in page."""

    next_page = "sign-in"
