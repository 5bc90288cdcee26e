"""The migrations: complete, and fit to begin with nothing."""

import os

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
