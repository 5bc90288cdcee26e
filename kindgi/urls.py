"""Every address of the product."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from kindgi.api.endpoints import NoSuchRoute
from kindgi.api.openapi import docs_page, openapi_json

v1: list[URLPattern | URLResolver] = [
    # The busiest first: each one before costs a few microseconds a request.
    path("", include("corrections.api.urls")),
    path("", include("kindgi.runs.api.urls")),
    path("", include("judging.api.urls")),
    path("", include("improve.api.urls")),
    path("", include("kindgi.access.api.urls")),
    path("openapi.json", openapi_json, name="openapi"),
    path("docs", docs_page, name="docs"),
    re_path(r"^.*$", NoSuchRoute.as_view()),
]

urlpatterns = [
    path("v1/", include(v1)),
    path("v1", NoSuchRoute.as_view()),
    path("admin/", admin.site.urls),
    path("", include("quality_console.urls")),
]

# What is refused before a view is reached.
handler400 = "quality_console.views.refusals.bad_request"
handler403 = "quality_console.views.refusals.forbidden"
handler404 = "quality_console.views.refusals.not_found"
handler500 = "quality_console.views.refusals.failed"
