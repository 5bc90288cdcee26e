"""The queue in a folder: a message is there whole or not at all, is one worker's at a time, and outlives a kill -9."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

import kindgi.celery  # noqa: F401 - knows the transport by its name

HOLD = """
import sys, time
import kindgi.celery
from kombu import Connection
with Connection("folder://localhost", transport_options={"folder": sys.argv[1]}) as connection:
    print(connection.default_channel.basic_get("q").payload, flush=True)
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
        message = channel.prepare_message(f'"{body}"', content_type="application/json", content_encoding="utf-8")
        channel.basic_publish(message, exchange="", routing_key="q")


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_messages_come_in_order_each_to_one_and_are_gone_when_they_are_done(connect, tmp_path):
    sender, one, other = connect(), connect(), connect()
    send(sender, "a", "b")
    first, second = one.basic_get("q"), other.basic_get("q")
    assert (first.payload, second.payload) == ("a", "b")
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
    assert message.payload == "a"
    message.requeue()
    again = connect().basic_get("q")
    assert again.payload == "a"
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
    assert connect().basic_get("q").payload == "a"


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
            taken.append(message.payload)
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
    assert time.monotonic() - begun < 5
