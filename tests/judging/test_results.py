"""A rule's results over /v1: what became of the runs that it took, and what was said of them (contract, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest

from judging.models import RuleCount
from judging.results import effective_runs
from judging.selectors.results import rule_groups
from judging.services.catch_up import catch_up_begin, catch_up_run
from judging.services.counting import counts_fold
from judging.submissions import QueueRecentBody
from kindgi.access.models import Project
from kindgi.api.times import as_of, now, wire
from kindgi.runs.services.retention import runs_purge
from tests.builders import Api, make_caller
from tests.judging.queues import change_rule, dismiss, import_runs, old_rule, records, reopen, rules_path
from tests.support.shops import AGENT, CheckedApi, Shop

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
DAY = datetime(2026, 3, 10, tzinfo=UTC)
FLOW = {"id": "shop.nightly", "version": "2.0.0"}
WRONG = {"answer": "wrong", "why": "It was lost"}


def answer(shop: Shop, rule: dict[str, Any], *, by: str = "viewer", **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = shop.api(by).ok("GET", rules_path(shop, rule["ruleId"], "results"), query=query)
    for group in found["groups"]:
        assert group["added"] == group["open"] + group["judged"] + group["dismissed"] + group["erased"]
        assert group["judgments"] == sum(one["judgments"] for one in group["byClass"])
    return found


def groups(shop: Shop, rule: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = answer(shop, rule, **query)["groups"]
    return groups


def only_group(shop: Shop, rule: dict[str, Any], **query: Any) -> dict[str, Any]:
    (group,) = groups(shop, rule, **query)
    return group


def figures(group: dict[str, Any], *names: str) -> list[Any]:
    return [group[name] for name in names]


def versions(shop: Shop, rule: dict[str, Any], **query: Any) -> list[tuple[int, str | None, int]]:
    """Each group's rule version, agent version, and how many runs were added."""
    found = groups(shop, rule, **query)
    return [(group["ruleVersion"], group["agentVersion"], group["added"]) for group in found]


def agent(version: str, *, agent_id: str = AGENT) -> dict[str, Any]:
    return {"agent": {"id": agent_id, "version": version, "via": "live"}}


def said_by(judge_class_id: str | None, judgments: int, yes: int) -> dict[str, Any]:
    return {"judgeClassId": judge_class_id, "judgments": judgments, "yes": yes}


def catch_up(shop: Shop, rule: dict[str, Any]) -> None:
    caller = make_caller(shop.tenant, "editor")
    job = catch_up_begin(caller=caller, project=shop.project, rule_id=rule["ruleId"], body=QueueRecentBody(last=1000))
    catch_up_run(catch_up_id=job.pk)


def test_the_references_worked_example(undone: Shop):
    expert = undone.judge_class("expert", weight=3, assertableBy={"principalKinds": ["user"]})
    peer = undone.judge_class("peer", weight=1)
    rule = old_rule(undone, judgeClassId=expert)
    first, second, third, _ = (undone.run() for _ in range(4))
    made = undone.correct(first, by="editor", correctorGroupId=expert)
    assert made["expert"] is True
    undone.correct(first, by="editor:2", correctorGroupId=peer)
    undone.correct(second, by="editor:2", **WRONG, correctorGroupId=peer)
    undone.correct(third, by="editor:2", correctorGroupId=peer)
    dismiss(undone, third)
    found = answer(undone, rule)
    assert found == {
        "ruleId": rule["ruleId"],
        "groups": [
            {
                "ruleVersion": 1,
                "agentVersion": "1.0.0",
                "added": 4,
                "open": 2,
                "judged": 1,
                "dismissed": 1,
                "erased": 0,
                "skippedByCap": 0,
                "judgments": 4,
                "runsWithJudgments": 3,
                "yesShare": 0.8333333333333334,
                "byClass": [said_by(peer, 3, 2), said_by(expert, 1, 1)],
            }
        ],
    }
    # Key for key, in the reference's order.
    assert " ".join(found["groups"][0]) == (
        "ruleVersion agentVersion added open judged dismissed erased skippedByCap judgments runsWithJudgments"
        " yesShare byClass"
    )
    assert list(found["groups"][0]["byClass"][0]) == ["judgeClassId", "judgments", "yes"]


