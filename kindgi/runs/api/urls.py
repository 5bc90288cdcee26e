"""Runs' part of /v1."""

from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from kindgi.runs.api import agent_views, views


class AnyText(StringConverter):
    """An id that may be any text: slashes and line breaks, too."""

    regex = r"[\s\S]+"


register_converter(AnyText, "text")

urlpatterns = [
    path("runs", views.Runs.as_view()),
    path("runs/import", views.RunImport.as_view()),
    path("runs/<str:run_id>", views.OneRun.as_view()),
    path("runs/<str:run_id>/erase", views.RunErasure.as_view()),
    path("agents/<str:agent_id>/versions/<str:version>", agent_views.OneAgentVersion.as_view()),
    path("projects/<str:project_id>/agents/<str:agent_id>/pin", agent_views.AgentPinned.as_view()),
    path(
        "projects/<str:project_id>/participants/<text:participant_id>/erase",
        views.ParticipantErasure.as_view(),
    ),
]
