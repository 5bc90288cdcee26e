"""A queue of tasks in a folder, for the processes of one machine: what Celery uses when no broker is set.

A message is a file. It appears whole, by a rename; whoever works on it holds the kernel's lock on
it; done, it is deleted. So a worker that is killed, however it is, lets go of what it had begun, and
the next one that looks finds it. (kombu's own filesystem transport deletes a message when it is
read, and a killed worker's are lost.)

What can't be read as a message is moved aside, to a name that begins with ``.unreadable-``, and
logged: the messages behind it go on, and a person can see what it was.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import time, time_ns
from typing import Any
from uuid import uuid4

from kombu.transport import virtual

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
# How long a worker looks before it sees whether it shall stop.
TURN_SECONDS = 0.5
# A message that is still being written after so long was left by a writer that was killed.
DRAFT_SECONDS = 24 * 3600
UNREADABLE = ".unreadable-"
# The machine's trouble, which says nothing about the file.
NOT_THE_FILE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOLCK}


class QueueFolderError(RuntimeError):
    """The queue can't be where it shall be; the text is one sentence for a person."""


class _UnreadableError(Exception):
    """What is in the folder isn't a message; the text says why."""


def check_folder(folder: Path) -> None:
    """Raise :class:`QueueFolderError` where there is no such queue and none can be made; make nothing."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not os.path.isdir(there):
        raise QueueFolderError(f"Move {there} away: tasks wait in files of the folder {folder}.")
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        raise QueueFolderError(f"Let this user read and write {there}: tasks wait in files of the folder {folder}.")


class Channel(virtual.Channel):
    """Queues are folders in the transport option ``folder``; what is on its way to be acknowledged is locked."""

    do_restore = False  # an unlocked file needs no restoring

    def __init__(self, connection: Any, **options: Any) -> None:
        """Hold nothing; remove what killed writers left."""
        super().__init__(connection, **options)
        self._held: dict[str, tuple[int, Path]] = {}
        self._left: set[Path] = set()
        with suppress(OSError):
            for folder in self._root().iterdir():
                _remove_old_drafts(folder)

    def _root(self) -> Path:
        client: Any = self.connection.client
        return Path(client.transport_options["folder"])

    def _folder(self, queue: str) -> Path:
        folder = self._root() / queue
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
        for descriptor, path in self._claimed(queue):
            try:
                message = self._read(descriptor)
            except _UnreadableError as why:
                self._set_aside(path, why)
            else:
                tag = message["properties"]["delivery_tag"]
                if tag not in self._held:
                    self._held[tag] = (descriptor, path)
                    return message
            os.close(descriptor)
        raise Empty

    def _read(self, descriptor: int) -> dict[str, Any]:
        """The message in an open file; raises :class:`_UnreadableError`."""
        try:
            with open(descriptor, closefd=False) as file:
                message: dict[str, Any] = json.load(file)
            _check_task(message["headers"], self.Message(message, channel=self).payload)
        except Exception as error:  # whatever the readers of messages say of one that was made by nobody
            raise _UnreadableError(type(error).__name__) from error
        return message

    def _claimed(self, queue: str) -> Iterator[tuple[int, Path]]:
        """What waits and nobody has, opened and locked one after the other; each is the caller's to close."""
        for path in self._waiting(queue):
            try:
                descriptor = _claim(path)
            except _UnreadableError as why:
                self._set_aside(path, why)
                continue
            if descriptor is not None:
                yield descriptor, path

    def _set_aside(self, path: Path, why: Exception) -> None:
        """Move away what isn't a message, or else never look at it again."""
        aside = path.with_name(UNREADABLE + path.name)
        try:
            path.rename(aside)
        except FileNotFoundError:  # another was faster
            return
        except OSError as error:
            self._left.add(path)
            logger.error("%r is no message (%s), and can't be moved away (%s).", str(path), why, error.strerror)
        else:
            logger.error("%r is no message (%s); it is now %r.", str(path), why, aside.name)

    def _waiting(self, queue: str) -> Iterator[Path]:
        folder = self._folder(queue)
        paths = (folder / name for name in sorted(os.listdir(folder)) if not name.startswith("."))
        return (path for path in paths if path not in self._left)

    def _size(self, queue: str) -> int:
        return len(list(self._waiting(queue)))

    def _purge(self, queue: str) -> int:
        _remove_old_drafts(self._folder(queue))
        count = 0
        for descriptor, path in self._claimed(queue):
            _done(descriptor, path)
            count += 1
        return count

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


def _check_task(headers: dict[str, Any], payload: Any) -> None:
    """Raise an error unless a message is of the form of a task's: Celery's worker would end by one that isn't."""
    arguments, keywords, embedded = payload
    for value, kind in (
        (headers["task"], str),
        (headers["id"], str),
        (arguments, list),
        (keywords, dict),
        (embedded, dict),
    ):
        if not isinstance(value, kind):
            raise TypeError


def _claim(path: Path) -> int | None:
    """The open and locked file, or ``None`` where somebody has it or it is done; raises :class:`_UnreadableError`."""
    descriptor = _open(path)
    if descriptor is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _UnreadableError("not a file")
        if status.st_nlink:
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _open(path: Path) -> int | None:
    try:
        # A pipe without a writer would be waited for.
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in NOT_THE_FILE:
            raise
        raise _UnreadableError(error.strerror) from error


def _done(descriptor: int, path: Path) -> None:
    """Delete a claimed file; only then is it let go, so that nobody finds it undone."""
    try:
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _remove_old_drafts(folder: Path) -> None:
    """Remove messages of a queue that were never finished; one that can't be removed harms nobody."""
    with suppress(OSError):
        for path in folder.glob(".*"):
            with suppress(OSError):
                if not path.name.startswith(UNREADABLE) and path.lstat().st_mtime < time() - DRAFT_SECONDS:
                    path.unlink()