def test_a_rule_that_took_nothing_has_no_group(undone: Shop):
    assert groups(undone, old_rule(undone)) == []


def test_runs_of_which_nothing_is_said_have_no_share(undone: Shop):
    rule = old_rule(undone)
    undone.run()
    group = only_group(undone, rule)
    assert figures(group, "added", "judgments", "runsWithJudgments", "yesShare", "byClass") == [1, 0, 0, None, []]


def test_groups_are_the_newest_rule_version_first_and_then_the_newest_agent_version(undone: Shop):
    rule = old_rule(undone)
    for version in ("1.9.0", "nightly", "1.10.0", "2.0.0-rc.1", "1.9.0"):
        undone.run(**agent(version))
    change_rule(undone, rule, name="Everything else")
    undone.run(**agent("1.9.0"))
    assert versions(undone, rule) == [
        (2, "1.9.0", 1),
        (1, "2.0.0-rc.1", 1),
        (1, "1.10.0", 1),
        (1, "1.9.0", 2),
        (1, "nightly", 1),
    ]


def test_a_changed_rules_earlier_runs_stay_at_their_version_and_are_never_pooled(undone: Shop):
    rule = old_rule(undone)
    before = undone.run()
    change_rule(undone, rule, sample=0.999999)
    undone.run()
    undone.correct(before)
    latest, earlier = groups(undone, rule)
    assert figures(latest, "ruleVersion", "added", "judged", "judgments") == [2, 1, 0, 0]
    assert figures(earlier, "ruleVersion", "added", "judged", "judgments") == [1, 1, 1, 1]


def test_a_change_that_satisfies_waiting_items_judges_them_at_their_version(undone: Shop):
    expert = undone.judge_class()
    rule = old_rule(undone, judgeClassId=expert)
    undone.correct(undone.run())
    undone.run()
    assert figures(only_group(undone, rule), "open", "judged") == [2, 0]
    change_rule(undone, rule, judgeClassId=None)
    assert figures(only_group(undone, rule), "ruleVersion", "open", "judged") == [1, 1, 1]


def test_a_flows_runs_have_no_agent_version(undone: Shop):
    rule = old_rule(undone, when={"flowIds": [FLOW["id"]]})
    undone.correct(undone.run(flow=FLOW))
    undone.run(flow={**FLOW, "version": "3.0.0"})
    assert figures(only_group(undone, rule), "agentVersion", "added", "judged", "yesShare") == [None, 2, 1, 1.0]


def test_a_rule_of_several_agents_has_a_group_for_each_version_whosever_it_is_and_flows_last(undone: Shop):
    rule = old_rule(undone, when={})
    undone.run(flow=FLOW)
    undone.run(**agent("1.0.0"))
    undone.run(**agent("1.0.0", agent_id="shop.mail"))
    undone.run(**agent("1.1.0", agent_id="shop.mail"))
    assert versions(undone, rule) == [(1, "1.1.0", 1), (1, "1.0.0", 2), (1, None, 1)]


def test_a_run_that_two_rules_took_counts_for_each(undone: Shop):
    one, other = old_rule(undone), old_rule(undone, when={}, judgeClassId=undone.judge_class())
    undone.correct(undone.run())
    # The item waits for the other rule's class, and so for both.
    for rule in (one, other):
        assert figures(only_group(undone, rule), "added", "open", "judgments", "yesShare") == [1, 1, 1, 1.0]


def test_each_item_of_a_run_is_a_verdict_by_either_door(undone: Shop):
    rule = old_rule(undone)
    run_id = undone.run()
    items = [{"key": "case-a", "pointer": "/matches/0", "verdict": "right"}, {"key": "case-b", "verdict": "wrong"}]
    undone.correct(run_id, answer="right", decisions="right", items=items)
    judgment = {"runId": run_id, "item": {"key": "case-a"}, "verdict": "no"}
    undone.api("service").ok("POST", "judgments", judgment)
    group = only_group(undone, rule)
    assert figures(group, "judgments", "runsWithJudgments", "yesShare") == [5, 1, 0.6]
    assert group["byClass"] == [said_by(None, 5, 3)]


