"""Who acts: one value that every domain function and policy takes (contract, section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from kindgi.access.models import ProjectRole, ReviewerRole, TokenRole

_RANK = {role: rank for rank, role in enumerate(ProjectRole.values)}
REVIEWER_RANK = {role: rank for rank, role in enumerate(ReviewerRole.values)}
OPERATOR_ID = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A person or a service that asks, with all that policies need, so that they ask no database.

    ``id`` is what ``madeBy`` names: a user's id, or a service's token's. ``token_role`` is
    ``None`` for a person in the console. ``project_id`` is set when a token is narrowed to one
    project; ``project_roles`` are the roles given by name, ``is_tenant_admin`` the principal's.
    """

    tenant_id: UUID
    kind: Literal["user", "service"]
    id: UUID
    principal_id: UUID
    is_tenant_admin: bool = False
    project_roles: Mapping[UUID, str] = field(default_factory=dict)
    token_id: UUID | None = None
    token_role: str | None = None
    project_id: UUID | None = None
    reviewer_role: str | None = None
    expires_at: datetime | None = None

    @property
    def key(self) -> str:
        """Who it is, as idempotency keys are scoped: what a narrowed token may not read, it is not replayed."""
        return f"{self.kind}:{self.id}" + (f"@{self.project_id}" if self.project_id else "")

    @property
    def actor(self) -> str:
        """``user:<id>`` or ``service_account:<id>``; empty for the operator."""
        if self.principal_id == OPERATOR_ID:
            return ""
        return f"{'user' if self.kind == 'user' else 'service_account'}:{self.principal_id}"

    @property
    def administers_tenant(self) -> bool:
        """Whether tenant-wide actions are open: never to a member token or one narrowed to a project."""
        return self.is_tenant_admin and self.token_role != TokenRole.MEMBER and self.project_id is None

    @property
    def sees_every_project(self) -> bool:
        """Whether the tenant's projects are all open, a tenant admin's ``member`` token included."""
        return self.is_tenant_admin and self.project_id is None

    def role_in(self, project_id: UUID) -> str | None:
        """The role in a project of the caller's tenant, or ``None`` when it doesn't exist for the caller."""
        if self.project_id is not None and self.project_id != project_id:
            return None
        if self.is_tenant_admin:
            return ProjectRole.OWNER
        return self.project_roles.get(project_id)

    def has_role(self, project_id: UUID, least: str) -> bool:
        """Whether the role in the project is ``least`` or above."""
        role = self.role_in(project_id)
        return role is not None and _RANK[role] >= _RANK[least]

    def readable_project_ids(self) -> list[UUID]:
        """The projects that the caller may read by name; unused when ``sees_every_project``."""
        if self.project_id is None:
            return list(self.project_roles)
        return [self.project_id] if self.role_in(self.project_id) else []

    def roles_up_to_own(self, project_id: UUID) -> list[str]:
        """The roles in the project that the caller may give and take: none above their own."""
        role = self.role_in(project_id)
        return [] if role is None else [given for given in ProjectRole.values if _RANK[given] <= _RANK[role]]


def operator_in(tenant_id: UUID) -> Caller:
    """Whoever runs commands on the server: they may do everything in the tenant, and are nobody of it."""
    return Caller(tenant_id=tenant_id, kind="user", id=OPERATOR_ID, principal_id=OPERATOR_ID, is_tenant_admin=True)
