"""Test sets over /v1 (contract, section 7; docs/test-sets.md)."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from improve import errors
from improve.api import test_set_schemas as schemas
from improve.evaluating import TestSetBody
from improve.filters import TestSetFilter
from improve.models import TestSet
from improve.selectors.test_sets import cases_in_batches, cases_of, test_set_get, test_sets_of
from improve.services.test_sets import test_set_make
from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import LockTimeout, PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.jsontext import encode
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, lowest_first, newest_first

_NOT_FOUND = (ProjectNotFound, errors.TestSetNotFound)
_NDJSON = "application/x-ndjson"
_AT_ONCE = 20
_SPACES = bytes.maketrans(b"\r\n", b"  ")


class TestSets(Endpoint):
    """`/v1/projects/{projectId}/test-sets`."""

    @operation(
        id="projects.testSets.list",
        summary="List a project's test sets, newest first",
        answer=schemas.TestSetAnswer,
        filters=TestSetFilter,
        paged=True,
        errors=(ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """A page of them, without their cases."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        rows = filtered(TestSetFilter, request.GET, test_sets_of(project))
        page = newest_first(rows, PageRequest.of(request.GET))
        return Response(page.answer([schemas.test_set_answer(row) for row in page.rows]))

    @operation(
        id="projects.testSets.create",
        summary="Make a test set of an agent's corrected runs",
        body=TestSetBody,
        example={"agentId": "orders.desk", "versions": ["1.4.0"], "minVerdicts": 1},
        status=201,
        answer=schemas.TestSetAnswer,
        errors=(ProjectNotFound, PermissionDenied, errors.TestSetEmpty, LockTimeout),
    )
    def post(self, request: Request, project_id: str) -> Response:
        """Up to 1,000 corrected runs, the newest first, as they stand now. `since` and `until` are of the end of runs.

        Replays, erased runs and those without an input are left out.
        """
        caller, body = self.caller_of(request), self.body(TestSetBody)
        project = project_get(caller=caller, project_id=project_id)
        test_set = test_set_make(caller=caller, project=project, body=body)
        return Response(schemas.test_set_answer(test_set), status=201)


class OneTestSet(Endpoint):
    """`/v1/projects/{projectId}/test-sets/{testSetId}`."""

    @operation(id="projects.testSets.get", summary="Get a test set", answer=schemas.TestSetAnswer, errors=_NOT_FOUND)
    def get(self, request: Request, project_id: str, test_set_id: str) -> Response:
        """What it is made of."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        return Response(schemas.test_set_answer(test_set_get(project=project, test_set_id=test_set_id)))


class TestSetCases(Endpoint):
    """`/v1/projects/{projectId}/test-sets/{testSetId}/cases`."""

    @operation(
        id="projects.testSets.listCases",
        summary="List a test set's cases, the newest run first",
        answer=schemas.CaseAnswer,
        paged=True,
        errors=_NOT_FOUND,
    )
    def get(self, request: Request, project_id: str, test_set_id: str) -> Response:
        """A page of them: each a corrected run, to the byte, with what people said of it."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        test_set = test_set_get(project=project, test_set_id=test_set_id)
        page = lowest_first(cases_of(test_set), PageRequest.of(request.GET), by="position")
        return Response(page.answer([schemas.case_answer(case, agent_id=test_set.agent_id) for case in page.rows]))


class TestSetExport(Endpoint):
    """`/v1/projects/{projectId}/test-sets/{testSetId}/export`."""

    @operation(
        id="projects.testSets.export",
        summary="Export a test set, a case a line",
        answer=schemas.CaseAnswer,
        produces=_NDJSON,
        errors=_NOT_FOUND,
    )
    def get(self, request: Request, project_id: str, test_set_id: str) -> StreamingHttpResponse:
        """All of its cases as JSON lines, in its order, each as the list has it."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        test_set = test_set_get(project=project, test_set_id=test_set_id)
        return StreamingHttpResponse(_lines(test_set), content_type=_NDJSON)


def _lines(test_set: TestSet) -> Iterator[bytes]:
    """Its lines, read some at a time: runs may be large.

    Content is to the byte, but for line breaks between its tokens, which would end the line.
    """
    for cases in cases_in_batches(test_set, size=_AT_ONCE):
        for case in cases:
            yield encode(schemas.case_answer(case, agent_id=test_set.agent_id)).translate(_SPACES) + b"\n"