def test_the_unclassified_come_last_and_weigh_one(undone: Shop):
    rule, bot = old_rule(undone), undone.judge_class(weight=0.5)
    run_id = undone.run()
    undone.correct(run_id, correctorGroupId=bot)
    undone.correct(run_id, by="editor:2", **WRONG)
    undone.correct(run_id, by="editor:3", **WRONG)
    group = only_group(undone, rule)
    assert group["byClass"] == [said_by(bot, 1, 1), said_by(None, 2, 0)]
    assert group["yesShare"] == 0.2


def test_a_retired_class_keeps_its_weight(undone: Shop):
    rule, expert = old_rule(undone), undone.judge_class(weight=3)
    run_id = undone.run()
    undone.correct(run_id, correctorGroupId=expert)
    undone.correct(run_id, by="editor:2", **WRONG)
    before = answer(undone, rule)
    undone.admin.ok("POST", f"judge-classes/{expert}/unregister")
    assert answer(undone, rule) == before
    assert before["groups"][0]["yesShare"] == 0.75


def test_a_changed_weight_counts_at_once_for_what_was_said_before(undone: Shop):
    rule, expert = old_rule(undone), undone.judge_class(weight=3)
    run_id = undone.run()
    undone.correct(run_id, correctorGroupId=expert)
    undone.correct(run_id, by="editor:2", **WRONG)
    for weight, share in ((1, 0.5), (0, 0.0), (4, 0.8)):
        undone.admin.ok("PATCH", f"judge-classes/{expert}", {"weight": weight})
        assert only_group(undone, rule)["yesShare"] == share


def test_verdicts_of_which_none_weighs_anything_have_no_share(undone: Shop):
    rule, idle = old_rule(undone), undone.judge_class(weight=0)
    undone.correct(undone.run(), correctorGroupId=idle)
    assert figures(only_group(undone, rule), "judgments", "runsWithJudgments", "yesShare") == [1, 1, None]


def test_what_is_removed_counts_no_more_and_reopens_nothing(undone: Shop):
    rule = old_rule(undone)
    made = undone.correct(undone.run(), answer="right", decisions="right")
    judgments = undone.editor.ok("GET", "judgments", query={"runId": made["runId"]})["data"]
    names = ("open", "judged", "judgments", "runsWithJudgments", "yesShare")
    assert figures(only_group(undone, rule), *names) == [0, 1, 2, 1, 1.0]
    undone.editor.ok("POST", f"judgments/{judgments[0]['id']}/unregister")
    assert figures(only_group(undone, rule), *names) == [0, 1, 1, 1, 1.0]
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    assert figures(only_group(undone, rule), *names) == [0, 1, 0, 0, None]


def test_of_what_somebody_said_twice_the_later_counts_under_its_own_class(undone: Shop):
    rule, expert = old_rule(undone), undone.judge_class(weight=3)
    run_id = undone.run()
    undone.correct(run_id, answer="right")
    undone.correct(run_id, **WRONG, correctorGroupId=expert)
    group = only_group(undone, rule)
    assert figures(group, "judged", "judgments", "yesShare") == [1, 1, 0.0]
    assert group["byClass"] == [said_by(expert, 1, 0)]


def test_what_an_app_says_for_its_end_users_counts_for_each_of_them(undone: Shop):
    rule = old_rule(undone)
    run_id = undone.run()
    for participant, said in (("anna", {}), ("bo", WRONG), ("bo", {})):
        undone.correct(run_id, by="service", **said, participantId=participant)
    assert figures(only_group(undone, rule), "judgments", "runsWithJudgments", "yesShare") == [2, 1, 1.0]


def test_what_is_said_of_a_run_counts_whether_it_was_dismissed_later_or_before(undone: Shop):
    rule = old_rule(undone, judgeClassId=undone.judge_class())
    said, unsaid = undone.run(), undone.run()
    undone.correct(said)
    for run_id in (said, unsaid):
        dismiss(undone, run_id)
    undone.correct(unsaid, by="editor:2", **WRONG)
    names = ("open", "dismissed", "judgments", "runsWithJudgments", "yesShare")
    assert figures(only_group(undone, rule), *names) == [0, 2, 2, 2, 0.5]
    reopen(undone, said)
    assert figures(only_group(undone, rule), *names) == [1, 1, 2, 2, 0.5]


