"""Middleware that serves browsers: the API has neither sessions nor forms, and need not pay for them.

Each is Django's or its library's own; a request to ``/v1`` passes it by.
"""

from __future__ import annotations

from typing import Any

from csp import middleware as csp
from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest, HttpResponseBase
from django_htmx import middleware as htmx
from whitenoise import middleware as whitenoise  # type: ignore[import-untyped]

_API = "/v1/"


class _OutsideOfTheApi:
    """Steps aside for the API."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer as the middleware does, unless the API is asked."""
        if request.path_info.startswith(_API) and request.path_info != "/v1/docs":
            response: HttpResponseBase = self.get_response(request)
            return response
        return super().__call__(request)  # type: ignore[misc,no-any-return]


class WhiteNoiseMiddleware(_OutsideOfTheApi, whitenoise.WhiteNoiseMiddleware):  # type: ignore[misc]
    """Static files."""


class SessionMiddleware(_OutsideOfTheApi, sessions.SessionMiddleware):
    """Sessions."""


class AuthenticationMiddleware(_OutsideOfTheApi, auth.AuthenticationMiddleware):
    """Who is signed in."""


class MessageMiddleware(_OutsideOfTheApi, messages.MessageMiddleware):
    """Messages for the next page."""


class HtmxMiddleware(_OutsideOfTheApi, htmx.HtmxMiddleware):
    """Requests by HTMX."""


class CSPMiddleware(_OutsideOfTheApi, csp.CSPMiddleware):
    """What a page may load."""
