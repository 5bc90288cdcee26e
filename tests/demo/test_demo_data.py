"""The demonstration: believable, whole, the same each time, and made only once."""

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Count, F, Max, Min
from django.test import override_settings

from corrections import models
from corrections.models import Correction, CorrectionChange, JudgeClass, RunCopy, Verdict
from judging.models import CatchUp, JudgingRule, JudgingRuleVersion, QueueItem, QueueItemChange
from judging.selectors.results import class_figures, rule_groups
from judging.trends import trend
from kindgi.access.models import Project, Reviewer, ServiceAccount, Tenant, Token, User
from kindgi.api.jsontext import decode
from kindgi.api.times import now, wire
from kindgi.demo.data import load
from kindgi.demo.history import EXAMPLE_RUN_ID
from kindgi.demo.lookups import AGENT as SUGGESTED
from kindgi.runs.content import unpack
from kindgi.runs.models import Agent, AgentVersion, PinChange, Run, RunContent
from tests.builders import Api


def written_down(var, data):
    (var / "demo.json").write_text(json.dumps({"url": "http://localhost", **data}))


def everything():
    """How many rows there are of each model."""
    counted = (
        Tenant,
        User,
        Project,
        Reviewer,
        ServiceAccount,
        Token,
        Agent,
        AgentVersion,
        Run,
        Correction,
        Verdict,
        RunCopy,
        CorrectionChange,
        JudgeClass,
        models.TestRun,
        models.TestResult,
        models.Replay,
        JudgingRule,
        JudgingRuleVersion,
        QueueItem,
        QueueItemChange,
        CatchUp,
    )
    return {model.__name__: model._default_manager.count() for model in counted}


def test_two_tenants_three_projects_and_the_same_slug_twice(demo):
    assert Tenant.objects.count() == 2
    slugs = [project["slug"] for project in demo["projects"]]
    assert len(slugs) == 3 and max(Counter(slugs).values()) == 2
    first = Project.objects.get(pk=demo["projects"][0]["id"])
    assert first.is_default and first.tenant == Tenant.objects.order_by("created_at", "id").first()


def test_people_of_every_role_sign_in_with_the_password_that_is_told(demo):
    assert {user["role"] for user in demo["users"]} == {
        "tenant-admin",
        "superuser",
        "owner",
        "admin",
        "editor",
        "viewer",
    }
    for user in demo["users"]:
        person = authenticate(username=user["email"], password=user["password"])
        assert isinstance(person, User)
        if "projectId" in user:
            assert person.memberships.get(project_id=user["projectId"]).role == user["role"]
        else:
            assert person.is_staff and person.is_tenant_admin
            assert person.is_superuser == (user["role"] == "superuser")
    assert set(Reviewer.objects.values_list("role", flat=True)) == {"standard", "senior", "admin"}
    assert User.objects.count() == len(demo["users"])


def test_the_admin_token_is_the_first_tenants(demo):
    who = Api(demo["adminToken"]).ok("GET", "identity/whoami")
    project = Project.objects.get(pk=demo["projects"][0]["id"])
    assert (who["role"], who["tenantId"]) == ("admin", str(project.tenant_id))
    other = Project.objects.exclude(tenant=project.tenant).get()
    assert Api(demo["adminToken"]).refused("GET", f"projects/{other.pk}") == (404, "project-not-found")


def test_two_thousand_runs_of_ninety_days(demo):
    assert Run.objects.exclude(agent_id=SUGGESTED).count() == 2000 and Run.objects.count() == 2048
    times = Run.objects.aggregate(first=Min("created_at"), last=Max("completed_at"), reported=Max("updated_at"))
    assert now() - timedelta(days=91) < times["first"] < now() - timedelta(days=85)
    assert now() - timedelta(hours=1) < times["last"] <= times["reported"] <= now()
    assert not Run.objects.filter(completed_at__lt=F("created_at")).exists()
    statuses = Counter(Run.objects.values_list("status", flat=True))
    assert statuses["completed"] > 1700 and statuses["failed"] > 50 and statuses["cancelled"] > 15
    assert sum(statuses[going] for going in ("pending", "running", "suspended")) == 24
    assert not Run.objects.filter(completed_at=None, created_at__lt=now() - timedelta(hours=1)).exists()


