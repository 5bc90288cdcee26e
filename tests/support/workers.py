"""A real worker on the test database, with a queue of its own: in a folder, in Redis or in RabbitMQ."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from django.conf import settings
from django.db import connection
from kombu import pools

from kindgi.api.times import now, wire
from kindgi.celery import app
from kindgi.embedded.processes import Child, spawn
from kindgi.embedded.worker import QUIET, command
from kindgi.settings.tasks import BROKERS
from tests.support.brokers import Broker
from tests.support.servers import worker_database_url
from tests.support.shops import Shop, completed

# On a busy machine RabbitMQ alone takes half a minute to start, and a worker another to look for it again.
PATIENCE = 120.0
W = TypeVar("W", bound="WorkerProcess")


class WorkerProcess:
    """Celery with beat, as ``manage.py worker`` runs it; what it is told to do is due every second.

    ``environment`` is for whatever else shall send to it, such as a ``ServedProject``.
    """

    def __init__(self, folder: Path, broker: Broker, **environment: str) -> None:
        self.broker = broker
        self.queue = folder / "test-queue"
        self.environment = {
            "KINDGI_ENV": "test",
            "SECRET_KEY": settings.SECRET_KEY,  # it reads what this process encrypts
            "DATABASE_URL": worker_database_url(),
            "VAR_DIR": str(folder),
            "CELERY_BROKER_URL": broker.url,
            "PURGE_EVERY_SECONDS": "1",
            "SWEEP_EVERY_SECONDS": "1",
            **environment,
        }
        self.child: Child | None = None

    def start(self) -> None:
        """Start it; it works a second or two later."""
        interpreter, *arguments = command()
        self.child = Child(spawn([interpreter, *QUIET, *arguments], environment=self.environment))

    def stop(self) -> None:
        """Let it end its batch."""
        if self.child is not None:
            self.child.stop()
            self.child = None

    def kill9(self) -> None:
        """End it at once, whatever it is doing."""
        if self.child is not None:
            self.child.kill()
            self.child = None

    def waiting(self) -> int:
        """How many tasks nobody has taken; in a folder, how many aren't done."""
        with app.connection_for_write() as connection:
            channel: Any = connection.default_channel
            declared = channel.queue_declare(app.conf.task_default_queue, durable=True, auto_delete=False)
            count: int = declared.message_count
            return count

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Return once ``condition`` holds; fail when it never does, or the worker ends."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.child is None or self.child.process.poll() is None, "The worker has ended."
            assert time.monotonic() < deadline, "It never came to that."
            time.sleep(0.05)


class ForkingWorker(WorkerProcess):
    """One that is followed by another as soon as it is killed: ``kill9_worker``, again and again."""

    def __init__(self, folder: Path, broker: Broker, **environment: str) -> None:
        super().__init__(folder, broker, **environment)
        self.pid_file = folder / "worker-pid"
        self.killed: set[int] = set()

    def start(self) -> None:
        """Start the process that forks, and the first worker."""
        command = [sys.executable, *QUIET, "-m", "tests.support.killable_worker", str(self.pid_file)]
        self.child = Child(spawn(command, environment=self.environment))
        self.wait_until(self.pid_file.exists)

    def kill9_worker(self) -> None:
        """End the one that works now at once."""
        self.wait_until(lambda: int(self.pid_file.read_text()) not in self.killed)
        pid = int(self.pid_file.read_text())
        os.kill(pid, signal.SIGKILL)
        self.killed.add(pid)


@contextmanager
def a_worker(broker: Broker | None = None, **environment: str) -> Iterator[WorkerProcess]:
    """A worker that is started and stopped by the test; nothing of it is left.

    Its queue is a folder, or ``broker``. Whatever this process sends meanwhile goes there too.
    """
    with _working(WorkerProcess, broker, environment) as worker:
        yield worker


@contextmanager
def a_forking_worker(broker: Broker | None = None, /, **environment: str) -> Iterator[ForkingWorker]:
    """The same, of which each worker that is killed is followed by another."""
    with _working(ForkingWorker, broker, environment) as worker:
        yield worker


@contextmanager
def _working(kind: type[W], broker: Broker | None, environment: dict[str, str]) -> Iterator[W]:
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        worker = kind(Path(folder), broker or Broker(), **environment)
        try:
            with _sending_to(worker):
                yield worker
        finally:
            worker.kill9()


@contextmanager
def _sending_to(worker: WorkerProcess) -> Iterator[None]:
    """What this process sends goes to the worker's queue; the connections that it has are put aside."""
    names = ("broker_url", "broker_transport_options")
    before = {name: app.conf[name] for name in names}
    url = worker.broker.url
    options = BROKERS[url.partition("//")[0] + "//"] if url else {"folder": str(worker.queue)}
    _send_by(broker_url=url or "folder://localhost", broker_transport_options=options)
    try:
        yield
    finally:
        _send_by(**before)


def _send_by(**settings: Any) -> None:
    celery: Any = app
    celery.conf.update(settings)
    pools.reset()
    celery._pool = celery.amqp._producer_pool = None


def old_runs(shop: Shop, count: int) -> None:
    """So many runs that are past their project's retention of a day."""
    shop.admin.ok("PATCH", f"projects/{shop.project.pk}", {"retentionDays": 1})
    at = wire(now() - timedelta(days=2))
    record = completed(createdAt=at, completedAt=at)
    for begin in range(0, count, 500):
        records = [{"id": str(uuid4()), **record} for _ in range(min(500, count - begin))]
        shop.admin.ok("POST", "runs/import", records)


@contextmanager
def slow_deletes() -> Iterator[None]:
    """Deleting a run takes a millisecond, so that a purge is long enough to be killed in."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION a_moment() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(0.001); RETURN OLD; END $$"
        )
        cursor.execute("CREATE TRIGGER a_moment BEFORE DELETE ON runs_run FOR EACH ROW EXECUTE FUNCTION a_moment()")
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION a_moment() CASCADE")
