"""The migrations: complete, and fit to begin with nothing."""

import os
import uuid

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from tests.support import databases
from tests.support.commands import manage
from tests.support.servers import worker_database_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def empty_database_url(transactional_db: None):
    name = f"{databases.TEST_PREFIX}{os.getpid()}_empty"
    with connection._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        cursor.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield worker_database_url().replace(f"/{connection.settings_dict['NAME']}?", f"/{name}?")
    databases.drop(name)


def test_no_model_has_changed_without_a_migration():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_an_empty_database_is_migrated_and_a_second_time_changes_nothing(empty_database_url):
    environment = {"KINDGI_ENV": "test", "DATABASE_URL": empty_database_url}
    first = manage("migrate", environment=environment)
    assert first.returncode == 0 and "Applying access.0001_initial... OK" in first.stdout, first.stderr
    second = manage("migrate", environment=environment)
    assert second.returncode == 0 and "No migrations to apply" in second.stdout


def insert(cursor, table: str, **values: object):
    """A row of an older schema: what isn't given is whatever its type has for nothing; its id."""
    cursor.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s AND is_nullable = 'NO'",
        [table],
    )
    nothing = {"boolean": False, "integer": 0, "jsonb": "{}", "timestamp with time zone": "now", "uuid": uuid.uuid4()}
    row = {name: nothing.get(kind, "") for name, kind in cursor.fetchall()} | values
    columns, places = sql.SQL(", ").join(map(sql.Identifier, row)), sql.SQL(", ").join(sql.Placeholder() * len(row))
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING id")
    cursor.execute(statement.format(sql.Identifier(table), columns, places), list(row.values()))
    return cursor.fetchone()[0]


def test_copies_that_were_made_before_learn_whose_words_they_hold(empty_database_url):
    environment = {"KINDGI_ENV": "test", "DATABASE_URL": empty_database_url}
    for app, number in (("runs", "0001"), ("corrections", "0001")):
        done = manage("migrate", app, number, environment=environment)
        assert done.returncode == 0, done.stderr
    with psycopg.connect(empty_database_url, autocommit=True) as connected, connected.cursor() as cursor:
        tenant = insert(cursor, "access_tenant", slug="t")
        project = insert(cursor, "access_project", tenant_id=tenant, slug="p")
        whose = {}
        for participant in ("somebody", "", None):  # None: the run is gone
            run_id = uuid.uuid4()
            whose[run_id] = participant or ""
            about = {"tenant_id": tenant, "project_id": project, "run_id": run_id}
            if participant is not None:
                insert(cursor, "runs_run", **about, participant_id=participant, status="running")
            correction = insert(cursor, "corrections_correction", **about, status="open")
            insert(cursor, "corrections_runcopy", tenant_id=tenant, run_id=run_id, correction_id=correction)
        done = manage("migrate", environment=environment)
        assert done.returncode == 0, done.stderr
        cursor.execute("SELECT run_id, participant_id FROM corrections_runcopy")
        assert dict(cursor.fetchall()) == whose


def test_days_of_retention_that_were_out_of_bounds_come_within_them(empty_database_url):
    environment = {"KINDGI_ENV": "test", "DATABASE_URL": empty_database_url}
    done = manage("migrate", "access", "0001", environment=environment)
    assert done.returncode == 0, done.stderr
    within = {0: 1, 1: 1, 30: 30, 36_500: 36_500, 36_501: 36_500, 2_147_483_647: 36_500, None: None}
    with psycopg.connect(empty_database_url, autocommit=True) as connected, connected.cursor() as cursor:
        tenant = insert(cursor, "access_tenant", slug="t")
        for days in within:
            insert(cursor, "access_project", tenant_id=tenant, slug=f"p-{days}", retention_days=days)
        done = manage("migrate", "access", "0002", environment=environment)
        assert done.returncode == 0, done.stderr
        cursor.execute("SELECT slug, retention_days FROM access_project")
        assert dict(cursor.fetchall()) == {f"p-{days}": kept for days, kept in within.items()}
