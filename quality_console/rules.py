"""Rules as their tab shows them: in words, with what they have open, found, sorted, and what each version changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from corrections.models import JudgeClass
from judging.models import CatchUp, JudgingRule, JudgingRuleVersion
from judging.words import rules as words

ClassNames = Mapping[UUID | None, str | None]


def class_names(classes: Iterable[JudgeClass]) -> ClassNames:
    """The names of judge classes, and ``None`` for none."""
    return {None: None, **{one.pk: one.name for one in classes}}


def runs_taken(when: Mapping[str, Any]) -> words.RunsTaken:
    """Which runs a rule is about, from its ``when`` as it is stored; agents and flows are called by their ids."""
    return words.RunsTaken(
        agents=when.get("agentIds", ()),
        flows=when.get("flowIds", ()),
        versions=when.get("versions", ()),
        dry_runs=when.get("includeDryRuns", False),
    )


def rule_said(rule: JudgingRule | JudgingRuleVersion, classes: ClassNames) -> words.RuleSaid:
    """What a version of a rule says, or the rule as it is now."""
    return words.RuleSaid(
        name=rule.name,
        runs=runs_taken(rule.when),
        sample=rule.sample,
        max_open=rule.max_open,
        wants=classes.get(rule.judge_class_id),
        enabled=rule.enabled,
    )


@dataclass(frozen=True, slots=True)
class VersionTold:
    """A version of a rule in its history."""

    number: int
    by: str
    at: datetime
    changes: list[words.Change]
    is_latest: bool


@dataclass(frozen=True, slots=True)
class History:
    """A rule's versions, newest first; ``earlier`` is the number of the next one, where there are more."""

    versions: list[VersionTold]
    earlier: int | None


@dataclass(slots=True, kw_only=True)
class RuleRow:
    """A rule of the table, and what is open under it."""

    rule: JudgingRule
    said: words.RuleSaid
    open_items: int
    who: Callable[[str], str]
    history: History | None = None
    catch_ups: list[CatchUp] = field(default_factory=list)

    under = "quality_console/parts/rule_under.html"

    @property
    def by(self) -> str:
        """Who made its latest version."""
        return self.who(self.rule.versioned_by)

    @property
    def is_removed(self) -> bool:
        """Whether it was stopped for good."""
        return self.rule.unregistered_at is not None

    @property
    def which_runs(self) -> str:
        """Which runs it is about, many agents or flows only counted."""
        return words.which_runs_in_brief(self.said.runs)

    @property
    def takes(self) -> str:
        """How many of them."""
        return words.takes(self.said.sample)

    @property
    def wants(self) -> str:
        """Whose correction."""
        return words.wants(self.said.wants)

    @property
    def cap(self) -> str:
        """At how many open items it stops."""
        return words.cap(self.said.max_open)

    @property
    def full(self) -> str:
        """Why it adds nothing at present, where its cap is the reason."""
        cap = self.said.max_open
        if cap is None or self.open_items < cap or self.is_removed or not self.said.enabled:
            return ""
        return words.full(open_items=self.open_items, max_open=cap)

    @property
    def texts(self) -> tuple[str, ...]:
        """What a search looks in: its name, its agents or flows with their versions, and the class that it wants."""
        return (self.said.name, words.which_runs(self.said.runs), self.wants)


def found_in(rows: Iterable[RuleRow], text: str) -> list[RuleRow]:
    """Those that have each word of ``text`` somewhere; all of them for none."""
    wanted = text.casefold().split()
    return [row for row in rows if _has(wanted, "\n".join(row.texts).casefold())]


def _has(wanted: Sequence[str], text: str) -> bool:
    return all(word in text for word in wanted)


SORTS: dict[str, Callable[[RuleRow], Any]] = {
    "name": lambda row: row.said.name.casefold(),
    "runs": lambda row: words.which_runs(row.said.runs).casefold(),
    "wants": lambda row: row.wants.casefold(),
    "cap": lambda row: (row.said.max_open is None, row.said.max_open or 0),
    "open": lambda row: row.open_items,
    "by": lambda row: (row.by.casefold(), row.rule.versioned_at),
}
"""By what the rules can be sorted; those that are alike by it stay oldest first."""
FIRST_SORT = "name"


def sorted_rows(rows: Iterable[RuleRow], sort: str) -> list[RuleRow]:
    """The rows, which come oldest first, by one of :data:`SORTS`, ``-`` before it for falling."""
    return sorted(rows, key=SORTS[sort.removeprefix("-")], reverse=sort.startswith("-"))


def history_of(
    versions: Sequence[JudgingRuleVersion],
    *,
    latest: int,
    shown: int,
    classes: ClassNames,
    who: Callable[[str], str],
) -> History:
    """What each of the versions changed, newest first; up to ``shown``, by one more if there is one."""
    told = [
        VersionTold(
            number=one.version,
            by=who(one.created_by),
            at=one.created_at,
            changes=words.version_changes(rule_said(before, classes) if before else None, rule_said(one, classes)),
            is_latest=one.version == latest,
        )
        for one, before in zip(versions[:shown], [*versions[1:], None], strict=False)
    ]
    return History(told, versions[shown].version if len(versions) > shown else None)
