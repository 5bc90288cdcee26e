"""What reads access: tokens to callers, projects, people."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from django.db.models import PROTECT, Exists, ManyToOneRel, OuterRef, Q, QuerySet

from kindgi.access import errors
from kindgi.access.callers import Caller
from kindgi.access.models import Membership, Project, ProjectRole, Reviewer, ServiceAccount, Tenant, Token, User
from kindgi.access.policies import can_read, check_tenant_admin
from kindgi.api.errors import AuthExpired, AuthMissing, AuthRevoked
from kindgi.api.ids import parse_id
from kindgi.sql import fetch

# One statement finds the token with its principal, roles and roster entry, and notes once a
# minute that it was used. It is written out because it runs before every request to /v1.
_BY_HASH = """
WITH found AS (
    SELECT token.*,
           coalesce(token.expires_at <= clock_timestamp(), false) AS is_expired,
           token.revoked_at IS NOT NULL
               OR NOT coalesce(person.is_active, account.unregistered_at IS NULL) AS is_revoked,
           coalesce(person.is_tenant_admin, account.is_tenant_admin) AS is_tenant_admin
    FROM access_token AS token
    LEFT JOIN access_user AS person ON person.id = token.user_id
    LEFT JOIN access_serviceaccount AS account ON account.id = token.service_account_id
    WHERE token.secret_hash = %s
), used AS (
    UPDATE access_token AS token SET last_used_at = clock_timestamp()
    FROM found
    WHERE token.id = found.id AND NOT found.is_expired AND NOT found.is_revoked
      AND (token.last_used_at IS NULL OR token.last_used_at < clock_timestamp() - interval '1 minute')
)
SELECT found.id, found.tenant_id, found.user_id, found.service_account_id, found.role, found.project_id,
       coalesce(nullif(found.reviewer_role, ''), roster.role),
       found.expires_at, found.is_expired, found.is_revoked, found.is_tenant_admin,
       CASE WHEN found.user_id IS NOT NULL
            THEN ARRAY(SELECT project_id::text || role FROM access_membership WHERE user_id = found.user_id)
            ELSE ARRAY(SELECT project_id::text || role FROM access_serviceaccountgrant
                       WHERE service_account_id = found.service_account_id)
       END
FROM found
LEFT JOIN access_reviewer AS roster
       ON roster.user_id = found.user_id AND roster.tenant_id = found.tenant_id AND roster.deactivated_at IS NULL
"""

# The same of a person who is signed in: their session found them, and only what they may do is left to read.
_ROLES_OF_USER = """
SELECT (SELECT role FROM access_reviewer WHERE user_id = %s AND tenant_id = %s AND deactivated_at IS NULL),
       ARRAY(SELECT project_id::text || role FROM access_membership WHERE user_id = %s)
"""

# Labels as str() of a user and of an account has them.
_NAMED = """
SELECT 'user:' || id, coalesce(nullif(display_name, ''), email) FROM access_user
WHERE tenant_id = %s AND id = ANY(%s)
UNION ALL
SELECT 'service_account:' || id, name FROM access_serviceaccount
WHERE tenant_id = %s AND id = ANY(%s)
"""

_MOST_TO_SWITCH = 100


class _TokenRow(NamedTuple):
    id: UUID
    tenant_id: UUID
    user_id: UUID | None
    service_account_id: UUID | None
    role: str
    project_id: UUID | None
    reviewer_role: str | None
    expires_at: datetime | None
    is_expired: bool
    is_revoked: bool
    is_tenant_admin: bool
    roles: list[str]


def secret_hash(secret: str) -> bytes:
    """What a secret is stored and looked up as. It is 256 random bits, so that one round is enough."""
    return sha256(secret.encode("utf-8", "surrogateescape")).digest()


def caller_by_token(secret: str) -> Caller:
    """Whom ``secret`` stands for, in one statement, the same for known and unknown secrets.

    Raises :class:`AuthMissing`, :class:`AuthRevoked` or :class:`AuthExpired`.
    """
    found = fetch(_BY_HASH, [secret_hash(secret)])
    if not found:
        raise AuthMissing
    row = _TokenRow(*found[0])
    if row.is_revoked:
        raise AuthRevoked
    if row.is_expired:
        raise AuthExpired
    return Caller(
        tenant_id=row.tenant_id,
        kind="user" if row.user_id else "service",
        id=row.user_id or row.id,
        principal_id=row.user_id or row.service_account_id or row.id,
        is_tenant_admin=row.is_tenant_admin,
        project_roles=_project_roles(row.roles),
        token_id=row.id,
        token_role=row.role,
        project_id=row.project_id,
        reviewer_role=row.reviewer_role,
        expires_at=row.expires_at,
    )


def caller_for_user(user: User) -> Caller:
    """A signed-in person as a caller, in one statement: nothing narrows them but their own roles."""
    if user.tenant_id is None:
        raise AuthMissing("This person belongs to no tenant.")
    [(reviewer_role, roles)] = fetch(_ROLES_OF_USER, [user.pk, user.tenant_id, user.pk])
    return Caller(
        tenant_id=user.tenant_id,
        kind="user",
        id=user.pk,
        principal_id=user.pk,
        is_tenant_admin=user.is_tenant_admin,
        project_roles=_project_roles(roles),
        reviewer_role=reviewer_role,
    )


def _project_roles(entries: list[str]) -> dict[UUID, str]:
    """Roles by project, from entries of a project's id and the role right after it."""
    return {UUID(entry[:36]): entry[36:] for entry in entries}


