"""The base of every /v1 endpoint: order of checks, one transaction a write, idempotency."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kindgi.api import idempotency
from kindgi.api.answers import AlwaysJSON, JSONRenderer, as_api_error, error_response
from kindgi.api.auth import BearerAuthentication, Caller
from kindgi.api.bodies import check_media_type, read_body
from kindgi.api.errors import ApiError, BadInput, IdempotencyStoreUnavailable, MethodNotAllowed, RouteNotFound
from kindgi.api.filters import check_parameters
from kindgi.api.jsontext import decode
from kindgi.api.operations import Body, Operation

_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_LANGUAGE = "en"


class Endpoint(APIView):
    """One path; its handlers are marked with :func:`kindgi.api.operations.operation`. It answers in English.

    The order of a request is the contract's: body size, auth, JSON, shape, then whatever the
    handler's domain function checks. A write runs in one transaction, which the handler joins;
    what only waits for others (``waits``) runs in none.
    """

    authentication_classes = (BearerAuthentication,)
    permission_classes = ()
    throttle_classes = ()
    parser_classes = ()
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = AlwaysJSON
    metadata_class = None
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]  # noqa: RUF012 - as Django declares it

    raw_body: bytes = b""
    subject_id: UUID | None = None
    # Set by an operation with a ``secret`` where this answer carries none: it is kept like any other.
    is_without_secret = False

    def begin(self, request: Request, key_hash: bytes | None, *args: Any, **kwargs: Any) -> None:
        """What an operation that ``begins`` something does first, in a transaction of its own.

        So others see it, and work on it while the handler waits for what comes of it. ``key_hash``
        is the Idempotency-Key's: with one that was used before, this must begin nothing new, since
        the first request may have been killed before it could answer.
        """
        raise NotImplementedError

    def caller_of(self, request: Request) -> Any:
        """Whoever asks; the app's endpoints narrow the type."""
        return request.user

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer one request."""
        translation.activate(_LANGUAGE)  # a thread keeps the language of the last page that it served
        self.args, self.kwargs, self.headers = args, kwargs, {}
        self.format_kwarg = None
        framed = self.request = self.initialize_request(request, *args, **kwargs)
        try:
            operation, handler = self._handler(request)
            self.raw_body = read_body(request)
            self._authenticate(framed, operation)
            _check_text(request, kwargs)
            response = self._run(framed, operation, handler)
        except Exception as error:
            response = error_response(as_api_error(error), getattr(request, "request_id", ""))
        return self._finished(framed, response)

    def body(self, kind: type[Any]) -> Any:
        """The request's body as ``kind``; raises 415 and 400."""
        operation: Operation = self._handler(self.request._request)[0]
        if not self.raw_body and not operation.body_required:
            return decode(b"{}", kind)
        return decode(self.checked_body(), kind)

    def checked_body(self) -> bytes:
        """The request's body as it came, once its media type is one that the operation takes."""
        operation = self._handler(self.request._request)[0]
        check_media_type(self.request._request, operation.media_types)
        return self.raw_body

    def _check_sent(self, request: Request, operation: Operation) -> None:
        """Refuse what the operation doesn't take."""
        if operation.filters is None and not operation.paged:
            check_parameters(request.GET, {name for name, _ in operation.params})
        if operation.body is None and self.raw_body and request.method in _WRITES:
            decode(self.checked_body(), Body)

    def _handler(self, request: HttpRequest) -> tuple[Operation, Callable[..., Any]]:
        method = "get" if request.method == "HEAD" else (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            self.headers = {"Allow": ", ".join(self.allowed_methods)}
            raise MethodNotAllowed
        return handler.operation, handler

    def _authenticate(self, request: Request, operation: Operation) -> None:
        if operation.public:
            return
        try:
            self.perform_authentication(request)
        except (OperationalError, InterfaceError):
            if _idempotency_key(request) is None:
                raise
            raise IdempotencyStoreUnavailable(retry_after=1) from None

    def _run(self, request: Request, operation: Operation, handler: Callable[..., Any]) -> Any:
        if request.method not in _WRITES or operation.waits:
            self._check_sent(request, operation)
            return handler(request, *self.args, **self.kwargs)
        key = _idempotency_key(request)
        if key is not None:
            return self._run_once(request, operation, handler, key)
        self._begin(request, operation, None)
        with transaction.atomic():
            self._check_sent(request, operation)
            return handler(request, *self.args, **self.kwargs)

    def _begin(self, request: Request, operation: Operation, key_hash: bytes | None) -> None:
        if operation.begins:
            self._check_sent(request, operation)
            with transaction.atomic():
                self.begin(request, key_hash, *self.args, **self.kwargs)

    def _run_once(self, request: Request, operation: Operation, handler: Callable[..., Any], key: str) -> Any:
        """Run the write under its Idempotency-Key, or answer what its first run answered."""
        caller: Caller = self.caller_of(request)
        key_hash = idempotency.key_hash(
            tenant_id=caller.tenant_id,
            caller=caller.key,
            method=request.method or "",
            path=request.path,
            key=key,
        )
        held = idempotency.take(key_hash=key_hash, tenant_id=caller.tenant_id, body=self.raw_body)
        if isinstance(held, idempotency.KeptAnswer):
            return held.response()
        try:
            self._begin(request, operation, key_hash)
            with transaction.atomic():
                idempotency.lock(held)
                self._check_sent(request, operation)
                response = self._finished(request, handler(request, *self.args, **self.kwargs))
                secret = operation.secret and not self.is_without_secret
                idempotency.keep(held, response, secret=secret, subject_id=self.subject_id)
        except BaseException:
            idempotency.give_back(held)
            raise
        return response

    def _finished(self, request: Request, response: Any) -> HttpResponse:
        """``response`` rendered, once: what is kept is what is sent."""
        if isinstance(response, Response) and not response.is_rendered:
            response = self.finalize_response(request, response)
            response.render()
        finished: HttpResponse = response
        return finished


class NoSuchRoute(Endpoint):
    """Every path under /v1 that no endpoint has."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """404, whatever the method."""
        framed = self.initialize_request(request, *args, **kwargs)
        self.headers = {}
        refused: ApiError = RouteNotFound()
        return self._finished(framed, error_response(refused, getattr(request, "request_id", "")))


def _idempotency_key(request: Request) -> str | None:
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None or request.method not in _WRITES:
        return None
    if not key.strip():
        raise BadInput("Idempotency-Key must have at least one character.")
    return str(key)


def _check_text(request: HttpRequest, kwargs: Mapping[str, Any]) -> None:
    """A NUL in a path or a query can be in nothing that is stored, and text columns refuse it."""
    if any("\0" in str(value) for value in kwargs.values()):
        raise RouteNotFound
    for name, values in request.GET.lists():
        if "\0" in name or any("\0" in value for value in values):
            raise BadInput(f"The query parameter {name!r} can't hold a NUL.")
