"""The example replay endpoint as a process of its own, for tests of what stands on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.support.servers import free_port
from tests.support.shops import AGENT, Shop

EXAMPLE = Path(settings.BASE_DIR) / "examples" / "replay_agent.py"
# What the example's settings name, what they shall name, and what it answers whatever happens.
FIND, SEARCH = "orders.find", "orders.search"
OUTPUT: dict[str, Any] = {"response": {"content": "I have looked your order up."}}
BLOCK = "routing"
VALUES = {"lookupTool": FIND}
SCHEMA = {"type": "object", "properties": {"lookupTool": {"enum": [FIND, SEARCH]}}, "required": ["lookupTool"]}


def register(shop: Shop, version: str) -> None:
    """A version of the shop's agent that is the example: its tools, and the settings that name one of them."""
    block = {"id": BLOCK, "kind": "settings", "values": VALUES, "schema": SCHEMA}
    tools = [{"id": tool, "writes": False} for tool in (FIND, SEARCH)]
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/{version}", {"tools": tools, "blocks": [block]})


def looked_up(shop: Shop, version: str, message: str) -> str:
    """The id of a run in which it did what its settings say."""
    return shop.run(
        agent={"id": AGENT, "version": version, "via": "live"},
        input={"message": message},
        output=OUTPUT,
        calls=[{"tool": FIND, "args": {"query": message}}],
    )


def should_have_searched(message: str) -> dict[str, Any]:
    """What a correction says of such a run."""
    return {"decisions": "wrong", "shouldCall": [{"tool": SEARCH, "args": {"query": message}}]}


@contextmanager
def serving(secret: str, *, port: int | None = None) -> Iterator[str]:
    """Its address, while it runs."""
    command = [sys.executable, str(EXAMPLE), "--port", str(port or free_port()), "--secret", secret]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()
