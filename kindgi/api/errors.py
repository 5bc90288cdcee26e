"""Every error that /v1 answers with is an :class:`ApiError` (contract, section 2).

A subclass sets its ``code`` and ``status``; domain functions raise it, and
:mod:`kindgi.api.answers` turns it into ``{"error": {code, message, details?, requestId}}``.
"""

from __future__ import annotations

from typing import Any, ClassVar


class ApiError(Exception):
    """A refusal with a stable code. ``message`` is a sentence for the person who reads it."""

    code: ClassVar[str]
    status: ClassVar[int]
    default_message: ClassVar[str] = "The request could not be carried out."

    def __init__(
        self,
        message: str | None = None,
        *,
        details: dict[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        """Make the refusal; ``retry_after`` is in whole seconds and becomes ``Retry-After``."""
        self.message = message or self.default_message
        self.details = details
        self.retry_after = retry_after
        super().__init__(self.message)


class NotFound(ApiError):
    """Something that doesn't exist, or that the caller may not read, which is the same answer."""

    status = 404


class Conflict(ApiError):
    """The state that the request assumes is not the state that is."""

    status = 409


class BadInput(ApiError):
    """The request itself is malformed; the message names what."""

    code, status = "bad-input", 400
    default_message = "The request is malformed."


class AuthMissing(ApiError):
    """No bearer token, or one that nobody was given."""

    code, status = "auth-missing", 401
    default_message = "A valid bearer token is needed: send it as 'Authorization: Bearer <token>'."


class AuthExpired(ApiError):
    """The token was good once."""

    code, status = "auth-expired", 401
    default_message = "The bearer token has expired."


class AuthRevoked(ApiError):
    """The token, or whom it acts for, was taken back."""

    code, status = "auth-revoked", 401
    default_message = "The bearer token has been revoked."


class PermissionDenied(ApiError):
    """The caller may read the thing but not do this to it."""

    code, status = "permission-denied", 403
    default_message = "You may not do this."


class RouteNotFound(NotFound):
    """No endpoint has this path."""

    code = "route-not-found"
    default_message = "There's nothing at this path."


class MethodNotAllowed(ApiError):
    """The path exists, the method there doesn't."""

    code, status = "method-not-allowed", 405
    default_message = "This path doesn't take that method."


class RequestTooLarge(ApiError):
    """The body is over the limit; ``details.maxBytes`` is the limit in bytes."""

    code, status = "request-too-large", 413

    def __init__(self, max_bytes: int) -> None:
        """Refuse a body of more than ``max_bytes`` bytes."""
        super().__init__(f"The request body is over {max_bytes} bytes.", details={"maxBytes": max_bytes})


class UnsupportedMediaType(ApiError):
    """The body is not in a form that the endpoint reads."""

    code, status = "unsupported-media-type", 415
    default_message = "Send the body as application/json."


class LockTimeout(Conflict):
    """Others hold what the request needs; nothing changed, the same request can be sent again."""

    code = "lock-timeout"
    default_message = "Others are changing the same thing right now. Nothing was changed; try again."


class InternalError(ApiError):
    """An unhandled exception: logged with its traceback, never shown."""

    code, status = "internal-error", 500
    default_message = "Something went wrong on the server. The request id helps to find it in its log."


class ServiceUnavailable(ApiError):
    """The database can't be reached; nothing was changed."""

    code, status = "service-unavailable", 503
    default_message = "The service can't reach its database. Nothing was changed; try again."


class IdempotencyKeyBodyMismatch(Conflict):
    """The key was used for another body."""

    code = "idempotency-key-body-mismatch"
    default_message = "This Idempotency-Key was already used with another body."


class IdempotencyKeyInFlight(Conflict):
    """The first request with the key still runs."""

    code = "idempotency-key-in-flight"
    default_message = "The first request with this Idempotency-Key is still running."


class IdempotencyKeyReplayWithheld(Conflict):
    """The first answer isn't kept; ``details`` has its ``status`` and ``at``."""

    code = "idempotency-key-replay-withheld"
    default_message = "The first request with this Idempotency-Key succeeded, but its answer isn't kept."


class IdempotencyStoreUnavailable(ApiError):
    """The key store can't be read, so nothing ran."""

    code, status = "idempotency-store-unavailable", 503
    default_message = "The Idempotency-Key store can't be read, so nothing ran. Retry with the same key."


def error_classes(base: type[ApiError] = ApiError) -> list[type[ApiError]]:
    """Every concrete error, in the order in which they are defined."""
    found: list[type[ApiError]] = []
    for cls in base.__subclasses__():
        if "code" in cls.__dict__:
            found.append(cls)
        found += error_classes(cls)
    return found
