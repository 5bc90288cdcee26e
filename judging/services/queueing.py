"""Writing queue items: new ones, and what becomes of those that there are, with their counts and history.

A new item's run is locked; an item that there is, is locked itself, in the order of the runs' ids.
Lanes are made by one statement a transaction, in the order of their ids: two transactions that make
the same lane wait for each other there, and in no ring.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from judging.lanes import (
    Counts,
    LaneKey,
    RuleCountKey,
    Standing,
    Taken,
    Tallies,
    tallies_read,
    tallies_stored,
    unmet_rules,
)
from judging.models import Lane, Measure, QueueEntry, QueueItem, QueueItemChange, SkippedRun, State
from judging.services.counting import counts_add
from kindgi.api.ids import new_id
from kindgi.rows import Unless, fresh, insert_together, update
from kindgi.runs.models import Run
from kindgi.sql import execute, fetch

_MOVING = (
    "state", "lane_id", "counted", "closed_at", "closed_by", "reason", "gone_at", "held_by", "held_since", "held_until",
)  # fmt: skip
_LOCK = "SELECT * FROM judging_queueitem WHERE tenant_id = %s AND run_id = ANY(%s) ORDER BY run_id FOR NO KEY UPDATE"
# The wants are those of the rules' latest versions (contract, section 10).
_ENTRIES = """
SELECT entry.item_id, entry.rule_id, entry.rule_version, entry.created_at, rule.judge_class_id
FROM judging_queueentry AS entry JOIN judging_judgingrule AS rule ON rule.id = entry.rule_id
WHERE entry.item_id = ANY(%s) ORDER BY entry.item_id, entry.created_at, entry.rule_id
"""
_MOVE_ENTRIES = """
UPDATE judging_queueentry AS entry SET open = moved.open
FROM unnest(%s::uuid[], %s::bool[]) AS moved(item_id, open) WHERE entry.item_id = moved.item_id
"""


class NewItem(NamedTuple):
    """A run that is queued for the first time, for which rules, and what each of these wants, among others.

    ``asked_for`` is what wants it corrected where that is no rule; its want is there too.
    """

    run: Run
    taken: tuple[Taken, ...]
    wants: Mapping[UUID, UUID | None]
    asked_for: UUID | None = None


@dataclass(slots=True)
class LockedItem:
    """An item that is locked, with its entries; what is set on it is written by :func:`items_save`.

    ``wants`` has the want of each rule that took it, and of what asked for it: any correction.
    """

    item: QueueItem
    before: Standing
    wants: dict[UUID, UUID | None]
    taken: list[Taken]
    tallies: Tallies
    lane: LaneKey | None = None
    by: str = ""

    def judge(self, at: datetime) -> None:
        """Find whose corrections it still wants, and close it as judged if it is open and wants nothing."""
        rule_ids = tuple(sorted(self.wants))
        unmet = unmet_rules(rule_ids, self.wants, self.tallies)
        item = self.item
        self.lane = LaneKey(
            item.project_id, item.agent_id, item.flow_id, rule_ids, tuple(sorted(unmet)), bool(self.tallies)
        )
        item.lane_id = self.lane.id
        item.counted = tallies_stored(self.tallies)
        if item.state == State.OPEN and not unmet:
            self.close(State.JUDGED, at)

    def close(self, state: State, at: datetime) -> None:
        """Close it; nobody holds it any more."""
        self.item.state, self.item.closed_at, self.item.closed_by = state, at, ""
        self.let_go()

    def let_go(self) -> None:
        """Let whoever holds it hold it no more."""
        self.item.held_by, self.item.held_since, self.item.held_until = "", None, None

    @property
    def standing(self) -> Standing:
        """How it stands now."""
        return _standing(self.item, tuple(self.taken), self.tallies)


def items_lock(*, tenant_id: UUID, run_ids: Collection[UUID]) -> list[LockedItem]:
    """The items of those runs that are in the queue, locked in the order of the runs' ids.

    What their rules want is read after the lock; hold the rules' lock where it matters.
    """
    return items_with_entries(list(QueueItem.objects.raw(_LOCK, [tenant_id, sorted(run_ids)])))


def items_with_entries(items: Sequence[QueueItem]) -> list[LockedItem]:
    """Items that are locked, or looked at where nothing else can change them, with their entries; one statement."""
    if not items:
        return []
    taken: dict[UUID, list[Taken]] = {}
    wants: dict[UUID, dict[UUID, UUID | None]] = {}
    for item_id, rule_id, version, at, judge_class_id in fetch(_ENTRIES, [[item.pk for item in items]]):
        taken.setdefault(item_id, []).append(Taken(rule_id, version, at))
        wants.setdefault(item_id, {})[rule_id] = judge_class_id
    return [_locked(item, taken.get(item.pk, []), wants.get(item.pk, {})) for item in items]


def _locked(item: QueueItem, taken: list[Taken], wants: dict[UUID, UUID | None]) -> LockedItem:
    tallies = tallies_read(item.counted)
    if item.asked_for is not None:
        wants[item.asked_for] = None
    return LockedItem(item, _standing(item, tuple(taken), tallies), wants, taken, tallies)


def _standing(item: QueueItem, taken: tuple[Taken, ...], tallies: Tallies) -> Standing:
    return Standing(item.project_id, item.lane_id, item.agent_version or None, item.state, taken, tallies)


@dataclass(slots=True)
class _Writing:
    """What one call writes in one statement, and what it adds to the counts in another."""

    lanes: dict[UUID, Lane] = field(default_factory=dict)
    entries: list[QueueEntry] = field(default_factory=list)
    changes: list[QueueItemChange] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)

    def lane(self, key: LaneKey) -> UUID:
        if key.id not in self.lanes:
            named = key._asdict() | {"rule_ids": list(key.rule_ids), "unmet_rule_ids": list(key.unmet_rule_ids)}
            self.lanes[key.id] = fresh(Lane, id=key.id, **named)
        return key.id

    def entry(self, item: QueueItem, taken: Taken) -> None:
        self.entries.append(
            fresh(
                QueueEntry,
                id=new_id(),
                created_at=taken.at,
                item_id=item.pk,
                rule_id=taken.rule_id,
                rule_version=taken.rule_version,
                agent_version=item.agent_version or None,
                open=item.state == State.OPEN,
            )
        )

    def write(self, items: Sequence[QueueItem] = (), skipped: Sequence[SkippedRun] = ()) -> None:
        lanes = Unless([self.lanes[lane_id] for lane_id in sorted(self.lanes)])
        groups = [group for group in (lanes, items, self.entries, skipped, self.changes) if group]
        if groups:
            insert_together(*groups)
        counts_add(self.counts)


def items_add(
    new: Sequence[NewItem], *, at: datetime, skipped: Sequence[SkippedRun] = (), changed: Sequence[LockedItem] = ()
) -> None:
    """Queue runs, in their order, at ``at``; two statements for any number of them.

    The runs are locked, and nobody has said anything of them. ``skipped`` are runs that rules left
    out at the same time. ``changed`` are items that there are, as :func:`items_save` takes them.
    """
    writing = _Writing()
    items: list[QueueItem] = []
    # Ids made in one go are sorted, so that runs that came in together stay in their order.
    for pk, one in zip(sorted(new_id() for _ in new), new, strict=True):
        items.append(item := _new_item(pk, at, one, writing))
        for taken in one.taken:
            writing.entry(item, taken)
        writing.counts.add(_standing(item, one.taken, {}).counts())
    for run in skipped:
        writing.counts.add(skipped_counts(run))
    _change(changed, at, writing)
    writing.write(items, skipped)


def _new_item(pk: UUID, at: datetime, new: NewItem, writing: _Writing) -> QueueItem:
    run = new.run
    asking = [] if new.asked_for is None else [new.asked_for]
    rule_ids = tuple(sorted([*(one.rule_id for one in new.taken), *asking]))
    unmet = tuple(sorted(unmet_rules(rule_ids, new.wants, ())))
    return fresh(
        QueueItem,
        id=pk,
        created_at=at,
        tenant_id=run.tenant_id,
        project_id=run.project_id,
        run_id=run.run_id,
        agent_id=run.agent_id,
        agent_version=run.agent_version,
        flow_id=run.flow_id,
        run_status=run.status,
        completed_at=run.completed_at,
        lane_id=writing.lane(LaneKey(run.project_id, run.agent_id, run.flow_id, rule_ids, unmet, corrected=False)),
        asked_for=new.asked_for,
    )


def items_save(changed: Sequence[LockedItem], *, at: datetime) -> None:
    """Write what was set on locked items, their new entries and history, and what that adds to the counts."""
    writing = _Writing()
    _change(changed, at, writing)
    writing.write()


def _change(changed: Sequence[LockedItem], at: datetime, writing: _Writing) -> None:
    moved = [locked for locked in changed if locked.standing != locked.before]
    for locked in moved:
        item, before = locked.item, locked.before
        if locked.lane is not None:
            writing.lane(locked.lane)
        for taken in locked.taken[len(before.taken) :]:
            writing.entry(item, taken)
        if item.state != before.state:
            writing.changes.append(_history(locked, at))
        writing.counts.take(before.counts())
        writing.counts.add(locked.standing.counts())
    update([locked.item for locked in changed], _MOVING)
    shut = [locked.item for locked in moved if (locked.item.state == State.OPEN) != (locked.before.state == State.OPEN)]
    if shut:
        execute(_MOVE_ENTRIES, [[item.pk for item in shut], [item.state == State.OPEN for item in shut]])


def _history(locked: LockedItem, at: datetime) -> QueueItemChange:
    return fresh(
        QueueItemChange,
        id=new_id(),
        created_at=at,
        item_id=locked.item.pk,
        before=locked.before.state,
        after=locked.item.state,
        by=locked.by,
        reason=locked.item.reason,
    )


def skipped_counts(run: SkippedRun) -> Counts:
    """What a run that was left out adds to its rule's counts."""
    counts = Counts()
    key = RuleCountKey(run.rule_id, run.rule_version, run.agent_version, run.created_at.date(), Measure.SKIPPED)
    counts.rules[key] += 1
    return counts
