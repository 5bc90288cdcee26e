"""What the database backend adds: dead connections are noticed for free, and those of dead threads are closed."""

import gc
import threading

import pytest
from django.db import connection, connections

from tests.support.queries import assert_queries


@pytest.mark.django_db
def test_a_healthy_connection_is_checked_without_a_query():
    connection.ensure_connection()
    with assert_queries(exact=0):
        assert connection.is_usable()


@pytest.mark.django_db(transaction=True)
def test_a_request_whose_connection_has_died_opens_another(client):
    with connection.cursor() as cursor, connection._nodb_cursor() as other:
        cursor.execute("SELECT pg_backend_pid()")
        other.execute("SELECT pg_terminate_backend(%s, 5000)", cursor.fetchone())
    assert not connection.is_usable()
    connection.close_if_unusable_or_obsolete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@pytest.mark.django_db(transaction=True)
def test_a_connection_is_closed_when_its_thread_ends_without_waiting_for_garbage_collection():
    opened = []

    def work():
        connection.ensure_connection()
        opened.append(connection.connection)

    gc.disable()
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert opened[0].closed
    finally:
        gc.enable()


@pytest.mark.django_db(transaction=True)
def test_a_thread_may_have_several_connections():
    copies = [connections["default"].copy() for _ in range(3)]
    try:
        for copy in copies:
            copy.ensure_connection()
        assert not any(copy.connection.closed for copy in copies)
    finally:
        for copy in copies:
            copy.close()
