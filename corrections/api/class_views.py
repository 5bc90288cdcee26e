"""Judge classes over /v1 (contract, section 5)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections import errors
from corrections.api import schemas
from corrections.filters import JudgeClassFilter
from corrections.selectors import judge_class_get, judge_classes_readable
from corrections.services.classes import (
    ClassBody,
    ClassChangeBody,
    judge_class_change,
    judge_class_create,
    judge_class_unregister,
)
from kindgi.access.errors import ProjectNotFound
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class JudgeClasses(Endpoint):
    """`/v1/judge-classes`."""

    @operation(
        id="judgeClasses.list",
        summary="List judge classes, newest first",
        answer=schemas.ClassAnswer,
        filters=JudgeClassFilter,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of the classes that the caller may read."""
        rows = filtered(JudgeClassFilter, request.GET, judge_classes_readable(self.caller_of(request)))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.class_answer(row, caller=self.caller_of(request)) for row in page.rows]))

    @operation(
        id="judgeClasses.create",
        summary="Make a judge class",
        body=ClassBody,
        status=201,
        answer=schemas.ClassAnswer,
        errors=(ProjectNotFound, PermissionDenied, errors.JudgeClassNameTaken),
    )
    def post(self, request: Request) -> Response:
        """The new class."""
        made = judge_class_create(caller=self.caller_of(request), body=self.body(ClassBody))
        return Response(schemas.class_answer(made, caller=self.caller_of(request)), status=201)


class OneJudgeClass(Endpoint):
    """`/v1/judge-classes/{judgeClassId}`."""

    @operation(
        id="judgeClasses.get",
        summary="Get a judge class, retired ones too",
        answer=schemas.ClassAnswer,
        errors=(errors.JudgeClassNotFound,),
    )
    def get(self, request: Request, judge_class_id: str) -> Response:
        """The class."""
        found = judge_class_get(caller=self.caller_of(request), judge_class_id=judge_class_id)
        return Response(schemas.class_answer(found, caller=self.caller_of(request)))

    @operation(
        id="judgeClasses.update",
        summary="Change a judge class",
        body=ClassChangeBody,
        answer=schemas.ClassAnswer,
        errors=(
            errors.JudgeClassNotFound,
            PermissionDenied,
            errors.JudgeClassNameTaken,
            errors.JudgeClassUnregistered,
        ),
    )
    def patch(self, request: Request, judge_class_id: str) -> Response:
        """The class as it is now; `assertableBy` replaces the whole restriction."""
        body = self.body(ClassChangeBody)
        changed = judge_class_change(caller=self.caller_of(request), judge_class_id=judge_class_id, body=body)
        return Response(schemas.class_answer(changed, caller=self.caller_of(request)))


class JudgeClassRemoval(Endpoint):
    """`/v1/judge-classes/{judgeClassId}/unregister`."""

    @operation(
        id="judgeClasses.unregister",
        summary="Retire a judge class",
        body_required=False,
        answer=schemas.ClassRemovedAnswer,
        errors=(errors.JudgeClassNotFound, PermissionDenied),
    )
    def post(self, request: Request, judge_class_id: str) -> Response:
        """No new correction can name it; those that did keep it and its weight."""
        retired = judge_class_unregister(caller=self.caller_of(request), judge_class_id=judge_class_id)
        return Response(schemas.ClassRemovedAnswer(retired.pk, True))