def test_flows_children_dry_runs_replays_and_every_reason_for_a_version(demo):
    flows = Run.objects.filter(agent_id="")
    assert flows.count() == 50 and Run.objects.filter(parent_run_id__in=flows.values("run_id")).count() == 100
    replays = Run.objects.filter(replay_of__isnull=False)
    assert (
        replays.count() > 30 and replays.exclude(eval_run_id="").exists() and not replays.filter(dry_run=False).exists()
    )
    assert Run.objects.filter(dry_run=True, replay_of=None).count() > 20
    vias = set(Run.objects.exclude(agent_id="").values_list("agent_via", flat=True))
    assert vias == {"live", "latest", "explicit", "conversation", "flow-pin"}


def test_five_agents_each_with_versions_whose_tools_they_call(demo):
    assert Agent.objects.count() == 5
    versions = AgentVersion.objects.values_list("agent__agent_id", "version", "tools")
    assert min(Counter(agent_id for agent_id, _, _ in versions).values()) >= 3
    tools = {(agent_id, version): {tool["id"] for tool in listed} for agent_id, version, listed in versions if listed}
    runs = Run.objects.exclude(content__calls=None).exclude(agent_id="")
    for agent_id, version, calls in runs.values_list("agent_id", "agent_version", "content__calls"):
        listed = decode(unpack(calls) or b"[]", list[dict[str, Any]])
        assert {call["tool"] for call in listed} <= tools[agent_id, version]
    assert {bool(change.to_version) for change in PinChange.objects.all()} == {True, False}


def test_what_was_said_is_short_and_long_and_in_many_letters(demo):
    outputs = [unpack(content.output) or b"" for content in RunContent.objects.exclude(output=None)]
    inputs = [unpack(content.input) or b"" for content in RunContent.objects.exclude(input=None)]
    sizes = sorted(map(len, outputs))
    assert sizes[0] < 500 and sizes[-1] > 8000
    together = b"".join([*outputs, *inputs]).decode()
    for letters in ("رحلت", "שעה", "予約", "शुभ", "✨", "é", '"matches"', '"toolCalls"', '"history"'):
        assert letters in together


def test_a_few_hundred_corrections_by_people_apps_and_programs(demo):
    corrections = Correction.objects.all()
    assert 300 < corrections.count() < 700
    assert set(corrections.values_list("status", flat=True)) == {
        "open",
        "being-fixed",
        "with-owner",
        "fixed",
        "wont-fix",
        "removed",
    }
    assert corrections.exclude(superseded_by=None).exists() and corrections.exclude(participant_id="").count() > 20
    assert corrections.exclude(link=None).exists() and corrections.exclude(status_note=None).exists()
    assert set(corrections.values_list("sorted_to", flat=True)) == {"", "improve", "developer", "owner"}
    several = corrections.values("run_id").annotate(people=Count("made_by_id", distinct=True)).filter(people__gt=1)
    assert several.count() > 20
    assert set(corrections.values_list("subject_kind", flat=True)) == {"agent", "flow"}
    assert Verdict.objects.filter(pointer__startswith="/matches/", right=False, item_value__isnull=False).exists()


def test_judge_classes_of_every_scope_are_used_under_their_restrictions(demo):
    experts = JudgeClass.objects.filter(name="Experts")
    assert {(row.weight, row.min_reviewer_role, row.project_id) for row in experts} == {(3.0, "senior", None)}
    assert Correction.objects.filter(judge_class__in=experts, restricted=True).count() > 50
    assert set(Correction.objects.filter(judge_class__in=experts).values_list("made_by_kind", flat=True)) == {"user"}
    used = set(Correction.objects.values_list("judge_class__name", flat=True))
    assert {"Experts", "End users", "Night check", "Colleagues", None} <= used
    assert (
        JudgeClass.objects.exclude(agent_id="").exists() and JudgeClass.objects.exclude(unregistered_at=None).exists()
    )


