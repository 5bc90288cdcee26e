"""Catch-ups over /v1 (contract, section 6, "queue-recent")."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Literal
from uuid import UUID

from django.conf import settings
from msgspec import UNSET, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from judging import errors
from judging.models import CatchUp, CatchUpState
from judging.selectors.catch_up import catch_up_get, catch_up_wait
from judging.selectors.rules import rule_get
from judging.services.catch_up import catch_up_begin
from judging.submissions import QueueRecentBody
from judging.tasks import catch_up
from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.operations import Answer, Time, operation
from kindgi.api.times import wire
from kindgi.celery import send

# Whoever waits has one of the server's threads meanwhile: others need some too.
_places = BoundedSemaphore(max(1, settings.WEB_THREADS // 2))
_READING = (ProjectNotFound, errors.JudgingRuleNotFound)


class CatchUpCounts(Answer):
    """The rule's matches among the runs, three ways, which together are all of them."""

    queued: int
    already_queued: int
    already_reviewed: int


class CatchUpGoingOn(Answer):
    """A catch-up that takes longer: how many of its runs it has gone through."""

    job_id: UUID
    done: int
    of: int


class CatchUpAnswer(Answer, kw_only=True):
    """How a catch-up stands; `stopped` where its rule was removed meanwhile. The counts are those so far."""

    job_id: UUID
    rule_id: UUID
    state: Literal["running", "done", "stopped"]
    done: int
    of: int
    queued: int
    already_queued: int
    already_reviewed: int
    asked_by: str
    created_at: Time
    finished_at: Time | UnsetType = UNSET


class QueueRecent(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/queue-recent`."""

    job: CatchUp

    def begin(self, request: Request, key_hash: bytes | None, project_id: str, rule_id: str) -> None:
        """The catch-up is a row before anybody works on it; a message that is lost is sent again later."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        body = self.body(QueueRecentBody)
        self.job = catch_up_begin(caller=caller, project=project, rule_id=rule_id, body=body, key_hash=key_hash)
        if self.job.state == CatchUpState.RUNNING:
            send(catch_up, str(self.job.pk))

    @operation(
        id="projects.judgingRules.queueRecent",
        summary="Queue a rule's matches among runs that have ended already",
        body=QueueRecentBody,
        example={"last": 100},
        answer=CatchUpCounts,
        also=((202, CatchUpGoingOn),),
        begins=True,
        errors=(*_READING, PermissionDenied),
    )
    def post(self, request: Request, project_id: str, rule_id: str) -> Response:
        """What it came to, or after up to ten seconds how far it is: it goes on by itself.

        It samples as the rule does, and doesn't apply `maxOpen`.
        """
        with _a_place_to_wait() as there_is_one:
            seconds = settings.CATCH_UP_WAIT_SECONDS if there_is_one else 0
            job = catch_up_wait(catch_up_id=self.job.pk, seconds=seconds)
        if job.state == CatchUpState.RUNNING:
            return Response(CatchUpGoingOn(job.pk, job.done, job.of), status=202)
        if job.state == CatchUpState.STOPPED:
            raise errors.JudgingRuleNotFound("The judging rule was removed meanwhile; it queues nothing more.")
        return Response(CatchUpCounts(job.queued, job.already_queued, job.already_reviewed))


@contextmanager
def _a_place_to_wait() -> Iterator[bool]:
    """Whether there is one among those who may wait in this process."""
    there_is_one = _places.acquire(blocking=False)
    try:
        yield there_is_one
    finally:
        if there_is_one:
            _places.release()


class OneCatchUp(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/queue-recent/{jobId}`."""

    @operation(
        id="projects.judgingRules.getQueueRecent",
        summary="Get how a catch-up stands",
        answer=CatchUpAnswer,
        errors=(*_READING, errors.CatchUpNotFound),
    )
    def get(self, request: Request, project_id: str, rule_id: str, job_id: str) -> Response:
        """The catch-up as it is now."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        job = catch_up_get(rule=rule_get(project=project, rule_id=rule_id), catch_up_id=job_id)
        return Response(
            CatchUpAnswer(
                job_id=job.pk,
                rule_id=job.rule_id,
                state=job.state,  # type: ignore[arg-type]
                done=job.done,
                of=job.of,
                queued=job.queued,
                already_queued=job.already_queued,
                already_reviewed=job.already_reviewed,
                asked_by=job.asked_by,
                created_at=wire(job.created_at),
                finished_at=UNSET if job.finished_at is None else wire(job.finished_at),
            )
        )
