"""Code that runs at the same moment in threads, each with a database connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connection


def at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each of ``works`` returned, or the exception that it raised; all begin together."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=30)
            return work()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def wait_until_somebody_waits(timeout: float = 30) -> None:
    """Return once another connection to this database waits for a lock; for races whose order matters."""
    deadline = time.monotonic() + timeout
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) "
                "WHERE NOT granted AND datname = current_database() LIMIT 1"
            )
            if cursor.fetchone():
                return
            time.sleep(0.01)
    raise AssertionError("Nobody waits for a lock.")


@contextmanager
def without_constraint(table: str, name: str) -> Iterator[None]:
    """Take a constraint or unique index away, and put it back when the rows that broke it have gone.

    For controls: the test that a constraint makes pass must fail without it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", [name])
        found = cursor.fetchone()
        cursor.execute("SELECT pg_get_indexdef(%s::regclass)", [name]) if found is None else None
        index = cursor.fetchone()[0] if found is None else None
        cursor.execute(f'DROP INDEX "{name}"' if index else f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
        try:
            yield
        finally:
            cursor.execute(f'TRUNCATE "{table}" CASCADE')
            cursor.execute(index or f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {found[0]}')


@contextmanager
def slow_inserts(table: str) -> Iterator[None]:
    """Every insert into ``table`` waits a moment first, so that all who race have looked before one of them writes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION wait_a_moment() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$"
        )
        cursor.execute(
            f'CREATE TRIGGER wait_a_moment BEFORE INSERT ON "{table}" FOR EACH ROW EXECUTE FUNCTION wait_a_moment()'
        )
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION wait_a_moment() CASCADE")
