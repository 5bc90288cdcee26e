"""Bearer tokens (contract, section 2). How a token becomes a caller is registered by the app that knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from kindgi.api.errors import AuthMissing


class Caller(Protocol):
    """What the conventions need to know of whoever asks."""

    @property
    def tenant_id(self) -> UUID:
        """The tenant that the caller belongs to."""

    @property
    def key(self) -> str:
        """Who it is, the same for ever: ``user:<id>`` or ``service:<token id>``."""


class TokenResolver:
    """A named hook: one function from a token's secret to its caller."""

    def __init__(self) -> None:
        """Start without a function; the app that knows tokens registers one."""
        self._resolve: Callable[[str], Caller] | None = None

    def register(self, resolve: Callable[[str], Caller]) -> None:
        """Use ``resolve``, which raises ``AuthMissing``, ``AuthExpired`` or ``AuthRevoked``."""
        self._resolve = resolve

    def __call__(self, secret: str) -> Caller:
        """The caller that ``secret`` stands for; a connection that went stale is opened anew once."""
        if self._resolve is None:
            raise AuthMissing
        try:
            return self._resolve(secret)
        except (OperationalError, InterfaceError):
            # The first statement of a request: nothing has been done yet, so that a connection
            # that the database dropped while it was idle can be replaced without anyone noticing.
            if connection.in_atomic_block:
                raise
            connection.close()
            return self._resolve(secret)


token_resolver = TokenResolver()


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer <token>``, and nothing else: no session and no cookie opens /v1."""

    def authenticate(self, request: Request) -> tuple[Any, None]:
        """The caller, as ``request.user``; raises what section 2 says otherwise."""
        scheme, _, secret = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret:
            raise AuthMissing
        return token_resolver(secret), None

    def authenticate_header(self, request: Request) -> str:
        """What a 401 names in ``WWW-Authenticate``."""
        return "Bearer"