def tenant_by_slug(slug: str) -> Tenant:
    """A tenant, for whoever runs the installation; raises :class:`TenantNotFound`."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise errors.TenantNotFound(f"There's no tenant {slug!r}.")
    return tenant


def project_by_slug(*, tenant_id: UUID, slug: str) -> Project:
    """A project of the tenant, whoever may read it; raises :class:`ProjectNotFound`."""
    project = Project.objects.filter(tenant_id=tenant_id, slug=slug).first()
    if project is None:
        raise errors.ProjectNotFound(f"There's no project {slug!r} in the tenant.")
    return project


def projects_readable(caller: Caller) -> QuerySet[Project]:
    """The projects of the caller's tenant that they may read."""
    projects = Project.objects.filter(tenant_id=caller.tenant_id)
    return projects if caller.sees_every_project else projects.filter(pk__in=caller.readable_project_ids())


def project_get(*, caller: Caller, project_id: str) -> Project:
    """A readable project by the id that a client spells; raises :class:`ProjectNotFound`."""
    parsed = parse_id(project_id)
    project = projects_readable(caller).filter(pk=parsed).first() if parsed else None
    if project is None or not can_read(caller, project.pk):
        raise errors.ProjectNotFound
    return project


def projects_by_id(*, caller: Caller, project_ids: Collection[str]) -> dict[str, Project]:
    """Readable projects by their ids in lower case; raises :class:`ProjectNotFound` when one of them isn't any."""
    parsed = [pk for pk in map(parse_id, project_ids) if pk]
    found = {str(project.pk): project for project in projects_readable(caller).filter(pk__in=parsed)}
    if len(found) != len(project_ids):
        raise errors.ProjectNotFound
    return found


def project_default(caller: Caller) -> Project:
    """The tenant's default project, or the one that the token is narrowed to."""
    if caller.project_id is not None:
        return project_get(caller=caller, project_id=str(caller.project_id))
    project = projects_readable(caller).filter(is_default=True).first()
    if project is None:
        raise errors.ProjectNotFound("The tenant has no default project that you may read.")
    return project


def project_default_id(caller: Caller) -> UUID | None:
    """The id of :func:`project_default`, or ``None`` where there is none; at most one statement."""
    if caller.project_id is not None:
        return caller.project_id if can_read(caller, caller.project_id) else None
    return projects_readable(caller).filter(is_default=True).values_list("pk", flat=True).first()


def projects_to_switch(caller: Caller, current_slug: str) -> list[Project]:
    """Where the caller may go: their first 100 projects by name, and the current one wherever it is among them.

    In one statement. What the caller may not read isn't there, the current one included.
    """
    readable = projects_readable(caller)
    first = readable.order_by("name", "id")[:_MOST_TO_SWITCH]
    return list(first.union(readable.filter(slug=current_slug)).order_by("name", "id"))


def projects_found(*, caller: Caller, text: str, first: Collection[UUID], offset: int, limit: int) -> list[Project]:
    """The readable projects by name, those of ``first`` before the others: ``limit`` of them after ``offset``.

    ``text`` is anywhere in their name or slug, in any case; empty for all of them.
    """
    projects = projects_readable(caller)
    if text := text.strip().replace("\0", ""):
        projects = projects.filter(Q(name__icontains=text) | Q(slug__icontains=text))
    order = ["name", "id"]
    if first:  # of nothing it would be a condition that no row can meet
        projects, order = projects.alias(is_first=Q(pk__in=list(first))), ["-is_first", *order]
    return list(projects.order_by(*order)[offset : offset + limit])