def test_everything_happened_in_its_order(demo):
    ended = {run.run_id: run.completed_at or now() for run in Run.objects.filter(status="completed")}
    for run_id, made, changed in Correction.objects.values_list("run_id", "created_at", "updated_at"):
        assert ended[run_id] < made <= changed <= now()
    histories: dict[object, list[object]] = {}
    for change in CorrectionChange.objects.order_by("correction_id", "revision"):
        histories.setdefault(change.correction_id, []).append(change.created_at)
    assert all(times == sorted(times) for times in histories.values())  # type: ignore[type-var]
    assert Correction.objects.aggregate(first=Min("created_at"))["first"] < now() - timedelta(days=80)


def test_both_doors_were_used_and_judgments_are_of_every_kind(demo):
    doors = Counter(Correction.objects.values_list("door", flat=True))
    assert doors["corrections"] > 300 and doors["judgments"] > 100
    judged = Verdict.objects.filter(correction__door="judgments")
    assert set(judged.values_list("right", flat=True)) == {True, False}
    by_service = judged.filter(made_by_kind="service")
    matches = by_service.filter(item_key__startswith="match:", item_value__isnull=False)
    assert matches.exclude(participant_id="").exists() and matches.exclude(correction__why=None).exists()
    assert by_service.filter(item_key="answer", judge_class__name="Night check").count() > 5
    decisions = judged.filter(item_key="kindgi:correction", right=False, judge_class__name="Experts")
    assert decisions.exclude(correction__should_call=None).exists()
    assert decisions.exclude(correction__must_not_call=None).exists()


def test_some_looked_again_and_some_took_a_judgment_back(demo):
    kinds = Counter(CorrectionChange.objects.values_list("kind", flat=True))
    assert kinds["part-superseded"] > 3 and kinds["part-removed"] >= 1
    parts = CorrectionChange.objects.filter(kind="part-superseded", correction__door="corrections")
    assert {change.by["kind"] for change in parts} == {"user"}
    assert parts.filter(after__fixedIn__how="recorded-right").exists()
    judgments = Correction.objects.filter(door="judgments")
    assert judgments.filter(status="removed").exists() and judgments.exclude(superseded_by=None).exists()


def test_test_runs_follow_every_way_in_which_a_project_came_to_run_a_version(demo):
    test_runs = list(models.TestRun.objects.exclude(agent_id=SUGGESTED).order_by("created_at"))
    assert {run.how for run in test_runs} == {"pin", "went-back", "unpin", "latest"} and len(test_runs) == 13
    assert [run.how for run in test_runs if run.experts_only] == ["pin"]
    released = {
        (tenant_id, agent_id, version): at
        for tenant_id, agent_id, version, at in AgentVersion.objects.values_list(
            "agent__tenant_id", "agent__agent_id", "version", "created_at"
        )
    }
    for run in test_runs:
        assert released[run.tenant_id, run.agent_id, run.version] < run.created_at < now()
        assert run.counts["corrections"] > 0 and 0 < run.expert_counts["corrections"] <= run.counts["corrections"]
        assert run.replayed.count() + run.uncorrected == run.replays
    outcomes = Counter(models.TestResult.objects.values_list("outcome", flat=True))
    assert set(outcomes) == {"right", "wrong", "changed", "unchecked"}
    conversing = {"meridian.concierge", "acorn.orders"}  # of ranked matches a person must look at most
    told = [run.counts for run in test_runs if run.how == "latest" and run.agent_id in conversing]
    assert sum(counts["right"] for counts in told) > 2 * sum(counts["wrong"] for counts in told) > 0
    made = dict(Correction.objects.values_list("pk", "created_at"))
    results = models.TestResult.objects.values_list("correction_id", "created_at")
    assert all(made[correction_id] < at for correction_id, at in results)


