"""Test runs over /v1 (contract, section 4)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections import errors
from corrections.api import test_run_schemas as schemas
from corrections.filters import TestResultFilter, TestRunFilter
from corrections.selectors import replay_get, results_of, test_run_get, test_runs_of
from corrections.services.test_runs.recording import test_run_record
from corrections.services.test_runs.submitting import TestRunBody
from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import LockTimeout, PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first
from kindgi.runs.errors import RunNotFound

_NOT_FOUND = (ProjectNotFound, errors.TestRunNotFound)


class TestRuns(Endpoint):
    """`/v1/projects/{projectId}/test-runs`."""

    @operation(
        id="projects.testRuns.list",
        summary="List a project's test runs, newest first",
        answer=schemas.TestRunAnswer,
        filters=TestRunFilter,
        paged=True,
        errors=(ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """A page of them, with their counts."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        rows = filtered(TestRunFilter, request.GET, test_runs_of(project))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.test_run_answer(row) for row in page.rows]))

    @operation(
        id="projects.testRuns.create",
        summary="Record what a version did on corrected runs",
        body=TestRunBody,
        example={
            "agentId": "orders.desk",
            "version": "1.1.0",
            "how": "pin",
            "replays": [
                {
                    "runId": "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa",
                    "calls": [{"tool": "orders.lookup", "args": {"orderId": 4711}}],
                    "output": {"response": {"content": "It arrived yesterday."}},
                }
            ],
        },
        status=201,
        answer=schemas.TestRunAnswer,
        errors=(ProjectNotFound, PermissionDenied, LockTimeout),
    )
    def post(self, request: Request, project_id: str) -> Response:
        """How the corrections of these runs came out. Those that came out right are fixed, fixed ones that
        came out wrong are open again.
        """
        body = self.body(TestRunBody)
        test_run = test_run_record(caller=self.caller_of(request), project_id=project_id, body=body)
        return Response(schemas.test_run_answer(test_run), status=201)


class OneTestRun(Endpoint):
    """`/v1/projects/{projectId}/test-runs/{testRunId}`."""

    @operation(id="projects.testRuns.get", summary="Get a test run", answer=schemas.TestRunAnswer, errors=_NOT_FOUND)
    def get(self, request: Request, project_id: str, test_run_id: str) -> Response:
        """The test run with its counts."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        return Response(schemas.test_run_answer(test_run_get(project=project, test_run_id=test_run_id)))


class TestRunResults(Endpoint):
    """`/v1/projects/{projectId}/test-runs/{testRunId}/results`."""

    @operation(
        id="projects.testRuns.results",
        summary="List how each correction came out",
        answer=schemas.ResultAnswer,
        filters=TestResultFilter,
        paged=True,
        errors=_NOT_FOUND,
    )
    def get(self, request: Request, project_id: str, test_run_id: str) -> Response:
        """A page of them, with what became of each correction."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        test_run = test_run_get(project=project, test_run_id=test_run_id)
        rows = filtered(TestResultFilter, request.GET, results_of(test_run))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.result_answer(row) for row in page.rows]))


class TestRunReplay(Endpoint):
    """`/v1/projects/{projectId}/test-runs/{testRunId}/replays/{runId}`."""

    @operation(
        id="projects.testRuns.getReplay",
        summary="Get what the version did on a run",
        answer=schemas.ReplayAnswer,
        errors=(*_NOT_FOUND, RunNotFound),
    )
    def get(self, request: Request, project_id: str, test_run_id: str, run_id: str) -> Response:
        """Its calls and output, to the byte, for a run of which a correction was checked."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        test_run = test_run_get(project=project, test_run_id=test_run_id)
        return Response(schemas.replay_answer(replay_get(test_run=test_run, run_id=run_id)))
