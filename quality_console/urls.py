"""The console's addresses (contract, section 8)."""

from __future__ import annotations

from django.urls import URLPattern, path

from quality_console.views import home, quality, signing_in, themes

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("sign-in", signing_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", signing_in.SignOut.as_view(), name="sign-out"),
    path("theme", themes.choose, name="theme"),
    path("projects/<slug:slug>/quality", quality.quality, name="quality"),
]
