"""What the benches stand on: a durable server of their own, seeded rows, a lean HTTP client, and figures."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


@contextmanager
def project(name: str) -> Iterator[str]:
    """A PostgreSQL of the bench's own under ``var/bench``, fsync on, migrated and empty; its ``DATABASE_URL``."""
    from kindgi.embedded.server import Server

    server = Server(root=ROOT / "var" / "bench", database=name)
    server.acquire()
    try:
        with server.connect() as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            connection.execute(f'CREATE DATABASE "{name}"')
        os.environ["DATABASE_URL"] = server.url
        os.environ.setdefault("KINDGI_ENV", "development")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kindgi.settings")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield server.url
    finally:
        from django.db import connections

        connections.close_all()
        server.release()


def tenant_with_token() -> tuple[Any, Any, str]:
    """A tenant, its default project, and the secret of a service account that edits there."""
    from kindgi.access.callers import operator_in
    from kindgi.access.models import Project
    from kindgi.access.services.service_accounts import service_account_create
    from kindgi.access.services.tenants import tenant_create
    from kindgi.access.services.tokens import TokenSpec, token_mint

    tenant = tenant_create(name="Bench", slug="bench")
    home = Project.objects.get(tenant=tenant, is_default=True)
    operator = operator_in(tenant.pk)
    account = service_account_create(caller=operator, name="bench", roles={home: "editor"})
    minted = token_mint(caller=operator, principal=account, spec=TokenSpec(role="member"))
    return tenant, home, minted.secret


class Client:
    """One keep-alive connection, by hand: what a request costs is then the server's, not the client's."""

    def __init__(self, url: str, token: str) -> None:
        """Connect to ``url``."""
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = f"Host: {parts.netloc}\r\nAuthorization: Bearer {token}\r\n"

    def send(
        self, method: str, path: str, body: bytes, *, key: str | None = None, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        """The status and body of one answer."""
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        if key is not None:
            head += f"Idempotency-Key: {key}\r\n"
        self._socket.sendall(f"{head}\r\n".encode() + body)
        return self._answer()

    def _answer(self) -> tuple[int, bytes]:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._more()
        head = received[:end].lower()
        at = head.index(b"content-length:") + 15
        whole = end + 4 + int(head[at:].split(b"\r\n", 1)[0])
        while len(received) < whole:
            received += self._more()
        return int(head[9:12]), received[end + 4 : whole]

    def _more(self) -> bytes:
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise ConnectionError("the server closed the connection")
        return piece


@dataclass(frozen=True)
class Figures:
    """What one window measured; times in milliseconds."""

    per_second: float
    p50: float
    p95: float
    p99: float

    def __str__(self) -> str:
        """One row."""
        return f"{self.per_second:8.0f}/s   p50 {self.p50:6.2f}   p95 {self.p95:6.2f}   p99 {self.p99:6.2f} ms"


def figures(times: list[float], seconds: float) -> Figures:
    """The figures of ``times``, in seconds each, measured over ``seconds``."""
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else times * 99
    return Figures(len(times) / seconds, cuts[49] * 1e3, cuts[94] * 1e3, cuts[98] * 1e3)


def window(make: Callable[[int], Callable[[], None]], *, clients: int, seconds: float) -> Figures:
    """Run ``make(number)()`` again and again in ``clients`` processes for ``seconds``."""
    queue: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
    start = multiprocessing.Barrier(clients + 1)
    stop = multiprocessing.Value("d", 0.0)
    workers = [
        multiprocessing.Process(target=_work, args=(make, number, start, stop, queue), daemon=True)
        for number in range(clients)
    ]
    for worker in workers:
        worker.start()
    start.wait(timeout=60)
    begun = time.perf_counter()
    time.sleep(seconds)
    stop.value = 1.0
    times = [one for _ in workers for one in queue.get()]
    took = time.perf_counter() - begun
    for worker in workers:
        worker.join()
    return figures(times, took)


def _work(make: Callable[[int], Callable[[], None]], number: int, start: Any, stop: Any, queue: Any) -> None:
    step = make(number)
    step()
    start.wait()
    times = []
    while not stop.value:
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    queue.put(times)


def output_of(size: int) -> str:
    """A run's output of about ``size`` bytes, as an agent's would be: an answer and a list of matches."""
    matches = [
        {"id": f"case-{n}", "score": round(1 / (n + 1), 3), "title": f"Case {n} of the archive"} for n in range(5)
    ]
    body = {"response": {"content": ""}, "matches": matches}
    words = "The order was sent on Tuesday and should arrive by the end of the week. "
    body["response"] = {"content": (words * (size // len(words) + 1))[: max(0, size - len(json.dumps(body)))]}
    return json.dumps(body)
