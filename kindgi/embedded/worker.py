"""The worker as a command line, and as a process beside a web server."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from django.conf import settings

from kindgi.embedded.processes import Child, spawn
from kindgi.embedded.queue import check_folder

RESTART_SECONDS = 5.0
# Celery warns whoever works as root, as a demonstration in a container does.
QUIET = ["-W", "ignore:You're running the worker"]


def command() -> list[str]:
    """The command that works, and sends what is due by the schedule."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return [sys.executable, "-m", "celery", "--quiet", "--app=kindgi.celery", "worker", "--with-beat", *alone]


def check_queue() -> None:
    """Raise ``QueueFolderError`` if tasks shall wait in a folder that can't be one."""
    if folder := settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("folder"):
        check_folder(Path(folder) / settings.CELERY_TASK_DEFAULT_QUEUE)


def become() -> NoReturn:
    """Put the worker in the place of this process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell lets its background jobs ignore it
    os.chdir(settings.BASE_DIR)
    arguments = command()
    os.execv(arguments[0], arguments)  # noqa: S606 (a list, no shell)


class Worker:
    """A worker that is started again when it ends by itself."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self.child: Child | None = None
        self._started = -RESTART_SECONDS

    def keep(self) -> None:
        """See that it runs; one that ends again and again is started every few seconds."""
        runs = self.child is not None and self.child.process.poll() is None
        if runs or time.monotonic() - self._started < RESTART_SECONDS:
            return
        self._started = time.monotonic()
        interpreter, *arguments = command()
        self.child = Child(spawn([interpreter, *QUIET, *arguments]))

    def stop(self) -> None:
        """Let it finish its batch and end."""
        if self.child is not None:
            self.child.stop()


@contextmanager
def beside() -> Iterator[Worker]:
    """A worker for the time of the block; nothing of it is left afterwards."""
    worker = Worker()
    try:
        yield worker
    finally:
        worker.stop()
