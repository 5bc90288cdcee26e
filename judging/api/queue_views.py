"""The queue over /v1 (contract, sections 6 and 10)."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from judging import errors
from judging.api import schemas
from judging.filters import QueueFilter
from judging.models import QueueItem
from judging.selectors.queue_list import held_by_others, queue_list, queue_query, with_rules
from judging.services.holds import queue_item_hold, queue_item_next, queue_item_release
from judging.services.items import queue_item_dismiss, queue_item_reopen
from kindgi.access.errors import ProjectNotFound
from kindgi.access.models import Project
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import Body, operation
from kindgi.api.pages import PageRequest
from kindgi.api.times import now, wire

_CHANGING = (ProjectNotFound, errors.JudgingItemNotFound, PermissionDenied)


class DismissBody(Body):
    """Why it isn't worth a correction."""

    reason: Annotated[str, Meta(max_length=500)] | UnsetType | None = UNSET


class _Queue(Endpoint):
    """What the queue's endpoints share."""

    def project(self, request: Request, project_id: str) -> Project:
        """The project, if the caller may read it; raises ``ProjectNotFound``."""
        return project_get(caller=self.caller_of(request), project_id=project_id)

    def item_response(self, request: Request, item: QueueItem) -> Response:
        """An item that was changed. What is kept of the answer is forgotten when its run's content goes."""
        self.subject_id = item.pk
        return Response(self.item_answer(request, item))

    def item_answer(self, request: Request, item: QueueItem) -> schemas.QueueItemAnswer:
        """An item as it is sent to the caller."""
        return schemas.item_answer(item, with_rules([item]), caller=self.caller_of(request), at=now())


class JudgingQueue(_Queue):
    """`/v1/projects/{projectId}/judging-queue`."""

    @operation(
        id="projects.judgingQueue.list",
        summary="List the runs that wait for a correction, or did, oldest first",
        answer=schemas.QueueItemAnswer,
        filters=QueueFilter,
        paged=True,
        counted=True,
        errors=(ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """A page of them. `total` counts all that the filters match; `limit=0` answers it alone."""
        caller, at = self.caller_of(request), now()
        query = queue_query(caller=caller, project=self.project(request, project_id), query=request.GET)
        found = queue_list(query, PageRequest.of(request.GET, least=0))
        rows = [schemas.item_answer(item, found.wants, caller=caller, at=at) for item in found.page.rows]
        return Response(found.page.answer(rows) | {"total": found.total})


class NextInQueue(_Queue):
    """`/v1/projects/{projectId}/judging-queue/next`."""

    @operation(
        id="projects.judgingQueue.next",
        summary="Get an item to review that nobody holds",
        body_required=False,
        answer=schemas.NextAnswer,
        filters=QueueFilter,
        errors=(ProjectNotFound, PermissionDenied),
    )
    def post(self, request: Request, project_id: str) -> Response:
        """The oldest open item for the caller that nobody holds, held for them for five minutes.

        Filters are the list's; `forMe` is true unless it is given. Two callers at once get two items.
        """
        check_parameters(request.GET, set(QueueFilter.base_filters), paging=frozenset())
        caller, given = self.caller_of(request), request.GET.copy()
        given.setdefault("forMe", "true")
        query = queue_query(caller=caller, project=self.project(request, project_id), query=given)
        item = queue_item_next(caller=caller, query=query)
        held, until = held_by_others(query, caller=caller, at=now())
        if item is not None:
            self.subject_id = item.pk
        return Response(
            schemas.NextAnswer(
                item=UNSET if item is None else self.item_answer(request, item),
                held=held,
                held_until=UNSET if until is None else wire(until),
            )
        )


class Dismissal(_Queue):
    """`/v1/projects/{projectId}/judging-queue/{runId}/dismiss`."""

    @operation(
        id="projects.judgingQueue.dismiss",
        summary="Take a run out of the queue that isn't worth a correction",
        body=DismissBody,
        body_required=False,
        answer=schemas.QueueItemAnswer,
        errors=(*_CHANGING, errors.JudgingItemNotOpen),
    )
    def post(self, request: Request, project_id: str, run_id: str) -> Response:
        """The item, with who dismissed it and why. No rule queues it again by itself; `reopen` undoes it."""
        body, project = self.body(DismissBody), self.project(request, project_id)
        reason = body.reason if isinstance(body.reason, str) else None
        caller = self.caller_of(request)
        return self.item_response(
            request, queue_item_dismiss(caller=caller, project=project, run_id=run_id, reason=reason)
        )


class Reopening(_Queue):
    """`/v1/projects/{projectId}/judging-queue/{runId}/reopen`."""

    @operation(
        id="projects.judgingQueue.reopen",
        summary="Put a dismissed run back into the queue",
        body_required=False,
        answer=schemas.QueueItemAnswer,
        errors=(*_CHANGING, errors.JudgingItemNotOpen),
    )
    def post(self, request: Request, project_id: str, run_id: str) -> Response:
        """The item. Where its run got the corrections that it wants meanwhile, it is judged at once."""
        project = self.project(request, project_id)
        return self.item_response(
            request, queue_item_reopen(caller=self.caller_of(request), project=project, run_id=run_id)
        )


class Hold(_Queue):
    """`/v1/projects/{projectId}/judging-queue/{runId}/hold`."""

    @operation(
        id="projects.judgingQueue.hold",
        summary="Say that the caller has an item open",
        body_required=False,
        answer=schemas.QueueItemAnswer,
        errors=(*_CHANGING, errors.JudgingItemNotOpen),
    )
    def post(self, request: Request, project_id: str, run_id: str) -> Response:
        """The item, held for five minutes from now; `hold` says who holds it, if somebody else already did.

        It stops nobody from correcting.
        """
        project = self.project(request, project_id)
        return self.item_response(
            request, queue_item_hold(caller=self.caller_of(request), project=project, run_id=run_id)
        )

    @operation(
        id="projects.judgingQueue.release",
        summary="Let go of an item",
        body_required=False,
        answer=None,
        status=204,
        errors=_CHANGING,
    )
    def delete(self, request: Request, project_id: str, run_id: str) -> Response:
        """Nothing. Somebody else's hold stays."""
        project = self.project(request, project_id)
        queue_item_release(caller=self.caller_of(request), project=project, run_id=run_id)
        return Response(status=204)
