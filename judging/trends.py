"""A rule's results as its trend: what can be said of each agent version (contract, section 6; docs/statistics.md).

Nothing is added across versions of the rule: each took its runs in its own way, and so is a sample
of something else. Knows no database.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

import semver

from judging.intervals import Range, wilson
from judging.results import ClassCount, Group, effective_runs, yes_share

SHOWS_FROM = 10  # verdicts


@dataclass(frozen=True, slots=True)
class Weight:
    """A judge class that gave a verdict, and how many times an unclassified one its verdict counts."""

    judge_class_id: UUID
    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class VersionTrend:
    """One agent version, as one version of a rule saw it; ``group`` has every count of it.

    ``share`` and ``range`` are shares, 0 to 1. ``range`` is ``None`` where there is too little to
    chart, or where no verdict weighs anything; only then may ``share`` be ``None``.
    """

    group: Group
    share: float | None
    effective_runs: float
    range: Range | None

    @property
    def agent_version(self) -> str | None:
        """The version; ``None`` for flows' runs."""
        return self.group.agent_version

    @property
    def judgments(self) -> int:
        """The verdicts."""
        return self.group.judgments

    @property
    def runs(self) -> int:
        """The runs that the verdicts are on."""
        return self.group.runs_with_judgments

    @property
    def by_class(self) -> list[ClassCount]:
        """The verdicts by judge class."""
        return self.group.by_class

    @property
    def too_few(self) -> bool:
        """Whether there are too few verdicts to say anything."""
        return self.judgments < SHOWS_FROM


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two agent versions whose ranges are apart."""

    better: str
    worse: str


@dataclass(frozen=True, slots=True)
class RuleTrend:
    """What one version of a rule shows: its agent versions, newest first, and which of them compare."""

    rule_version: int
    versions: list[VersionTrend]
    comparisons: list[Comparison]

    @property
    def charted(self) -> list[VersionTrend]:
        """The agent versions that have a range."""
        return [one for one in self.versions if one.range is not None]

    @property
    def all_overlap(self) -> bool:
        """Whether there are several ranges, and no two of them are apart."""
        compared = [one for one in self.charted if one.agent_version is not None]
        return len(compared) > 1 and not self.comparisons

    @property
    def skipped_by_cap(self) -> int:
        """The runs that the cap kept out."""
        return sum(one.group.skipped_by_cap for one in self.versions)


@dataclass(frozen=True, slots=True)
class Trend:
    """A rule's trend: by its latest version, and ``earlier`` ones apart, newest first; ``weights``, heaviest first."""

    latest: RuleTrend
    earlier: list[RuleTrend]
    weights: list[Weight]


def trend(
    groups: Sequence[Group], *, rule_version: int, weights: Mapping[UUID | None, float], names: Mapping[UUID, str]
) -> Trend:
    """The trend of a rule whose latest version is ``rule_version``, which may have no group yet.

    ``weights`` and ``names`` have each judge class that gave a verdict, retired ones too.
    """
    by_version: dict[int, list[Group]] = {rule_version: []}
    for group in groups:
        by_version.setdefault(group.rule_version, []).append(group)
    parts = {
        version: _rule_trend(version, by_version[version], weights) for version in sorted(by_version, reverse=True)
    }
    latest = parts.pop(rule_version)
    return Trend(latest, list(parts.values()), _weights(groups, weights, names))


def newest_first(versions: Collection[str | None]) -> list[str | None]:
    """Agent versions as a person looks for them: semver, the highest first; then other texts; then ``None``."""
    texts = sorted({version for version in versions if version is not None})
    numbered = [version for version in texts if semver.Version.is_valid(version)]
    others = [version for version in texts if not semver.Version.is_valid(version)]
    return [*sorted(numbered, key=semver.Version.parse, reverse=True), *others, *([None] if None in versions else [])]


def _rule_trend(version: int, groups: Sequence[Group], weights: Mapping[UUID | None, float]) -> RuleTrend:
    found = {group.agent_version: _version_trend(group, weights) for group in groups}
    versions = [found[one] for one in newest_first(found)]
    return RuleTrend(version, versions, _comparisons(versions))


def _version_trend(group: Group, weights: Mapping[UUID | None, float]) -> VersionTrend:
    share, size = yes_share(group, weights), effective_runs(group, weights)
    if share is None or group.judgments < SHOWS_FROM:
        return VersionTrend(group, share, size, range=None)
    return VersionTrend(group, share, size, range=wilson(share, size))


def _comparisons(versions: Sequence[VersionTrend]) -> list[Comparison]:
    """Each pair whose ranges are apart, in the order of ``versions``; runs of no version are nobody's to compare."""
    ranges = [(one.agent_version, one.range) for one in versions if one.agent_version is not None]
    return [
        Comparison(one, other) if range_of_one.low > range_of_other.high else Comparison(other, one)
        for (one, range_of_one), (other, range_of_other) in combinations(ranges, 2)
        if range_of_one is not None and range_of_other is not None and not range_of_one.overlaps(range_of_other)
    ]


def _weights(groups: Sequence[Group], weights: Mapping[UUID | None, float], names: Mapping[UUID, str]) -> list[Weight]:
    used = {count.judge_class_id for group in groups for count in group.by_class if count.judgments}
    found = [Weight(one, names[one], weights[one]) for one in used if one is not None]
    return sorted(found, key=lambda one: (-one.weight, one.name, str(one.judge_class_id)))
