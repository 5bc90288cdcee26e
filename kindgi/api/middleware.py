"""The request id, and JSON for every fault under /v1 (contract, section 2)."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from kindgi.api import request_ids
from kindgi.api.answers import as_api_error, plain_error_response
from kindgi.api.errors import ApiError, BadInput, InternalError, PermissionDenied, RouteNotFound
from kindgi.api.ids import new_id

_SAFE = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
PREFIX = "/v1/"
_BY_STATUS: dict[int, type[ApiError]] = {400: BadInput, 403: PermissionDenied, 404: RouteNotFound}


class RequestIdMiddleware:
    """Echoes the caller's ``X-Request-Id`` when it is bounded and safe, else makes a new one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Wrap the rest of the stack."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the id, and never let an answer of /v1 be cached."""
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if _SAFE.fullmatch(given) else f"req-{new_id().hex}"
        request.request_id = request_id  # type: ignore[attr-defined]
        in_logs = request_ids.current.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            request_ids.current.reset(in_logs)
        if _is_of_v1(request):
            response = _as_json(request, response)
            response.headers["Cache-Control"] = "no-store"
        response.headers["X-Request-Id"] = request_id
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """A fault under /v1 outside an endpoint's own handling is JSON too."""
        if not _is_of_v1(request):
            return None
        return plain_error_response(as_api_error(exception), request)


def _is_of_v1(request: HttpRequest) -> bool:
    return f"{request.path_info}/".startswith(PREFIX)


def _as_json(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """An error that Django answered in HTML before an endpoint was reached, such as for a bad Host, in the envelope."""
    if response.status_code < 400 or response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    return plain_error_response(_BY_STATUS.get(response.status_code, InternalError)(), request)
