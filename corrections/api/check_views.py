"""Checking a replay's calls against a correction, over /v1 (contract, section 4)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections import errors
from corrections.api.check_schemas import CheckAnswer, CheckBody, check_answer, made_of
from corrections.services.checking import correction_check
from kindgi.api.endpoints import Endpoint
from kindgi.api.operations import operation
from kindgi.runs.errors import RunErased


class CorrectionCheck(Endpoint):
    """`/v1/corrections/{correctionId}/check`."""

    @operation(
        id="corrections.check",
        summary="Check a replay's calls against a correction",
        body=CheckBody,
        example={"calls": [{"tool": "orders.lookup", "args": {"orderId": 4711}}]},
        answer=CheckAnswer,
        errors=(errors.CorrectionNotFound, RunErased),
    )
    def post(self, request: Request, correction_id: str) -> Response:
        """Whether these calls are what the agent should have done; nothing changes by asking."""
        calls = made_of(self.body(CheckBody))
        correction, checked = correction_check(caller=self.caller_of(request), correction_id=correction_id, calls=calls)
        self.subject_id = correction.run_id
        return Response(check_answer(checked))
