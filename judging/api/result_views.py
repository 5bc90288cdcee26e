"""A rule's results and its trend over /v1 (contract, section 6)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from judging import errors
from judging.api import result_schemas as schemas
from judging.models import JudgingRule
from judging.selectors.results import class_figures, rule_groups
from judging.selectors.rules import rule_get
from judging.trends import trend
from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.filters import instant_parameter
from kindgi.api.operations import operation

_ERRORS = (ProjectNotFound, errors.JudgingRuleNotFound)
_SINCE = (("since", "Only of the runs that were queued, or left out by the cap, at or after this instant."),)


class _OfRule(Endpoint):
    """What results and trends share."""

    def rule(self, request: Request, project_id: str, rule_id: str) -> JudgingRule:
        """The rule, if the caller may read it; raises ``ProjectNotFound`` and ``JudgingRuleNotFound``."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        return rule_get(project=project, rule_id=rule_id)


class RuleResults(_OfRule):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/results`."""

    @operation(
        id="projects.judgingRules.results",
        summary="Get what came out of the runs that a rule queued",
        answer=schemas.ResultsAnswer,
        params=_SINCE,
        errors=_ERRORS,
    )
    def get(self, request: Request, project_id: str, rule_id: str) -> Response:
        """By the rule's version and the agent's, newest rule version first; never pooled."""
        rule, since = self.rule(request, project_id, rule_id), instant_parameter(request.GET, "since")
        groups = rule_groups([rule.pk], since=since)[rule.pk]
        weights = class_figures(groups).weights
        return Response(schemas.results_answer(rule.pk, groups, weights=weights, since=since))


class RuleTrend(_OfRule):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/trend`."""

    @operation(
        id="projects.judgingRules.trend",
        summary="Get what a rule's results say of each agent version",
        answer=schemas.TrendAnswer,
        params=_SINCE,
        errors=_ERRORS,
    )
    def get(self, request: Request, project_id: str, rule_id: str) -> Response:
        """Shares with their ranges, in figures and in words; comparisons only where ranges are apart."""
        rule, since = self.rule(request, project_id, rule_id), instant_parameter(request.GET, "since")
        groups = rule_groups([rule.pk], since=since)[rule.pk]
        figures = class_figures(groups)
        found = trend(groups, rule_version=rule.version, weights=figures.weights, names=figures.names)
        return Response(schemas.trend_answer(rule.pk, found, since=since))
