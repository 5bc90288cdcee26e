"""The served project: real processes over the test database."""

import time

import httpx
import psutil

from kindgi.embedded import web


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
    assert time.monotonic() - begun < web.STOP_SECONDS - 1
    assert not any(process.is_running() for process in group)
