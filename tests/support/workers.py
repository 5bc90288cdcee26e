"""A real worker on the test database, with a queue of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kindgi.embedded.processes import Child, spawn
from kindgi.embedded.worker import QUIET, command
from tests.support.servers import worker_database_url

PATIENCE = 60.0


class WorkerProcess:
    """Celery with beat, as ``manage.py worker`` runs it; what it is told to do is due every second."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.output = folder / "worker.log"
        self.queue = folder / "test-queue"
        self.environment = {
            "KINDGI_ENV": "test",
            "DATABASE_URL": worker_database_url(),
            "VAR_DIR": str(folder),
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

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Return once ``condition`` holds; fail when it never does, or the worker ends."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.child is None or self.child.process.poll() is None, "The worker has ended."
            assert time.monotonic() < deadline, "It never came to that."
            time.sleep(0.05)


@contextmanager
def a_worker(**environment: str) -> Iterator[WorkerProcess]:
    """A worker that is started and stopped by the test; nothing of it is left."""
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        worker = WorkerProcess(Path(folder), **environment)
        try:
            yield worker
        finally:
            worker.kill9()
