"""Endpoints on this machine that do as a test says: they answer, or do whatever else comes to a server's mind."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, connections

from improve.replaying.asking import Message, Outcome, Target, ask_once
from improve.replaying.signing import new_secret
from improve.replaying.transport import Limits
from kindgi.settings.environment import Mode
from kindgi.settings.replays import allowed_networks

LOCAL = allowed_networks(Mode.TEST)
GOOD: dict[str, Any] = {"output": {"text": "It is on its way."}, "calls": [{"tool": "orders.search", "args": {"q": 1}}]}


@dataclass
class Asked:
    """A request as it came."""

    head: str
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """By their names in lower case."""
        lines = self.head.split("\r\n")[1:]
        return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


Behaviour = Callable[[socket.socket, Asked, int], None]


@dataclass
class Answering:
    """A server of raw sockets; ``behaviour`` gets the connection, the request, and how many came before it."""

    behaviour: Behaviour
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    wrap: Callable[[socket.socket], socket.socket] = lambda connection: connection

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/replay"

    def serve(self, listening: socket.socket) -> None:
        """Until it is closed."""
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=[connection], daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError), connection, self.wrap(connection) as wrapped:
                asked = read_request(wrapped)
                number = len(self.asked)
                self.asked.append(asked)
                self.behaviour(wrapped, asked, number)
        finally:
            connections.close_all()  # to the database, of this thread


def read_request(connection: socket.socket) -> Asked:
    """A whole request."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536) or b"\r\n\r\n"
    head, _, body = received.partition(b"\r\n\r\n")
    asked = Asked(head.decode("latin-1"), body)
    length = int(asked.headers.get("content-length", "0"))
    while len(asked.body) < length:
        asked.body += connection.recv(65536)
    return asked


@contextmanager
def answering(behaviour: Behaviour, **options: Any) -> Iterator[Answering]:
    """A server that behaves so, while the block lasts."""
    server = Answering(behaviour, **options)
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    server.port = listening.getsockname()[1]
    thread = threading.Thread(target=server.serve, args=[listening], daemon=True)
    thread.start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def answer(said: Any = None, *, status: str = "200 OK", headers: str = "", length: int | None = None) -> bytes:
    """The bytes of an answer; ``said`` is text to be sent as it is, or what JSON shall say."""
    said = GOOD if said is None else said
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    announced = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {announced}\r\n{headers}\r\n".encode() + body


def says(said: Any = None, **options: Any) -> Behaviour:
    """Answer so each time."""
    whole = answer(said, **options)
    return lambda connection, asked, number: connection.sendall(whole)


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """The first request gets the first behaviour, and so on; the last one stays."""

    def behave(connection: socket.socket, asked: Asked, number: int) -> None:
        behaviours[min(number, len(behaviours) - 1)](connection, asked, number)

    return behave


def drips(whole: bytes, *, every: float = 0.1) -> Behaviour:
    """A byte at a time, without an end that anybody would wait for."""

    def behave(connection: socket.socket, asked: Asked, number: int) -> None:
        for byte in whole:
            connection.sendall(bytes([byte]))
            time.sleep(every)

    return behave


def hangs(connection: socket.socket, asked: Asked, number: int) -> None:
    """Say nothing for longer than anybody waits."""
    connection.settimeout(60)
    connection.recv(1)


def asked_once(url: str, *, seconds: float = 5.0, keys: tuple[str, ...] | None = None, **options: Any) -> Outcome:
    """What comes of one request to ``url``."""
    target = Target(url, keys or (new_secret(),))
    limits = Limits(seconds=seconds, allowed=options.pop("allowed", LOCAL))
    return ask_once(Message("message-1", b'{"input": {"message": "Where?"}}'), target, limits=limits, **options)


def counts_transactions(seen: list[int]) -> Behaviour:
    """Answer, and note how many transactions others have open at that moment."""

    def behave(sock: socket.socket, asked: Asked, number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'"
            )
            seen.append(cursor.fetchone()[0])
        sock.sendall(answer())

    return behave
