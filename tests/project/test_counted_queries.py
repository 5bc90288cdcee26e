"""``assert_queries`` counts what it says, and fails when it should."""

from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from tests.support.queries import assert_queries

pytestmark = pytest.mark.django_db


def test_it_counts_the_orm_and_not_the_transaction_around_it():
    with assert_queries(exact=2), transaction.atomic():
        list(ContentType.objects.all())
        ContentType.objects.count()


def test_it_counts_raw_cursors_many_rows_copy_and_server_side_cursors():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE counted (n int)")
        with assert_queries(exact=6) as statements:
            cursor.executemany("INSERT INTO counted VALUES (%s)", [(1,), (2,), (3,)])
            connection.connection.execute("SELECT 1")
            with cursor.copy("COPY counted FROM STDIN") as copy:
                copy.write("4\n")
            list(ContentType.objects.iterator())
    assert statements[0].startswith("INSERT") and "django_content_type" in statements[-1]


@pytest.mark.parametrize("expected", [{"exact": 1}, {"exact": 3}, {"at_most": 1}])
def test_it_fails_and_prints_the_sql_when_the_count_differs(expected: dict[str, Any]):
    said = r"2 statements where(.|\n)*1\. SELECT(.|\n)*django_content_type"
    with pytest.raises(AssertionError, match=said), assert_queries(**expected):
        ContentType.objects.count()
        ContentType.objects.first()


def test_it_allows_fewer_than_at_most():
    with assert_queries(at_most=2):
        ContentType.objects.count()


def test_it_leaves_other_connections_alone():
    with connection._nodb_cursor() as other, assert_queries(exact=0):
        other.execute("SELECT 1")
