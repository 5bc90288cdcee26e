"""``manage.py check_queue`` finds whatever is off, and puts it right; where all is well it finds nothing."""

from __future__ import annotations

import time
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from judging.models import JudgingRule, QueueItem
from judging.services.checking import (
    ENTRY,
    GONE,
    LANE,
    LANE_COUNT,
    RULE_COUNT,
    SATISFIED,
    SKIPPED,
    TALLIES,
    VERSIONS,
)
from tests.judging.queues import change_rule, make_rule, queue, queue_path, rules_path
from tests.support.shops import Shop


@pytest.fixture
def busy(fresh: Shop) -> Shop:
    """A queue with something of everything."""
    expert = fresh.judge_class("expert", weight=3)
    rule = make_rule(fresh)
    capped = make_rule(fresh, name="Capped", maxOpen=3, judgeClassId=expert)
    time.sleep(0.002)
    runs = [fresh.run() for _ in range(8)]
    fresh.correct(runs[0])
    fresh.correct(runs[1], correctorGroupId=expert)
    fresh.editor.ok("POST", queue_path(fresh, runs[2], "dismiss"), {"reason": "A test"})
    fresh.admin.ok("POST", f"runs/{runs[3]}/erase")
    change_rule(fresh, rule, sample=0.5)
    change_rule(fresh, capped, name="Capped still")
    return fresh


def checked(*arguments: str) -> tuple[int, str]:
    """The exit status and what was said."""
    out = StringIO()
    try:
        call_command("check_queue", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def sql(statement: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        assert cursor.rowcount > 0


# What somebody's hand or a fault could do, and what is found of it. %s is the project.
BROKEN = {
    "tallies": (
        "UPDATE judging_queueitem SET counted = '{\"\": [7, 7]}' WHERE project_id = %s AND state = 'open'",
        TALLIES,
    ),
    "no tallies": ("UPDATE judging_queueitem SET counted = '{}' WHERE project_id = %s AND state = 'judged'", TALLIES),
    "lane": (
        "UPDATE judging_queueitem SET lane_id = (SELECT lane_id FROM judging_queueitem WHERE state = 'judged' LIMIT 1) "
        "WHERE project_id = %s AND state = 'open'",
        LANE,
    ),
    "satisfied": (
        "UPDATE judging_queueitem SET state = 'open', closed_at = NULL WHERE project_id = %s AND state = 'judged'",
        SATISFIED,
    ),
    "gone": (
        "UPDATE judging_queueitem SET state = 'open', closed_at = NULL, gone_at = NULL "
        "WHERE project_id = %s AND state = 'erased'",
        GONE,
    ),
    "entry": (
        "UPDATE judging_queueentry SET open = NOT open "
        "WHERE item_id IN (SELECT id FROM judging_queueitem WHERE project_id = %s)",
        ENTRY,
    ),
    "skipped": (
        "INSERT INTO judging_skippedrun (id, created_at, rule_id, rule_version, run_id) "
        "SELECT gen_random_uuid(), now(), entry.rule_id, 1, item.run_id FROM judging_queueentry AS entry "
        "JOIN judging_queueitem AS item ON item.id = entry.item_id WHERE item.project_id = %s LIMIT 1",
        SKIPPED,
    ),
    "lane counts": ("UPDATE judging_lanecount SET n = n + 1 WHERE project_id = %s", LANE_COUNT),
    "lane counts lost": ("DELETE FROM judging_lanecount WHERE project_id = %s", LANE_COUNT),
    "rule counts": (
        "UPDATE judging_rulecount SET n = n + 1 WHERE measure = 'pairs' "
        "AND rule_id IN (SELECT id FROM judging_judgingrule WHERE project_id = %s)",
        RULE_COUNT,
    ),
    "rule counts lost": (
        "DELETE FROM judging_rulecount WHERE measure = 'skipped' "
        "AND rule_id IN (SELECT id FROM judging_judgingrule WHERE project_id = %s)",
        RULE_COUNT,
    ),
}  # fmt: skip


def test_nothing_is_found_where_all_is_well(busy: Shop):
    assert queue(busy, "limit=0")["total"] == 8
    status, said = checked("--tenant", busy.tenant.slug)
    assert (status, said) == (0, f"{busy.tenant.slug}/{busy.project.slug}: 8 items, all is well.\n")


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_is_off_is_found_named_and_put_right(busy: Shop, name: str):
    rules = [rule["ruleId"] for rule in busy.editor.ok("GET", rules_path(busy))["data"]]
    well = queue(busy), [busy.editor.ok("GET", rules_path(busy, rule, "results")) for rule in rules]
    statement, kind = BROKEN[name]
    sql(statement, busy.project.pk)
    status, said = checked("--tenant", busy.tenant.slug, "--project", busy.project.slug)
    assert status == 1 and kind in said
    status, said = checked("--repair")
    assert status == 0 and said.endswith("8 items, all is well.\n") and "Repaired." in said
    if name not in ("satisfied", "gone"):  # these close again, later
        assert (queue(busy), [busy.editor.ok("GET", rules_path(busy, rule, "results")) for rule in rules]) == well
    assert {item["state"] for item in queue(busy)["data"]} == {"open", "judged", "dismissed", "erased"}


def test_a_gap_in_a_rules_versions_is_found_and_only_people_can_mend_it(busy: Shop):
    JudgingRule.objects.filter(name="Capped still").update(version=7)
    status, said = checked("--repair")
    assert status == 1 and VERSIONS in said


def test_a_project_needs_its_tenant_and_both_must_exist(busy: Shop):
    for arguments in (["--project", "x"], ["--tenant", "no-such"], ["--tenant", busy.tenant.slug, "--project", "no"]):
        with pytest.raises(CommandError):
            checked(*arguments)


def test_a_repair_lets_others_go_on_afterwards(busy: Shop):
    QueueItem.objects.update(counted={})
    assert checked("--repair")[0] == 0
    time.sleep(0.002)
    busy.run()
    assert checked()[0] == 0
