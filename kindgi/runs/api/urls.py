"""Runs' part of /v1."""

from __future__ import annotations

from django.urls import path

from kindgi.runs.api import agent_views, views

urlpatterns = [
    path("runs", views.Runs.as_view()),
    path("runs/import", views.RunImport.as_view()),
    path("runs/<str:run_id>", views.OneRun.as_view()),
    path("runs/<str:run_id>/erase", views.RunErasure.as_view()),
    path("agents/<str:agent_id>/versions/<str:version>", agent_views.OneAgentVersion.as_view()),
    path("projects/<str:project_id>/agents/<str:agent_id>/pin", agent_views.AgentPinned.as_view()),
]
