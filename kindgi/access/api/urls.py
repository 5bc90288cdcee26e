"""Access's part of /v1."""

from __future__ import annotations

from django.urls import path

from kindgi.access.api.views import identity, memberships, projects, reviewers, service_accounts, tokens

_PROJECT = "projects/<str:project_id>"
_ACCOUNT = "service-accounts/<str:service_account_id>"

urlpatterns = [
    path("identity/whoami", identity.Whoami.as_view()),
    path("projects", projects.Projects.as_view()),
    path("projects/default", projects.DefaultProject.as_view()),
    path(_PROJECT, projects.OneProject.as_view()),
    path(f"{_PROJECT}/memberships", memberships.Memberships.as_view()),
    path(f"{_PROJECT}/memberships/<str:user_id>", memberships.OneMembership.as_view()),
    path("service-accounts", service_accounts.ServiceAccounts.as_view()),
    path(_ACCOUNT, service_accounts.OneServiceAccount.as_view()),
    path(f"{_ACCOUNT}/unregister", service_accounts.ServiceAccountUnregistration.as_view()),
    path("tokens", tokens.Tokens.as_view()),
    path("tokens/<str:token_id>", tokens.OneToken.as_view()),
    path("tokens/<str:token_id>/revoke", tokens.TokenRevocation.as_view()),
    path("approvals/reviewers", reviewers.Reviewers.as_view()),
    path("approvals/reviewers/<str:reviewer_id>", reviewers.OneReviewer.as_view()),
]
