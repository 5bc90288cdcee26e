"""Which errors an operation can answer: its own, and the ones that the conventions bring (contract, section 2)."""

from __future__ import annotations

from http import HTTPStatus
from itertools import groupby
from typing import Any

from kindgi.api import errors
from kindgi.api.openapi.routes import Route
from kindgi.api.openapi.text import first_line, pascal
from kindgi.api.operations import PREFIX

Json = dict[str, Any]
ErrorClass = type[errors.ApiError]

_EVERY: tuple[ErrorClass, ...] = (errors.BadInput, errors.InternalError)
_AUTHENTICATED: tuple[ErrorClass, ...] = (
    errors.AuthMissing,
    errors.AuthExpired,
    errors.AuthRevoked,
    errors.ServiceUnavailable,
)
_WRITE: tuple[ErrorClass, ...] = (
    errors.RequestTooLarge,
    errors.IdempotencyKeyBodyMismatch,
    errors.IdempotencyKeyInFlight,
    errors.IdempotencyKeyReplayWithheld,
    errors.LockTimeout,
    errors.IdempotencyStoreUnavailable,
)
_WAITS = {409, 503}


def refusals(route: Route) -> dict[int, list[ErrorClass]]:
    """The errors by status, the operation's own first in each."""
    operation = route.operation
    found = [*operation.errors, *_EVERY]
    found += () if operation.public else _AUTHENTICATED
    found += (errors.RouteNotFound,) if route.parameters else ()
    found += _WRITE if route.is_write else ()
    found += (errors.UnsupportedMediaType,) if operation.body is not None or route.is_write else ()
    ordered = sorted(dict.fromkeys(found), key=lambda known: known.status)
    return {status: list(group) for status, group in groupby(ordered, key=lambda known: known.status)}


def response_name(classes: list[ErrorClass]) -> str:
    """The component's name: the codes, in words."""
    return "Or".join(pascal(known.code) for known in classes)


def response(classes: list[ErrorClass]) -> Json:
    """The response that one of ``classes``, all of one status, is answered with."""
    status = classes[0].status
    headers = {"X-Request-Id": {"$ref": "#/components/headers/XRequestId"}}
    if status in _WAITS:
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    if status == 401:
        headers["WWW-Authenticate"] = {"$ref": "#/components/headers/WWWAuthenticate"}
    one_of = {"properties": {"error": {"properties": {"code": {"enum": [known.code for known in classes]}}}}}
    meanings = "\n".join(f"- `{known.code}`: {first_line(known.__doc__)}" for known in classes)
    return {
        "description": f"{HTTPStatus(status).phrase}\n\n{meanings}",
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {"allOf": [{"$ref": f"{PREFIX}Error"}, one_of]},
                "example": {
                    "error": {
                        "code": classes[0].code,
                        "message": classes[0].default_message,
                        "requestId": "req-0193a6c2b7d47c11a2f4d7f0c5b1e9aa",
                    }
                },
            }
        },
    }
