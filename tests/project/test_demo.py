"""`make demo`'s command, whole: with a folder, a database and ports of its own."""

import json
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest
from django.conf import settings

from tests.support.commands import PRODUCTION, essentials, manage
from tests.support.servers import free_port

pytestmark = pytest.mark.long


@pytest.fixture
def var() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        yield Path(folder)


def environment(var: Path) -> dict[str, str]:
    return {"KINDGI_ENV": "development", "VAR_DIR": str(var), "WEB_WORKERS": "1"}


def started(var: Path, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "demo", "--empty", f"--port={port}"]
    told = var / f"told-{port}"
    with told.open("wb") as output:
        process = subprocess.Popen(
            command, env=essentials() | environment(var), stdout=output, stderr=output, cwd=settings.BASE_DIR
        )
    deadline = time.monotonic() + 120
    while "Ctrl-C stops it" not in told.read_text():
        assert process.poll() is None and time.monotonic() < deadline, told.read_text()
        time.sleep(0.1)
    return process


def status(port: int) -> int:
    return httpx.get(f"http://127.0.0.1:{port}/v1/nothing-is-here").status_code


def test_it_serves_tells_programs_how_to_sign_in_and_leaves_nothing_running(var):
    port = free_port()
    process = started(var, port)
    record = json.loads((var / "demo.json").read_text())
    assert stat.S_IMODE((var / "demo.json").stat().st_mode) == 0o600
    assert record["url"] == f"http://127.0.0.1:{port}" and set(record) == {"url", "adminToken", "projects", "users"}
    assert status(port) == 404
    worker = worker_of(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0
    assert not worker.is_running()
    assert not (var / "postgres" / "data" / "postmaster.pid").exists()
    with pytest.raises(httpx.ConnectError):
        status(port)


def test_a_second_one_works_on_another_port_and_says_so_when_the_port_is_taken(var):
    ports = [free_port(), free_port()]
    first = started(var, ports[0])
    refused = manage("demo", f"--port={ports[0]}", environment=environment(var))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"CommandError: Port {ports[0]} on 127.0.0.1 is already in use: choose another")
    second = started(var, ports[1])
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=30) == 0
    assert status(ports[1]) == 404
    second.send_signal(signal.SIGTERM)
    assert second.wait(timeout=30) == 0
    assert not (var / "postgres" / "data" / "postmaster.pid").exists()


def test_a_worker_that_died_is_started_again_and_one_whose_demonstration_is_killed_ends(var):
    process = started(var, free_port())
    first = worker_of(process)
    first.kill()
    second = worker_of(process, other_than=first)
    group = [second, *process_tree(process)]
    process.kill()
    process.wait()
    _, left = psutil.wait_procs(group, timeout=30)
    assert left == []


def process_tree(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def worker_of(process: subprocess.Popen[bytes], *, other_than: psutil.Process | None = None) -> psutil.Process:
    """The demonstration's worker, once it runs."""
    deadline = time.monotonic() + 30
    while True:
        for child in process_tree(process):
            with suppress(psutil.Error):
                if child != other_than and "celery" in child.cmdline():
                    return child
        assert time.monotonic() < deadline, "No worker runs."
        time.sleep(0.1)


def test_it_does_not_start_in_production():
    refused = manage("demo", environment=PRODUCTION)
    assert refused.returncode == 1
    assert refused.stderr.startswith("CommandError: The demonstration invents people and runs: it does not start in")
