"""Putting a project's queue right by what there is: runs, verdicts, entries (docs/concurrency.md, "Counts")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from corrections.selectors import live_tallies
from judging.models import State
from judging.services.checking import counts_recounted, items_chunked, runs_gone
from judging.services.counting import counts_add
from judging.services.locking import rules_change_lock
from judging.services.queueing import LockedItem, items_save
from kindgi.access.models import Project
from kindgi.api.times import now
from kindgi.sql import execute

# Nobody has an item locked then, nor locks one: who did so and then waited for a table would be waited for in turn.
_ALONE = """
LOCK TABLE judging_queueitem, judging_queueentry, judging_skippedrun, judging_lanecount, judging_rulecount
IN EXCLUSIVE MODE
"""
_ENTRIES = """
UPDATE judging_queueentry AS entry SET open = NOT entry.open FROM judging_queueitem AS item
WHERE item.id = entry.item_id AND item.project_id = %s AND entry.open <> (item.state = 'open')
"""
_SKIPPED = """
DELETE FROM judging_skippedrun AS skipped
USING judging_judgingrule AS rule, judging_queueitem AS item, judging_queueentry AS entry
WHERE rule.project_id = %s AND skipped.rule_id = rule.id AND item.tenant_id = rule.tenant_id
    AND item.run_id = skipped.run_id AND entry.item_id = item.id AND entry.rule_id = rule.id
"""
_LANE_COUNTS = "DELETE FROM judging_lanecount WHERE project_id = %s"
_RULE_COUNTS = """
DELETE FROM judging_rulecount WHERE rule_id IN (SELECT id FROM judging_judgingrule WHERE project_id = %s)
"""


def queue_repair(*, project: Project) -> None:
    """Put right whatever :func:`queue_check` finds, but for the versions of rules, which only people can know.

    Nobody else changes any queue meanwhile: they wait until the transaction ends.
    """
    rules_change_lock(project.pk)
    execute(_ALONE, [])
    for items in items_chunked(project):
        _repair(items, now())
    execute(_ENTRIES, [project.pk])
    execute(_SKIPPED, [project.pk])
    execute(_LANE_COUNTS, [project.pk])
    execute(_RULE_COUNTS, [project.pk])
    counts_add(counts_recounted(project))


def _repair(items: Sequence[LockedItem], at: datetime) -> None:
    said = live_tallies(tenant_id=items[0].item.tenant_id, run_ids=[locked.item.run_id for locked in items])
    gone = runs_gone(items)
    for locked in items:
        locked.tallies = said.get(locked.item.run_id, {})
        if locked.item.state == State.OPEN and locked.item.run_id in gone:
            locked.item.gone_at = at
            locked.close(State.ERASED, at)
        locked.judge(at)
    items_save([locked for locked in items if locked.standing != locked.before], at=at)
