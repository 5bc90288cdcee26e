"""The console's addresses (contract, section 8)."""

from __future__ import annotations

from django.urls import URLPattern, path

from quality_console.views import classes, home, quality, signing_in, themes

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("sign-in", signing_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", signing_in.SignOut.as_view(), name="sign-out"),
    path("theme", themes.choose, name="theme"),
    path("projects/<slug:slug>/quality", quality.quality, name="quality"),
    path("projects/<slug:slug>/judge-classes", classes.create, name="class-create"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/change", classes.change, name="class-change"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/remove", classes.remove, name="class-remove"),
]
