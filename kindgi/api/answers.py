"""Answers: JSON bytes, one error envelope, and the request id (contract, section 2)."""

from __future__ import annotations

import logging
from typing import Any

import psycopg
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.api import errors
from kindgi.api.jsontext import encode

log = logging.getLogger("kindgi.api")

_BY_REST_FRAMEWORK: tuple[tuple[type[Exception], type[errors.ApiError]], ...] = (
    (exceptions.MethodNotAllowed, errors.MethodNotAllowed),
    (exceptions.UnsupportedMediaType, errors.UnsupportedMediaType),
    (exceptions.NotAuthenticated, errors.AuthMissing),
    (exceptions.PermissionDenied, errors.PermissionDenied),
    (exceptions.APIException, errors.BadInput),
    (Http404, errors.RouteNotFound),
    (RequestDataTooBig, errors.BadInput),
    (SuspiciousOperation, errors.BadInput),
)
# Others were changing the same thing; the last is what was named being deleted at this very moment.
_LOCKED = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.ForeignKeyViolation,
)


class JSONRenderer(BaseRenderer):
    """Whatever a view returns, as JSON bytes; spans of content come out as they were stored."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The bytes of ``data``; an empty body for ``None``."""
        return b"" if data is None else encode(data)


class AlwaysJSON(BaseContentNegotiation):
    """Every answer is JSON, whatever ``Accept`` says."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """No parser: bodies are read by :mod:`kindgi.api.bodies`."""
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """The one renderer."""
        return renderers[0], renderers[0].media_type


def as_api_error(error: BaseException) -> errors.ApiError:
    """The refusal that ``error`` means; an unknown one becomes a plain 500 and is logged."""
    if isinstance(error, errors.ApiError):
        return error
    for kind, known in _BY_REST_FRAMEWORK:
        if isinstance(error, kind):
            return known()
    if isinstance(error.__cause__, _LOCKED):
        return errors.LockTimeout(retry_after=1)
    if isinstance(error, OperationalError | InterfaceError):
        log.error("The database can't be reached", exc_info=error)
        return errors.ServiceUnavailable(retry_after=1)
    log.error("Unhandled exception", exc_info=error)
    return errors.InternalError()


def error_body(error: errors.ApiError, request_id: str) -> dict[str, Any]:
    """The envelope of section 2."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.details is not None:
        body["details"] = error.details
    return {"error": {**body, "requestId": request_id}}


def error_headers(error: errors.ApiError, response: HttpResponseBase) -> None:
    """``Retry-After`` and ``WWW-Authenticate``, where the error asks for them."""
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"


def error_response(error: errors.ApiError, request_id: str) -> Response:
    """``error`` as the answer of an endpoint."""
    response = Response(error_body(error, request_id), status=error.status)
    error_headers(error, response)
    return response


def plain_error_response(error: errors.ApiError, request: HttpRequest) -> HttpResponse:
    """``error`` as JSON outside an endpoint: an unknown path, or a fault in a middleware."""
    body = encode(error_body(error, getattr(request, "request_id", "")))
    response = HttpResponse(body, status=error.status, content_type="application/json")
    error_headers(error, response)
    return response
