"""How access is sent (contract, section 9)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from kindgi.access.models import MOST_RETENTION_DAYS
from kindgi.api.operations import Answer, Body, Time

Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Label = Annotated[str, Meta(max_length=200)]
# Python's `$` is before a last line break too, which the end of the pattern rules out.
Slug = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[a-z0-9][a-z0-9_-]*$(?!\n)")]
Description = Annotated[str, Meta(max_length=2000)]
Days = Annotated[int, Meta(ge=1, le=MOST_RETENTION_DAYS)]
Instant = Annotated[datetime, Meta(tz=True)]
ProjectRoleName = Literal["viewer", "editor", "admin", "owner"]
ReviewerRoleName = Literal["standard", "senior", "admin"]
TokenRoleName = Literal["admin", "member"]
PrincipalKind = Literal["user", "service-account"]


class Principal(Body):
    """Whom a token acts for: a person, or a service account."""

    kind: PrincipalKind
    id: str


class WhoamiAnswer(Answer, kw_only=True):
    """The caller, as the server sees them. `scopes` is always empty: roles say what may be done."""

    tenant_id: UUID
    actor: str
    principal: Principal
    user_id: UUID | UnsetType = UNSET
    token_id: UUID | UnsetType = UNSET
    role: TokenRoleName | UnsetType = UNSET
    project_id: UUID | UnsetType = UNSET
    reviewer_role: ReviewerRoleName | UnsetType = UNSET
    scopes: list[str]
    expires_at: Time | UnsetType = UNSET


class ProjectBody(Body):
    """A new project; its slug is in the addresses of its pages."""

    name: Name
    slug: Slug
    description: Description | UnsetType = UNSET


class ProjectPatch(Body):
    """What changes of a project. `retentionDays: null` keeps runs for ever."""

    name: Name | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    blind: bool | UnsetType = UNSET
    retention_days: Days | UnsetType | None = UNSET


class ProjectAnswer(Answer, kw_only=True):
    """A project. While `blind`, reviewers don't see what others said of a run before they said theirs."""

    id: UUID
    tenant_id: UUID
    name: str
    slug: str
    description: str | UnsetType = UNSET
    is_default: bool
    blind: bool
    retention_days: int | UnsetType = UNSET
    created_at: Time
    updated_at: Time


class ProjectDeleted(Answer):
    """The project is gone."""

    project_id: UUID
    deleted: Literal[True] = True


class MembershipBody(Body):
    """A role for a person of the tenant: exactly one of `userId` and `email` names them."""

    role: ProjectRoleName
    user_id: str | UnsetType = UNSET
    email: str | UnsetType = UNSET


class MembershipPatch(Body):
    """The role that replaces the person's."""

    role: ProjectRoleName


class MembershipAnswer(Answer):
    """A person's role in a project."""

    project_id: UUID
    user_id: UUID
    role: ProjectRoleName
    joined_at: Time


class MembershipRemoved(Answer):
    """The person has no role in the project any more."""

    project_id: UUID
    user_id: UUID
    removed: Literal[True] = True


class ProjectGrant(Body, tag_field="kind", tag="project"):
    """A role in a project."""

    project_id: str
    role: ProjectRoleName


class TenantAdminGrant(Body, tag_field="kind", tag="tenant-admin"):
    """Tenant admin: everything in the tenant."""


class ServiceAccountBody(Body):
    """A new service account; its name is unique among the tenant's registered ones."""

    name: Name
    description: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    grants: Annotated[list[ProjectGrant | TenantAdminGrant], Meta(max_length=1000)] | UnsetType = UNSET


class ServiceAccountAnswer(Answer, kw_only=True):
    """A service account. Once unregistered it has no grants, and its tokens don't work."""

    service_account_id: UUID
    name: str
    description: str | UnsetType = UNSET
    grants: list[ProjectGrant | TenantAdminGrant]
    created_by: str | UnsetType = UNSET
    created_at: Time
    unregistered_at: Time | UnsetType = UNSET


class ServiceAccountUnregistered(Answer):
    """The account doesn't act any more."""

    service_account_id: UUID
    unregistered: Literal[True] = True


class TokenBody(Body):
    """A new token, for the caller unless `for` names somebody else."""

    for_: Principal | UnsetType = UNSET
    role: TokenRoleName = "member"
    project_id: str | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    expires_at: Instant | UnsetType = UNSET
    reviewer_role: ReviewerRoleName | UnsetType = UNSET


class TokenAnswer(Answer, kw_only=True):
    """A token without its secret. `capabilities` is always empty: roles say what may be done."""

    token_id: UUID
    principal: Principal
    role: TokenRoleName
    capabilities: list[str]
    label: str | UnsetType = UNSET
    project_id: UUID | UnsetType = UNSET
    reviewer_role: ReviewerRoleName | UnsetType = UNSET
    created_by: str | UnsetType = UNSET
    created_at: Time
    expires_at: Time | UnsetType = UNSET
    revoked_at: Time | UnsetType = UNSET
    last_used_at: Time | UnsetType = UNSET


class MintedAnswer(TokenAnswer, kw_only=True):
    """A new token with its secret, `token`, which is shown this once."""

    token: str


class TokenRevoked(Answer):
    """The token never works again."""

    token_id: UUID
    revoked: Literal[True] = True


class ReviewerBody(Body):
    """A person for the roster; for one who is on it, the role and name that replace theirs."""

    user_id: str
    role: ReviewerRoleName
    display_name: Name | UnsetType = UNSET


class ReviewerAnswer(Answer, kw_only=True):
    """A person on the roster."""

    id: UUID
    tenant_id: UUID
    user_id: UUID
    role: ReviewerRoleName
    display_name: str | UnsetType = UNSET
    created_at: Time
    deactivated_at: Time | UnsetType = UNSET


class ReviewerUnregistered(Answer):
    """The person is off the roster."""

    reviewer_id: UUID
    unregistered: Literal[True] = True
