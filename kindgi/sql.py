"""Statements written out, for the paths where building a query costs more than running it.

A thread keeps one cursor open for its connection: opening one is a third of what a small
statement costs. Django's wrappers stay in place, so that statements are counted, timed and
translated as any other's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import local
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorWrapper


class _Kept(local):
    """A thread's cursor, and the connection that it is of."""

    cursor: CursorWrapper | None = None
    of: object = None


_kept = _Kept()


def fetch(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows that ``statement`` answers, on the thread's connection; its parameters in their order, or by name."""
    cursor = _cursor()
    cursor.execute(statement, parameters)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def execute(statement: str, parameters: Sequence[Any]) -> int:
    """Execute a ``statement`` that answers no rows; how many it changed."""
    cursor = _cursor()
    cursor.execute(statement, parameters)
    changed: int = cursor.rowcount
    return changed


def _cursor() -> CursorWrapper:
    connection = connections[DEFAULT_DB_ALIAS]
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    if connection.queries_logged:
        return connection.cursor()
    if _kept.cursor is None or _kept.of is not connection.connection:
        _kept.cursor, _kept.of = connection.cursor(), connection.connection
    return _kept.cursor
