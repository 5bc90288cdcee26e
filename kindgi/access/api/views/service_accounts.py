"""Service accounts over /v1 (contract, section 9)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access import errors
from kindgi.access.api import answers, schemas
from kindgi.access.policies import check_tenant_admin
from kindgi.access.selectors import projects_by_id, service_account_get, service_accounts_live
from kindgi.access.services.service_accounts import service_account_create, service_account_unregister
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class ServiceAccounts(Endpoint):
    """`/v1/service-accounts`."""

    @operation(
        id="serviceAccounts.list",
        summary="List the registered service accounts",
        answer=schemas.ServiceAccountAnswer,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of them, newest first: the tenant's for its admins, itself for a service account."""
        check_parameters(request.GET, set())
        page = newest_first(service_accounts_live(self.caller_of(request)), PageRequest.of(request.GET))
        return Response(page.answer([answers.service_account_answer(account) for account in page.rows]))

    @operation(
        id="serviceAccounts.create",
        summary="Make a service account",
        body=schemas.ServiceAccountBody,
        answer=schemas.ServiceAccountAnswer,
        status=201,
        errors=(PermissionDenied, errors.ProjectNotFound, errors.ServiceAccountNameTaken),
    )
    def post(self, request: Request) -> Response:
        """The new account. It acts through tokens that are minted for it."""
        body: schemas.ServiceAccountBody = self.body(schemas.ServiceAccountBody)
        roles, is_tenant_admin = _granted(body.grants or [])
        caller = self.caller_of(request)
        check_tenant_admin(caller)
        projects = projects_by_id(caller=caller, project_ids=roles)
        account = service_account_create(
            caller=caller,
            name=body.name,
            description=body.description or "",
            is_tenant_admin=is_tenant_admin,
            roles={projects[project_id]: role for project_id, role in roles.items()},
        )
        return Response(answers.service_account_answer(account), status=201)


class OneServiceAccount(Endpoint):
    """`/v1/service-accounts/{serviceAccountId}`."""

    @operation(
        id="serviceAccounts.get",
        summary="Get a service account, an unregistered one too",
        answer=schemas.ServiceAccountAnswer,
        errors=(errors.ServiceAccountNotFound,),
    )
    def get(self, request: Request, service_account_id: str) -> Response:
        """The account with its grants."""
        account = service_account_get(caller=self.caller_of(request), service_account_id=service_account_id)
        return Response(answers.service_account_answer(account))


class ServiceAccountUnregistration(Endpoint):
    """`/v1/service-accounts/{serviceAccountId}/unregister`."""

    @operation(
        id="serviceAccounts.unregister",
        summary="Take a service account away: its tokens no longer work",
        answer=schemas.ServiceAccountUnregistered,
        errors=(errors.ServiceAccountNotFound, PermissionDenied),
    )
    def post(self, request: Request, service_account_id: str) -> Response:
        """That it is taken away; a second time changes nothing."""
        caller = self.caller_of(request)
        account = service_account_get(caller=caller, service_account_id=service_account_id)
        service_account_unregister(caller=caller, account=account)
        return Response(schemas.ServiceAccountUnregistered(service_account_id=account.pk))


def _granted(grants: list[schemas.ProjectGrant | schemas.TenantAdminGrant]) -> tuple[dict[str, str], bool]:
    """Roles by project id, and whether tenant admin is granted; raises ``BadInput`` for two roles in a project."""
    roles: dict[str, str] = {}
    for index, grant in enumerate(grants):
        if not isinstance(grant, schemas.ProjectGrant):
            continue
        if roles.setdefault(grant.project_id.lower(), grant.role) != grant.role:
            raise BadInput("An account has one role in a project.", details={"path": f"/grants/{index}"})
    return roles, any(isinstance(grant, schemas.TenantAdminGrant) for grant in grants)
