"""Runs that end are held against their projects' rules, in the transaction that records it (contract, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from judging.lanes import Taken
from judging.models import SkippedRun
from judging.selectors.rules import LiveRule, open_of_rules, rules_in_force
from judging.services.locking import caps_lock, rules_read_lock
from judging.services.queueing import NewItem, items_add
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import fresh
from kindgi.runs.models import Run, RunStatus


@dataclass(frozen=True, slots=True)
class _Match:
    """A run, and the rules that match and sample it."""

    run: Run
    rules: list[LiveRule]


def runs_match(runs: list[Run]) -> None:
    """Queue the runs that have just ended for the rules that take them; they are locked.

    A rule with a cap queues no more than that many at once, and the runs that it leaves out are
    counted (``SkippedRun``). The same few statements for one run and for a thousand.
    """
    ended = [run for run in runs if run.status == RunStatus.COMPLETED]
    if not ended:
        return
    project_ids = {run.project_id for run in ended}
    rules_read_lock(project_ids)
    rules = rules_in_force(project_ids)
    matches = [_Match(run, taking) for run in ended if (taking := _taking(rules.get(run.project_id, ()), run))]
    if matches:
        _queue(matches)


def _taking(rules: Sequence[LiveRule], run: Run) -> list[LiveRule]:
    """The rules that were made before the run's end and take it."""
    end = run.completed_at
    return [rule for rule in rules if end is not None and rule.made_at < end and rule.matcher.takes(run)]


def _queue(matches: list[_Match]) -> None:
    room = _room({rule.id: rule for match in matches for rule in match.rules})
    at = now()
    items: list[NewItem] = []
    skipped: list[SkippedRun] = []
    for match in matches:
        taken = []
        for rule in match.rules:
            if _has_room(room, rule):
                taken.append(Taken(rule.id, rule.version, at))
            else:
                skipped.append(_skipped(match.run, rule, at))
        if taken:
            wants = {rule.id: rule.judge_class_id for rule in match.rules}
            items.append(NewItem(match.run, tuple(taken), wants))
    items_add(items, at=at, skipped=skipped)


def _room(rules: Mapping[UUID, LiveRule]) -> dict[UUID, int]:
    """How many more each rule with a cap may queue; nobody else queues for it until the transaction ends."""
    caps = {rule.id: rule.max_open for rule in rules.values() if rule.max_open is not None}
    if not caps:
        return {}
    caps_lock(caps)
    waiting = open_of_rules(caps)
    return {rule_id: most - waiting.get(rule_id, 0) for rule_id, most in caps.items()}


def _has_room(room: dict[UUID, int], rule: LiveRule) -> bool:
    """Whether the rule may queue one more, which it then has."""
    if rule.id not in room:
        return True
    room[rule.id] -= 1
    return room[rule.id] >= 0


def _skipped(run: Run, rule: LiveRule, at: datetime) -> SkippedRun:
    return fresh(
        SkippedRun,
        id=new_id(),
        created_at=at,
        rule_id=rule.id,
        rule_version=rule.version,
        agent_version=run.agent_version or None,
        run_id=run.run_id,
    )
