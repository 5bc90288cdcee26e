"""Judging rules over /v1 (contract, section 6)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from corrections.errors import JudgeClassNotFound
from judging import errors
from judging.api import schemas
from judging.api.previews import PREVIEW_PARAMETERS, preview_asked
from judging.selectors.previews import rule_preview
from judging.selectors.rules import rule_get, rules_live, versions_of
from judging.services.rules import rule_change, rule_create, rule_unregister
from judging.submissions import RuleBody, RuleChangeBody
from kindgi.access.errors import ProjectNotFound
from kindgi.access.selectors import project_get
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, highest_first, oldest_first

_READING = (ProjectNotFound, errors.JudgingRuleNotFound)


class JudgingRules(Endpoint):
    """`/v1/projects/{projectId}/judging-rules`."""

    @operation(
        id="projects.judgingRules.list",
        summary="List a project's judging rules, oldest first",
        answer=schemas.RuleAnswer,
        paged=True,
        errors=(ProjectNotFound,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """A page of those that weren't removed, each as its latest version."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        page = oldest_first(rules_live(project), PageRequest.of(request.GET))
        return Response(page.answer([schemas.rule_answer(row) for row in page.rows]))

    @operation(
        id="projects.judgingRules.create",
        summary="Make a judging rule",
        body=RuleBody,
        example={"name": "Support sample", "when": {"agentIds": ["orders.desk"], "versions": ["live"]}, "sample": 0.1},
        status=201,
        answer=schemas.RuleAnswer,
        errors=(ProjectNotFound, PermissionDenied, JudgeClassNotFound),
    )
    def post(self, request: Request, project_id: str) -> Response:
        """Version 1 of it. Runs that end from now on, match it and fall into its sample are queued."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        made = rule_create(caller=caller, project=project, body=self.body(RuleBody))
        return Response(schemas.rule_answer(made), status=201)


class RulePreview(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/preview`."""

    @operation(
        id="projects.judgingRules.preview",
        summary="Count what a rule would have queued of recent runs",
        answer=schemas.PreviewAnswer,
        params=PREVIEW_PARAMETERS,
        errors=_READING,
    )
    def get(self, request: Request, project_id: str) -> Response:
        """How many of the last runs that ended it matches and samples; `maxOpen` isn't applied.

        Lists are separated by commas. With `ruleId` it samples as that rule does; without it, the
        count is an estimate.
        """
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        considered, matched = rule_preview(project=project, asked=preview_asked(request.GET))
        return Response(schemas.PreviewAnswer(considered, matched))


class OneRule(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}`."""

    @operation(
        id="projects.judgingRules.get",
        summary="Get a judging rule, a removed one too",
        answer=schemas.RuleAnswer,
        errors=_READING,
    )
    def get(self, request: Request, project_id: str, rule_id: str) -> Response:
        """Its latest version."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        return Response(schemas.rule_answer(rule_get(project=project, rule_id=rule_id)))

    @operation(
        id="projects.judgingRules.update",
        summary="Change a judging rule",
        body=RuleChangeBody,
        answer=schemas.RuleAnswer,
        errors=(*_READING, PermissionDenied, JudgeClassNotFound),
    )
    def patch(self, request: Request, project_id: str, rule_id: str) -> Response:
        """Its new version, which runs that are queued from now on count toward; the same one if nothing differs."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        changed = rule_change(caller=caller, project=project, rule_id=rule_id, body=self.body(RuleChangeBody))
        return Response(schemas.rule_answer(changed))


class RuleRemoval(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/unregister`."""

    @operation(
        id="projects.judgingRules.unregister",
        summary="Stop a judging rule",
        body_required=False,
        answer=schemas.RuleRemovedAnswer,
        errors=(*_READING, PermissionDenied),
    )
    def post(self, request: Request, project_id: str, rule_id: str) -> Response:
        """It queues nothing more; its versions and the runs that it queued stay."""
        caller = self.caller_of(request)
        project = project_get(caller=caller, project_id=project_id)
        rule = rule_get(project=project, rule_id=rule_id)
        removed = rule_unregister(caller=caller, project=project, rule_id=rule_id)
        return Response(schemas.RuleRemovedAnswer(rule.pk, removed))


class RuleVersions(Endpoint):
    """`/v1/projects/{projectId}/judging-rules/{ruleId}/versions`."""

    @operation(
        id="projects.judgingRules.versions",
        summary="List a judging rule's versions, newest first",
        answer=schemas.RuleAnswer,
        paged=True,
        errors=_READING,
    )
    def get(self, request: Request, project_id: str, rule_id: str) -> Response:
        """A page of them: who wrote each, when, and what it said."""
        project = project_get(caller=self.caller_of(request), project_id=project_id)
        rule = rule_get(project=project, rule_id=rule_id)
        page = highest_first(versions_of(rule), PageRequest.of(request.GET), by="version")
        return Response(page.answer([schemas.version_answer(rule, row) for row in page.rows]))
