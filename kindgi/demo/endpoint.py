"""The example replay endpoint (examples/replay_agent.py) as a process, on which suggested changes are tried."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from improve.models import ReplayEndpoint
from improve.secrets import SecretUnreadable
from improve.services.endpoints import keys_of, replay_endpoint_rotate, replay_endpoint_set
from kindgi.access.callers import operator_in
from kindgi.demo.lookups import AGENT

HOST = "127.0.0.1"


def command(port: int) -> list[str]:
    """What runs it; the secret is in REPLAY_SECRET, where no list of processes shows it."""
    return [sys.executable, str(settings.BASE_DIR / "examples" / "replay_agent.py"), "--port", str(port)]


def address(port: int) -> str:
    """Where it is asked."""
    return f"http://{HOST}:{port}/"


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.create_server((HOST, 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextmanager
def running(secret: str) -> Iterator[str]:
    """Its address, while it runs for a moment."""
    environment = {**os.environ, "REPLAY_SECRET": secret}
    process = subprocess.Popen(
        command(0), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    try:
        said = process.stdout.readline() if process.stdout else ""
        yield said.split()[-1]
    finally:
        process.kill()
        process.communicate()


@transaction.atomic
def taken_up() -> tuple[int, str] | None:
    """The port and the secret that the agent's endpoint shall run with; ``None`` where another is asked or runs.

    Each demonstration has its own port, so the endpoint moves there.
    """
    endpoint = ReplayEndpoint.objects.select_related("project").filter(agent_id=AGENT).first()
    if endpoint is None or urlsplit(endpoint.url).hostname != HOST or _is_up(endpoint.url):
        return None
    operator, port = operator_in(endpoint.tenant_id), free_port()
    replay_endpoint_set(caller=operator, project=endpoint.project, agent_id=AGENT, url=address(port))
    try:
        return port, keys_of(endpoint)[0]
    except SecretUnreadable:
        rotated = replay_endpoint_rotate(caller=operator, project=endpoint.project, agent_id=AGENT)
        return port, rotated.secret or ""


def _is_up(url: str) -> bool:
    """Whether something answers there: the endpoint of another demonstration on the same data."""
    with suppress(OSError, ValueError), socket.create_connection((HOST, urlsplit(url).port or 80), timeout=1):
        return True
    return False
