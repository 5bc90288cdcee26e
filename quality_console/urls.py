"""The console's addresses (contract, section 8)."""

from __future__ import annotations

from django.urls import URLPattern, path

from quality_console.views import classes, home, quality, rule_acts, rule_edits, signing_in, themes

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("sign-in", signing_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", signing_in.SignOut.as_view(), name="sign-out"),
    path("theme", themes.choose, name="theme"),
    path("projects/<slug:slug>/quality", quality.quality, name="quality"),
    path("projects/<slug:slug>/judge-classes", classes.create, name="class-create"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/change", classes.change, name="class-change"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/remove", classes.remove, name="class-remove"),
    # Rules
    path("projects/<slug:slug>/quality/rules/new", rule_edits.create, name="rule-create"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/change", rule_edits.change, name="rule-change"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/remove", rule_acts.remove, name="rule-remove"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/queue-recent", rule_acts.queue_recent, name="rule-queue-recent"),
    path(
        "projects/<slug:slug>/quality/rules/<rule_id>/queue-recent/<catch_up_id>", rule_acts.progress, name="catch-up"
    ),
]
