"""The queue in a folder: a message is there whole or not at all, is one worker's at a time, and outlives a kill -9."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from kombu import Connection

import kindgi.celery  # noqa: F401 - knows the transport by its name
from kindgi.embedded import queue
from tests.support.commands import essentials, manage

HOLD = """
import sys, time
import kindgi.celery
from kombu import Connection
with Connection("folder://localhost", transport_options={"folder": sys.argv[1]}) as connection:
    (said,), _, _ = connection.default_channel.basic_get("q").payload
    print(said, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def connect(tmp_path: Path):
    """Connections to one folder, as several processes have them."""
    opened: list[Connection] = []

    def another() -> Any:
        opened.append(Connection("folder://localhost", transport_options={"folder": str(tmp_path)}))
        return opened[-1].default_channel

    yield another
    for connection in opened:
        connection.close()


def send(channel: Any, *bodies: object) -> None:
    for body in bodies:
        task = json.dumps([[str(body)], {}, {}])
        headers = {"task": "say", "id": str(body)}
        message = channel.prepare_message(
            task, headers=headers, content_type="application/json", content_encoding="utf-8"
        )
        channel.basic_publish(message, exchange="", routing_key="q")


def said(message: Any) -> str:
    (body,), _, _ = message.payload
    return str(body)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_messages_come_in_order_each_to_one_and_are_gone_when_they_are_done(connect, tmp_path):
    sender, one, other = connect(), connect(), connect()
    send(sender, "a", "b")
    first, second = one.basic_get("q"), other.basic_get("q")
    assert (said(first), said(second)) == ("a", "b")
    assert one.basic_get("q") is None
    first.ack()
    second.ack()
    assert files(tmp_path) == []


def test_what_was_not_done_waits_again_after_a_close_and_after_a_refusal(connect):
    send(connect(), "a")
    one, other = connect(), connect()
    one.basic_get("q")
    one.close()
    message = other.basic_get("q")
    assert said(message) == "a"
    message.requeue()
    again = connect().basic_get("q")
    assert said(again) == "a"
    again.reject()
    assert connect().basic_get("q") is None


def test_what_a_killed_process_worked_on_waits_again(connect, tmp_path):
    send(connect(), "a")
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "a\n"
    assert connect().basic_get("q") is None
    process.kill()
    process.wait()
    process.stdout.close()
    assert said(connect().basic_get("q")) == "a"


def test_a_message_that_is_being_written_is_not_there_yet(connect, tmp_path):
    send(connect(), "a")
    (half,) = files(tmp_path)
    half.rename(half.with_name(f".{half.name}"))
    assert connect().basic_get("q") is None


def test_many_who_take_at_once_take_each_message_once(connect):
    send(connect(), *range(100))
    channels = [connect() for _ in range(4)]

    def take(channel: Any) -> list[str]:
        taken = []
        while (message := channel.basic_get("q")) is not None:
            taken.append(said(message))
            message.ack()
        return taken

    with ThreadPoolExecutor(len(channels)) as pool:
        taken = [body for bodies in pool.map(take, channels) for body in bodies]
    assert sorted(taken) == sorted(str(number) for number in range(100))


def test_nobody_but_its_owner_reads_the_queue(connect, tmp_path):
    send(connect(), "a")
    (file,) = files(tmp_path)
    assert (file.stat().st_mode & 0o077, file.parent.stat().st_mode & 0o077) == (0, 0)


def test_a_queue_is_counted_and_emptied_but_for_what_is_worked_on(connect):
    channel = connect()
    send(channel, "a", "b", "c")
    held = connect().basic_get("q")
    assert channel.queue_purge("q") == 2
    with pytest.raises(Empty):
        channel._get("q")
    held.requeue()
    assert channel._size("q") == 1


def test_whoever_waits_with_a_time_limit_looks_up_soon(connect):
    channel = connect()
    channel.basic_consume("q", no_ack=False, callback=lambda message: None, consumer_tag="t")
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        channel.connection.client.drain_events(timeout=30)
    assert time.monotonic() - begun < 15


def holds(content: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content if isinstance(content, bytes) else content.encode())


def made_of(**parts: Any) -> Callable[[Path], object]:
    """A message that would be one but for some parts."""
    properties = {"delivery_tag": "t", "delivery_info": {"exchange": "", "routing_key": "q"}}
    whole = {"properties": properties, "headers": {"task": "say", "id": "i"}, "body": "[[], {}, {}]"}
    return holds(json.dumps({**whole, "content-type": "application/json", "content-encoding": "utf-8", **parts}))


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "nothing": holds(""),
    "garbage": holds("garbage"),
    "bytes": holds(b"\xff\xfe\x00"),
    "an empty object": holds("{}"),
    "a list": holds("[]"),
    "null": holds("null"),
    "half a message": holds('{"body": "W10=", "prop'),
    "too deep": holds("[" * 100_000),
    "no properties": made_of(properties=None),
    "no tag": made_of(properties={}),
    "no task": made_of(headers={"id": "i"}),
    "another task": made_of(headers={"task": [], "id": "i"}),
    "no headers": made_of(headers=None),
    "no body": made_of(body=None),
    "not a task's body": made_of(body="5"),
    "not in the encoding": made_of(properties={"delivery_tag": "t", "body_encoding": "base64"}, body="["),
    "an unknown encoding": made_of(properties={"delivery_tag": "t", "body_encoding": "rot13"}),
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path),
}


def opened(folder: Path) -> list[str]:
    """The files of the folder that this process has open."""
    return [file for entry in Path("/proc/self/fd").iterdir() if (file := _target(entry)).startswith(str(folder))]


