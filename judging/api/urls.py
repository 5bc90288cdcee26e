"""Judging's part of /v1."""

from __future__ import annotations

from django.urls import path

from judging.api import catch_up_views, queue_views, result_views, rule_views

_RULES = "projects/<str:project_id>/judging-rules"
_QUEUE = "projects/<str:project_id>/judging-queue"

urlpatterns = [
    path(_RULES, rule_views.JudgingRules.as_view()),
    path(f"{_RULES}/preview", rule_views.RulePreview.as_view()),
    path(f"{_RULES}/<str:rule_id>", rule_views.OneRule.as_view()),
    path(f"{_RULES}/<str:rule_id>/unregister", rule_views.RuleRemoval.as_view()),
    path(f"{_RULES}/<str:rule_id>/versions", rule_views.RuleVersions.as_view()),
    path(f"{_RULES}/<str:rule_id>/results", result_views.RuleResults.as_view()),
    path(f"{_RULES}/<str:rule_id>/trend", result_views.RuleTrend.as_view()),
    path(f"{_RULES}/<str:rule_id>/queue-recent", catch_up_views.QueueRecent.as_view()),
    path(f"{_RULES}/<str:rule_id>/queue-recent/<str:job_id>", catch_up_views.OneCatchUp.as_view()),
    path(_QUEUE, queue_views.JudgingQueue.as_view()),
    path(f"{_QUEUE}/next", queue_views.NextInQueue.as_view()),
    path(f"{_QUEUE}/<str:run_id>/dismiss", queue_views.Dismissal.as_view()),
    path(f"{_QUEUE}/<str:run_id>/reopen", queue_views.Reopening.as_view()),
    path(f"{_QUEUE}/<str:run_id>/hold", queue_views.Hold.as_view()),
]
