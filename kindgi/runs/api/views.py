"""Runs over /v1 (contract, section 3)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api import errors as api_errors
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.filters import check_parameters, filtered
from kindgi.api.operations import NDJSON_TYPES, operation
from kindgi.api.pages import PageRequest, newest_first
from kindgi.api.times import wire
from kindgi.runs import errors
from kindgi.runs.api import schemas
from kindgi.runs.filters import RunFilter
from kindgi.runs.models import Run
from kindgi.runs.records import RunBody, RunRecord, check_run, run_id_of
from kindgi.runs.selectors import run_content, run_get, runs_readable
from kindgi.runs.services.erasure import gone_run_erase, participant_erase, run_erase
from kindgi.runs.services.importing import Line, records_split, runs_import
from kindgi.runs.services.recording import Report, runs_record

_PARTS = ("input", "calls", "output")
_EXAMPLE = {
    "agent": {"id": "support.assistant", "version": "1.4.0", "via": "live"},
    "status": "completed",
    "input": {"question": "Where is my order?"},
    "output": {"text": "It arrives on Friday.", "matches": []},
    "calls": [{"tool": "orders.lookup", "args": {"orderId": 4711}}],
    "createdAt": "2026-01-02T03:04:05.678Z",
    "completedAt": "2026-01-02T03:04:07.000Z",
}


class Runs(Endpoint):
    """`/v1/runs`."""

    @operation(
        id="runs.list",
        summary="List runs, newest first; never their content",
        answer=schemas.RunAnswer,
        filters=RunFilter,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of the runs that the caller may read."""
        runs = filtered(RunFilter, request.GET, runs_readable(self.caller_of(request)))
        page = newest_first(runs, PageRequest.of(request.GET))
        return Response(page.answer([schemas.run_answer(run) for run in page.rows]))

    @operation(
        id="runs.start",
        summary="Refused: nothing here runs agents",
        body=dict[str, Any],
        body_required=False,
        answer=None,
        errors=(errors.RuntimeNotConfigured,),
    )
    def post(self, request: Request) -> Response:
        """Say where runs are reported instead."""
        raise errors.RuntimeNotConfigured


class OneRun(Endpoint):
    """`/v1/runs/{runId}`."""

    @operation(
        id="runs.get",
        summary="Get a run with its output",
        answer=schemas.RunAnswer,
        params=(("include", "`input`, `calls` or both, with a comma: content to add to the output."),),
        errors=(errors.RunNotFound,),
    )
    def get(self, request: Request, run_id: str) -> Response:
        """One run, to the byte as it was reported."""
        check_parameters(request.GET, {"include"})
        wanted = {part for part in request.GET.get("include", "").split(",") if part}
        if wanted - set(_PARTS):
            raise BadInput("include takes input and calls.", details={"parameter": "include"})
        run = run_get(caller=self.caller_of(request), run_id=run_id)
        answer = schemas.run_answer(run)
        content = run_content(run.content_id)
        for part in {*wanted, "output"}:
            setattr(answer, part, schemas.content_part(content, part))
        return Response(answer)

    @operation(
        id="runs.record",
        summary="Record a run, or move it on",
        body=RunBody,
        example=_EXAMPLE,
        answer=schemas.RunAnswer,
        also=((201, schemas.RunAnswer),),
        errors=(
            ProjectNotFound,
            errors.RunNotFound,
            PermissionDenied,
            errors.RunAlreadyTerminal,
            errors.RunIdentityMismatch,
        ),
    )
    def put(self, request: Request, run_id: str) -> Response:
        """201 the first time that the run is reported, 200 after that."""
        body = self.body(RunBody)
        check_run(body)
        report = Report(run_id_of(run_id), body)
        runs_record(caller=self.caller_of(request), reports=[report])
        if report.refused is not None:
            raise report.refused
        if report.run is None:
            raise api_errors.LockTimeout(retry_after=1)
        self.subject_id = report.run.pk
        return Response(schemas.run_answer(report.run), status=201 if report.outcome == "created" else 200)


class RunImport(Endpoint):
    """`/v1/runs/import`."""

    @operation(
        id="runs.import",
        summary="Record up to 1,000 runs, as NDJSON or a JSON array",
        body=list[RunRecord],
        example=[{"id": "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa", **_EXAMPLE}],
        media_types=NDJSON_TYPES,
        answer=schemas.ImportAnswer,
    )
    def post(self, request: Request) -> Response:
        """What became of each record; a bad one doesn't lose the rest."""
        lines = runs_import(caller=self.caller_of(request), records=records_split(self.checked_body()))
        counts = Counter(line.outcome for line in lines)
        if counts["refused"]:  # a refusal may quote what was sent, of whomever: any erasure in the tenant withholds it
            self.subject_id = self.caller_of(request).tenant_id
        return Response(
            schemas.ImportAnswer(
                created=counts["created"],
                updated=counts["updated"],
                unchanged=counts["unchanged"],
                refused=counts["refused"],
                results=[_result(line) for line in lines],
            )
        )


def _result(line: Line) -> schemas.ImportResult:
    refusal = line.refusal
    return schemas.ImportResult(
        line=line.number,
        id=line.id if line.id is not None else UNSET,
        outcome=line.outcome,  # type: ignore[arg-type]
        error=schemas.RecordRefusal(code=refusal.code, message=refusal.message) if refusal else UNSET,
    )


class RunErasure(Endpoint):
    """`/v1/runs/{runId}/erase`."""

    @operation(
        id="runs.erase",
        summary="Erase a run's content, and what corrections keep of it",
        body_required=False,
        answer=schemas.RunAnswer,
        also=((204, None),),
        errors=(errors.RunNotFound, PermissionDenied),
    )
    def post(self, request: Request, run_id: str) -> Response:
        """The run without its words; erasing again changes nothing.

        Of a run that retention has deleted there is nothing to show: what its corrections kept of
        it is erased, and the answer is 204.
        """
        try:
            run: Run = run_erase(caller=self.caller_of(request), run_id=run_id)
        except errors.RunNotFound:
            gone_run_erase(caller=self.caller_of(request), run_id=run_id)
            return Response(status=204)
        return Response(schemas.run_answer(run))


class ParticipantErasure(Endpoint):
    """`/v1/projects/{projectId}/participants/{participantId}/erase`."""

    @operation(
        id="projects.participants.erase",
        summary="Erase all words of one end user",
        body_required=False,
        answer=schemas.ParticipantErased,
        errors=(ProjectNotFound, PermissionDenied),
    )
    def post(self, request: Request, project_id: str, participant_id: str) -> Response:
        """How much was taken: of their runs as when each is erased, of corrections made for them, and of copies.

        The id is percent-encoded in the path, a slash as `%2F` or as it is; the web server takes
        addresses of up to 65,534 bytes, a proxy before it perhaps fewer. Ids, times, statuses and
        verdicts stay. An id that nobody has takes nothing.
        """
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        receipt = participant_erase(caller=caller, project=project, participant_id=participant_id)
        kinds = ("runs", "corrections", "copies", "replays")
        return Response(
            schemas.ParticipantErased(
                project_id=project.pk,
                participant_id=participant_id,
                erased_at=wire(receipt.erased_at),
                erased=schemas.Erased(**{kind: receipt.taken[kind] for kind in kinds}),
            )
        )
