"""The test databases: migrated once into a template, which each test process copies.

The template's name holds a digest of all migrations and of the locked packages, so it is made again when
one of them changes and serves further runs until then.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg import sql

TEMPLATE_PREFIX = "kindgi_template_"
TEST_PREFIX = "kindgi_test_"
ADVISORY_LOCK = 0x6B696E64


def create(*, worker: str, rebuild: bool) -> str:
    """Make this process's database from the template and point Django to it; its name is returned."""
    name = f"{TEST_PREFIX}{os.getpid()}_{worker}"
    with _housekeeping() as cursor:
        _drop_abandoned(cursor)
        template = _ensure_template(cursor, rebuild=rebuild)
        _run(cursor, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
        # Copying files beats logging each page where nothing is flushed anyway.
        _run(cursor, "CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", name, template)
    _use(name)
    return name


def drop(name: str) -> None:
    """Remove a database whoever is still connected to it."""
    connection.close()
    with connection._nodb_cursor() as cursor:
        _run(cursor, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


@contextmanager
def _housekeeping() -> Iterator[Any]:
    """A cursor outside of the test databases, while no other test process does such work."""
    with connection._nodb_cursor() as cursor:
        # However long the first of them migrates: on a busy machine that is more than a request may wait for a lock.
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_LOCK])
        yield cursor


def _ensure_template(cursor: Any, *, rebuild: bool) -> str:
    template = TEMPLATE_PREFIX + _digest()
    existing = _databases(cursor, TEMPLATE_PREFIX)
    if template in existing and not rebuild:
        return template
    for old in existing:
        _run(cursor, "DROP DATABASE {} WITH (FORCE)", old)
    partial = f"{template}_partial"
    _run(cursor, "CREATE DATABASE {} TEMPLATE template0", partial)
    _use(partial)
    call_command("migrate", verbosity=0, interactive=False)
    connection.close()
    _run(cursor, "ALTER DATABASE {} RENAME TO {}", partial, template)
    return template


def _digest() -> str:
    """Changes whenever the migrated schema may."""
    digest = hashlib.sha256()
    for path in [settings.BASE_DIR / "uv.lock", *_migration_files()]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _migration_files() -> list[Path]:
    """The project's own; those of packages change only with the lock file."""
    packages = [Path(config.path) for config in apps.get_app_configs()]
    own = [path for path in packages if path.is_relative_to(settings.BASE_DIR) and ".venv" not in path.parts]
    return sorted(file for path in own for file in path.glob("migrations/**/*") if file.suffix in {".py", ".sql"})


def _drop_abandoned(cursor: Any) -> None:
    """Remove what test processes left that were killed; their number is in the name."""
    for name in _databases(cursor, TEST_PREFIX):
        if not psutil.pid_exists(int(name.removeprefix(TEST_PREFIX).split("_")[0])):
            _run(cursor, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def _databases(cursor: Any, prefix: str) -> list[str]:
    cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix])
    return [name for (name,) in cursor.fetchall()]


def _run(cursor: Any, statement: str, *names: str) -> None:
    cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _use(name: str) -> None:
    connection.close()
    settings.DATABASES["default"]["NAME"] = name
    connection.settings_dict["NAME"] = name
