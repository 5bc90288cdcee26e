"""How rules and the queue are sent (contract, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from judging.lanes import tallies_read
from judging.matching import When, when_of
from judging.models import JudgingRule, JudgingRuleVersion, QueueItem
from judging.policies import can_dismiss, can_reopen
from kindgi.access.callers import Caller
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire

StateName = Literal["open", "judged", "dismissed", "erased"]


class RuleAnswer(Answer, kw_only=True):
    """A version of a rule: who wrote it and when. A rule read by its id is its latest version."""

    rule_id: UUID
    project_id: UUID
    version: int
    name: str
    when: When
    sample: float
    max_open: int | UnsetType = UNSET
    judge_class_id: UUID | UnsetType = UNSET
    enabled: bool
    created_by: str
    created_at: Time
    unregistered_at: Time | UnsetType = UNSET


class RuleRemovedAnswer(Answer):
    """`unregistered` is false where it had been stopped before."""

    rule_id: UUID
    unregistered: bool


class PreviewAnswer(Answer):
    """How many recent runs were looked at, and how many of these the rule would have queued."""

    considered: int
    matched: int


class ItemRuleAnswer(Answer):
    """A rule that queued the run, at the version that did."""

    rule_id: UUID
    version: int


class ClassCountAnswer(Answer):
    """How many live judgments there are of a class; of no class where it is null."""

    judge_class_id: UUID | None
    count: int


class ProgressAnswer(Answer):
    """The live judgments on the run so far."""

    total: int
    by_class: list[ClassCountAnswer]


class CanAnswer(Answer):
    """What the caller may do with the item."""

    dismiss: bool
    reopen: bool


class HoldAnswer(Answer):
    """Who has the item open, since when, and until when unless they go on."""

    by: str
    since: Time
    until: Time


class AskedForAnswer(Answer):
    """What wants a correction of the run where that is no rule: a suggested change, by its id."""

    kind: Literal["suggested-change"]
    id: UUID


class QueueItemAnswer(Answer, kw_only=True):
    """A queued run: never its content, only what it was and where it stands.

    `wantedClassIds` and `anyJudgment` are what its rules want by their latest versions, or that what
    asked for it wants any; `closedBy` is who dismissed or reopened it last.
    """

    run_id: UUID
    project_id: UUID
    agent_id: str | UnsetType = UNSET
    agent_version: str | UnsetType = UNSET
    flow_id: str
    run_status: str
    completed_at: Time
    rules: list[ItemRuleAnswer]
    asked_for: AskedForAnswer | UnsetType = UNSET
    wanted_class_ids: list[UUID]
    any_judgment: bool
    progress: ProgressAnswer
    added_at: Time
    state: StateName
    closed_at: Time | UnsetType = UNSET
    closed_by: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    hold: HoldAnswer | UnsetType = UNSET
    can: CanAnswer


class NextAnswer(Answer, kw_only=True):
    """The item that the caller holds now; none where all that they asked for are held, or there are none.

    `held` is how many of them others hold, and `heldUntil` when the first of these is free again.
    """

    item: QueueItemAnswer | UnsetType = UNSET
    held: int
    held_until: Time | UnsetType = UNSET


def rule_answer(rule: JudgingRule) -> RuleAnswer:
    """A rule as it is now, as it is sent."""
    return _rule_answer(rule, rule, by=rule.versioned_by, at=rule.versioned_at)


def version_answer(rule: JudgingRule, version: JudgingRuleVersion) -> RuleAnswer:
    """A version of a rule as it is sent."""
    return _rule_answer(rule, version, by=version.created_by, at=version.created_at)


def _rule_answer(rule: JudgingRule, says: JudgingRule | JudgingRuleVersion, *, by: str, at: datetime) -> RuleAnswer:
    return RuleAnswer(
        rule_id=rule.pk,
        project_id=rule.project_id,
        version=says.version,
        name=says.name,
        when=when_of(says.when),
        sample=says.sample,
        max_open=UNSET if says.max_open is None else says.max_open,
        judge_class_id=says.judge_class_id or UNSET,
        enabled=says.enabled,
        created_by=by,
        created_at=wire(at),
        unregistered_at=_time(rule.unregistered_at),
    )


def item_answer(item: QueueItem, wants: Mapping[UUID, UUID | None], *, caller: Caller, at: datetime) -> QueueItemAnswer:
    """An item as it is sent at ``at``; its entries are read, and ``wants`` has their rules' wants."""
    entries = item.entries.all()
    wanted = [wants[entry.rule_id] for entry in entries] + ([] if item.asked_for is None else [None])
    return QueueItemAnswer(
        run_id=item.run_id,
        project_id=item.project_id,
        agent_id=item.agent_id or UNSET,
        agent_version=item.agent_version or UNSET,
        flow_id=item.flow_id,
        run_status=item.run_status,
        completed_at=wire(item.completed_at),
        rules=[ItemRuleAnswer(entry.rule_id, entry.rule_version) for entry in entries],
        asked_for=UNSET if item.asked_for is None else AskedForAnswer("suggested-change", item.asked_for),
        wanted_class_ids=list(dict.fromkeys(one for one in wanted if one is not None)),
        any_judgment=None in wanted,
        progress=_progress(item),
        added_at=wire(item.created_at),
        state=item.state,  # type: ignore[arg-type]
        closed_at=_time(item.closed_at),
        closed_by=item.closed_by or UNSET,
        reason=UNSET if item.reason is None else item.reason,
        hold=_hold(item, at),
        can=CanAnswer(can_dismiss(caller, item), can_reopen(caller, item)),
    )


def _progress(item: QueueItem) -> ProgressAnswer:
    tallies = tallies_read(item.counted)
    by_class = [ClassCountAnswer(one, tallies[one][0]) for one in sorted(tallies, key=str)]
    return ProgressAnswer(sum(counted.count for counted in by_class), by_class)


def _hold(item: QueueItem, at: datetime) -> HoldAnswer | UnsetType:
    if item.held_since is None or item.held_until is None or item.held_until <= at:
        return UNSET
    return HoldAnswer(item.held_by, wire(item.held_since), wire(item.held_until))


def _time(at: datetime | None) -> str | UnsetType:
    return UNSET if at is None else wire(at)
