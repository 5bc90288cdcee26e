"""How PostgreSQL reads a table that has grown.

Of a table that holds nothing all plans cost the same, and which is chosen is chance: whether a statement goes by its
index shows only on a table with rows, whose statistics were taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

ROWS = 3000


def grow(table: str, **changes: str) -> None:
    """Fill ``table`` with ``ROWS`` copies of one of its rows, and take its statistics; undone with the transaction.

    ``changes`` are SQL by column, with ``n`` the copy's number; each copy has an ``id`` of its own.
    """
    changes = {"id": "gen_random_uuid()", **changes}
    changed = ", ".join(f"'{column}', {value}" for column, value in changes.items())
    copies = f"""
    INSERT INTO {table}
    SELECT made.* FROM (SELECT row FROM {table} AS row LIMIT 1) AS copied (row), generate_series(1, {ROWS}) AS n,
        jsonb_populate_record(row, jsonb_build_object('copy', n, {changed})) AS made
    """  # noqa: S608 - ours
    with connection.cursor() as cursor:
        # What the copies refer to is not what these tests are about.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(copies)
        assert cursor.rowcount == ROWS, f"{table} has no row to copy"
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
        cursor.execute(f"ANALYZE {table}")


def plan_of(statement: str, parameters: Sequence[Any]) -> str:
    """The plan of a statement as a server plans one that it prepared: without knowing the values."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"EXPLAIN {statement}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())