def content_relations() -> list[ManyToOneRel]:
    """By what a project is held: whatever other apps keep in one and protect from its deletion."""
    related: list[ManyToOneRel] = Project._meta.related_objects  # type: ignore[assignment]
    return [relation for relation in related if relation.on_delete is PROTECT]


def project_holds_content(project: Project) -> bool:
    """Whether there is anything that keeps the project from being deleted; looks at one row of each kind."""
    return any(
        relation.related_model._base_manager.filter(**{relation.field.name: project}).exists()
        for relation in content_relations()
    )


def memberships_of(project: Project) -> QuerySet[Membership]:
    """The people of a project."""
    return Membership.objects.filter(project=project).select_related("user")


def members_of(project: Project) -> list[Membership]:
    """The people of a project by what they are called, those who have left too; one statement."""
    return sorted(memberships_of(project), key=lambda one: (str(one.user).casefold(), one.user.email))


def membership_get(*, project: Project, user_id: str) -> Membership:
    """One person's membership; raises :class:`MembershipNotFound`."""
    parsed = parse_id(user_id)
    found = memberships_of(project).filter(user_id=parsed).first() if parsed else None
    if found is None:
        raise errors.MembershipNotFound
    return found


def user_get(*, tenant_id: UUID, user_id: str | None = None, email: str | None = None) -> User:
    """An active person of the tenant, by id or by email; raises :class:`UserNotFound`."""
    parsed = parse_id(user_id or "")
    named = User.objects.filter(pk=parsed) if parsed else User.objects.by_email(email or "")
    found = named.filter(tenant_id=tenant_id, is_active=True).first() if email or parsed else None
    if found is None:
        raise errors.UserNotFound
    return found


def users_to_add(*, project: Project, text: str, limit: int) -> list[User]:
    """Active people of the project's tenant who have no role in it, by email, at most ``limit``.

    ``text`` begins a word of their name, or their email, in any case; empty for everybody.
    """
    text = text.strip()
    if "\0" in text:
        return []
    people = User.objects.filter(tenant_id=project.tenant_id, is_active=True).exclude(memberships__project=project)
    if text:
        named = Q(display_name__istartswith=text) | Q(display_name__icontains=f" {text}")
        people = people.filter(named | Q(email__istartswith=text))
    return list(people.order_by("email")[:limit])


def people_named(*, tenant_id: UUID, actors: Collection[str]) -> dict[str, str]:
    """What the tenant's people and service accounts are called, by actor, in one statement.

    ``actors`` are ``user:<id>`` or ``service_account:<id>``; whoever isn't of the tenant is missing
    from the answer. Who has left keeps their label.
    """
    ids: dict[str, list[UUID]] = {"user": [], "service_account": []}
    for actor in set(actors):
        kind, _, spelled = actor.partition(":")
        parsed = parse_id(spelled)
        if parsed and kind in ids:
            ids[kind].append(parsed)
    if not any(ids.values()):
        return {}
    return dict(fetch(_NAMED, [tenant_id, ids["user"], tenant_id, ids["service_account"]]))


def service_accounts_visible(caller: Caller) -> QuerySet[ServiceAccount]:
    """A tenant admin sees the tenant's service accounts, unregistered ones too; an account sees itself."""
    accounts = ServiceAccount.objects.filter(tenant_id=caller.tenant_id).prefetch_related("grants")
    if caller.administers_tenant:
        return accounts
    return accounts.filter(pk=caller.principal_id) if caller.kind == "service" else accounts.none()


def service_accounts_live(caller: Caller) -> QuerySet[ServiceAccount]:
    """The visible service accounts that are registered."""
    return service_accounts_visible(caller).filter(unregistered_at__isnull=True)


def service_accounts_of(caller: Caller) -> list[ServiceAccount]:
    """The visible registered service accounts by name, with their grants, the grants' projects and their tokens.

    In three statements, however many there are, and a fourth where any has a grant.
    """
    return list(service_accounts_live(caller).prefetch_related("grants__project", "tokens").order_by("name", "id"))


def service_account_get(*, caller: Caller, service_account_id: str) -> ServiceAccount:
    """One visible service account, unregistered ones too; raises :class:`ServiceAccountNotFound`."""
    parsed = parse_id(service_account_id)
    found = service_accounts_visible(caller).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.ServiceAccountNotFound
    return found


