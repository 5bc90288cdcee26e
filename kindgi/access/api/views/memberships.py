"""People's roles in a project over /v1 (contract, section 9)."""

from __future__ import annotations

from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access import errors
from kindgi.access.api import answers, schemas
from kindgi.access.policies import check_administer
from kindgi.access.selectors import membership_get, memberships_of, project_get, user_get
from kindgi.access.services.memberships import membership_add, membership_change, membership_remove
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class Memberships(Endpoint):
    """`/v1/projects/{projectId}/memberships`."""

    @operation(
        id="projects.memberships.list",
        summary="List the people of a project",
        answer=schemas.MembershipAnswer,
        paged=True,
        errors=(errors.ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """A page of them, who joined last first."""
        check_parameters(request.GET, set())
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        page = newest_first(memberships_of(project), PageRequest.of(request.GET))
        return Response(page.answer([answers.membership_answer(membership) for membership in page.rows]))

    @operation(
        id="projects.memberships.create",
        summary="Give a person a role in a project",
        body=schemas.MembershipBody,
        example={"email": "ada@example.com", "role": "editor"},
        answer=schemas.MembershipAnswer,
        status=201,
        errors=(errors.ProjectNotFound, errors.UserNotFound, PermissionDenied, errors.MembershipExists),
    )
    def post(self, request: Request, project_id: str) -> Response:
        """The new role, none above the caller's own."""
        body: schemas.MembershipBody = self.body(schemas.MembershipBody)
        if (body.user_id is UNSET) == (body.email is UNSET):
            raise BadInput("Exactly one of userId and email names the person.")
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        check_administer(caller, project.pk)
        user = user_get(tenant_id=project.tenant_id, user_id=body.user_id or None, email=body.email or None)
        membership = membership_add(caller=caller, project=project, user=user, role=body.role)
        return Response(answers.membership_answer(membership), status=201)


class OneMembership(Endpoint):
    """`/v1/projects/{projectId}/memberships/{userId}`."""

    @operation(
        id="projects.memberships.update",
        summary="Change a person's role in a project",
        body=schemas.MembershipPatch,
        answer=schemas.MembershipAnswer,
        errors=(errors.ProjectNotFound, errors.MembershipNotFound, PermissionDenied),
    )
    def patch(self, request: Request, project_id: str, user_id: str) -> Response:
        """The role from now on."""
        body: schemas.MembershipPatch = self.body(schemas.MembershipPatch)
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        membership = membership_get(project=project, user_id=user_id)
        changed = membership_change(caller=caller, membership=membership, role=body.role)
        return Response(answers.membership_answer(changed))

    @operation(
        id="projects.memberships.delete",
        summary="Take a person's role in a project away",
        answer=schemas.MembershipRemoved,
        errors=(errors.ProjectNotFound, errors.MembershipNotFound, PermissionDenied),
    )
    def delete(self, request: Request, project_id: str, user_id: str) -> Response:
        """That it is taken away."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        membership = membership_get(project=project, user_id=user_id)
        membership_remove(caller=caller, membership=membership)
        return Response(schemas.MembershipRemoved(project_id=project.pk, user_id=membership.user_id))
