"""Runs that end are held against the rules, in the request that says so (contract, section 6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from judging.models import QueueItem, SkippedRun
from judging.sampling import Sample
from kindgi.api.times import as_of, now, wire
from tests.judging.queues import (
    change_rule,
    dismiss,
    import_runs,
    item_of,
    old_rule,
    queue,
    queued_runs,
    records,
    report,
    rules_path,
    states,
)
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, VERSION, Shop, completed

MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)
MS = timedelta(milliseconds=1)
SOME_ID = "018f0000-0000-7000-8000-000000000001"
DOORS = ["PUT", "import"]
both_doors = pytest.mark.parametrize("door", DOORS)


def reported(shop: Shop, door: str, **body: Any) -> str:
    """The id of a run that was just reported."""
    run_id = str(uuid4())
    report(shop, door, run_id, **body)
    return run_id


@both_doors
def test_a_completed_run_that_a_rule_takes_waits_from_then_on(undone: Shop, door: str):
    rule = old_rule(undone)
    change_rule(undone, rule, name="Version 2")
    end, added = now() - timedelta(minutes=5), now()
    with as_of(added):
        run_id = reported(undone, door, completedAt=wire(end))
    assert queue(undone) == {
        "data": [
            {
                "runId": run_id,
                "projectId": str(undone.project.pk),
                "agentId": AGENT,
                "agentVersion": VERSION,
                "flowId": "agent.turn",
                "runStatus": "completed",
                "completedAt": wire(end),
                "rules": [{"ruleId": rule["ruleId"], "version": 2}],
                "wantedClassIds": [],
                "anyJudgment": True,
                "progress": {"total": 0, "byClass": []},
                "addedAt": wire(added),
                "state": "open",
                "can": {"dismiss": True, "reopen": False},
            }
        ],
        "hasMore": False,
        "total": 1,
    }


@both_doors
def test_a_flows_run_names_its_flow_and_no_agent(undone: Shop, door: str):
    expert = undone.judge_class()
    old_rule(undone, when={"flowIds": ["intake"]}, judgeClassId=expert)
    run_id = reported(undone, door, flow={"id": "intake", "version": "2.0.0"})
    item = item_of(undone, run_id)
    assert item is not None and item["flowId"] == "intake"
    assert not item.keys() & {"agentId", "agentVersion"}
    assert (item["wantedClassIds"], item["anyJudgment"]) == ([expert], False)


FLOW = {"flow": {"id": "intake", "version": "2.0.0"}}
EXPLICIT = {"agent": {"id": AGENT, "version": VERSION, "via": "explicit"}}
UNTOLD = {"agent": {"id": AGENT, "version": VERSION}}
# A rule's when, what is reported, and whether the one is about the other.
CASES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {}, True),
    ({}, FLOW, True),
    ({"agentIds": ["other", AGENT]}, {}, True),
    ({"agentIds": ["other"]}, {}, False),
    ({"agentIds": ["intake"]}, FLOW, False),
    ({"flowIds": ["intake"]}, FLOW, True),
    ({"flowIds": ["intake"]}, {}, False),
    ({"versions": [VERSION]}, {}, True),
    ({"versions": ["2.0.0"]}, {}, False),
    ({"versions": ["2.0.0"]}, FLOW, True),
    ({"versions": ["live"]}, {}, True),
    ({"versions": ["live"]}, EXPLICIT, False),
    ({"versions": ["live"]}, UNTOLD, False),
    ({"versions": ["live", VERSION]}, EXPLICIT, True),
    ({"versions": ["live"]}, FLOW, False),
    ({"status": ["completed"]}, {}, True),
    ({}, {"status": "failed"}, False),
    ({}, {"status": "cancelled"}, False),
    ({}, {"status": "suspended"}, False),
    ({}, {"dryRun": True}, False),
    ({"includeDryRuns": False}, {"dryRun": True}, False),
    ({"includeDryRuns": True}, {"dryRun": True}, True),
    ({"includeDryRuns": True}, {}, True),
    ({}, {"parentRunId": SOME_ID}, False),
    ({"flowIds": ["intake"]}, {**FLOW, "parentRunId": SOME_ID}, False),
    ({}, {"replayOf": SOME_ID}, False),
    ({}, {"evalRunId": "eval-1"}, False),
    ({"includeDryRuns": True}, {"dryRun": True, "evalRunId": "eval-1"}, False),
]


@both_doors
@pytest.mark.parametrize(("when", "body", "taken"), CASES, ids=[f"{when} {body}" for when, body, _ in CASES])
def test_a_rule_takes_the_runs_that_it_is_about(
    undone: Shop, door: str, when: dict[str, Any], body: dict[str, Any], taken: bool
):
    old_rule(undone, when=when)
    run_id = reported(undone, door, **body)
    assert states(undone) == ({run_id: "open"} if taken else {})
    assert queue(undone, "limit=0")["total"] == taken


@both_doors
def test_a_run_is_held_against_the_rules_once_when_it_ends(undone: Shop, door: str):
    old_rule(undone)
    run_id = reported(undone, door, status="pending")
    for status in ("running", "suspended"):
        report(undone, door, run_id, status=status)
        assert states(undone) == {}
    report(undone, door, run_id)
    once = queue(undone)
    assert [item["runId"] for item in once["data"]] == [run_id]
    for again in DOORS:
        report(undone, again, run_id)
        assert queue(undone) == once


@both_doors
@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_ends_otherwise_is_not_queued(undone: Shop, door: str, status: str):
    old_rule(undone)
    run_id = reported(undone, door, status="running")
    report(undone, door, run_id, status=status)
    assert states(undone) == {}


def test_one_import_may_tell_all_of_a_run(undone: Shop):
    old_rule(undone)
    run_id = str(uuid4())
    import_runs(undone, *({"id": run_id, **completed(status=status)} for status in ("pending", "running", "completed")))
    assert states(undone) == {run_id: "open"}


def test_what_was_dismissed_or_corrected_is_not_queued_by_telling_it_again(undone: Shop):
    old_rule(undone)
    dismissed, corrected = undone.run(), undone.run()
    dismiss(undone, dismissed)
    undone.correct(corrected)
    for door in DOORS:
        report(undone, door, dismissed)
        report(undone, door, corrected)
    assert states(undone) == {dismissed: "dismissed", corrected: "judged"}
    assert queue(undone, "limit=0")["total"] == 2


@both_doors
@pytest.mark.parametrize(
    ("end", "taken"), [(MADE - MS, False), (MADE, False), (MADE + MS, True), (MADE - timedelta(days=400), False)]
)
def test_a_run_that_is_told_late_is_judged_by_when_it_ended(undone: Shop, door: str, end: datetime, taken: bool):
    old_rule(undone, at=MADE)
    run_id = reported(undone, door, completedAt=wire(end), createdAt=wire(end - timedelta(minutes=1)))
    assert states(undone) == ({run_id: "open"} if taken else {})


@both_doors
def test_the_rule_was_made_when_its_first_version_was(undone: Shop, door: str):
    rule = old_rule(undone, at=MADE)
    with as_of(MADE + timedelta(days=2)):
        change_rule(undone, rule, name="Version 2")
    run_id = reported(undone, door, completedAt=wire(MADE + timedelta(days=1)))
    item = item_of(undone, run_id)
    assert item is not None and item["rules"] == [{"ruleId": rule["ruleId"], "version": 2}]


def test_runs_that_are_told_late_queue_in_the_order_in_which_they_came(undone: Shop):
    old_rule(undone, at=MADE)
    told = [undone.run(completedAt=wire(MADE + timedelta(hours=hours))) for hours in (3, 1, 2)]
    assert queued_runs(undone) == told


@both_doors
def test_a_rule_that_is_disabled_or_stopped_takes_nothing(undone: Shop, door: str):
    disabled, stopped = old_rule(undone), old_rule(undone)
    change_rule(undone, disabled, enabled=False)
    undone.editor.ok("POST", rules_path(undone, stopped["ruleId"], "unregister"))
    missed = reported(undone, door)
    change_rule(undone, disabled, enabled=True)
    assert states(undone) == {}, "what ended meanwhile isn't caught up by itself"
    report(undone, door, missed)
    taken = reported(undone, door)
    assert states(undone) == {taken: "open"}
    item = item_of(undone, taken)
    assert item is not None and item["rules"] == [{"ruleId": disabled["ruleId"], "version": 3}]
    assert SkippedRun.objects.count() == 0


def test_a_rule_that_is_made_disabled_takes_nothing_until_it_is_enabled(undone: Shop):
    rule = old_rule(undone, enabled=False)
    undone.run()
    assert queued_runs(undone) == []
    change_rule(undone, rule, enabled=True)
    run_id = undone.run()
    assert queued_runs(undone) == [run_id]


@both_doors
def test_a_run_that_was_erased_while_it_ran_is_not_queued(undone: Shop, door: str):
    old_rule(undone, when={})
    run_id = reported(undone, door, status="running")
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    report(undone, door, run_id)
    assert states(undone) == {} and QueueItem.objects.count() == 0


@both_doors
def test_several_rules_on_a_run_are_one_item_with_the_oldest_rule_first(undone: Shop, door: str):
    expert, bot = undone.judge_class(), undone.judge_class()
    rules = [
        old_rule(undone, judgeClassId=expert),
        old_rule(undone, when={"agentIds": ["other"]}),
        old_rule(undone),
        old_rule(undone, judgeClassId=bot),
        old_rule(undone, judgeClassId=expert),
    ]
    change_rule(undone, rules[0], name="Version 2")
    run_id = reported(undone, door)
    page = queue(undone)
    assert (page["total"], [item["runId"] for item in page["data"]]) == (1, [run_id])
    (item,) = page["data"]
    versions = zip((rules[0], rules[2], rules[3], rules[4]), (2, 1, 1, 1), strict=True)
    assert item["rules"] == [{"ruleId": rule["ruleId"], "version": version} for rule, version in versions]
    assert (item["wantedClassIds"], item["anyJudgment"]) == ([expert, bot], True)


@both_doors
def test_each_run_is_held_against_its_own_projects_rules(undone: Shop, door: str):
    other = str(undone.other_project().pk)
    old_rule(undone)
    elsewhere = reported(undone, door, projectId=other)
    theirs = undone.admin.ok("POST", f"projects/{other}/judging-rules", {"name": "Theirs", "when": {}})
    end = wire(now() + timedelta(minutes=1))
    import_runs(undone, *records(1, projectId=other, completedAt=end), *records(1, completedAt=end))
    here = queue(undone)["data"]
    there = undone.admin.ok("GET", f"projects/{other}/judging-queue")["data"]
    assert (len(here), len(there)) == (1, 1)
    assert (here[0]["projectId"], there[0]["projectId"]) == (str(undone.project.pk), other)
    assert there[0]["rules"] == [{"ruleId": theirs["ruleId"], "version": 1}]
    assert elsewhere not in (here[0]["runId"], there[0]["runId"])


def test_tenants_with_a_run_of_the_same_id_each_have_their_own_item(undone: Shop):
    rival = Shop.open()
    ours, theirs = old_rule(undone), old_rule(rival)
    run_id = undone.run()
    assert states(rival) == {}
    rival.run(run_id)
    for shop, rule in ((undone, ours), (rival, theirs)):
        item = item_of(shop, run_id)
        assert item is not None and item["rules"] == [{"ruleId": rule["ruleId"], "version": 1}]


def test_runs_of_an_import_stay_in_their_order(undone: Shop):
    old_rule(undone)
    first, second = records(40), records(40)
    import_runs(undone, *first)
    import_runs(undone, *second)
    assert queued_runs(undone) == [run["id"] for run in first + second]


@both_doors
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_rule_takes_the_runs_of_its_sample_and_no_other(undone: Shop, door: str, share: float):
    rule = old_rule(undone, sample=share)
    runs = records(40)
    for run in runs if door == "PUT" else ():
        undone.admin.ok("PUT", f"runs/{run['id']}", completed())
    if door == "import":
        import_runs(undone, *runs)
    sample = Sample(UUID(rule["ruleId"]), share)
    assert queued_runs(undone) == [run["id"] for run in runs if sample.takes(UUID(run["id"]))]


def test_raising_the_share_keeps_the_runs_it_took_and_takes_more(undone: Shop):
    rule = old_rule(undone, sample=0.3)
    runs = records(30)
    import_runs(undone, *runs)
    before = queued_runs(undone)
    change_rule(undone, rule, sample=0.6)
    low, high = (Sample(UUID(rule["ruleId"]), share) for share in (0.3, 0.6))
    more = records(30)
    import_runs(undone, *more)
    assert before == [run["id"] for run in runs if low.takes(UUID(run["id"]))]
    assert queued_runs(undone) == before + [run["id"] for run in more if high.takes(UUID(run["id"]))]


def statements_of_import(shop: Shop, number: int, **body: Any) -> int:
    """How many statements an import of so many runs takes."""
    admin, runs = shop.admin, records(number, **body)
    with recorded_queries() as statements:
        admin.ok("POST", "runs/import", runs)
    return len(statements)


@pytest.mark.parametrize("rules", [1, 20])
@pytest.mark.parametrize("cap", [None, 3, 10_000])
def test_an_import_takes_as_many_statements_for_any_number_of_runs(undone: Shop, rules: int, cap: int | None):
    for _ in range(rules):
        old_rule(undone, maxOpen=cap)
    assert statements_of_import(undone, 2) == statements_of_import(undone, 200)


@pytest.mark.parametrize("runs", [1, 30])
def test_a_runs_end_takes_as_many_statements_for_any_number_of_rules(undone: Shop, runs: int):
    old_rule(undone, maxOpen=10_000)
    before = statements_of_import(undone, runs)
    for _ in range(19):
        old_rule(undone, maxOpen=10_000)
    assert statements_of_import(undone, runs) == before


def test_a_run_that_no_rule_takes_costs_two_statements_more_than_one_without_rules_would(undone: Shop):
    plain = statements_of_import(undone, 5, status="failed")
    old_rule(undone, when={"agentIds": ["other"]})
    assert statements_of_import(undone, 5) == plain + 2  # the rules' lock, and the rules