def test_an_erased_run_stays_with_what_was_said_of_it(undone: Shop):
    rule = old_rule(undone, judgeClassId=undone.judge_class())
    waiting, judged, dismissed, silent = (undone.run() for _ in range(4))
    undone.correct(waiting)
    undone.correct(judged, correctorGroupId=rule["judgeClassId"])
    undone.correct(dismissed, **WRONG)
    dismiss(undone, dismissed)
    for run_id in (waiting, judged, dismissed, silent):
        undone.admin.ok("POST", f"runs/{run_id}/erase")
    group = only_group(undone, rule)
    # What had closed before stays as it closed.
    assert figures(group, "added", "open", "judged", "dismissed", "erased") == [4, 0, 1, 1, 2]
    assert figures(group, "judgments", "runsWithJudgments", "yesShare") == [3, 3, 2 / 3]


def test_a_purged_run_stays_with_what_was_said_of_it(undone: Shop):
    rule = old_rule(undone, at=now() - timedelta(days=50), judgeClassId=undone.judge_class())
    old = wire(now() - timedelta(days=40))
    corrected, _ = (undone.run(createdAt=old, completedAt=old) for _ in range(2))
    undone.run()
    undone.correct(corrected)
    undone.admin.ok("PATCH", f"projects/{undone.project.pk}", {"retentionDays": 30})
    assert runs_purge(project=Project.objects.get(pk=undone.project.pk), limit=10) == 2
    group = only_group(undone, rule)
    assert figures(group, "added", "open", "erased", "judgments", "runsWithJudgments") == [3, 1, 2, 1, 1]


def test_runs_that_the_cap_kept_out_are_counted_by_their_versions(undone: Shop):
    rule = old_rule(undone, maxOpen=1)
    first = undone.run()
    undone.run(**agent("1.1.0"))
    undone.run()
    change_rule(undone, rule, name="Other")
    undone.run()
    undone.correct(first)
    undone.run()
    assert [figures(one, "ruleVersion", "agentVersion", "added", "skippedByCap") for one in groups(undone, rule)] == [
        [2, "1.0.0", 1, 1],
        [1, "1.1.0", 0, 1],
        [1, "1.0.0", 1, 1],
    ]


def test_a_run_that_another_rule_queued_is_skipped_all_the_same(undone: Shop):
    capped, other = old_rule(undone, maxOpen=1), old_rule(undone)
    import_runs(undone, *records(3))
    assert figures(only_group(undone, capped), "added", "skippedByCap") == [1, 2]
    assert figures(only_group(undone, other), "added", "skippedByCap") == [3, 0]


def test_a_catch_up_takes_what_the_cap_kept_out_and_none_is_counted_twice(undone: Shop):
    capped, other = old_rule(undone, maxOpen=2), old_rule(undone)
    before = records(5)
    import_runs(undone, *before)
    undone.correct(before[4]["id"])
    change_rule(undone, capped, name="Other")
    import_runs(undone, *records(2))
    catch_up(undone, capped)
    found = groups(undone, capped)
    # One was corrected before the catch-up came by: its item had closed, so it stays out.
    assert [figures(one, "ruleVersion", "added", "skippedByCap") for one in found] == [[2, 4, 0], [1, 2, 1]]
    assert sum(one["added"] + one["skippedByCap"] for one in found) == 7
    assert figures(only_group(undone, other), "added", "skippedByCap") == [7, 0]


def test_dry_failed_and_replayed_runs_are_in_no_group(undone: Shop):
    rule = old_rule(undone)
    for body in ({"dryRun": True}, {"status": "failed"}, {"replayOf": UNKNOWN}, {"evalRunId": "eval-1"}):
        undone.run(**body)
    assert groups(undone, rule) == []


@pytest.fixture
def rule_of_days(undone: Shop) -> dict[str, Any]:
    """A capped rule that queued or left out a run at each of eight instants of three days.

    Those at noon of each day are corrected by now.
    """
    rule = old_rule(undone, at=DAY - timedelta(days=2), maxOpen=3)
    corrected = []
    for hours in (-12.5, -12, 0, 11.5, 12, 23.75, 24, 36):
        with as_of(DAY + timedelta(hours=hours)):
            run_id = undone.run()
        corrected += [run_id] if hours % 24 == 12 else []
    for run_id in corrected:
        undone.correct(run_id)
    return rule


