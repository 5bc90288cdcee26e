"""What makes and revokes API tokens (contract, sections 2 and 9). Nobody mints more than they hold."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime

from kindgi.access import errors
from kindgi.access.callers import REVIEWER_RANK, Caller
from kindgi.access.models import Project, ServiceAccount, Token, TokenRole, User
from kindgi.access.policies import check_tenant_admin
from kindgi.access.selectors import reviewer_role_carried, secret_hash
from kindgi.access.services.constraints import refusing
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.times import now, whole_ms

PREFIX = "kgi_"
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSpec:
    """What a token is to be; ``project`` must be readable by the minter: take it from a selector."""

    role: str = TokenRole.MEMBER
    project: Project | None = None
    label: str = ""
    expires_at: datetime | None = None
    reviewer_role: str = ""


@dataclass(frozen=True, slots=True)
class Minted:
    """A new token and its secret, which is nowhere else and can't be had again."""

    token: Token
    secret: str = field(repr=False)


def token_mint(*, caller: Caller, principal: User | ServiceAccount, spec: TokenSpec) -> Minted:
    """A new token that acts for ``principal``, a live one of the caller's tenant.

    Raises ``PermissionDenied`` when it would hold more than its minter does,
    :class:`TokenExpiryExceedsMinter` when it would outlive it, ``BadInput`` when it has expired already.
    """
    if principal.pk != caller.principal_id:
        check_tenant_admin(caller)
    _check_scope(caller, spec)
    expires_at = _expiry(caller, spec)
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    token = Token(
        tenant_id=caller.tenant_id,
        user=principal if isinstance(principal, User) else None,
        service_account=principal if isinstance(principal, ServiceAccount) else None,
        secret_hash=secret_hash(secret),
        secret_tail=secret[-4:],
        role=spec.role,
        project=spec.project,
        reviewer_role=_reviewer_role(caller, spec),
        label=spec.label,
        created_by=caller.actor,
        expires_at=expires_at,
    )
    with refusing({}):
        token.save(force_insert=True)
    return Minted(token, secret)


def token_revoke(*, caller: Caller, token: Token) -> Token:
    """The token, which never works again; a second time changes nothing.

    Whoever may see a token may revoke it: take it from a selector.
    """
    at = now()
    if Token.objects.filter(pk=token.pk, tenant_id=caller.tenant_id, revoked_at__isnull=True).update(revoked_at=at):
        token.revoked_at = at
    return token


def _check_scope(caller: Caller, spec: TokenSpec) -> None:
    if spec.role == TokenRole.ADMIN and not caller.administers_tenant:
        raise PermissionDenied("Only a tenant admin mints admin tokens.")
    if caller.project_id is not None and (spec.project is None or spec.project.pk != caller.project_id):
        raise PermissionDenied(
            "A token that is narrowed to a project mints only tokens narrowed to it: name projectId."
        )


def _expiry(caller: Caller, spec: TokenSpec) -> datetime | None:
    try:
        expires_at = whole_ms(spec.expires_at) if spec.expires_at else None
    except OverflowError:
        raise BadInput("expiresAt must lie in the years 1 to 9999, in UTC.", details={"path": "/expiresAt"}) from None
    if expires_at is not None and expires_at <= now():
        raise BadInput("expiresAt must be in the future.", details={"path": "/expiresAt"})
    if caller.expires_at is not None and (expires_at is None or expires_at > caller.expires_at):
        raise errors.TokenExpiryExceedsMinter
    return expires_at


def _reviewer_role(caller: Caller, spec: TokenSpec) -> str:
    """The reviewer role to store; empty leaves it to the roster.

    A token that carries a role of its own, which may be below its principal's on the roster, hands it on.
    """
    if caller.administers_tenant:
        return spec.reviewer_role
    if not spec.reviewer_role:
        return reviewer_role_carried(caller)
    if REVIEWER_RANK[spec.reviewer_role] > REVIEWER_RANK.get(caller.reviewer_role or "", -1):
        raise PermissionDenied("Only a tenant admin mints a token with a reviewer role above their own.")
    return spec.reviewer_role
