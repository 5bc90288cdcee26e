"""What tests stand on: tenants, people and tokens, made through the services, and a client of /v1."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from typing import Any

from django.test import Client
from django.test.client import ClientHandler

from kindgi.access.callers import Caller, operator_in
from kindgi.access.models import Project, ServiceAccount, Tenant, Token, User
from kindgi.access.selectors import caller_by_token, caller_for_user
from kindgi.access.services.memberships import membership_add
from kindgi.access.services.projects import project_create
from kindgi.access.services.reviewers import reviewer_register
from kindgi.access.services.service_accounts import service_account_create
from kindgi.access.services.tenants import tenant_create, user_create
from kindgi.access.services.tokens import Minted, TokenSpec, token_mint
from kindgi.api.times import now

_number = itertools.count(1)
# One for all clients: building the middleware takes longer than a request.
_handler = ClientHandler(enforce_csrf_checks=False)


def make_tenant(slug: str | None = None, *, name: str | None = None) -> Tenant:
    """A tenant with its default project."""
    slug = slug or f"tenant-{next(_number)}"
    return tenant_create(name=name or slug.title(), slug=slug)


def default_project(tenant: Tenant) -> Project:
    """The project that the tenant was made with."""
    return Project.objects.get(tenant=tenant, is_default=True)


def make_project(tenant: Tenant, slug: str | None = None, *, name: str | None = None) -> Project:
    """A project beside the default one."""
    slug = slug or f"project-{next(_number)}"
    return project_create(caller=operator_in(tenant.pk), name=name or slug.title(), slug=slug)


def make_user(
    tenant: Tenant,
    role: str | None = None,
    *,
    project: Project | None = None,
    admin: bool = False,
    reviewer: str | None = None,
    **fields: Any,
) -> User:
    """A person, with ``role`` in ``project`` (or the default one); ``fields`` as ``user_create`` takes them."""
    fields.setdefault("email", f"person-{next(_number)}@example.com")
    user = user_create(tenant=tenant, is_tenant_admin=admin, **fields)
    operator = operator_in(tenant.pk)
    if role is not None:
        membership_add(caller=operator, project=project or default_project(tenant), user=user, role=role)
    if reviewer is not None:
        reviewer_register(caller=operator, user=user, role=reviewer)
    return user


def make_service_account(
    tenant: Tenant, role: str | None = None, *, project: Project | None = None, admin: bool = False, name: str = ""
) -> ServiceAccount:
    """A service account, with ``role`` in ``project`` (or the default one)."""
    return service_account_create(
        caller=operator_in(tenant.pk),
        name=name or f"service-{next(_number)}",
        is_tenant_admin=admin,
        roles={project or default_project(tenant): role} if role else None,
    )


def mint(principal: User | ServiceAccount, role: str | None = None, **spec: Any) -> Minted:
    """A token with its row: ``admin`` for tenant admins unless ``role`` says else; ``spec`` as TokenSpec has it."""
    assert principal.tenant_id is not None
    role = role or ("admin" if principal.is_tenant_admin else "member")
    return token_mint(caller=operator_in(principal.tenant_id), principal=principal, spec=TokenSpec(role=role, **spec))


def make_token(principal: User | ServiceAccount, role: str | None = None, *, expired: bool = False, **spec: Any) -> str:
    """The secret of a token that acts for ``principal``."""
    minted = mint(principal, role, **spec)
    if expired:
        Token.objects.filter(pk=minted.token.pk).update(expires_at=now() - timedelta(seconds=1))
    return minted.secret


def make_caller(principal: User | ServiceAccount | Tenant, role: str | None = None, **fields: Any) -> Caller:
    """Whom domain functions take.

    For a tenant: a new person of it with ``role`` in its default project (``fields`` as ``make_user`` takes
    them), or a tenant admin when there is none. For a user: as signed in. For a service account: by a new token.
    """
    if isinstance(principal, Tenant):
        principal = make_user(principal, role, **{"admin": role is None, **fields})
    if isinstance(principal, User):
        return caller_for_user(principal)
    return caller_by_token(make_token(principal, role, **fields))


class Api:
    """A client of /v1 that sends its token and JSON, and returns Django's response (``.status_code``, ``.json()``)."""

    def __init__(self, secret: str | None = None) -> None:
        self.secret = secret
        self.client = Client(raise_request_exception=False)
        self.client.handler = _handler

    @classmethod
    def of(cls, principal: User | ServiceAccount, role: str | None = None, **spec: Any) -> Api:
        """The client of a principal, by a new token."""
        return cls(make_token(principal, role, **spec))

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, query=query)

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.request("POST", path, body, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.request("PUT", path, body, **options)

    def patch(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.request("PATCH", path, body, **options)

    def delete(self, path: str, **options: Any) -> Any:
        return self.request("DELETE", path, **options)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Any:
        """``body`` as JSON (bytes go as they are; ``None`` is no body), ``key`` as Idempotency-Key."""
        sent = {"Authorization": f"Bearer {self.secret}"} if self.secret is not None else {}
        sent |= {"Idempotency-Key": key} if key is not None else {}
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.client.generic(
            method,
            path if path.startswith("/") else f"/v1/{path}",
            data,
            content_type=content_type,
            query_params=query,
            headers={**sent, **(headers or {})},
        )

    def ok(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The answer's JSON, where the request must succeed."""
        response = self.request(method, path, body, **options)
        assert response.status_code < 300, f"{method} {path}: {response.status_code} {response.content!r}"
        return response.json()

    def refused(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, str]:
        """The answer's status and error code, where the request must fail."""
        response = self.request(method, path, body, **options)
        assert response.status_code >= 400, f"{method} {path}: {response.status_code} {response.content!r}"
        return response.status_code, response.json()["error"]["code"]


def browser(user: User | None = None) -> Client:
    """A browser, signed in as ``user``."""
    client = Client()
    client.handler = _handler
    if user is not None:
        client.force_login(user)
    return client