def service_account_by_name(*, tenant_id: UUID, name: str) -> ServiceAccount:
    """The tenant's registered account of that name; raises :class:`ServiceAccountNotFound`."""
    found = ServiceAccount.objects.filter(tenant_id=tenant_id, name=name, unregistered_at__isnull=True).first()
    if found is None:
        raise errors.ServiceAccountNotFound(f"There's no service account {name!r} in the tenant.")
    return found


def principal_get(*, caller: Caller, kind: str | None = None, principal_id: str = "") -> User | ServiceAccount:
    """Whom a token is minted for: the caller, or the live ``user`` or ``service-account`` that is named.

    Only a tenant admin may name another. Raises ``PermissionDenied``, :class:`UserNotFound`,
    :class:`ServiceAccountNotFound`.
    """
    own_kind = "user" if caller.kind == "user" else "service-account"
    if kind is None:
        kind, principal_id = own_kind, str(caller.principal_id)
    elif (kind, parse_id(principal_id)) != (own_kind, caller.principal_id):
        check_tenant_admin(caller)
    if kind == "user":
        return user_get(tenant_id=caller.tenant_id, user_id=principal_id)
    account = service_account_get(caller=caller, service_account_id=principal_id)
    if account.unregistered_at is not None:
        raise errors.ServiceAccountNotFound
    return account


def tokens_visible(caller: Caller) -> QuerySet[Token]:
    """A tenant admin sees the tenant's tokens, everybody else the ones that act for them.

    A token that is narrowed to a project sees only those narrowed to it.
    """
    tokens = Token.objects.filter(tenant_id=caller.tenant_id)
    if not caller.administers_tenant:
        mine = Q(user_id=caller.principal_id) if caller.kind == "user" else Q(service_account_id=caller.principal_id)
        tokens = tokens.filter(mine)
    return tokens if caller.project_id is None else tokens.filter(project_id=caller.project_id)


def tokens_of(principal: User | ServiceAccount) -> QuerySet[Token]:
    """The tokens that act for a principal, newest first, those that work no longer too."""
    mine = Q(user=principal) if isinstance(principal, User) else Q(service_account=principal)
    return Token.objects.filter(mine).select_related("project").order_by("-created_at", "-id")


def made_by_ids_of(actor: str) -> list[UUID]:
    """What `madeBy` names where ``actor`` acts: a user, or each token of a service account; one statement at most."""
    kind, _, principal_id = actor.partition(":")
    if kind != "service_account":
        return [UUID(principal_id)]
    return list(Token.objects.filter(service_account_id=UUID(principal_id)).order_by().values_list("pk", flat=True))


def token_of(*, principal: User | ServiceAccount, token_id: UUID) -> Token:
    """One of :func:`tokens_of`; raises :class:`TokenNotFound`."""
    token = tokens_of(principal).filter(pk=token_id).first()
    if token is None:
        raise errors.TokenNotFound
    return token


def reviewer_role_carried(caller: Caller) -> str:
    """The reviewer role that the caller's token carries itself; empty when it has what the roster says."""
    carried = Token.objects.filter(pk=caller.token_id) if caller.token_id else Token.objects.none()
    return carried.values_list("reviewer_role", flat=True).first() or ""


def token_get(*, caller: Caller, token_id: str) -> Token:
    """A visible token; raises :class:`TokenNotFound`."""
    parsed = parse_id(token_id)
    found = tokens_visible(caller).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.TokenNotFound
    return found


def reviewers_of(tenant_id: UUID) -> QuerySet[Reviewer]:
    """The tenant's roster."""
    return Reviewer.objects.filter(tenant_id=tenant_id, deactivated_at__isnull=True)


def reviewer_roles(tenant_id: UUID) -> dict[UUID, str]:
    """The role on the tenant's roster of each person who is on it; one statement."""
    return dict(reviewers_of(tenant_id).values_list("user_id", "role"))


def reviewers_who_write(project: Project) -> set[UUID]:
    """The people on the roster who may write in the project and haven't left; one statement."""
    roles = [ProjectRole.EDITOR, ProjectRole.ADMIN, ProjectRole.OWNER]
    here = Membership.objects.filter(project=project, role__in=roles, user=OuterRef("user"))
    writes = Q(user__is_tenant_admin=True) | Exists(here)
    return set(reviewers_of(project.tenant_id).filter(writes, user__is_active=True).values_list("user_id", flat=True))


def reviewer_get(*, tenant_id: UUID, reviewer_id: str) -> Reviewer:
    """One entry of the roster; raises :class:`ReviewerNotFound`."""
    parsed = parse_id(reviewer_id)
    found = reviewers_of(tenant_id).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.ReviewerNotFound
    return found
