"""The part of /v1 that is about suggested changes."""

from __future__ import annotations

from django.urls import path

from improve.api import endpoint_views

_ENDPOINT = "projects/<str:project_id>/agents/<str:agent_id>/replay-endpoint"

urlpatterns = [
    path(_ENDPOINT, endpoint_views.AgentReplayEndpoint.as_view()),
    path(f"{_ENDPOINT}/rotate", endpoint_views.ReplayEndpointRotation.as_view()),
]
