"""What reads rules."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from corrections.models import JudgeClass
from judging import errors
from judging.matching import Matcher, when_of
from judging.models import JudgingRule, JudgingRuleVersion
from kindgi.access.models import Project
from kindgi.api.ids import parse_id
from kindgi.sql import fetch

# Read whenever a run ends, as one text a project, of which the rules are made once a process for as long as it is the
# same: making them of rows takes several times as long.
_IN_FORCE = """
SELECT project_id, json_agg(json_build_array(
    id, version, created_at, "when", sample, max_open, judge_class_id) ORDER BY created_at, id)::text
FROM judging_judgingrule
WHERE project_id = ANY(%s) AND unregistered_at IS NULL AND enabled GROUP BY project_id
"""
# One more than a cap is never needed, however many a catch-up has added.
_OPEN = """
SELECT cap.rule_id, (
    SELECT count(*) FROM (
        SELECT 1 FROM judging_queueentry AS entry WHERE entry.rule_id = cap.rule_id AND entry.open LIMIT cap.most
    ) AS waiting)
FROM unnest(%s::uuid[], %s::int[]) AS cap(rule_id, most)
"""


@dataclass(frozen=True, slots=True)
class LiveRule:
    """A rule as runs are held against it; ``made_at`` is when its first version was."""

    id: UUID
    version: int
    made_at: datetime
    max_open: int | None
    judge_class_id: UUID | None
    matcher: Matcher


def rules_in_force(project_ids: Collection[UUID]) -> dict[UUID, tuple[LiveRule, ...]]:
    """The enabled rules of each project, oldest first; one statement. Hold the rules' lock."""
    return {project_id: _live(rules) for project_id, rules in fetch(_IN_FORCE, [list(project_ids)])}


@lru_cache(maxsize=256)
def _live(rules: str) -> tuple[LiveRule, ...]:
    return tuple(_live_rule(*rule) for rule in json.loads(rules))


def _live_rule(
    rule_id: str,
    version: int,
    made_at: str,
    when: dict[str, Any],
    sample: float,
    max_open: int | None,
    judge_class_id: str | None,
) -> LiveRule:
    pk = UUID(rule_id)
    wanted = None if judge_class_id is None else UUID(judge_class_id)
    matcher = Matcher(pk, when_of(when), sample)
    return LiveRule(pk, version, datetime.fromisoformat(made_at), max_open, wanted, matcher)


def matcher_of(rule: JudgingRule) -> Matcher:
    """A rule, ready to be held against runs."""
    return Matcher(rule.pk, when_of(rule.when), rule.sample)


def open_of_rules(caps: Mapping[UUID, int]) -> dict[UUID, int]:
    """How many items wait for each of the rules, counted up to its cap; one statement. Hold the caps' lock."""
    return dict(fetch(_OPEN, [list(caps), list(caps.values())]))


def rules_of(project: Project) -> QuerySet[JudgingRule]:
    """A project's rules, removed ones too."""
    return JudgingRule.objects.filter(project=project)


def rules_live(project: Project) -> QuerySet[JudgingRule]:
    """A project's rules that weren't removed."""
    return rules_of(project).filter(unregistered_at__isnull=True)


def rule_get(*, project: Project, rule_id: str) -> JudgingRule:
    """A rule of the project, a removed one too; raises :class:`JudgingRuleNotFound`."""
    parsed = parse_id(rule_id)
    found = rules_of(project).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.JudgingRuleNotFound
    return found


def versions_of(rule: JudgingRule) -> QuerySet[JudgingRuleVersion]:
    """Every version of a rule."""
    return JudgingRuleVersion.objects.filter(rule=rule)


def rules_wanting(judge_class: JudgeClass) -> list[JudgingRule]:
    """The rules of any project that want the class's correction, by name, each with its project; one statement."""
    rules = JudgingRule.objects.filter(
        tenant_id=judge_class.tenant_id, judge_class=judge_class, unregistered_at__isnull=True
    )
    return sorted(rules.select_related("project"), key=lambda rule: (rule.name.casefold(), rule.created_at))
