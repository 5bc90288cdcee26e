"""The part of /v1 that is about suggested changes."""

from __future__ import annotations

from django.urls import path

from improve.api import endpoint_views, evaluation_views, proposal_views, test_set_views

_ENDPOINT = "projects/<str:project_id>/agents/<str:agent_id>/replay-endpoint"
_EVALUATIONS = "proposals/<str:proposal_id>/evaluations"
_TEST_SETS = "projects/<str:project_id>/test-sets"

urlpatterns = [
    path("proposals", proposal_views.Proposals.as_view()),
    path("proposals/<str:proposal_id>", proposal_views.OneProposal.as_view()),
    path("proposals/<str:proposal_id>/history", proposal_views.ProposalHistory.as_view()),
    path("proposals/<str:proposal_id>/request", proposal_views.ProposalRequest.as_view()),
    path("proposals/<str:proposal_id>/decide", proposal_views.ProposalDecision.as_view()),
    path("proposals/<str:proposal_id>/rollback", proposal_views.ProposalRollback.as_view()),
    path("proposals/<str:proposal_id>/withdraw", proposal_views.ProposalWithdrawal.as_view()),
    path("proposals/<str:proposal_id>/evaluate", evaluation_views.ProposalEvaluation.as_view()),
    path("proposals/<str:proposal_id>/cancel", evaluation_views.ProposalCancellation.as_view()),
    path("proposals/<str:proposal_id>/rescore", evaluation_views.ProposalRescoring.as_view()),
    path("proposals/<str:proposal_id>/send", evaluation_views.ProposalSending.as_view()),
    path(_EVALUATIONS, evaluation_views.ProposalEvaluations.as_view()),
    path(f"{_EVALUATIONS}/<str:eval_run_id>", evaluation_views.OneEvaluation.as_view()),
    path(f"{_EVALUATIONS}/<str:eval_run_id>/cases", evaluation_views.EvaluationCases.as_view()),
    path(f"{_EVALUATIONS}/<str:eval_run_id>/cases/<str:case_id>", evaluation_views.OneEvaluationCase.as_view()),
    path(_ENDPOINT, endpoint_views.AgentReplayEndpoint.as_view()),
    path(f"{_ENDPOINT}/check", endpoint_views.ReplayEndpointCheck.as_view()),
    path(f"{_ENDPOINT}/rotate", endpoint_views.ReplayEndpointRotation.as_view()),
    path(_TEST_SETS, test_set_views.TestSets.as_view()),
    path(f"{_TEST_SETS}/<str:test_set_id>", test_set_views.OneTestSet.as_view()),
    path(f"{_TEST_SETS}/<str:test_set_id>/cases", test_set_views.TestSetCases.as_view()),
    path(f"{_TEST_SETS}/<str:test_set_id>/export", test_set_views.TestSetExport.as_view()),
]
