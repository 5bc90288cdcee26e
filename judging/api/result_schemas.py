"""How a rule's results and its trend are sent (contract, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import UNSET, UnsetType

from judging.results import ClassCount, Group, yes_share
from judging.trends import RuleTrend, Trend, VersionTrend
from judging.words.classes import weighted_by
from judging.words.results import RANGES_OVERLAP, comparison, skipped_by_cap, too_few_to_chart, version_line
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire


class ClassResultAnswer(Answer):
    """The judgments of a class, unweighted; of no class where it is null."""

    judge_class_id: UUID | None
    judgments: int
    yes: int


class ResultGroupAnswer(Answer):
    """One rule version's runs of one agent version; `added` = `open` + `judged` + `dismissed` + `erased`.

    `agentVersion` is null for flows' runs; `yesShare` where nothing weighs. `added` + `skippedByCap` is
    every run that the rule matched and sampled.
    """

    rule_version: int
    agent_version: str | None
    added: int
    open: int
    judged: int
    dismissed: int
    erased: int
    skipped_by_cap: int
    judgments: int
    runs_with_judgments: int
    yes_share: float | None
    by_class: list[ClassResultAnswer]


class ResultsAnswer(Answer, kw_only=True):
    """A rule's results: newest rule version first."""

    rule_id: UUID
    since: Time | UnsetType = UNSET
    groups: list[ResultGroupAnswer]


class VersionTrendAnswer(Answer, kw_only=True):
    """One agent version: the share marked right with its range, 95% sure, from 10 judgments on; and as a sentence.

    `effectiveRuns` is how many runs of equal weight would say as much.
    """

    agent_version: str | None
    judgments: int
    runs_with_judgments: int
    effective_runs: float
    share: float | UnsetType = UNSET
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    text: str


class ComparisonAnswer(Answer):
    """Two agent versions whose ranges are apart."""

    better: str
    worse: str
    text: str


class RuleVersionTrendAnswer(Answer, kw_only=True):
    """By one version of the rule: agent versions, newest first. `notes` say what the figures leave out."""

    rule_version: int
    skipped_by_cap: int
    versions: list[VersionTrendAnswer]
    comparisons: list[ComparisonAnswer]
    notes: list[str]


class TrendAnswer(Answer, kw_only=True):
    """A rule's trend by its latest version; `earlier` versions are shown apart, never added in."""

    rule_id: UUID
    since: Time | UnsetType = UNSET
    latest: RuleVersionTrendAnswer
    earlier: list[RuleVersionTrendAnswer]
    weights: str | UnsetType = UNSET


def results_answer(
    rule_id: UUID, groups: Sequence[Group], *, weights: Mapping[UUID | None, float], since: datetime | None
) -> ResultsAnswer:
    """A rule's results as they are sent."""
    return ResultsAnswer(
        rule_id=rule_id,
        since=UNSET if since is None else wire(since),
        groups=[_group_answer(group, weights) for group in groups],
    )


def _group_answer(group: Group, weights: Mapping[UUID | None, float]) -> ResultGroupAnswer:
    return ResultGroupAnswer(
        rule_version=group.rule_version,
        agent_version=group.agent_version,
        added=group.added,
        open=group.open,
        judged=group.judged,
        dismissed=group.dismissed,
        erased=group.erased,
        skipped_by_cap=group.skipped_by_cap,
        judgments=group.judgments,
        runs_with_judgments=group.runs_with_judgments,
        yes_share=yes_share(group, weights),
        by_class=[_class_answer(count) for count in group.by_class],
    )


def _class_answer(count: ClassCount) -> ClassResultAnswer:
    return ClassResultAnswer(count.judge_class_id, count.judgments, count.yes)


def trend_answer(rule_id: UUID, found: Trend, *, since: datetime | None) -> TrendAnswer:
    """A rule's trend as it is sent."""
    weighted = [(one.name, one.weight) for one in found.weights]
    return TrendAnswer(
        rule_id=rule_id,
        since=UNSET if since is None else wire(since),
        latest=_rule_version_answer(found.latest),
        earlier=[_rule_version_answer(one) for one in found.earlier],
        weights=weighted_by(weighted) if weighted else UNSET,
    )


def _rule_version_answer(found: RuleTrend) -> RuleVersionTrendAnswer:
    return RuleVersionTrendAnswer(
        rule_version=found.rule_version,
        skipped_by_cap=found.skipped_by_cap,
        versions=[_version_answer(one) for one in found.versions],
        comparisons=[
            ComparisonAnswer(one.better, one.worse, comparison(better=one.better, worse=one.worse))
            for one in found.comparisons
        ],
        notes=_notes(found),
    )


def _version_answer(one: VersionTrend) -> VersionTrendAnswer:
    return VersionTrendAnswer(
        agent_version=one.agent_version,
        judgments=one.judgments,
        runs_with_judgments=one.runs,
        effective_runs=one.effective_runs,
        share=UNSET if one.share is None or one.range is None else one.share,
        low=UNSET if one.range is None else one.range.low,
        high=UNSET if one.range is None else one.range.high,
        text=version_line(one),
    )


def _notes(found: RuleTrend) -> list[str]:
    notes = [too_few_to_chart()] if all(one.too_few for one in found.versions) else []
    if found.all_overlap:
        notes.append(str(RANGES_OVERLAP))
    if found.skipped_by_cap:
        notes.append(skipped_by_cap(found.skipped_by_cap))
    return notes
