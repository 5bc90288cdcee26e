"""Keeping the counts: what a change adds is written in its transaction, and folded by the worker later."""

from __future__ import annotations

from collections.abc import Sequence

from judging.lanes import Counts
from kindgi.sql import execute, fetch

SCOPES = 500

_ADD = """
WITH lanes AS (
    INSERT INTO judging_lanecount (project_id, lane_id, state, n, folded)
    SELECT added.*, false FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::bigint[]) AS added)
INSERT INTO judging_rulecount
    (rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, n, folded)
SELECT added.*, false FROM unnest(
    %s::uuid[], %s::int[], %s::text[], %s::date[], %s::text[], %s::uuid[], %s::uuid[], %s::bigint[]) AS added
"""
# One folds at a time. What others write meanwhile isn't seen by it, and stays for the next time.
_ALONE = "SELECT pg_try_advisory_xact_lock(hashtextextended('kindgi counts', 0))"
_FOLD = """
WITH scopes AS (SELECT DISTINCT {scope} FROM {table} WHERE NOT folded LIMIT %s),
folded AS (DELETE FROM {table} USING scopes WHERE {same} RETURNING {table}.*),
kept AS (
    INSERT INTO {table} ({key}, n, folded)
    SELECT {key}, sum(n), true FROM folded GROUP BY {key} HAVING sum(n) <> 0)
SELECT count(*) FROM scopes
"""


def _fold_sql(table: str, scope: tuple[str, str], more: tuple[str, ...]) -> str:
    same = " AND ".join(f"{table}.{name} = scopes.{name}" for name in scope)
    return _FOLD.format(table=table, scope=", ".join(scope), key=", ".join((*scope, *more)), same=same)


_FOLDS = (
    _fold_sql("judging_lanecount", ("project_id", "lane_id"), ("state",)),
    _fold_sql(
        "judging_rulecount",
        ("rule_id", "day"),
        ("rule_version", "agent_version", "measure", "judge_class_id", "other_class_id"),
    ),
)


def counts_add(counts: Counts) -> None:
    """Write what a change adds to the counts; nothing is locked."""
    lanes = [(*key, n) for key, n in counts.lanes.items() if n]
    rules = [(*key, n) for key, n in counts.rules.items() if n]
    if lanes or rules:
        execute(_ADD, [*_columns(lanes, 4), *_columns(rules, 8)])


def counts_fold() -> int:
    """Fold the rows of up to ``SCOPES`` lanes, and of as many days of rules, into one each; how many it found.

    0 also where another does it at this moment.
    """
    if not fetch(_ALONE, [])[0][0]:
        return 0
    return sum(fetch(statement, [SCOPES])[0][0] for statement in _FOLDS)


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
