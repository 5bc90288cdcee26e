"""The served project: real processes over the test database."""

import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import httpx
import psutil
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from kindgi.embedded import processes, web
from tests.support.commands import essentials, manage
from tests.support.servers import free_port

HOLD = """
import sys, time
from kindgi.embedded import web
taken = web.take_port(host="localhost", port=int(sys.argv[1]))
print("taken", flush=True)
time.sleep(600)
"""
needs_names = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has names that end with their process")


def test_it_answers_again_on_the_same_address_after_kill_9_and_after_a_restart(served):
    for disturb in (lambda: None, served.kill9, served.restart):
        disturb()
        if served.server is None:
            served.start()
        assert httpx.get(f"{served.url}/v1/nothing-is-here").status_code == 404


def test_it_stops_at_once_even_while_a_worker_is_still_loading(served):
    group = psutil.Process(served.server.process.pid).children(recursive=True)
    begun = time.monotonic()
    served.stop()
    assert time.monotonic() - begun < processes.STOP_SECONDS - 1
    assert not any(process.is_running() for process in group)


@pytest.mark.parametrize("command", ["demo", "serve"])
@pytest.mark.parametrize("port", ["-1", "0", "65536", "99999"])
def test_a_port_that_there_is_not_is_said_in_one_sentence(command, port):
    with pytest.raises(CommandError, match=f"There is no port {port}: choose one from 1 to 65535") as refused:
        call_command(command, f"--port={port}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("host", ["nowhere.invalid", "x" * 64, "a..b", "256.1.1.1"])
def test_a_host_that_cannot_be_used_is_said_in_one_sentence(host):
    with pytest.raises(web.WebServerError, match=r"^Port 65535 on .* cannot be used .*PORT=8000"):
        web.take_port(host=host, port=65535)


def how_many_get(port: int) -> int:
    """How many of a few that want to serve on a port at once may."""

    def take(_: int) -> list[socket.socket]:
        try:
            return [web.take_port(host="127.0.0.1", port=port)]
        except web.WebServerError as error:
            assert str(error).startswith(f"Port {port} on 127.0.0.1 is already in use: choose another")
            return []

    with ThreadPoolExecutor(8) as pool:
        taken = [one for got in pool.map(take, range(8)) for one in got]
    for one in taken:
        one.close()
    return len(taken)


@needs_names
def test_of_many_that_start_at_once_on_a_port_one_serves():
    assert how_many_get(free_port()) == 1


@needs_names
def test_control_without_the_name_all_would():
    with mock.patch.object(web, "_name"):
        assert how_many_get(free_port()) == 8


@needs_names
@pytest.mark.parametrize("command", ["demo", "serve"])
def test_a_port_is_taken_before_anything_listens_there_until_its_process_is_killed(tmp_path, command):
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(port)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "taken\n"
        process.stdout.close()
        environment = {"KINDGI_ENV": "development", "VAR_DIR": str(tmp_path), "DATABASE_URL": "postgres://nowhere/n"}
        refused = manage(command, f"--port={port}", environment=environment)
        assert refused.returncode == 1 and refused.stderr.count("\n") == 1
        assert refused.stderr.startswith(f"CommandError: Port {port} on 127.0.0.1 is already in use: choose another")
    finally:
        process.kill()
        process.wait()
    web.take_port(host="127.0.0.1", port=port).close()


@needs_names
def test_the_command_that_becomes_the_server_keeps_the_port_that_it_took(tmp_path):
    """Its name too, not only the port."""
    port = free_port()
    environment = {"KINDGI_ENV": "test", "VAR_DIR": str(tmp_path), "DATABASE_URL": "postgres://nowhere/n"}
    command = [sys.executable, "manage.py", "serve", f"--port={port}"]
    process = subprocess.Popen(command, env=essentials() | environment, cwd=settings.BASE_DIR, start_new_session=True)
    server = web.WebServer(process=process, host="127.0.0.1", port=port)
    try:
        server._wait_until_answering()
        with socket.socket(socket.AF_UNIX) as other, pytest.raises(OSError, match="in use"):
            web._name(other, "127.0.0.1", port)
    finally:
        server.stop()
