"""Corrections over /v1 (contract, section 4)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections import errors
from corrections.api import schemas
from corrections.filters import CorrectionFilter
from corrections.selectors import changes_of, correction_get, corrections_readable, run_copy
from corrections.services.changing import ChangeBody, correction_change
from corrections.services.recording import correction_record
from corrections.services.removing import correction_remove
from corrections.submissions import CorrectionBody
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import check_parameters, filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, highest_first, newest_first
from kindgi.runs.errors import RunErased, RunNotFound

_GONE = (errors.CorrectionRemoved, errors.CorrectionSuperseded)


class Corrections(Endpoint):
    """`/v1/corrections`."""

    @operation(
        id="corrections.list",
        summary="List corrections, newest first",
        answer=schemas.CorrectionAnswer,
        filters=CorrectionFilter,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of the corrections that the caller may read; the live ones unless more are asked for."""
        rows = filtered(CorrectionFilter, request.GET, corrections_readable(self.caller_of(request)))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.correction_answer(row) for row in page.rows]))

    @operation(
        id="corrections.create",
        summary="Correct a run",
        body=CorrectionBody,
        example={
            "runId": "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa",
            "decisions": "wrong",
            "shouldCall": [{"tool": "orders.lookup", "args": {"orderId": 4711}}],
            "answer": "wrong",
            "shouldSay": "It arrived yesterday.",
            "items": [{"key": "case-17", "pointer": "/matches/2", "rank": 2, "verdict": "right"}],
        },
        status=201,
        answer=schemas.CorrectionAnswer,
        errors=(
            errors.ItemNotFound,
            errors.CorrectorGroupNotApplicable,
            PermissionDenied,
            errors.CorrectorGroupNotAllowed,
            RunNotFound,
            errors.RunNotFinished,
            RunErased,
        ),
    )
    def post(self, request: Request) -> Response:
        """The correction, sorted."""
        correction = correction_record(caller=self.caller_of(request), body=self.body(CorrectionBody))
        self.subject_id = correction.run_id
        return Response(schemas.correction_answer(correction), status=201)


class OneCorrection(Endpoint):
    """`/v1/corrections/{correctionId}`."""

    @operation(
        id="corrections.get",
        summary="Get a correction with its copies",
        answer=schemas.CorrectionAnswer,
        errors=(errors.CorrectionNotFound,),
    )
    def get(self, request: Request, correction_id: str) -> Response:
        """One correction, with what was kept of its run and what its items pointed at."""
        correction = correction_get(caller=self.caller_of(request), correction_id=correction_id, values=True)
        return Response(schemas.correction_answer(correction, copy=run_copy(correction)))

    @operation(
        id="corrections.update",
        summary="Change a correction's status, sorting, note or link",
        body=ChangeBody,
        answer=schemas.CorrectionAnswer,
        errors=(errors.CorrectionNotFound, PermissionDenied, RunErased, *_GONE),
    )
    def patch(self, request: Request, correction_id: str) -> Response:
        """The correction as it stands now."""
        body = self.body(ChangeBody)
        correction = correction_change(caller=self.caller_of(request), correction_id=correction_id, body=body)
        self.subject_id = correction.run_id
        return Response(schemas.correction_answer(correction))


class CorrectionRemoval(Endpoint):
    """`/v1/corrections/{correctionId}/unregister`."""

    @operation(
        id="corrections.unregister",
        summary="Take a correction back",
        body_required=False,
        answer=schemas.RemovedAnswer,
        errors=(errors.CorrectionNotFound, PermissionDenied, *_GONE),
    )
    def post(self, request: Request, correction_id: str) -> Response:
        """It stays readable, and counts no more."""
        correction = correction_remove(caller=self.caller_of(request), correction_id=correction_id)
        return Response(schemas.RemovedAnswer(correction.pk, True))


class CorrectionHistory(Endpoint):
    """`/v1/corrections/{correctionId}/history`."""

    @operation(
        id="corrections.history",
        summary="What became of a correction, newest first",
        answer=schemas.ChangeAnswer,
        paged=True,
        errors=(errors.CorrectionNotFound,),
    )
    def get(self, request: Request, correction_id: str) -> Response:
        """Who changed what, when, from what, to what and why."""
        check_parameters(request.GET, set())
        correction = correction_get(caller=self.caller_of(request), correction_id=correction_id)
        page = highest_first(changes_of(correction), PageRequest.of(request.GET), by="revision")
        return Response(page.answer([schemas.change_answer(change) for change in page.rows]))
