"""What a database holds on its disk's behalf: a dump of it, and every byte that a dump shows only as hex."""

from __future__ import annotations

import subprocess
from typing import Any

from django.db import connection
from psycopg import sql

from kindgi.embedded import programs
from kindgi.runs.content import unpack
from tests.support.servers import worker_database_url

_ZSTD = b"\x28\xb5\x2f\xfd"
_BYTES = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1, 2
"""


def where_said(word: str) -> set[str]:
    """Where committed rows hold ``word``: ``text`` and ``bytes`` by a dump, and the columns of compressed content."""
    text = dump().lower()
    found = {"text"} if word in text else set()
    found |= {"bytes"} if word.encode().hex() in text else set()
    return found | {column for column, value in stored_bytes() if value[:4] == _ZSTD and word.encode() in _plain(value)}


def dump() -> str:
    """The test database, all of it, as ``pg_dump`` writes it."""
    command = [str(programs.path_of("pg_dump")), worker_database_url()]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def stored_bytes() -> list[tuple[str, bytes]]:
    """Each value of each column of bytes, whichever tables there are, with the column's name."""
    found: list[tuple[str, bytes]] = []
    with connection.cursor() as cursor:
        cursor.execute(_BYTES)
        for table, column in cursor.fetchall():
            statement = sql.SQL("SELECT {column} FROM {table} WHERE {column} IS NOT NULL")
            cursor.execute(statement.format(column=sql.Identifier(column), table=sql.Identifier(table)))
            found += [(f"{table}.{column}", bytes(value)) for (value,) in cursor.fetchall()]
    return found


def _plain(value: bytes) -> bytes:
    text: Any = unpack(value)
    assert isinstance(text, bytes)
    return text
