"""What reads a rule's results, from the counts that are kept (contract, section 6).

The counts are by day. Of the day that ``since`` falls into, what comes after it is counted from
the rows themselves, by the index of a rule's entries by time.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, time
from typing import Any, NamedTuple
from uuid import UUID

from corrections.models import JudgeClass
from judging.lanes import measures
from judging.models import Measure
from judging.results import ClassCount, Group
from judging.trends import newest_first
from kindgi.sql import fetch

# Classes are texts here, as items keep them, and no class the empty one: to count by UUIDs takes Python thrice as long.
_KEPT = """
SELECT rule_id, rule_version, agent_version, measure, coalesce(judge_class_id::text, ''),
    coalesce(other_class_id::text, ''), NULL::jsonb, sum(n)::bigint
FROM judging_rulecount WHERE rule_id = ANY(%s) AND day >= %s::date + %s::int
GROUP BY rule_id, rule_version, agent_version, measure, judge_class_id, other_class_id
"""
# Runs that stand alike are taken together: few ways of standing, however many runs.
_FROM_ROWS = """
UNION ALL
SELECT entry.rule_id, entry.rule_version, entry.agent_version, item.state, '', '', item.counted, count(*)
FROM judging_queueentry AS entry JOIN judging_queueitem AS item ON item.id = entry.item_id
WHERE entry.rule_id = ANY(%s) AND entry.created_at BETWEEN %s AND %s GROUP BY 1, 2, 3, 4, 7
UNION ALL
SELECT rule_id, rule_version, agent_version, 'skipped', '', '', NULL, count(*) FROM judging_skippedrun
WHERE rule_id = ANY(%s) AND created_at BETWEEN %s AND %s GROUP BY 1, 2, 3
"""
_ALWAYS = datetime.min.replace(tzinfo=UTC)


class _Key(NamedTuple):
    rule_id: UUID
    rule_version: int
    agent_version: str | None


_Measured = Counter[tuple[str, str, str]]


def rule_groups(rule_ids: Collection[UUID], *, since: datetime | None = None) -> dict[UUID, list[Group]]:
    """Each rule's results: newest rule version first, then newest agent version first.

    Of the runs queued (or left out by the cap) at or after ``since``, with all that is said of
    them. One statement for any number of rules, so that all of it is of one moment.
    """
    measured = _measured(_rows(list(rule_ids), since or _ALWAYS))
    found: dict[UUID, list[Group]] = {rule_id: [] for rule_id in rule_ids}
    order = {version: place for place, version in enumerate(newest_first({key.agent_version for key in measured}))}
    for key in sorted(measured, key=lambda key: (-key.rule_version, order[key.agent_version])):
        group = _group(key, measured[key])
        if group.added or group.skipped_by_cap:
            found[key.rule_id].append(group)
    return found


def _rows(rule_ids: list[UUID], since: datetime) -> list[tuple[Any, ...]]:
    """Counts of whole days; and before these, by their state and tallies, the rows of a day that ``since`` parts."""
    day = since.date()
    if since == datetime.combine(day, time.min, UTC):
        return fetch(_KEPT, [rule_ids, day, 0])
    part = [rule_ids, since, datetime.combine(day, time.max, UTC)]
    return fetch(_KEPT + _FROM_ROWS, [rule_ids, day, 1, *part, *part])


def _measured(rows: Iterable[tuple[Any, ...]]) -> dict[_Key, _Measured]:
    found: defaultdict[_Key, _Measured] = defaultdict(Counter)
    for *key, measure, one, other, counted, n in rows:
        into = found[_Key(*key)]
        if counted is None:
            into[measure, one, other] += n
        else:
            measured: Mapping[Any, int] = measures(measure, json.loads(counted))
            for (each, of, beside), times in measured.items():
                into[each, of or "", beside or ""] += n * times
    return found


def _group(key: _Key, measured: _Measured) -> Group:
    classes = {one: UUID(one) if one else None for measure, one, _ in measured if measure == Measure.JUDGMENTS}
    by_class = [
        ClassCount(classes[one], measured[Measure.JUDGMENTS, one, ""], measured[Measure.YES, one, ""])
        for one in sorted(classes, key=lambda one: (one == "", -measured[Measure.JUDGMENTS, one, ""], one))
    ]
    pairs = ((one, other, n) for (measure, one, other), n in measured.items() if measure == Measure.PAIRS)
    return Group(
        rule_version=key.rule_version,
        agent_version=key.agent_version,
        open=_alone(measured, Measure.OPEN),
        judged=_alone(measured, Measure.JUDGED),
        dismissed=_alone(measured, Measure.DISMISSED),
        erased=_alone(measured, Measure.ERASED),
        skipped_by_cap=_alone(measured, Measure.SKIPPED),
        runs_with_judgments=_alone(measured, Measure.CORRECTED),
        by_class=[count for count in by_class if count.judgments],
        pairs={(classes[one], classes[other]): n for one, other, n in pairs if n},
    )


def _alone(measured: _Measured, measure: Measure) -> int:
    return measured[measure, "", ""]


class ClassFigures(NamedTuple):
    """What classes are called, and what they weigh: by id, an unclassified correction's weight under ``None``."""

    names: Mapping[UUID, str]
    weights: Mapping[UUID | None, float]


def class_figures(groups: Collection[Group]) -> ClassFigures:
    """Of the classes that gave a verdict in ``groups``, retired ones too; one statement."""
    named = {count.judge_class_id for group in groups for count in group.by_class if count.judge_class_id is not None}
    rows = list(JudgeClass.objects.filter(pk__in=named).values_list("pk", "name", "weight"))
    weights: dict[UUID | None, float] = {None: 1.0}
    return ClassFigures({pk: name for pk, name, _ in rows}, weights | {pk: weight for pk, _, weight in rows})