# After which hours since DAY: how many are added or skipped, and how many are corrected of them.
SINCE = [
    (-1000, 3, 5, 1),
    (-12.5, 3, 5, 1),
    (-12, 2, 5, 1),
    (0, 1, 5, 0),
    (1e-6, 0, 5, 0),
    (11.5, 0, 5, 0),
    (12, 0, 4, 0),
    (12.01, 0, 3, 0),
    (24, 0, 2, 0),
    (24.01, 0, 1, 0),
    (36, 0, 1, 0),
    (36.001, 0, 0, 0),
    (1000, 0, 0, 0),
]


@pytest.mark.parametrize("fold", [lambda: 0, counts_fold], ids=["unfolded", "folded"])
def test_since_counts_the_runs_taken_then_or_later_with_all_that_is_said_of_them(
    undone: Shop, rule_of_days: dict[str, Any], fold: Callable[[], int]
):
    fold()
    for hours, added, skipped, corrected in SINCE:
        since = wire(DAY + timedelta(hours=hours))
        found = answer(undone, rule_of_days, since=since)
        assert found["since"] == since
        expected = [[added, skipped, corrected, corrected]] if added or skipped else []
        counted = [figures(one, "added", "skippedByCap", "judged", "judgments") for one in found["groups"]]
        assert counted == expected, hours


@pytest.mark.parametrize("offset", [-12, -3.5, 0, 5.75, 14])
def test_since_is_an_instant_whatever_its_offset(undone: Shop, rule_of_days: dict[str, Any], offset: float):
    zone = timezone(timedelta(hours=offset))
    for hours, added, skipped, _ in SINCE:
        since = (DAY + timedelta(hours=hours)).astimezone(zone)
        found = groups(undone, rule_of_days, since=since.isoformat())
        assert sum(one["added"] + one["skippedByCap"] for one in found) == added + skipped, since


@pytest.mark.parametrize(
    ("since", "there"),
    [
        ("0001-01-01T00:00:00Z", True),
        ("0001-01-01T00:00:00.001Z", True),
        ("2026-03-10", True),
        ("2026-03-10T12:00:00", True),
        ("9999-12-31T00:00:00Z", False),
        ("9999-12-31T23:59:59.999Z", False),
    ],
)
def test_since_may_be_any_instant_of_the_years_1_to_9999(
    undone: Shop, rule_of_days: dict[str, Any], since: str, there: bool
):
    assert bool(groups(undone, rule_of_days, since=since)) is there


@pytest.mark.parametrize(
    "since", ["", "yesterday", "2026-13-01", "2026-03-10T25:00:00Z", "0001-01-01T00:00:00+01:00", "1767225600", "\0"]
)
@pytest.mark.parametrize("what", ["results", "trend"])
def test_since_that_is_no_instant_is_refused(undone: Shop, since: str, what: str):
    path = rules_path(undone, old_rule(undone)["ruleId"], what)
    assert undone.editor.refused("GET", path, query={"since": since}) == (400, "bad-input")


@pytest.mark.parametrize("query", ["before=2026-03-10", "since=2026-03-10&since=2026-03-11"])
@pytest.mark.parametrize("what", ["results", "trend"])
def test_a_parameter_that_is_not_there_or_twice_is_refused(undone: Shop, query: str, what: str):
    path = rules_path(undone, old_rule(undone)["ruleId"], what)
    assert undone.editor.refused("GET", f"{path}?{query}") == (400, "bad-input")


def test_what_comes_of_a_run_later_is_counted_at_the_time_when_it_was_queued(undone: Shop):
    rule = old_rule(undone, at=DAY - timedelta(days=2))
    with as_of(DAY):
        run_id = undone.run()
    with as_of(DAY + timedelta(days=9)):
        undone.correct(run_id)
    assert figures(only_group(undone, rule, since=wire(DAY)), "judged", "judgments") == [1, 1]
    assert groups(undone, rule, since=wire(DAY + timedelta(milliseconds=1))) == []
    assert groups(undone, rule, since=wire(DAY + timedelta(days=1))) == []


