"""Trying suggested changes over /v1, and what came out (contract, section 7; docs/test-sets.md)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from improve import errors
from improve.api import evaluation_schemas as schemas
from improve.api.proposal_schemas import ProposalAnswer
from improve.api.proposal_views import answered
from improve.evaluating import EvaluateBody
from improve.filters import CaseResultFilter
from improve.models import Evaluation
from improve.selectors.evaluations import (
    case_result_shown,
    case_results,
    case_rows,
    evaluation_get,
    evaluations_of,
)
from improve.selectors.proposals import proposal_get
from improve.services.evaluations import proposal_cancel, proposal_evaluate, proposal_rescore
from improve.services.sending import answers_send
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import LockTimeout, PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, lowest_first, newest_first
from kindgi.runs.errors import AgentNotFound, AgentVersionNotFound, RunNotFound

_ACTING = (errors.ProposalNotFound, PermissionDenied, errors.ProposalWrongStatus, LockTimeout)
_READING = (errors.ProposalNotFound, errors.EvaluationNotFound)


class _Proposal(Endpoint):
    """What these endpoints share."""

    def answer(self, request: Request, proposal_id: str) -> Response:
        """The suggested change as it stands now."""
        caller = self.caller_of(request)
        return Response(answered(caller, proposal_get(caller=caller, proposal_id=proposal_id)))

    def evaluation(self, request: Request, proposal_id: str, evaluation_id: str) -> Evaluation:
        """An evaluation of a suggested change that the caller may read; raises what is not found."""
        proposal = proposal_get(caller=self.caller_of(request), proposal_id=proposal_id)
        return evaluation_get(proposal=proposal, evaluation_id=evaluation_id)


class ProposalEvaluation(_Proposal):
    """`/v1/proposals/{proposalId}/evaluate`."""

    @operation(
        id="proposals.evaluate",
        summary="Try a suggested change on corrected runs",
        body=EvaluateBody,
        body_required=False,
        example={"repetitions": 3},
        answer=ProposalAnswer,
        errors=(
            *_ACTING,
            errors.ReplayEndpointMissing,
            errors.TestSetEmpty,
            errors.TestSetNotFound,
            AgentNotFound,
            AgentVersionNotFound,
        ),
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """It is being evaluated: each case is replayed by the agent's replay endpoint with the change made.

        Without `suiteId`, a test set is made of the agent's corrected runs first.
        """
        proposal_evaluate(caller=self.caller_of(request), proposal_id=proposal_id, body=self.body(EvaluateBody))
        return self.answer(request, proposal_id)


class ProposalCancellation(_Proposal):
    """`/v1/proposals/{proposalId}/cancel`."""

    @operation(
        id="proposals.cancel",
        summary="Cancel the evaluation that goes on",
        body_required=False,
        answer=ProposalAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Nothing more is replayed; what was answered until now is kept with the evaluation."""
        proposal_cancel(caller=self.caller_of(request), proposal_id=proposal_id)
        return self.answer(request, proposal_id)


class ProposalRescoring(_Proposal):
    """`/v1/proposals/{proposalId}/rescore`."""

    @operation(
        id="proposals.rescore",
        summary="Score the latest evaluation again, with what people said since",
        body_required=False,
        answer=ProposalAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """A new evaluation of the same replays, which counts the verdicts on the runs that were sent."""
        proposal_rescore(caller=self.caller_of(request), proposal_id=proposal_id)
        return self.answer(request, proposal_id)


class ProposalSending(_Proposal):
    """`/v1/proposals/{proposalId}/send`."""

    @operation(
        id="proposals.send",
        summary="Give people the answers to judge that nobody has judged",
        body_required=False,
        answer=schemas.SentAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Each answer of a case that came out `changed` becomes a run of the candidate, which waits in the queue.

        It is for the suggested change's reviewers. What was sent before isn't sent again.
        """
        sent = answers_send(caller=self.caller_of(request), proposal_id=proposal_id)
        return Response(schemas.SentAnswer(sent))


class ProposalEvaluations(_Proposal):
    """`/v1/proposals/{proposalId}/evaluations`."""

    @operation(
        id="proposals.evaluations.list",
        summary="List a suggested change's evaluations, newest first",
        answer=schemas.EvaluationWhole,
        paged=True,
        errors=(errors.ProposalNotFound,),
    )
    def get(self, request: Request, proposal_id: str) -> Response:
        """A page of them, with what they found."""
        proposal = proposal_get(caller=self.caller_of(request), proposal_id=proposal_id)
        page = newest_first(evaluations_of(proposal), PageRequest.of(request.GET))
        return Response(page.answer([schemas.evaluation_whole(row) for row in page.rows]))


class OneEvaluation(_Proposal):
    """`/v1/proposals/{proposalId}/evaluations/{evalRunId}`."""

    @operation(
        id="proposals.evaluations.get", summary="Get an evaluation", answer=schemas.EvaluationWhole, errors=_READING
    )
    def get(self, request: Request, proposal_id: str, eval_run_id: str) -> Response:
        """How far it is, and what it found."""
        return Response(schemas.evaluation_whole(self.evaluation(request, proposal_id, eval_run_id)))


class EvaluationCases(_Proposal):
    """`/v1/proposals/{proposalId}/evaluations/{evalRunId}/cases`."""

    @operation(
        id="proposals.evaluations.cases",
        summary="List how each case came out, in the test set's order",
        answer=schemas.EvaluationCase,
        filters=CaseResultFilter,
        paged=True,
        errors=_READING,
    )
    def get(self, request: Request, proposal_id: str, eval_run_id: str) -> Response:
        """A page of them, both sides in short; none while it goes on."""
        evaluation = self.evaluation(request, proposal_id, eval_run_id)
        rows = filtered(CaseResultFilter, request.GET, case_results(evaluation))
        page = lowest_first(rows, PageRequest.of(request.GET), by="position")
        return Response(page.answer([schemas.evaluation_case(row) for row in case_rows(evaluation, page.rows)]))


class OneEvaluationCase(_Proposal):
    """`/v1/proposals/{proposalId}/evaluations/{evalRunId}/cases/{caseId}`."""

    @operation(
        id="proposals.evaluations.getCase",
        summary="Get a case with both sides whole",
        answer=schemas.EvaluationCaseWhole,
        errors=(*_READING, RunNotFound),
    )
    def get(self, request: Request, proposal_id: str, eval_run_id: str, case_id: str) -> Response:
        """What was recorded and what each repetition answered, to the byte."""
        evaluation = self.evaluation(request, proposal_id, eval_run_id)
        return Response(schemas.evaluation_case_whole(case_result_shown(evaluation=evaluation, case_id=case_id)))
