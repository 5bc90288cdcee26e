"""The production web server over the test database, for tests that need real processes and connections."""

import random
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

from django.db import connection

from kindgi.embedded import web


class ServedProject:
    """The project, served by granian in a process group of its own; it can be killed and started again."""

    def __init__(self, **environment: str) -> None:
        self.port = free_port()
        self.environment = {"KINDGI_ENV": "test", "DATABASE_URL": worker_database_url(), **environment}
        self.server: web.WebServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, on the same port each time, and return once it answers."""
        assert self.server is None, "It runs already."
        self.server = web.WebServer.start(host="127.0.0.1", port=self.port, environment=self.environment)

    def stop(self) -> None:
        """Let it finish what it is doing and end."""
        if self.server is not None:
            self.server.stop()
            self.server = None

    def kill9(self) -> None:
        """End all its processes at once, whatever they are doing."""
        if self.server is not None:
            self.server.kill()
            self.server = None

    def restart(self) -> None:
        self.stop()
        self.start()


def worker_database_url() -> str:
    """The address of this test process's database."""
    config: dict[str, Any] = connection.settings_dict
    user = quote(config["USER"], safe="") + (f":{quote(config['PASSWORD'], safe='')}" if config["PASSWORD"] else "")
    query = urlencode({"host": config["HOST"], "port": config["PORT"] or 5432})
    return f"postgres://{user}@/{config['NAME']}?{query}"


def free_port() -> int:
    """Below the ports that the system hands out by itself, so that nobody is given it between kill and restart."""
    while True:
        port = random.randint(20_000, 32_000)
        with suppress(web.WebServerError):
            web.take_port(host="127.0.0.1", port=port).close()
            return port
