"""Replay endpoints over /v1 (contract, section 7; docs/replay-endpoint.md)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from improve import errors
from improve.models import ReplayEndpoint
from improve.replaying.asking import Failed, Outcome, Refused
from improve.replaying.problems import sentence
from improve.selectors.endpoints import replay_endpoint_get
from improve.services.endpoint_checks import SAMPLE, replay_endpoint_check
from improve.services.endpoints import replay_endpoint_remove, replay_endpoint_rotate, replay_endpoint_set
from kindgi.access.errors import ProjectNotFound
from kindgi.access.policies import check_write
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied, ServiceUnavailable
from kindgi.api.operations import Answer, Body, Time, operation
from kindgi.api.times import now, wire
from kindgi.runs.errors import AgentNotFound
from kindgi.runs.records import Calls

_ERRORS = (ProjectNotFound, PermissionDenied, errors.ReplayEndpointNotFound)


class ReplayEndpointBody(Body):
    """Where an agent is replayed."""

    url: str


class ReplayEndpointAnswer(Answer):
    """Where an agent is replayed, never its secret.

    `updatedAt` is when the address was set last. `previousSecretUntil` is there while the secret before the last
    rotation signs, too.
    """

    project_id: UUID
    agent_id: str
    url: str
    set_by: str
    created_at: Time
    updated_at: Time
    rotated_at: Time | UnsetType = UNSET
    previous_secret_until: Time | UnsetType = UNSET


class ReplayEndpointWithSecret(ReplayEndpointAnswer):
    """The same; `secret` is there where it is new, and is shown this once."""

    secret: str | UnsetType = UNSET


class ReplayEndpointRotationBody(Body):
    """Whether to rotate also while the secret before the last rotation still signs, which it then does no more."""

    again: bool = False


class ReplayEndpointCheckBody(Body):
    """What to ask about."""

    input: Raw | UnsetType = UNSET


class ReplayEndpointCheckAnswer(Answer):
    """What came back: an answer, a refusal, or a problem's code with a sentence that says it."""

    outcome: Literal["answered", "refused", "failed"]
    took_ms: int
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET
    problem: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class AgentReplayEndpoint(Endpoint):
    """`/v1/projects/{projectId}/agents/{agentId}/replay-endpoint`."""

    @operation(
        id="projects.agents.getReplayEndpoint",
        summary="Where an agent is replayed",
        answer=ReplayEndpointAnswer,
        errors=_ERRORS,
    )
    def get(self, request: Request, project_id: str, agent_id: str) -> Response:
        """The endpoint, for whoever writes in the project."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        check_write(self.caller_of(request), project.pk)
        return Response(endpoint_answer(replay_endpoint_get(project=project, agent_id=agent_id)))

    @operation(
        id="projects.agents.setReplayEndpoint",
        summary="Set where an agent is replayed; a new endpoint's secret is shown this once",
        body=ReplayEndpointBody,
        example={"url": "https://agents.example.com/replay"},
        answer=ReplayEndpointWithSecret,
        also=((201, ReplayEndpointWithSecret),),
        secret=True,
        errors=(ProjectNotFound, PermissionDenied, AgentNotFound),
    )
    def put(self, request: Request, project_id: str, agent_id: str) -> Response:
        """201 the first time, with the secret; 200 where it is moved, which keeps the secret."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        url = self.body(ReplayEndpointBody).url
        endpoint, secret = replay_endpoint_set(caller=caller, project=project, agent_id=agent_id, url=url)
        self.is_without_secret = secret is None
        return Response(endpoint_answer(endpoint, secret=secret), status=200 if secret is None else 201)

    @operation(
        id="projects.agents.removeReplayEndpoint",
        summary="Remove an agent's replay endpoint",
        answer=None,
        status=204,
        errors=_ERRORS,
    )
    def delete(self, request: Request, project_id: str, agent_id: str) -> Response:
        """Nothing; what was to be replayed yet fails."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        replay_endpoint_remove(caller=caller, project=project, agent_id=agent_id)
        return Response(status=204)


class ReplayEndpointRotation(Endpoint):
    """`/v1/projects/{projectId}/agents/{agentId}/replay-endpoint/rotate`."""

    @operation(
        id="projects.agents.rotateReplayEndpoint",
        summary="Give a replay endpoint a new secret, which is shown this once",
        body=ReplayEndpointRotationBody,
        body_required=False,
        answer=ReplayEndpointWithSecret,
        secret=True,
        errors=(*_ERRORS, errors.ReplayEndpointOverlaps),
    )
    def post(self, request: Request, project_id: str, agent_id: str) -> Response:
        """The endpoint with its new secret; for 24 hours requests are signed by the one before, too.

        Within these 24 hours it is `409 replay-endpoint-overlaps` unless `again` is true.
        """
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        again = self.body(ReplayEndpointRotationBody).again
        endpoint, secret = replay_endpoint_rotate(caller=caller, project=project, agent_id=agent_id, again=again)
        return Response(endpoint_answer(endpoint, secret=secret))


class ReplayEndpointCheck(Endpoint):
    """`/v1/projects/{projectId}/agents/{agentId}/replay-endpoint/check`."""

    @operation(
        id="projects.agents.checkReplayEndpoint",
        summary="Send a replay endpoint one request, and say what came back",
        body=ReplayEndpointCheckBody,
        example={"input": {"message": "Where is my order?"}},
        body_required=False,
        answer=ReplayEndpointCheckAnswer,
        waits=True,
        errors=(*_ERRORS, AgentNotFound, ServiceUnavailable),
    )
    def post(self, request: Request, project_id: str, agent_id: str) -> Response:
        """What came of it, within ten seconds. Nothing of it is kept."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        said = self.body(ReplayEndpointCheckBody).input
        outcome = replay_endpoint_check(
            caller=caller, project=project, agent_id=agent_id, said=SAMPLE if said is UNSET else bytes(said)
        )
        return Response(_check_answer(outcome))


def _check_answer(outcome: Outcome) -> ReplayEndpointCheckAnswer:
    if isinstance(outcome, Failed):
        said = sentence(outcome.problem, outcome.detail)
        return ReplayEndpointCheckAnswer(
            outcome="failed", took_ms=outcome.took_ms, problem=str(outcome.problem), message=said
        )
    calls = Raw(outcome.calls)
    if isinstance(outcome, Refused):
        return ReplayEndpointCheckAnswer(outcome="refused", took_ms=outcome.took_ms, calls=calls)
    return ReplayEndpointCheckAnswer(
        outcome="answered", took_ms=outcome.took_ms, calls=calls, output=Raw(outcome.output)
    )


def endpoint_answer(endpoint: ReplayEndpoint, *, secret: str | None = None) -> ReplayEndpointAnswer:
    """An endpoint as it is sent."""
    until = endpoint.previous_until
    answer = ReplayEndpointAnswer if secret is None else ReplayEndpointWithSecret
    return answer(
        project_id=endpoint.project_id,
        agent_id=endpoint.agent_id,
        url=endpoint.url,
        set_by=endpoint.set_by,
        created_at=wire(endpoint.created_at),
        updated_at=wire(endpoint.updated_at),
        rotated_at=wire(endpoint.rotated_at) if endpoint.rotated_at else UNSET,
        previous_secret_until=wire(until) if until and until > now() else UNSET,
        **({} if secret is None else {"secret": secret}),
    )
