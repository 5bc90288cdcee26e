"""Django's PostgreSQL backend, with four additions.

* With the setting ``EMBEDDED`` the embedded server is started on the way to the first connection.
* PostgreSQL must be version 15 or newer.
* A connection is closed when its thread ends, not when it is next collected as garbage (see ``_Thread``).
* The health check of a kept connection costs nothing while it is healthy (see ``is_usable``).
"""

import select
import threading
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from django.db.backends.postgresql import base, features
from psycopg import Connection, OperationalError

from kindgi.embedded.server import Server


class _Connections(WeakSet[Connection[Any]]):
    """What one thread has open; it is closed as soon as the thread ends and lets go of this set."""

    def __del__(self) -> None:
        for connection in list(self):
            with suppress(Exception):
                connection.close()


class _Thread(threading.local):
    """Django keeps each connection in a cycle of references, where it outlives its thread by hours: a web server
    that ends idle threads and starts new ones would use up the database's connections."""

    def __init__(self) -> None:
        self.connections = _Connections()


_thread = _Thread()


class DatabaseFeatures(features.DatabaseFeatures):
    """Django refuses to work with a server older than this."""

    minimum_database_version = (15,)


class DatabaseWrapper(base.DatabaseWrapper):
    """The connection of one thread."""

    features_class = DatabaseFeatures

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection[Any]:
        """Connect; the embedded server is started first, and once more if it has died since."""
        server: Server | None = self.settings_dict.get("EMBEDDED")
        if server is not None:
            server.acquire()
        try:
            connection: Connection[Any] = super().get_new_connection(conn_params)
        except OperationalError:
            if server is None:
                raise
            server.ensure_running()
            connection = super().get_new_connection(conn_params)
        _thread.connections.add(connection)
        return connection

    def is_usable(self) -> bool:
        """Whether the connection still works.

        A server that went away has closed the socket, which makes it readable; one that is idle has sent nothing.
        So only a socket with something to read is asked in earnest, by a query.
        """
        if self.connection is not None and not self.connection.closed:
            with suppress(OperationalError):  # libpq has seen the connection break
                if _is_silent(self.connection.pgconn.socket):
                    return True
        return bool(super().is_usable())


def _is_silent(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return not poll.poll(0)
