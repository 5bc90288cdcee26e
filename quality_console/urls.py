"""The console's addresses (contract, section 8)."""

from __future__ import annotations

from django.urls import URLPattern, path

from quality_console.views import (
    account,
    change,
    change_new,
    classes,
    correcting,
    corrections,
    holds,
    home,
    people,
    quality,
    queue,
    replay_endpoints,
    rule_acts,
    rule_edits,
    run,
    runs,
    service_account,
    service_accounts,
    signing_in,
    themes,
    tokens,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("sign-in", signing_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", signing_in.SignOut.as_view(), name="sign-out"),
    path("theme", themes.choose, name="theme"),
    path("account/password", account.password, name="password"),
    path("account/tokens", tokens.tokens, name="tokens"),
    path("account/tokens/<uuid:token_id>/revoke", tokens.revoke, name="token-revoke"),
    path("service-accounts", service_accounts.service_accounts, name="service-accounts"),
    path("service-accounts/<uuid:account_id>", service_account.service_account, name="service-account"),
    path(
        "service-accounts/<uuid:account_id>/unregister", service_account.unregister, name="service-account-unregister"
    ),
    path("service-accounts/<uuid:account_id>/roles", service_account.grant, name="service-account-grant"),
    path(
        "service-accounts/<uuid:account_id>/roles/<uuid:project_id>/remove",
        service_account.ungrant,
        name="service-account-ungrant",
    ),
    path(
        "service-accounts/<uuid:account_id>/tokens/<uuid:token_id>/revoke",
        service_account.revoke,
        name="service-account-token-revoke",
    ),
    path("projects/<slug:slug>/runs", runs.runs, name="runs"),
    path("projects/<slug:slug>/people", people.people, name="people"),
    path("projects/<slug:slug>/people/add", people.add, name="people-add"),
    path("projects/<slug:slug>/people/<uuid:user_id>/role", people.change, name="people-role"),
    path("projects/<slug:slug>/people/<uuid:user_id>/remove", people.remove, name="people-remove"),
    path("projects/<slug:slug>/settings", people.settings, name="project-settings"),
    path("projects/<slug:slug>/quality", quality.quality, name="quality"),
    # The run page.
    path("projects/<slug:slug>/runs/<str:run_id>", run.run, name="run"),
    path("projects/<slug:slug>/runs/<str:run_id>/correct", correcting.correct, name="run-correct"),
    path("projects/<slug:slug>/corrections/<str:correction_id>/undo", correcting.undo, name="correction-undo"),
    path("projects/<slug:slug>/runs/<str:run_id>/part", run.part, name="run-part"),
    path("projects/<slug:slug>/runs/<str:run_id>/json", run.raw, name="run-json"),
    path("projects/<slug:slug>/queue/<str:run_id>/hold", holds.hold, name="queue-hold"),
    path("projects/<slug:slug>/queue/<str:run_id>/release", holds.release, name="queue-release"),
    path("projects/<slug:slug>/corrections/<str:correction_id>/remove", corrections.remove, name="correction-remove"),
    path(
        "projects/<slug:slug>/corrections/<str:correction_id>/change/<str:what>",
        corrections.change,
        name="correction-change",
    ),
    path("projects/<slug:slug>/judge-classes", classes.create, name="class-create"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/change", classes.change, name="class-change"),
    path("projects/<slug:slug>/judge-classes/<uuid:class_id>/remove", classes.remove, name="class-remove"),
    path("projects/<slug:slug>/queue/start", queue.start, name="queue-start"),
    path("projects/<slug:slug>/queue/dismiss", queue.dismiss, name="queue-dismiss"),
    path("projects/<slug:slug>/queue/reopen", queue.reopen, name="queue-reopen"),
    # Rules
    path("projects/<slug:slug>/quality/rules/new", rule_edits.create, name="rule-create"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/change", rule_edits.change, name="rule-change"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/remove", rule_acts.remove, name="rule-remove"),
    path("projects/<slug:slug>/quality/rules/<rule_id>/queue-recent", rule_acts.queue_recent, name="rule-queue-recent"),
    path(
        "projects/<slug:slug>/quality/rules/<rule_id>/queue-recent/<catch_up_id>", rule_acts.progress, name="catch-up"
    ),
    # Suggested changes
    path("projects/<slug:slug>/suggested-changes/new", change_new.suggest, name="suggested-change-new"),
    path("projects/<slug:slug>/suggested-changes/<uuid:proposal_id>", change.change, name="suggested-change"),
    path(
        "projects/<slug:slug>/suggested-changes/<uuid:proposal_id>/progress",
        change.progress,
        name="suggested-change-progress",
    ),
    path(
        "projects/<slug:slug>/suggested-changes/<uuid:proposal_id>/<str:action>",
        change.act,
        name="suggested-change-act",
    ),
    path("projects/<slug:slug>/replay-endpoints", replay_endpoints.endpoints, name="replay-endpoints"),
    path("projects/<slug:slug>/replay-endpoints/rotate", replay_endpoints.rotate, name="replay-endpoint-rotate"),
    path("projects/<slug:slug>/replay-endpoints/check", replay_endpoints.check, name="replay-endpoint-check"),
    path("projects/<slug:slug>/replay-endpoints/remove", replay_endpoints.remove, name="replay-endpoint-remove"),
]
