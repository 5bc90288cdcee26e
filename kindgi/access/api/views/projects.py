"""Projects over /v1 (contract, section 9)."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, structs
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access import errors
from kindgi.access.api import answers, schemas
from kindgi.access.selectors import project_default, project_get, projects_readable
from kindgi.access.services.projects import project_create, project_delete, project_update
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class Projects(Endpoint):
    """`/v1/projects`."""

    @operation(
        id="projects.list", summary="List the projects that you may read", answer=schemas.ProjectAnswer, paged=True
    )
    def get(self, request: Request) -> Response:
        """A page of them, newest first."""
        check_parameters(request.GET, set())
        page = newest_first(projects_readable(self.caller_of(request)), PageRequest.of(request.GET))
        return Response(page.answer([answers.project_answer(project) for project in page.rows]))

    @operation(
        id="projects.create",
        summary="Make a project",
        body=schemas.ProjectBody,
        answer=schemas.ProjectAnswer,
        status=201,
        errors=(PermissionDenied, errors.ProjectSlugTaken),
    )
    def post(self, request: Request) -> Response:
        """The new project."""
        body: schemas.ProjectBody = self.body(schemas.ProjectBody)
        project = project_create(
            caller=self.caller_of(request), name=body.name, slug=body.slug, description=body.description or ""
        )
        return Response(answers.project_answer(project), status=201)


class DefaultProject(Endpoint):
    """`/v1/projects/default`."""

    @operation(
        id="projects.getDefault",
        summary="Get the tenant's default project, or the one that the token is narrowed to",
        answer=schemas.ProjectAnswer,
        errors=(errors.ProjectNotFound,),
    )
    def get(self, request: Request) -> Response:
        """Where things go that name no project."""
        return Response(answers.project_answer(project_default(self.caller_of(request))))


class OneProject(Endpoint):
    """`/v1/projects/{projectId}`."""

    @operation(
        id="projects.get",
        summary="Get a project",
        answer=schemas.ProjectAnswer,
        errors=(errors.ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """The project."""
        return Response(answers.project_answer(project_get(caller=self.caller_of(request), project_id=project_id)))

    @operation(
        id="projects.update",
        summary="Change a project",
        body=schemas.ProjectPatch,
        answer=schemas.ProjectAnswer,
        errors=(errors.ProjectNotFound, PermissionDenied, errors.ProjectSlugTaken),
    )
    def patch(self, request: Request, project_id: str) -> Response:
        """The project as it is from now on."""
        body: schemas.ProjectPatch = self.body(schemas.ProjectPatch)
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        changes: Any = {name: value for name, value in structs.asdict(body).items() if value is not UNSET}
        return Response(answers.project_answer(project_update(caller=caller, project=project, **changes)))

    @operation(
        id="projects.delete",
        summary="Delete an empty project",
        answer=schemas.ProjectDeleted,
        errors=(errors.ProjectNotFound, PermissionDenied, errors.ProjectIsDefault, errors.ProjectNotEmpty),
    )
    def delete(self, request: Request, project_id: str) -> Response:
        """That it is gone; refused while it holds runs."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        answer = schemas.ProjectDeleted(project_id=project.pk)
        project_delete(caller=caller, project=project)
        return Response(answer)
