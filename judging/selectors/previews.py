"""What a rule would have queued (contract, section 6; seed, "Judging rules")."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from judging.matching import Matcher, When, check_when
from judging.selectors.rules import rule_get
from judging.submissions import Sample
from kindgi.access.models import Project
from kindgi.api.ids import new_id
from kindgi.sql import fetch

# The runs of a project that a rule could be about: its own, that have ended. The conditions are those of the index.
OF_PROJECT = """
FROM runs_run AS run WHERE run.project_id = %s AND run.completed_at IS NOT NULL
    AND run.parent_run_id IS NULL AND run.replay_of IS NULL AND run.eval_run_id = ''
"""
NEWEST = "ORDER BY run.completed_at DESC, run.id DESC LIMIT %s"


class Asked(When):
    """A rule as it is tried out: its fields, and how many runs to look at."""

    sample: Sample | UnsetType = UNSET
    last: Annotated[int, Meta(ge=1, le=500)] = 100
    rule_id: str | UnsetType = UNSET

    only_looked_up: ClassVar[frozenset[str]] = frozenset({"rule_id"})


def rule_preview(*, project: Project, asked: Asked) -> tuple[int, int]:
    """How many of the project's last runs were looked at, and how many a rule would have queued of them.

    By its sample, but without its cap. Of a rule that isn't there yet nobody can know which runs
    it will sample: its share of those that match is an estimate. Raises ``BadInput`` and
    ``JudgingRuleNotFound``.
    """
    check_when(asked)
    if isinstance(asked.rule_id, UnsetType):
        considered, matched = _counted(project, Matcher(new_id(), asked, 1.0), asked.last)
        share = 1.0 if isinstance(asked.sample, UnsetType) else asked.sample
        return considered, round(matched * share)
    rule = rule_get(project=project, rule_id=asked.rule_id)
    share = rule.sample if isinstance(asked.sample, UnsetType) else asked.sample
    return _counted(project, Matcher(rule.pk, asked, share), asked.last)


def runs_previewed(*, project: Project, asked: Asked) -> list[bool]:
    """Whether a rule would have queued each of the project's last runs, the newest last; see :func:`rule_preview`.

    Of a rule that isn't there yet as many of the runs that match as is estimated, evenly among them.
    """
    check_when(asked)
    if isinstance(asked.rule_id, UnsetType):
        matches = _each(project, Matcher(new_id(), asked, 1.0), asked.last)
        return _thinned(matches, 1.0 if isinstance(asked.sample, UnsetType) else asked.sample)
    rule = rule_get(project=project, rule_id=asked.rule_id)
    share = rule.sample if isinstance(asked.sample, UnsetType) else asked.sample
    return _each(project, Matcher(rule.pk, asked, share), asked.last)


def _each(project: Project, matcher: Matcher, last: int) -> list[bool]:
    taken, parameters = matcher.takes_sql("run")
    looked_at = f"SELECT {taken} FROM (SELECT run.* {OF_PROJECT} {NEWEST}) AS run ORDER BY run.completed_at, run.id"  # noqa: S608 - ours
    return [is_taken for (is_taken,) in fetch(looked_at, [*parameters, project.pk, last])]


def _thinned(matches: list[bool], share: float) -> list[bool]:
    """As many as :func:`rule_preview` estimates, each as far from the next as can be."""
    found = sum(matches)
    wanted, seen, thinned = round(found * share), 0, []
    for is_match in matches:
        # Those at which the line from nothing to all that are wanted passes a whole number.
        thinned.append(is_match and (seen + 1) * wanted // found > seen * wanted // found)
        seen += is_match
    return thinned


def _counted(project: Project, matcher: Matcher, last: int) -> tuple[int, int]:
    taken, parameters = matcher.takes_sql("run")
    counted = f"SELECT count(*), count(*) FILTER (WHERE {taken}) FROM (SELECT run.* {OF_PROJECT} {NEWEST}) AS run"  # noqa: S608 - ours
    ((considered, matched),) = fetch(counted, [*parameters, project.pk, last])
    return considered, matched
