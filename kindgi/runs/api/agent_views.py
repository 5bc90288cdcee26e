"""Agents' versions and pins over /v1 (contract, section 3)."""

from __future__ import annotations

from typing import Any

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.operations import operation
from kindgi.runs import errors
from kindgi.runs.api import schemas
from kindgi.runs.blocks import blocks_checked
from kindgi.runs.models import Agent, AgentVersion
from kindgi.runs.selectors import agent_get, agent_pin_get, agent_version_get, blocks_of
from kindgi.runs.services.agents import agent_pin_remove, agent_pin_set, agent_version_register


class OneAgentVersion(Endpoint):
    """`/v1/agents/{agentId}/versions/{version}`."""

    @operation(
        id="agents.versions.get",
        summary="Get a registered version, its tools and its blocks",
        answer=schemas.VersionAnswer,
        errors=(errors.AgentNotFound, errors.AgentVersionNotFound),
    )
    def get(self, request: Request, agent_id: str, version: str) -> Response:
        """The version, and whether it is Latest."""
        agent = agent_get(tenant_id=self.caller_of(request).tenant_id, agent_id=agent_id)
        found = agent_version_get(agent=agent, version=version)
        return Response(_version_answer(found, agent))

    @operation(
        id="agents.versions.register",
        summary="Register a version, its tools and its blocks",
        body=schemas.VersionBody,
        example={
            "tools": [{"id": "orders.lookup"}, {"id": "orders.refund", "writes": True}],
            "blocks": [
                {"id": "greeting", "kind": "prompt", "template": "Greet {{name}}.", "parameters": [{"name": "name"}]},
                {"id": "limits", "kind": "settings", "values": {"refundUpTo": 50}},
            ],
        },
        body_required=False,
        answer=schemas.VersionAnswer,
        also=((201, schemas.VersionAnswer),),
        errors=(PermissionDenied, errors.AgentVersionBlocksFixed),
    )
    def put(self, request: Request, agent_id: str, version: str) -> Response:
        """201 the first time, 200 after that; the tools are replaced whole where they are given.

        Blocks are what suggested changes change: prompts and settings. They are said once a version, and
        saying the same again changes nothing; each content of a block has a version of its own.
        """
        body = self.body(schemas.VersionBody)
        if len(agent_id) > 200 or len(version) > 100:
            raise BadInput("An agent's id has up to 200 characters, a version up to 100.")
        tools: Any = None if body.tools is msgspec.UNSET else msgspec.to_builtins(body.tools)
        found, made = agent_version_register(
            caller=self.caller_of(request),
            agent_id=agent_id,
            version=version,
            tools=tools,
            blocks=None if body.blocks is msgspec.UNSET else blocks_checked(body.blocks),
        )
        agent = agent_get(tenant_id=self.caller_of(request).tenant_id, agent_id=agent_id)
        return Response(_version_answer(found, agent), status=201 if made else 200)


def _version_answer(version: AgentVersion, agent: Agent) -> schemas.VersionAnswer:
    latest = agent.latest_id == version.pk
    return schemas.version_answer(version, agent_id=agent.agent_id, latest=latest, blocks=blocks_of(version))


class AgentPinned(Endpoint):
    """`/v1/projects/{projectId}/agents/{agentId}/pin`."""

    @operation(
        id="projects.agents.getPin",
        summary="Which version a project runs",
        answer=schemas.PinAnswer,
        errors=(ProjectNotFound, errors.AgentNotFound),
    )
    def get(self, request: Request, project_id: str, agent_id: str) -> Response:
        """The pin, or Latest where there is none."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        agent = agent_get(tenant_id=project.tenant_id, agent_id=agent_id)
        pin = agent_pin_get(project=project, agent=agent)
        answer = schemas.pin_answer(project_id=project.pk, agent_id=agent_id, pin=pin, latest=agent.latest)
        return Response(answer)

    @operation(
        id="projects.agents.pin",
        summary="Pin a version",
        body=schemas.PinBody,
        answer=schemas.PinAnswer,
        errors=(ProjectNotFound, errors.AgentNotFound, errors.AgentVersionNotFound, PermissionDenied),
    )
    def put(self, request: Request, project_id: str, agent_id: str) -> Response:
        """The pin, as it is from now on."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        version = self.body(schemas.PinBody).version
        pin = agent_pin_set(caller=self.caller_of(request), project=project, agent_id=agent_id, version=version)
        return Response(schemas.pin_answer(project_id=project.pk, agent_id=agent_id, pin=pin, latest=None))

    @operation(
        id="projects.agents.unpin",
        summary="Unpin: follow Latest again",
        answer=schemas.PinAnswer,
        errors=(ProjectNotFound, errors.AgentNotFound, errors.AgentPinNotFound, PermissionDenied),
    )
    def delete(self, request: Request, project_id: str, agent_id: str) -> Response:
        """What the project runs now."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        if not agent_pin_remove(caller=self.caller_of(request), project=project, agent_id=agent_id):
            raise errors.AgentPinNotFound(f'The project pins no version of "{agent_id}".')
        latest = agent_get(tenant_id=project.tenant_id, agent_id=agent_id).latest
        return Response(schemas.pin_answer(project_id=project.pk, agent_id=agent_id, pin=None, latest=latest))
