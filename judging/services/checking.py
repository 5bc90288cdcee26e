"""Recounting a project's queue from scratch (docs/concurrency.md, "Counts").

Whatever is found is a fault of the program, or somebody's hand in the database. A check sees one
moment: what happens meanwhile is no fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from corrections.selectors import live_tallies
from judging.lanes import Counts, RuleCountKey, unmet_rules
from judging.models import Lane, Measure, QueueItem, State
from judging.services.queueing import LockedItem, items_with_entries
from kindgi.access.models import Project
from kindgi.runs.models import Run
from kindgi.sql import execute, fetch

CHUNK = 1000
EXAMPLES = 5

TALLIES = "an item counts other verdicts than there are"
LANE = "an item is in another lane than its rules and corrections make"
SATISFIED = "an item waits though it wants nothing more"
GONE = "an item waits though its run's content is gone"
ENTRY = "an entry is open and its item isn't, or the other way round"
SKIPPED = "a run is queued for a rule, and counted as kept out by its cap"
VERSIONS = "a rule's versions aren't numbered from 1 to its own"
LANE_COUNT = "a count of a lane is off"
RULE_COUNT = "a count of a rule is off"

_ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_ENTRIES = """
SELECT item.run_id FROM judging_queueentry AS entry JOIN judging_queueitem AS item ON item.id = entry.item_id
WHERE item.project_id = %s AND entry.open <> (item.state = 'open')
"""
_SKIPPED = """
SELECT item.run_id FROM judging_judgingrule AS rule
JOIN judging_skippedrun AS skipped ON skipped.rule_id = rule.id
JOIN judging_queueitem AS item ON item.tenant_id = rule.tenant_id AND item.run_id = skipped.run_id
JOIN judging_queueentry AS entry ON entry.item_id = item.id AND entry.rule_id = rule.id
WHERE rule.project_id = %s
"""
_VERSIONS = """
SELECT rule.id FROM judging_judgingrule AS rule
LEFT JOIN judging_judgingruleversion AS version ON version.rule_id = rule.id
WHERE rule.project_id = %s GROUP BY rule.id
HAVING count(version.id) <> rule.version OR max(version.version) IS DISTINCT FROM rule.version
"""
_LANE_COUNTS = """
SELECT project_id, lane_id, state, sum(n)::bigint FROM judging_lanecount WHERE project_id = %s GROUP BY 1, 2, 3
"""
_RULE_COUNTS = """
SELECT rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, sum(n)::bigint
FROM judging_rulecount WHERE rule_id IN (SELECT id FROM judging_judgingrule WHERE project_id = %s)
GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
_SKIPPED_COUNTS = """
SELECT rule_id, rule_version, agent_version, (created_at AT TIME ZONE 'UTC')::date, count(*)
FROM judging_skippedrun WHERE rule_id IN (SELECT id FROM judging_judgingrule WHERE project_id = %s)
GROUP BY 1, 2, 3, 4
"""


@dataclass(slots=True)
class Findings:
    """What isn't as it must be, by kind: how often, and which the first few are; of how many items."""

    items: int = 0
    found: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, which: object) -> None:
        """Note one."""
        self.found[kind] += 1
        known = self.examples.setdefault(kind, [])
        if len(known) < EXAMPLES:
            known.append(str(which))

    def __str__(self) -> str:
        """A line for each kind."""
        return "\n".join(
            f"{number} x {kind}: {', '.join(self.examples[kind])}{', ...' if number > EXAMPLES else ''}"
            for kind, number in sorted(self.found.items())
        )


def queue_check(*, project: Project) -> Findings:
    """Recount a project's queue. It must be the first in its transaction, in which nothing can be written."""
    execute(_ONE_MOMENT, [])
    findings = Findings()
    for kind, statement in ((ENTRY, _ENTRIES), (SKIPPED, _SKIPPED), (VERSIONS, _VERSIONS)):
        for (which,) in fetch(statement, [project.pk]):
            findings.add(kind, which)
    counts = _skipped_counts(project)
    for items in items_chunked(project):
        findings.items += len(items)
        _check_items(items, findings)
        _add(counts, items)
    _compare(findings, LANE_COUNT, counts.lanes, fetch(_LANE_COUNTS, [project.pk]))
    _compare(findings, RULE_COUNT, counts.rules, fetch(_RULE_COUNTS, [project.pk]))
    return findings