def test_versions_fixed_corrections_of_both_doors_and_reopened_some_of_them(demo):
    live = Correction.objects.filter(unregistered_at=None)
    fixed = Counter(live.filter(status="fixed").values_list("door", "fixed_in__how"))
    assert {how for _, how in fixed} == {"recorded-right", "latest", "pin"}
    assert {door for door, how in fixed if how == "latest"} == {"corrections", "judgments"}
    reopened = live.exclude(reopened_in=None)
    assert set(reopened.values_list("reopened_in__how", flat=True)) == {"latest", "pin", "went-back", "unpin"}
    assert set(reopened.values_list("status", flat=True)) <= {"open", "with-owner"}
    for correction in reopened:
        assert correction.fixed_in and correction.reopened_in
        assert correction.fixed_in["at"] < correction.reopened_in["at"] <= wire(correction.updated_at)
    assert set(reopened.values_list("fixed_in__how", flat=True)) == {"latest", "pin"}


def test_some_histories_are_long_and_name_the_test_runs(demo):
    lengths = CorrectionChange.objects.values("correction_id").annotate(entries=Count("id"))
    assert lengths.filter(entries__gt=3).count() > 5
    names = set(CorrectionChange.objects.filter(kind="reopened").values_list("after__testRunId", flat=True))
    assert names and names <= {str(pk) for pk in models.TestRun.objects.values_list("pk", flat=True)}


def test_what_versions_did_is_read_over_v1(demo):
    api, path = Api(demo["adminToken"]), f"projects/{demo['projects'][0]['id']}/test-runs"
    newest = api.ok("GET", path)["data"][0]
    assert (newest["agentId"], newest["version"], newest["how"]) == ("meridian.concierge", "2.0.0", "unpin")
    results = api.ok("GET", f"{path}/{newest['id']}/results?outcome=right")["data"]
    replays = [api.ok("GET", f"{path}/{newest['id']}/replays/{result['runId']}") for result in results]
    assert any("calls" in replay for replay in replays), "of a few the words are erased, of a few the answer got lost"
    assert any(replay["output"]["response"]["content"] for replay in replays if "output" in replay)


def rule_named(name):
    return JudgingRule.objects.get(name=name)


def trend_of(rule):
    groups = rule_groups([rule.pk])[rule.pk]
    figures = class_figures(groups)
    return trend(groups, rule_version=rule.version, weights=figures.weights, names=figures.names)


def test_every_project_has_rules_of_every_kind(demo):
    rules = list(JudgingRule.objects.select_related("judge_class"))
    assert {str(rule.project_id) for rule in rules} == {project["id"] for project in demo["projects"]}
    assert any(set(rule.when) == {"agentIds"} and rule.sample == 1 and not rule.max_open for rule in rules)
    assert any(rule.when.get("versions") == ["live"] and rule.sample < 1 for rule in rules)
    assert any(rule.max_open and rule.judge_class and rule.judge_class.name == "Experts" for rule in rules)
    assert sum("flowIds" in rule.when for rule in rules) == 2
    assert [rule.name for rule in rules if rule.unregistered_at] == ["For the interns"]
    assert [(rule.name, rule.version) for rule in rules if rule.version > 1] == [("Orders and returns", 3)]
    assert {rule.versions.count() for rule in rules} == {1, 3}
    assert all(now() - timedelta(days=90) < rule.created_at <= rule.versioned_at < now() for rule in rules)


