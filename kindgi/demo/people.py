"""Makes the companies: tenants, projects, people, service accounts and their tokens, through the services."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from django.contrib.auth.hashers import make_password

from kindgi.access.callers import Caller, operator_in
from kindgi.access.models import Membership, Project, ServiceAccount, ServiceAccountGrant, Tenant, Token, User
from kindgi.access.selectors import caller_for_user
from kindgi.access.services.memberships import membership_add
from kindgi.access.services.projects import project_create, project_update
from kindgi.access.services.reviewers import reviewer_register
from kindgi.access.services.service_accounts import service_account_create
from kindgi.access.services.tenants import tenant_create, user_create
from kindgi.access.services.tokens import TokenSpec, token_mint
from kindgi.demo.companies import PASSWORD, SUPERUSER, TENANT_ADMIN, Company, Person


def company_make(company: Company) -> Tenant:
    """The tenant with everybody and everything that it consists of, but for what its agents did."""
    tenant = tenant_create(name=company.name, slug=company.slug)
    operator = operator_in(tenant.pk)
    projects = _make_projects(operator, tenant, company)
    _make_people(operator, tenant, projects, company.people)
    for service in company.services:
        account = service_account_create(
            caller=operator,
            name=service.name,
            description=service.description,
            roles={projects[slug]: "editor" for slug in service.projects},
        )
        token_mint(caller=operator, principal=account, spec=TokenSpec(label=service.name))
    return tenant


def _make_projects(operator: Caller, tenant: Tenant, company: Company) -> dict[str, Project]:
    first, *others = company.projects
    default = Project.objects.get(tenant=tenant, is_default=True)
    project_update(caller=operator, project=default, slug=first.slug, name=first.name, description=first.description)
    made = [
        project_create(caller=operator, slug=plan.slug, name=plan.name, description=plan.description) for plan in others
    ]
    return {project.slug: project for project in [default, *made]}


def _make_people(operator: Caller, tenant: Tenant, projects: dict[str, Project], people: Iterable[Person]) -> None:
    """Everybody has the same password, hashed once, since hashing takes long on purpose."""
    for person in people:
        user = user_create(
            tenant=tenant,
            email=person.email,
            display_name=person.name,
            is_tenant_admin=bool(person.tenant_role),
            is_staff=bool(person.tenant_role),
        )
        for slug, role in person.roles.items():
            membership_add(caller=operator, project=projects[slug], user=user, role=role)
        if person.reviewer:
            reviewer_register(caller=operator, user=user, role=person.reviewer, display_name=person.name)
    made = User.objects.filter(tenant=tenant)
    made.update(password=_password_hash())
    made.filter(email__in=[person.email for person in people if person.tenant_role == SUPERUSER]).update(
        is_superuser=True
    )


@cache
def _password_hash() -> str:
    return make_password(PASSWORD)


def tenants_made(companies: Iterable[Company]) -> list[Tenant]:
    """The demonstration's tenants that there are, in its order."""
    slugs = [company.slug for company in companies]
    return sorted(Tenant.objects.filter(slug__in=slugs), key=lambda tenant: slugs.index(tenant.slug))


def projects_described(tenants: list[Tenant]) -> list[dict[str, str]]:
    """Each project's id and slug, the first tenant's default one first."""
    found = Project.objects.filter(tenant__in=tenants)
    ordered = sorted(found, key=lambda project: (tenants.index(project.tenant), not project.is_default, project.slug))
    return [{"id": str(project.pk), "slug": project.slug} for project in ordered]


def users_described(companies: Iterable[Company]) -> list[dict[str, str]]:
    """How each person signs in; ``projectId`` is where they have ``role``."""
    people = [person for company in companies for person in company.people]
    roles = Membership.objects.filter(user__email__in=[person.email for person in people]).select_related("user")
    by_email: dict[str, list[Membership]] = {}
    for membership in roles.order_by("created_at", "id"):
        by_email.setdefault(membership.user.email, []).append(membership)
    described = []
    for person in people:
        user = {"email": person.email, "password": PASSWORD, "role": person.tenant_role}
        if first := next(iter(by_email.get(person.email, [])), None):
            user |= {"role": first.role, "projectId": str(first.project_id)}
        described.append(user)
    return described


def callers_of(tenant: Tenant) -> dict[str, Caller]:
    """Who acts in the tenant: people by their email, services by their name."""
    people = User.objects.filter(tenant=tenant).select_related("tenant")
    tokens = Token.objects.filter(tenant=tenant, service_account__isnull=False).select_related("service_account")
    named = {user.email: caller_for_user(user) for user in people}
    for token in tokens.order_by("-created_at"):
        if token.service_account is not None:
            named[token.service_account.name] = _service_caller(token, token.service_account)
    return named


def _service_caller(token: Token, account: ServiceAccount) -> Caller:
    grants = ServiceAccountGrant.objects.filter(service_account=account)
    return Caller(
        tenant_id=token.tenant_id,
        kind="service",
        id=token.pk,
        principal_id=account.pk,
        project_roles=dict(grants.values_list("project_id", "role")),
        token_id=token.pk,
        token_role=token.role,
    )


def tenant_admin_of(company: Company, callers: dict[str, Caller]) -> Caller:
    """The company's tenant admin."""
    return callers[next(person.email for person in company.people if person.tenant_role == TENANT_ADMIN)]