def items_chunked(project: Project) -> Iterator[list[LockedItem]]:
    """A project's items with their entries, in the order of their runs' ids; no lock is taken."""
    items, after = QueueItem.objects.filter(tenant_id=project.tenant_id, project=project), UUID(int=0)
    while chunk := list(items.filter(run_id__gt=after).order_by("run_id")[:CHUNK]):
        yield items_with_entries(chunk)
        after = chunk[-1].run_id


def counts_recounted(project: Project) -> Counts:
    """What the counts of a project must be, by its items and by the runs that caps kept out."""
    counts = _skipped_counts(project)
    for items in items_chunked(project):
        _add(counts, items)
    return counts


def _skipped_counts(project: Project) -> Counts:
    counts = Counts()
    for rule_id, version, agent_version, day, n in fetch(_SKIPPED_COUNTS, [project.pk]):
        counts.rules[RuleCountKey(rule_id, version, agent_version, day, Measure.SKIPPED)] += n
    return counts


def _add(counts: Counts, items: Sequence[LockedItem]) -> None:
    for locked in items:
        counts.add(locked.standing.counts())


def runs_gone(items: Sequence[LockedItem]) -> set[UUID]:
    """Those of the items' runs of which the content is gone: erased, or purged with the run; by the public id."""
    run_ids = [locked.item.run_id for locked in items]
    tenant_id = items[0].item.tenant_id
    there = Run.objects.filter(tenant_id=tenant_id, run_id__in=run_ids, content_erased_at__isnull=True)
    return set(run_ids).difference(there.values_list("run_id", flat=True))


def _check_items(items: Sequence[LockedItem], findings: Findings) -> None:
    run_ids = [locked.item.run_id for locked in items]
    said = live_tallies(tenant_id=items[0].item.tenant_id, run_ids=run_ids)
    gone = runs_gone(items)
    lanes = Lane.objects.in_bulk({locked.item.lane_id for locked in items})
    for locked in items:
        item = locked.item
        if locked.tallies != said.get(item.run_id, {}):
            findings.add(TALLIES, item.run_id)
        if not _is_in_lane(locked, lanes[item.lane_id]):
            findings.add(LANE, item.run_id)
        if item.state == State.OPEN and item.run_id in gone:
            findings.add(GONE, item.run_id)
        elif item.state == State.OPEN and not _unmet(locked):
            findings.add(SATISFIED, item.run_id)


def _unmet(locked: LockedItem) -> frozenset[UUID]:
    return unmet_rules(locked.wants, locked.wants, locked.tallies)


def _is_in_lane(locked: LockedItem, lane: Lane) -> bool:
    """Whether a lane says what there is of an item. What a closed one wants isn't followed any more."""
    is_its = (lane.project_id, lane.agent_id, lane.flow_id) == (
        locked.item.project_id,
        locked.item.agent_id,
        locked.item.flow_id,
    )
    follows = locked.item.state != State.OPEN or set(lane.unmet_rule_ids) == _unmet(locked)
    return is_its and set(lane.rule_ids) == set(locked.wants) and lane.corrected == bool(locked.tallies) and follows


def _compare(findings: Findings, kind: str, wanted: Mapping[Any, int], kept: Sequence[tuple[Any, ...]]) -> None:
    """Note each count that is kept as another number than is wanted."""
    found = {tuple(key): n for *key, n in kept if n}
    must = {tuple(key): n for key, n in wanted.items() if n}
    for key in sorted(found.keys() | must.keys(), key=str):
        if found.get(key, 0) != must.get(key, 0):
            findings.add(kind, f"{found.get(key, 0)} for {must.get(key, 0)} {' '.join(map(str, key))}")
