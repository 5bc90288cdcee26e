"""Processes that a demonstration starts beside itself, and of which nothing is left when it ends, however it does."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from django.conf import settings

STOP_SECONDS = 10


def spawn(
    command: list[str], *, environment: dict[str, str] | None = None, says: int | None = None
) -> subprocess.Popen[bytes]:
    """Start ``command`` in a process group of its own; it is told to end when this process dies.

    ``says`` is where what it says goes, ``subprocess.DEVNULL`` for nowhere; where this process's goes by itself.
    """
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=says,
        stderr=says,
        env={**os.environ, **(environment or {})},
        cwd=settings.BASE_DIR,
        start_new_session=True,
        preexec_fn=_detach,
    )


@dataclass
class Child:
    """A running process, with whatever it has started, in a group of its own."""

    process: subprocess.Popen[bytes]
    # How often it is told to stop again, where it may have missed that: a worker of it that was still loading.
    again_seconds: ClassVar[float] = STOP_SECONDS

    def stop(self) -> None:
        """Let it finish what it is doing, or kill it when that takes too long."""
        deadline = time.monotonic() + STOP_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            os.killpg(self.process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=self.again_seconds)
        self.kill()

    def kill(self) -> None:
        """kill -9 of it and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def die_with_parent() -> None:
    """In the child, before it becomes what it shall: be told to end when the parent dies, even by kill -9.

    Linux alone can do that.
    """
    if sys.platform == "linux":
        parent_death_signal = 1
        ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)


def _detach() -> None:
    """It must hear SIGINT too, which a web server stops its workers with and a shell lets background jobs ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent()
