"""A queue of tasks in a folder, for the processes of one machine: what Celery uses when no broker is set.

A message is a file. It appears whole, by a rename; whoever works on it holds the kernel's lock on
it; done, it is deleted. So a worker that is killed, however it is, lets go of what it had begun, and
the next one that looks finds it. (kombu's own filesystem transport deletes a message when it is
read, and a killed worker's are lost.)
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any
from uuid import uuid4

from kombu.transport import virtual

LOOK_SECONDS = 0.2
# How long a worker looks before it sees whether it shall stop.
TURN_SECONDS = 0.5


class Channel(virtual.Channel):
    """Queues are folders in the transport option ``folder``; what is on its way to be acknowledged is locked."""

    do_restore = False  # an unlocked file needs no restoring

    def __init__(self, connection: Any, **options: Any) -> None:
        """Hold nothing."""
        super().__init__(connection, **options)
        self._held: dict[str, tuple[int, Path]] = {}

    def _folder(self, queue: str) -> Path:
        client: Any = self.connection.client
        folder = Path(client.transport_options["folder"]) / queue
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        """Add a message; it is on the disk, whole, or not there."""
        folder, name = self._folder(queue), f"{time_ns():020d}-{uuid4().hex}"
        draft = folder / f".{name}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(message, file)
            file.flush()
            os.fsync(descriptor)
        draft.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        """The first message that nobody works on, now held by this channel; raises ``Empty``."""
        for path in self._waiting(queue):
            descriptor = _claim(path)
            if descriptor is None:
                continue
            with open(descriptor, closefd=False) as file:
                message: dict[str, Any] = json.load(file)
            self._held[message["properties"]["delivery_tag"]] = (descriptor, path)
            return message
        raise Empty

    def _waiting(self, queue: str) -> Iterator[Path]:
        folder = self._folder(queue)
        return (folder / name for name in sorted(os.listdir(folder)) if not name.startswith("."))

    def _size(self, queue: str) -> int:
        return len(list(self._waiting(queue)))

    def _purge(self, queue: str) -> int:
        claimed = [(descriptor, path) for path in self._waiting(queue) if (descriptor := _claim(path)) is not None]
        for descriptor, path in claimed:
            _done(descriptor, path)
        return len(claimed)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Delete a message that was worked on."""
        super().basic_ack(delivery_tag, multiple=multiple)
        if (held := self._held.pop(delivery_tag, None)) is not None:
            _done(*held)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Delete a message, or let somebody else have it."""
        if not requeue:
            self.basic_ack(delivery_tag)
            return
        self.qos.ack(delivery_tag)
        if (held := self._held.pop(delivery_tag, None)) is not None:
            os.close(held[0])

    def close(self) -> None:
        """Let go of everything."""
        super().close()
        while self._held:
            os.close(self._held.popitem()[1][0])


class Transport(virtual.Transport):
    """Looks into the folder a few times a second."""

    Channel = Channel
    polling_interval = LOOK_SECONDS
    driver_type = driver_name = "folder"

    def drain_events(self, connection: Any, timeout: float | None = None, **options: Any) -> None:
        """Wait for a message, and no longer than a turn where there is a timeout at all."""
        super().drain_events(connection, timeout=None if timeout is None else min(timeout, TURN_SECONDS), **options)


def _claim(path: Path) -> int | None:
    """The open and locked file, or ``None`` where somebody has it or it is done."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor
    os.close(descriptor)
    return None


def _done(descriptor: int, path: Path) -> None:
    """Delete a claimed file; only then is it let go, so that nobody finds it undone."""
    path.unlink(missing_ok=True)
    os.close(descriptor)
