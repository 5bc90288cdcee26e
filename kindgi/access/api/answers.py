"""Rows of access as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType

from kindgi.access.api import schemas
from kindgi.access.callers import Caller
from kindgi.access.models import Membership, Project, Reviewer, ServiceAccount, Token
from kindgi.api.times import wire


def whoami_answer(caller: Caller) -> schemas.WhoamiAnswer:
    """The caller; `role` is the token's ceiling."""
    is_user = caller.kind == "user"
    return schemas.WhoamiAnswer(
        tenant_id=caller.tenant_id,
        actor=caller.actor,
        principal=schemas.Principal(kind="user" if is_user else "service-account", id=str(caller.principal_id)),
        user_id=caller.principal_id if is_user else UNSET,
        token_id=caller.token_id or UNSET,
        role=_named(caller.token_role),
        project_id=caller.project_id or UNSET,
        reviewer_role=_named(caller.reviewer_role),
        scopes=[],
        expires_at=_time(caller.expires_at),
    )


def project_answer(project: Project) -> schemas.ProjectAnswer:
    """A project."""
    return schemas.ProjectAnswer(
        id=project.pk,
        tenant_id=project.tenant_id,
        name=project.name,
        slug=project.slug,
        description=project.description or UNSET,
        is_default=project.is_default,
        blind=project.blind,
        retention_days=UNSET if project.retention_days is None else project.retention_days,
        created_at=wire(project.created_at),
        updated_at=wire(project.updated_at),
    )


def membership_answer(membership: Membership) -> schemas.MembershipAnswer:
    """A person's role in a project."""
    return schemas.MembershipAnswer(
        project_id=membership.project_id,
        user_id=membership.user_id,
        role=_named(membership.role),
        joined_at=wire(membership.created_at),
    )


def service_account_answer(account: ServiceAccount) -> schemas.ServiceAccountAnswer:
    """A service account with its grants, which must have been fetched with it."""
    grants: list[schemas.ProjectGrant | schemas.TenantAdminGrant] = [
        schemas.ProjectGrant(project_id=str(grant.project_id), role=_named(grant.role))
        for grant in account.grants.all()
    ]
    if account.is_tenant_admin:
        grants.insert(0, schemas.TenantAdminGrant())
    return schemas.ServiceAccountAnswer(
        service_account_id=account.pk,
        name=account.name,
        description=account.description or UNSET,
        grants=grants,
        created_by=account.created_by or UNSET,
        created_at=wire(account.created_at),
        unregistered_at=_time(account.unregistered_at),
    )


def token_answer(token: Token) -> schemas.TokenAnswer:
    """A token, never its secret."""
    return schemas.TokenAnswer(**_token_fields(token))


def minted_answer(token: Token, *, secret: str) -> schemas.MintedAnswer:
    """A new token with its secret."""
    return schemas.MintedAnswer(**_token_fields(token), token=secret)


def reviewer_answer(reviewer: Reviewer) -> schemas.ReviewerAnswer:
    """A person on the roster."""
    return schemas.ReviewerAnswer(
        id=reviewer.pk,
        tenant_id=reviewer.tenant_id,
        user_id=reviewer.user_id,
        role=_named(reviewer.role),
        display_name=reviewer.display_name or UNSET,
        created_at=wire(reviewer.created_at),
        deactivated_at=_time(reviewer.deactivated_at),
    )


def _token_fields(token: Token) -> dict[str, Any]:
    is_user = token.user_id is not None
    principal_id = str(token.user_id or token.service_account_id)
    return {
        "token_id": token.pk,
        "principal": schemas.Principal(kind="user" if is_user else "service-account", id=principal_id),
        "role": token.role,
        "capabilities": [],
        "label": token.label or UNSET,
        "project_id": token.project_id or UNSET,
        "reviewer_role": _named(token.reviewer_role),
        "created_by": token.created_by or UNSET,
        "created_at": wire(token.created_at),
        "expires_at": _time(token.expires_at),
        "revoked_at": _time(token.revoked_at),
        "last_used_at": _time(token.last_used_at),
    }


def _time(at: datetime | None) -> str | UnsetType:
    return UNSET if at is None else wire(at)


def _named(choice: str | None) -> Any:
    """A choice of a model, which the schema spells as a ``Literal``; left out where there is none."""
    return choice or UNSET
