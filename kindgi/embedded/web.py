"""The production web server (granian) as a command line and as a child process."""

import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import ClassVar, NoReturn

from django.conf import settings

from kindgi.embedded.processes import STOP_SECONDS, Child, spawn

START_SECONDS = 60
LOOK_SECONDS = 1.0
LAST_PORT = 65_535
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class WebServerError(RuntimeError):
    """The web server could not be started; the text is one sentence for a person."""


def command(*, host: str, port: int) -> list[str]:
    """The command that serves the project, with the workers and threads of the settings."""
    return [
        sys.executable,
        "-m",
        "granian",
        "--interface=wsgi",
        "--no-ws",
        f"--host={host}",
        f"--port={port}",
        f"--workers={settings.WEB_WORKERS}",
        f"--blocking-threads={settings.WEB_THREADS}",
        "--blocking-threads-idle-timeout=600",  # each thread has a database connection; keep both
        "--respawn-failed-workers",
        f"--workers-kill-timeout={STOP_SECONDS}",
        "--log-level=warning",
        f"--working-dir={settings.BASE_DIR}",
        "kindgi.wsgi:application",
    ]


def take_port(*, host: str, port: int) -> socket.socket:
    """The right to serve on the port, for as long as the socket is open; ends with its process, however it ends.

    Raises ``WebServerError`` if there is no such port, somebody else has taken it, or something listens there already.
    The server itself would not notice: it shares its port among its workers, and so with strangers too.
    """
    if not 1 <= port <= LAST_PORT:
        raise WebServerError(f"There is no port {port}: choose one from 1 to {LAST_PORT}, for example PORT=8000.")
    taken = socket.socket(socket.AF_UNIX)
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            _name(taken, *probe.getsockname())
    except (OSError, UnicodeError) as error:
        taken.close()
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        cause = error.strerror if isinstance(error, OSError) else "no such host"
        other = port + 1 if port < LAST_PORT else 8000
        why = "is already in use" if in_use else f"cannot be used ({cause})"
        raise WebServerError(f"Port {port} on {host} {why}: choose another, for example PORT={other}.") from error
    return taken


def _name(taken: socket.socket, address: str, port: int) -> None:
    """Give a socket a name that no other can have meanwhile: unlike a file, it's as wide as the ports are.

    Two servers that start at once would both find the port free. Linux alone has such names.
    """
    if sys.platform == "linux":
        taken.bind(f"\0kindgi-serves-{address}:{port}")


def serve(
    *,
    host: str,
    port: int,
    when_up: Callable[[str], None] = lambda url: None,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Serve until interrupted; nothing is left running afterwards.

    ``when_up`` is called once with the address, ``meanwhile`` every second.
    """
    server = WebServer.start(host=host, port=port)
    try:
        when_up(server.url)
        while (status := server.process.poll()) is None:
            meanwhile()
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(timeout=LOOK_SECONDS)
        if status:
            raise WebServerError(f"The web server ended by itself with status {status}.")
    finally:
        # An impatient second Ctrl-C must not leave half of it running.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        server.stop()


def become(*, host: str, port: int, taken: socket.socket) -> NoReturn:
    """Put the web server in the place of this process; it keeps the port that was taken."""
    taken.set_inheritable(True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell lets its background jobs ignore it
    arguments = command(host=host, port=port)
    os.execv(arguments[0], arguments)  # noqa: S606 (a list, no shell)


@contextmanager
def until_interrupted() -> Iterator[None]:
    """Ctrl-C, SIGTERM or a closed terminal end the block, and it can tidy up; that is no error."""
    for number in STOP_SIGNALS:
        signal.signal(number, _interrupt)
    with suppress(KeyboardInterrupt):
        yield


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@dataclass
class WebServer(Child):
    """A running web server."""

    host: str
    port: int
    again_seconds: ClassVar[float] = 0.5

    @classmethod
    def start(cls, *, host: str, port: int, environment: dict[str, str] | None = None) -> "WebServer":
        """Start it and return once it answers."""
        process = spawn(command(host=host, port=port), environment=environment)
        server = cls(process=process, host=host, port=port)
        try:
            server._wait_until_answering()
        except BaseException:
            server.kill()
            raise
        return server

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def _wait_until_answering(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            if self._answers():
                return
            time.sleep(0.05)
        raise WebServerError("The web server did not start; what it printed above says why.")

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=START_SECONDS)
        try:
            connection.request("HEAD", "/")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return True
