"""Redis and RabbitMQ for a test: servers of its own that can be killed and started again, of which nothing is left."""

from __future__ import annotations

import functools
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import pytest
import redis
from amqp import Connection
from django.conf import settings

from kindgi.embedded import web
from kindgi.embedded.processes import Child, die_with_parent

# Where Debian keeps what isn't in everybody's PATH; its RabbitMQ there runs as whoever starts it.
PLACES = os.pathsep.join(["/usr/lib/rabbitmq/bin", os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
START_SECONDS = 120
KINDS = ("folder", "redis", "rabbitmq")


class Broker:
    """Where tasks wait. In the folder of the worker (``url`` is empty) nothing runs that could be killed."""

    programs: ClassVar[tuple[str, ...]] = ()
    url = ""

    def start(self) -> None:
        """See that it runs, on the same address and data each time, and takes messages."""

    def stop(self) -> None:
        """Let it write down what it has and end."""

    def kill9(self) -> None:
        """End it at once."""

    def clear(self) -> None:
        """Forget all tasks, also those that somebody works on."""


class Server(Broker):
    """A broker that is a process, with its data in ``folder``; the ports are its own until the stack is closed."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.port, *self.other_ports = (_take_port(stack) for _ in range(3))
        self.child: Child | None = None
        stack.callback(self.kill9)

    def command(self) -> list[str]:
        """What runs it in the foreground."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """What it reads besides the essentials."""
        return {}

    def greet(self) -> None:
        """Have it answer; raises ``OSError`` or a library's error while it can't."""
        raise NotImplementedError

    def start(self) -> None:
        if self.child is not None:
            return
        self.child = Child(_run(self.command(), folder=self.folder, environment=self.environment()))
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self.child.process.poll() is None, f"It has ended: {self._said()}"
            assert time.monotonic() < deadline, f"It never answered: {self._said()}"
            time.sleep(0.05)

    def stop(self) -> None:
        if self.child is not None:
            self.child.stop()
            self.child = None

    def kill9(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child = None
            self._wait_until_gone()

    def _wait_until_gone(self) -> None:
        """RabbitMQ is started by a shell, and may outlive that by a moment, with its port and its files."""
        deadline = time.monotonic() + START_SECONDS
        with suppress(ConnectionError):
            while time.monotonic() < deadline:
                socket.create_connection(("127.0.0.1", self.port)).close()
                time.sleep(0.01)
            raise AssertionError("It is still there.")

    def _answers(self) -> bool:
        with suppress(OSError, redis.RedisError):
            self.greet()
            return True
        return False

    def _said(self) -> str:
        return (self.folder / "output").read_text(errors="replace")[-2000:]


class Redis(Server):
    """Redis that keeps on the disk whatever it has taken, as one that tasks wait in must."""

    programs = ("redis-server",)

    @property
    def url(self) -> str:  # type: ignore[override]
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "appendonly": "yes",
            "save": "",
        }
        return [_program("redis-server"), *(word for name, value in options.items() for word in (f"--{name}", value))]

    def greet(self) -> None:
        with redis.Redis(port=self.port, socket_timeout=5) as client:
            client.ping()

    def clear(self) -> None:
        with redis.Redis(port=self.port) as client:
            client.flushall()


class RabbitMQ(Server):
    """A node that knows no other, and no plugin; its name server (epmd) is its own, and ends with it."""

    programs = ("rabbitmq-server", "epmd")

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder, stack)
        for name in ("home", "plugins"):
            (folder / name).mkdir()
        (folder / "enabled_plugins").write_text("[].")
        (folder / "none").touch()
        # It is never killed with the node, which would start another behind our back.
        names = [_program("epmd"), "-address", "127.0.0.1", "-port", str(self.other_ports[0])]
        stack.callback(Child(_run(names, folder=folder, environment={})).kill)

    @property
    def url(self) -> str:  # type: ignore[override]
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def command(self) -> list[str]:
        return [_program("rabbitmq-server")]

    def environment(self) -> dict[str, str]:
        folder, (names_port, node_port) = self.folder, self.other_ports
        rabbit = {
            "NODENAME": "kindgi@localhost",
            "NODE_IP_ADDRESS": "127.0.0.1",
            "NODE_PORT": self.port,
            "DIST_PORT": node_port,
            "MNESIA_BASE": folder / "data",
            "LOG_BASE": folder / "log",
            "CONF_ENV_FILE": folder / "none",
            "CONFIG_FILE": folder / "missing",
            "ENABLED_PLUGINS_FILE": folder / "enabled_plugins",
            "PLUGINS_DIR": folder / "plugins",  # it reads each that lies there when it starts, which takes seconds
        }
        erlang = {"HOME": str(folder / "home"), "ERL_EPMD_PORT": str(names_port), "ERL_EPMD_ADDRESS": "127.0.0.1"}
        return {**erlang, **{f"RABBITMQ_{name}": str(value) for name, value in rabbit.items()}}

    def greet(self) -> None:
        with Connection(f"127.0.0.1:{self.port}", connect_timeout=5):
            pass

    def clear(self) -> None:
        with Connection(f"127.0.0.1:{self.port}") as connection:
            connection.channel().queue_delete(settings.CELERY_TASK_DEFAULT_QUEUE)


SERVERS: dict[str, type[Server]] = {"redis": Redis, "rabbitmq": RabbitMQ}


@contextmanager
def a_broker(kind: str) -> Iterator[Broker]:
    """A broker of one of ``KINDS``, which runs; the test is left out where it isn't installed, but not in CI."""
    if kind == "folder":
        yield Broker()
        return
    _require(*SERVERS[kind].programs)
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder, ExitStack() as stack:
        server = SERVERS[kind](Path(folder), stack)
        server.start()
        yield server


@pytest.fixture(scope="module")
def brokers() -> Iterator[Callable[[str], Broker]]:
    """One broker of a kind for all tests of a module, which starts when the first of them needs it."""
    with ExitStack() as stack:
        yield functools.cache(lambda kind: stack.enter_context(a_broker(kind)))


@pytest.fixture(params=KINDS)
def broker(request: pytest.FixtureRequest, brokers: Callable[[str], Broker]) -> Broker:
    """A broker of each kind in turn, which runs and is empty. A test may kill it, and need not start it again."""
    broker = brokers(request.param)
    broker.start()
    broker.clear()
    return broker


def _require(*programs: str) -> None:
    """Leave the test out where one of the programs isn't installed; in CI fail."""
    for program in programs:
        if shutil.which(program, path=PLACES) is None:
            assert os.environ.get("CI") != "true", f"{program} is missing: scripts/services installs it."
            pytest.skip(f"{program} is not installed (scripts/services installs it)")


def _program(name: str) -> str:
    path = shutil.which(name, path=PLACES)
    assert path is not None
    return path


def _run(command: list[str], *, folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a server in a process group of its own, in an environment of its own; it ends when the test does."""
    with (folder / "output").open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={"PATH": PLACES, "LANG": "C", "HOME": str(folder), **environment},
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


def _take_port(stack: ExitStack) -> int:
    """A port that no other test is given, in another process either, until the stack is closed.

    It is below those that the system hands out by itself.
    """
    while True:
        port = random.randint(20_000, 32_000)
        with suppress(web.WebServerError):
            stack.enter_context(web.take_port(host="127.0.0.1", port=port))
            return port
