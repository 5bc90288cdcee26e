"""A server killed at any moment leaves an effect and its kept answer, or neither (contract, section 2)."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from django.db.models import Count

from corrections.models import Correction
from kindgi.access.models import Tenant
from tests.builders import Api, make_service_account, make_tenant, make_token
from tests.support.servers import ServedProject, free_port, worker_database_url

pytestmark = pytest.mark.long

CLIENTS = 8
KILLS = 200
RUN = {"agent": {"id": "acme.desk", "version": "1.0.0"}, "status": "completed", "output": {"matches": ["a", "b"]}}


@dataclass
class Killable:
    """A server whose serving process is killed again and again."""

    port: int
    pid_file: Path
    killed: set[int] = field(default_factory=set)

    def kill(self) -> None:
        """kill -9 the process that serves now; waits until there is another than the last."""
        while (pid := int(self.pid_file.read_text())) in self.killed:
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)
        self.killed.add(pid)


@contextmanager
def killable(folder: Path, *flags: str) -> Iterator[Killable]:
    """The application in processes that can be killed, over this test's database."""
    port = free_port()
    server = Killable(port, folder / "pid")
    environment = {**os.environ, "KINDGI_ENV": "test", "DATABASE_URL": worker_database_url()}
    command = [sys.executable, "-m", "tests.support.killable", str(port), str(server.pid_file), *flags]
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not server.pid_file.exists():
            assert time.monotonic() < deadline and process.poll() is None, "it didn't start"
            time.sleep(0.05)
        yield server
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@dataclass
class Retrier:
    """A client that sends each correction under one key until it gets an answer, and then once more."""

    port: int
    secret: str
    run_id: str
    number: int
    stop: threading.Event
    answers: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    interrupted: int = 0

    def work(self) -> None:
        """Correct again and again, each time under a new key."""
        while not self.stop.is_set():
            key = str(uuid.uuid4())
            body = {"runId": self.run_id, "answer": "wrong", "why": key, "participantId": f"user-{self.number}"}
            content = json.dumps(body).encode()
            self.answers[key] = [self.until_answered(key, content), self.until_answered(key, content)]

    def until_answered(self, key: str, content: bytes) -> tuple[int, bytes]:
        """The first answer that isn't a reason to send the same again."""
        while True:
            try:
                status, answer = self.send(key, content)
            except (OSError, http.client.HTTPException):
                self.interrupted += 1
                time.sleep(0.005)
                continue
            code = json.loads(answer).get("error", {}).get("code")
            if code == "idempotency-key-in-flight":
                time.sleep(0.02)
                continue
            if status != 201:
                self.failed.append(f"{status} {answer!r}")
            return status, answer

    def send(self, key: str, content: bytes) -> tuple[int, bytes]:
        """One try, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            headers = {
                "Authorization": f"Bearer {self.secret}",
                "Content-Type": "application/json",
                "Idempotency-Key": key,
            }
            connection.request("POST", "/v1/corrections", content, headers)
            response = connection.getresponse()
            if response.headers.get("Content-Length") is None:
                raise http.client.HTTPException("the server died in the middle of the headers")
            return response.status, response.read()
        finally:
            connection.close()


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    return make_tenant()


def retriers(tenant: Tenant, port: int, stop: threading.Event) -> list[Retrier]:
    """Eight clients, each with a run of its own to correct."""
    secret = make_token(make_service_account(tenant, "editor"))
    made = []
    for number in range(CLIENTS):
        run_id = str(uuid.uuid4())
        assert Api(secret).put(f"/v1/runs/{run_id}", RUN).status_code == 201
        made.append(Retrier(port, secret, run_id, number, stop))
    return made


def run_under_kills(clients: list[Retrier], stop: threading.Event, kills: Iterator[None]) -> None:
    """Let the clients work while ``kills`` goes on; then let each finish what it has begun."""
    threads = [threading.Thread(target=client.work) for client in clients]
    for thread in threads:
        thread.start()
    try:
        for _ in kills:
            pass
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)


def doubled(clients: list[Retrier]) -> tuple[set[str], set[str]]:
    """The keys with more than one correction, and those with none."""
    keys = {key for client in clients for key in client.answers}
    rows = Correction.objects.filter(why__in=keys).values("why").annotate(times=Count("pk"))
    counts = {row["why"]: row["times"] for row in rows}
    return {key for key in keys if counts.get(key, 0) > 1}, {key for key in keys if key not in counts}


def random_kills(server: Killable, times: int) -> Iterator[None]:
    """Kill at ``times`` random moments, some while the process has hardly begun."""
    for _ in range(times):
        time.sleep(random.uniform(0.01, 0.6))
        server.kill()
        yield


def test_a_server_killed_200_times_makes_one_correction_a_key(tenant: Tenant, tmp_path: Path) -> None:
    stop = threading.Event()
    with killable(tmp_path) as server:
        clients = retriers(tenant, server.port, stop)
        run_under_kills(clients, stop, random_kills(server, KILLS))
        keys = sum(len(client.answers) for client in clients)
        interrupted = sum(client.interrupted for client in clients)
        print(f"{len(server.killed)} kills, {keys} keys, {interrupted} requests interrupted")
    assert len(server.killed) == KILLS
    assert keys > KILLS, "hardly anything was done between the kills"
    assert interrupted > KILLS / 2, "hardly a request was under way when the server was killed"
    assert [fault for client in clients for fault in client.failed] == []
    assert doubled(clients) == (set(), set())
    for client in clients:
        for first, second in client.answers.values():
            assert first == second, "a client's last two answers differ"


def test_control_an_answer_kept_after_its_effect_makes_second_corrections(tenant: Tenant, tmp_path: Path) -> None:
    """Without the one commit for both, the same kills do make doubles: the test above bites."""
    stop = threading.Event()
    with killable(tmp_path, "--keep-late") as server:
        clients = retriers(tenant, server.port, stop)

        def until_doubled() -> Iterator[None]:
            for number, _ in enumerate(random_kills(server, 5 * KILLS)):
                yield
                if number % 20 == 19 and doubled(clients)[0]:
                    return

        run_under_kills(clients, stop, until_doubled())
    assert doubled(clients)[0], f"{len(server.killed)} kills made no double"


def test_the_production_server_killed_whole_loses_and_doubles_nothing(served: ServedProject) -> None:
    """All of its processes at once, as a machine that loses power does to them."""
    stop = threading.Event()
    clients = retriers(make_tenant(), served.port, stop)

    def kills() -> Iterator[None]:
        for _ in range(4):
            time.sleep(random.uniform(0.3, 1.0))
            served.kill9()
            served.start()
            yield

    run_under_kills(clients, stop, kills())
    assert [fault for client in clients for fault in client.failed] == []
    assert doubled(clients) == (set(), set())
    assert all(first == second for client in clients for first, second in client.answers.values())