def test_the_queue_is_filled_and_tended(demo):
    items = QueueItem.objects.all()
    assert set(items.values_list("state", flat=True)) >= {"open", "judged", "dismissed"}
    assert set(items.filter(state="open").values_list("project_id", flat=True)) == set(
        Project.objects.values_list("pk", flat=True)
    )
    dismissed = items.filter(state="dismissed")
    assert dismissed.filter(reason=None).exists() and len(set(dismissed.values_list("reason", flat=True))) > 4
    assert dismissed.exclude(counted={}).exists(), "some were corrected after they had been dismissed"
    assert QueueItemChange.objects.filter(before="dismissed", after="open").count() > 2
    closed = items.filter(state="judged").values_list("created_at", "closed_at", "completed_at")
    assert all(at is not None and ended <= added < at <= now() for added, at, ended in closed)
    assert items.annotate(rules=Count("entries")).filter(rules__gt=1).exists()
    full = rule_named("Fare rules, by an expert")
    assert full.entries.filter(open=True).count() == full.max_open and full.skipped.count() > 50


def test_trends_compare_two_versions_and_say_where_there_is_too_little(demo):
    told = trend_of(rule_named("First and newest"))
    assert [(one.better, one.worse) for one in told.latest.comparisons] == [("2.0.0", "1.0.0")]
    assert {"Experts"} < {weight.name for weight in told.weights}
    few = trend_of(rule_named("Delays that the flow handled")).latest.versions
    assert [(one.agent_version, one.too_few) for one in few] == [(None, True)]


def test_an_earlier_version_of_a_rule_has_results_of_its_own(demo):
    earlier = trend_of(rule_named("Orders and returns")).earlier
    assert [one.rule_version for one in earlier] == [2, 1]
    assert all(any(version.judgments for version in one.versions) for one in earlier)
    assert earlier[1].skipped_by_cap > 0


def test_catch_ups_were_done(demo):
    done = {job.rule.name: job for job in CatchUp.objects.select_related("rule")}
    assert set(done) == {"First and newest", "Finder, live"} and {job.state for job in done.values()} == {"done"}
    both = done["First and newest"]
    assert both.done == both.of > 300 and both.queued > 50 and both.already_reviewed > 5


def test_a_few_runs_were_erased(demo):
    erased = Run.objects.exclude(content_erased_at=None)
    assert erased.count() == 3
    assert not Correction.objects.filter(run_id__in=erased.values("run_id")).exclude(why=None).exists()


def test_the_example_can_be_corrected(demo):
    assert demo["exampleRunId"] == EXAMPLE_RUN_ID
    assert not Correction.objects.filter(run_id=EXAMPLE_RUN_ID).exists()
    run = Api(demo["adminToken"]).ok("GET", f"runs/{EXAMPLE_RUN_ID}")
    assert (run["status"], run["agent"]["via"], run["projectId"]) == ("completed", "live", demo["projects"][0]["id"])


def test_loading_again_makes_nothing_and_returns_the_same(demo, var, assert_queries):
    written_down(var, demo)
    before = everything()
    with assert_queries(at_most=9):
        assert load(empty=False) == demo
    assert load(empty=True) == demo
    assert everything() == before


def test_a_token_that_was_lost_or_lets_nobody_in_is_replaced(demo, var):
    for record in ("", "[]", "{}", '{"adminToken": 7}', '{"adminToken": "kgi_nobody\\ud800"}'):
        (var / "demo.json").write_text(record)
        again = load(empty=False)
        assert again["adminToken"] != demo["adminToken"] and {**again, "adminToken": ""} == {**demo, "adminToken": ""}
    (var / "demo.json").unlink()
    token = load(empty=False)["adminToken"]
    assert Api(token).ok("GET", "identity/whoami")["role"] == "admin"
    person = User.objects.get(email="bea@acorn-outfitters.example")
    written_down(var, {**demo, "adminToken": Api.of(person).secret})
    assert Api(load(empty=False)["adminToken"]).ok("GET", "identity/whoami")["tenantId"] != str(person.tenant_id)


def test_it_does_not_load_in_production():
    with override_settings(PRODUCTION=True), pytest.raises(ImproperlyConfigured, match="not in production"):
        load(empty=True)
