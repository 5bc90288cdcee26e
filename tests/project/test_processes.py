"""The served project: real processes over the test database."""

import time

import httpx
import psutil
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from kindgi.embedded import processes, web


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
        web.check_port(host=host, port=65535)