@pytest.mark.parametrize("what", ["results", "trend"])
def test_whoever_reads_the_project_reads_them_and_to_others_there_is_no_such_rule(undone: Shop, what: str):
    rule = old_rule(undone)
    path = rules_path(undone, rule["ruleId"], what)
    for by in ("viewer", "editor", "admin", "service", "tenant-admin"):
        undone.api(by).ok("GET", path)
    elsewhere = f"projects/{undone.other_project().pk}/judging-rules/{rule['ruleId']}/{what}"
    assert undone.admin.refused("GET", elsewhere) == (404, "judging-rule-not-found")
    stranger = Shop.open().admin
    assert stranger.refused("GET", path) == (404, "project-not-found")
    for unknown in (UNKNOWN, "none"):
        assert undone.editor.refused("GET", rules_path(undone, unknown, what)) == (404, "judging-rule-not-found")
    assert CheckedApi().refused("GET", path) == (401, "auth-missing")


def test_a_removed_rule_keeps_its_results(undone: Shop):
    rule = old_rule(undone)
    undone.correct(undone.run())
    before = answer(undone, rule)
    undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
    undone.run()
    assert answer(undone, rule) == before


@pytest.mark.parametrize("query", [{}, {"since": wire(DAY)}, {"since": wire(DAY + timedelta(hours=1))}])
@pytest.mark.parametrize(("what", "exact"), [("results", 5), ("trend", 5)])
def test_the_statements_are_as_many_for_one_group_as_for_many(
    undone: Shop, assert_queries: Any, query: dict[str, Any], what: str, exact: int
):
    rule, judge_class = old_rule(undone), undone.judge_class()
    path = rules_path(undone, rule["ruleId"], what)
    viewer = Api.of(undone.person("viewer"))
    undone.correct(undone.run(), correctorGroupId=judge_class)
    viewer.ok("GET", path, query=query)
    with assert_queries(exact=exact):
        viewer.ok("GET", path, query=query)
    for version in ("1.1.0", "1.2.0", "1.3.0"):
        undone.correct(undone.run(**agent(version)), correctorGroupId=undone.judge_class())
    change_rule(undone, rule, name="Other")
    undone.run()
    with assert_queries(exact=exact):
        assert viewer.ok("GET", path, query=query)


def test_folding_the_counts_changes_no_answer(undone: Shop):
    rule = old_rule(undone, maxOpen=3, judgeClassId=undone.judge_class())
    runs = records(5, **agent("1.1.0"))
    import_runs(undone, *runs)
    undone.correct(runs[0]["id"], correctorGroupId=rule["judgeClassId"])
    undone.correct(runs[1]["id"], by="editor:2", **WRONG)
    dismiss(undone, runs[1]["id"])
    undone.correct(undone.run())
    before = answer(undone, rule)
    of_rule = RuleCount.objects.filter(rule_id=rule["ruleId"])
    rows = of_rule.count()
    assert counts_fold() > 0
    assert of_rule.count() < rows and not of_rule.filter(folded=False).exists()
    assert answer(undone, rule) == before
    # What is written after a fold adds to it.
    reopen(undone, runs[1]["id"])
    after = answer(undone, rule)
    assert [figures(one, "open", "dismissed") for one in before["groups"]] == [[1, 1], [1, 0]]
    assert [figures(one, "open", "dismissed") for one in after["groups"]] == [[2, 0], [1, 0]]
    assert counts_fold() > 0 and answer(undone, rule) == after
    assert counts_fold() == 0


def test_counts_may_pass_what_32_bits_hold(undone: Shop):
    """A run that thousands of end users judge: the square of its verdicts is counted."""
    rule = old_rule(undone)
    run_id = undone.run()
    many = {None: (3_000_000, 3_000_000)}
    with patch("judging.services.closing.live_tallies", return_value={UUID(run_id): many}):
        undone.correct(run_id)
    counts_fold()
    (group,) = rule_groups([UUID(rule["ruleId"])])[UUID(rule["ruleId"])]
    assert (group.judgments, effective_runs(group, {None: 1.0})) == (3_000_000, 1.0)