def _target(link: Path) -> str:
    with suppress(OSError):
        return os.readlink(link)
    return ""


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_message_is_moved_aside_and_does_not_hold_up_the_next(connect, tmp_path, caplog, kind):
    channel = connect()
    send(channel, "a")
    UNREADABLE[kind](tmp_path / "q" / "0")
    with caplog.at_level(logging.ERROR):
        message = channel.basic_get("q")
        assert said(message) == "a" and len(opened(tmp_path)) == 1
        message.ack()
        assert channel.basic_get("q") is None
    assert opened(tmp_path) == []
    assert [path.name for path in (tmp_path / "q").iterdir()] == [".unreadable-0"]
    (line,) = [record.getMessage() for record in caplog.records]
    assert "is no message" in line and "it is now '.unreadable-0'" in line and "\n" not in line
    assert channel._size("q") == 0


def test_a_message_that_may_not_be_read_is_moved_aside_too(connect, tmp_path, caplog):
    channel = connect()
    send(channel, "a", "b")
    first = min(files(tmp_path))
    really = os.open

    def refused(path: Any, *rest: Any) -> int:
        if path == first:
            raise PermissionError(13, "Permission denied")
        return really(path, *rest)

    # As root everything may be read.
    with mock.patch("os.open", refused):
        assert said(channel.basic_get("q")) == "b"
    assert f".unreadable-{first.name}" in os.listdir(tmp_path / "q")
    assert "(Permission denied)" in caplog.text


def test_a_machine_without_descriptors_loses_no_message(connect, tmp_path):
    channel = connect()
    send(channel, "a")
    with (
        mock.patch("os.open", side_effect=OSError(24, "Too many open files")),
        pytest.raises(OSError, match="Too many open files"),
    ):
        channel.basic_get("q")
    assert said(channel.basic_get("q")) == "a"


def test_what_cannot_be_moved_aside_is_left_and_said_once(connect, tmp_path, caplog):
    channel = connect()
    send(channel, "a", "b")
    (tmp_path / "q" / "0").mkdir()
    (tmp_path / "q" / ".unreadable-0").write_text("another")
    assert [said(channel.basic_get("q")) for _ in range(2)] == ["a", "b"]
    assert channel.basic_get("q") is None
    assert caplog.text.count("can't be moved away") == 1


def test_a_queue_is_emptied_of_what_is_no_message_too(connect, tmp_path):
    channel = connect()
    send(channel, "a")
    (tmp_path / "q" / "0").mkdir()
    (tmp_path / "q" / "1").write_text("garbage")
    assert channel.queue_purge("q") == 2
    assert opened(tmp_path) == []
    assert os.listdir(tmp_path / "q") == [".unreadable-0"]


def test_a_copy_of_a_message_that_is_worked_on_waits_for_it(connect, tmp_path):
    channel = connect()
    send(channel, "a")
    (file,) = files(tmp_path)
    message = channel.basic_get("q")
    (tmp_path / "q" / "0").write_bytes(file.read_bytes())
    assert channel.basic_get("q") is None
    message.ack()
    assert said(channel.basic_get("q")) == "a"


@pytest.mark.parametrize("when", ["a channel opens", "a queue is emptied"])
def test_what_a_killed_writer_left_goes_after_a_day(connect, tmp_path, when):
    channel = connect()
    (tmp_path / "q").mkdir(exist_ok=True)
    for name, hours in ((".old", 25), (".young", 23), (".unreadable-old", 25)):
        (tmp_path / "q" / name).write_text("half")
        os.utime(tmp_path / "q" / name, (time.time() - hours * 3600,) * 2)
    if when == "a channel opens":
        connect()
    else:
        assert channel.queue_purge("q") == 0
    assert sorted(os.listdir(tmp_path / "q")) == [".unreadable-old", ".young"]


@pytest.mark.parametrize("taken", ["queue", "queue/kindgi"])
@pytest.mark.parametrize("kind", ["a file", "a broken link"])
def test_a_queue_that_cannot_be_a_folder_is_said_in_one_sentence(tmp_path, taken, kind):
    path = tmp_path / taken
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("/nowhere/at/all") if kind == "a broken link" else path.touch()
    with pytest.raises(queue.QueueFolderError) as refused:
        queue.check_folder(tmp_path / "queue" / "kindgi")
    assert str(refused.value).startswith(f"Move {path} away: tasks wait in files of the folder ")


def test_a_queue_that_may_not_be_written_is_said_and_nothing_is_made(tmp_path):
    with (
        mock.patch("os.access", return_value=False),
        pytest.raises(queue.QueueFolderError, match=f"^Let this user read and write {tmp_path}: "),
    ):
        queue.check_folder(tmp_path / "queue" / "kindgi")
    queue.check_folder(tmp_path / "queue" / "kindgi")
    assert os.listdir(tmp_path) == []


def test_no_worker_starts_whose_queue_is_a_file(tmp_path):
    (tmp_path / "queue").touch()
    environment = {"KINDGI_ENV": "development", "VAR_DIR": str(tmp_path), "DATABASE_URL": "postgres://nowhere/n"}
    for command in ("worker", "demo"):
        done = manage(command, environment=environment)
        assert done.returncode == 1 and done.stderr.startswith(f"CommandError: Move {tmp_path}/queue away: ")
        assert done.stderr.count("\n") == 1
    celery = [sys.executable, "-m", "celery", "--app=kindgi.celery", "worker"]
    done = subprocess.run(celery, env=essentials() | environment, capture_output=True, text=True, cwd=settings.BASE_DIR)
    assert done.returncode == 1 and f"kindgi: Move {tmp_path}/queue away: " in done.stderr
    assert "Traceback" not in done.stderr
