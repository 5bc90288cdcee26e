"""Corrections' part of /v1."""

from __future__ import annotations

from django.urls import path

from corrections.api import check_views, class_views, judgment_views, test_run_views, views

urlpatterns = [
    path("corrections", views.Corrections.as_view()),
    path("corrections/<str:correction_id>", views.OneCorrection.as_view()),
    path("corrections/<str:correction_id>/unregister", views.CorrectionRemoval.as_view()),
    path("corrections/<str:correction_id>/check", check_views.CorrectionCheck.as_view()),
    path("corrections/<str:correction_id>/history", views.CorrectionHistory.as_view()),
    path("projects/<str:project_id>/test-runs", test_run_views.TestRuns.as_view()),
    path("projects/<str:project_id>/test-runs/<str:test_run_id>", test_run_views.OneTestRun.as_view()),
    path("projects/<str:project_id>/test-runs/<str:test_run_id>/results", test_run_views.TestRunResults.as_view()),
    path(
        "projects/<str:project_id>/test-runs/<str:test_run_id>/replays/<str:run_id>",
        test_run_views.TestRunReplay.as_view(),
    ),
    path("judge-classes", class_views.JudgeClasses.as_view()),
    path("judge-classes/<str:judge_class_id>", class_views.OneJudgeClass.as_view()),
    path("judge-classes/<str:judge_class_id>/unregister", class_views.JudgeClassRemoval.as_view()),
    path("judgments", judgment_views.Judgments.as_view()),
    path("judgments/<str:judgment_id>", judgment_views.OneJudgment.as_view()),
    path("judgments/<str:judgment_id>/unregister", judgment_views.JudgmentRemoval.as_view()),
]
