"""Judgments over /v1: the same rows as corrections, verdict by verdict (contract, sections 1 and 4)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections import errors
from corrections.api import judgment_schemas as schemas
from corrections.filters import JudgmentFilter
from corrections.judgments import JudgmentBody
from corrections.selectors import judgment_get, judgments_readable, run_copy
from corrections.services.judging import judgment_record
from corrections.services.removing import judgment_remove
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first
from kindgi.runs.errors import RunErased, RunNotFound


class Judgments(Endpoint):
    """`/v1/judgments`."""

    @operation(
        id="judgments.list",
        summary="List judgments, newest first",
        answer=schemas.JudgmentAnswer,
        filters=JudgmentFilter,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of the live judgments that the caller may read, whichever door they came in by."""
        rows = filtered(JudgmentFilter, request.GET, judgments_readable(self.caller_of(request)))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.judgment_answer(row) for row in page.rows]))

    @operation(
        id="judgments.create",
        summary="Judge an item of a run's output",
        body=JudgmentBody,
        example={
            "runId": "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa",
            "item": {"key": "case-17", "pointer": "/matches/2", "rank": 2},
            "verdict": "yes",
            "reason": "The same customer, the same parcel.",
        },
        status=201,
        answer=schemas.JudgmentAnswer,
        errors=(
            errors.ItemNotFound,
            errors.JudgeClassNotApplicable,
            PermissionDenied,
            errors.JudgeClassNotAllowed,
            RunNotFound,
            errors.RunNotFinished,
            RunErased,
        ),
    )
    def post(self, request: Request) -> Response:
        """The judgment; it replaces the caller's live one on the same item, for the same participant."""
        verdict = judgment_record(caller=self.caller_of(request), body=self.body(JudgmentBody))
        self.subject_id = verdict.run_id
        return Response(schemas.judgment_answer(verdict), status=201)


class OneJudgment(Endpoint):
    """`/v1/judgments/{judgmentId}`."""

    @operation(
        id="judgments.get",
        summary="Get a judgment with its copies, live or not",
        answer=schemas.JudgmentAnswer,
        errors=(errors.JudgmentNotFound,),
    )
    def get(self, request: Request, judgment_id: str) -> Response:
        """One judgment, with what was kept of its run and what its item pointed at."""
        verdict = judgment_get(caller=self.caller_of(request), judgment_id=judgment_id)
        return Response(schemas.judgment_answer(verdict, copy=run_copy(verdict.correction)))


class JudgmentRemoval(Endpoint):
    """`/v1/judgments/{judgmentId}/unregister`."""

    @operation(
        id="judgments.unregister",
        summary="Take a judgment back",
        body_required=False,
        answer=schemas.JudgmentRemovedAnswer,
        errors=(errors.JudgmentNotFound, PermissionDenied, errors.CorrectionRemoved, errors.CorrectionSuperseded),
    )
    def post(self, request: Request, judgment_id: str) -> Response:
        """It stays readable, and counts no more; with the last one of its correction, that is removed too."""
        verdict = judgment_remove(caller=self.caller_of(request), judgment_id=judgment_id)
        return Response(schemas.JudgmentRemovedAnswer(verdict.pk, True))
