"""Counting what one connection sends to the database."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import psycopg
from django.db import connections
from psycopg import sql

TRANSACTION_CONTROL = re.compile(r"\s*(BEGIN|START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b", re.IGNORECASE)
# `copy` is a context manager, and the others run at once, but each is called with the statement first.
COUNTED = [
    (psycopg.Cursor, "execute"),
    (psycopg.Cursor, "executemany"),
    (psycopg.Cursor, "copy"),
    (psycopg.Cursor, "stream"),
    (psycopg.ServerCursor, "execute"),
]


@contextmanager
def assert_queries(
    *, exact: int | None = None, at_most: int | None = None, using: str = "default"
) -> Iterator[list[str]]:
    """Fail, and print the SQL, unless the block sends that many statements on this thread's connection.

    Counted below Django, in psycopg, so that raw cursors, COPY and each row of an executemany count too.
    Not counted: what begins and ends transactions and savepoints.
    """
    with recorded_queries(using=using) as statements:
        yield statements
    count = len(statements)
    listed = "\n".join(f"{number:>4}. {statement}" for number, statement in enumerate(statements, start=1))
    if exact is not None and count != exact:
        raise AssertionError(f"{count} statements where {exact} were expected:\n{listed}")
    if at_most is not None and count > at_most:
        raise AssertionError(f"{count} statements where at most {at_most} were allowed:\n{listed}")


@contextmanager
def recorded_queries(*, using: str = "default") -> Iterator[list[str]]:
    """The statements that this thread's connection sends during the block, in a list that fills as it goes."""
    statements: list[str] = []
    with ExitStack() as patches:
        for owner, name in COUNTED:
            recording = _recording(owner, name, connections[using], statements)
            patches.enter_context(mock.patch.object(owner, name, recording))
        yield statements


def _recording(owner: type, name: str, wrapper: Any, statements: list[str]) -> Callable[..., Any]:
    original = getattr(owner, name)

    def recording(cursor: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        times = 1
        if name == "executemany":
            rows: Iterable[Any] = args[0] if args else kwargs.pop("params_seq")
            args = (list(rows), *args[1:])
            times = len(args[0])
        text = _text(query, cursor)
        if cursor.connection is wrapper.connection and not TRANSACTION_CONTROL.match(text):
            statements.extend([text] * times)
        return original(cursor, query, *args, **kwargs)

    return recording


def _text(query: Any, cursor: Any) -> str:
    if isinstance(query, sql.Composable):
        return query.as_string(cursor)
    return query.decode(errors="replace") if isinstance(query, bytes) else str(query)
