"""The agent whose changes are suggested: it looks orders up, as the example endpoint does. Knows no database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from kindgi.api.times import wire
from kindgi.demo.diary import SEED

AGENT, PROJECT = "acorn.order-lookup", "support"
VERSIONS = ("0.9.0", "1.0.0")
FROM, LIVE = "1.0.0", "1.0.0+change.1"
FIND, SEARCH, TRACK, RECENT = (
    "acorn.orders.find",
    "acorn.orders.search",
    "acorn.shipments.track",
    "acorn.orders.recent",
)
TOOLS: list[dict[str, Any]] = [{"id": tool, "writes": False} for tool in (FIND, SEARCH, TRACK, RECENT)]
BLOCK, TONE = "routing", "tone"
TEMPLATE = "\n".join(
    [
        "You look orders up for {{company}}.",
        "Say what you found in one sentence, in the customer's own language.",
        "Never promise a day that the carrier hasn't named.",
    ]
)
# What the example endpoint answers, whatever it looked up.
OUTPUT = {"response": {"content": "I have looked your order up."}}

_RENAMED = (
    "Where is the order I placed as {name}? The shop renamed it.",
    "{name} here, my order number starts with an old prefix: OLD-{number}.",
    "I merged two accounts. What became of order {number}?",
)
_PARCELS = (
    "The parcel of order {number} hasn't moved for days. Where is it?",
    "Did the carrier try to deliver {number} yesterday, {name} at the door?",
    "Which depot has my parcel {number}?",
)
_PLAIN = ("What is the status of order {number}?",)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A run, what it called, and what somebody said of it afterwards: which tool was right; nothing by nobody."""

    run_id: str
    at: datetime
    version: str
    message: str
    called: str
    right: str = ""
    by: str = ""

    def record(self, project_id: str) -> dict[str, Any]:
        """As the runtime reports it."""
        return {
            "id": self.run_id,
            "projectId": project_id,
            "agent": {"id": AGENT, "version": self.version, "via": "latest"},
            "status": "completed",
            "input": {"message": self.message},
            "output": OUTPUT,
            "calls": [{"tool": self.called, "args": {"query": self.message}}],
            "createdAt": wire(self.at),
            "completedAt": wire(self.at + timedelta(seconds=2)),
        }

    def said(self) -> dict[str, Any]:
        """What is said of its decisions."""
        if self.right == self.called:
            return {"runId": self.run_id, "decisions": "right"}
        should = [{"tool": self.right, "args": {"query": self.message}}]
        why = f"{self.right.rpartition('.')[2].capitalize()} would have found it."
        return {"runId": self.run_id, "decisions": "wrong", "shouldCall": should, "why": why}


def blocks() -> list[dict[str, Any]]:
    """The blocks that its versions have, as they are registered."""
    schema = {"type": "object", "properties": {"lookupTool": {"type": "string"}}, "required": ["lookupTool"]}
    return [
        {"id": BLOCK, "kind": "settings", "values": {"lookupTool": FIND}, "schema": schema},
        {"id": TONE, "kind": "prompt", "template": TEMPLATE, "parameters": [{"name": "company"}]},
    ]


def before(now: datetime) -> list[Lookup]:
    """Runs of the version that the first change is suggested for, which finds no order that was renamed."""
    return list(_runs(Random(f"{SEED} lookups"), now - timedelta(days=38), FROM, FIND, SEARCH, _RENAMED))  # noqa: S311


def since(now: datetime) -> list[Lookup]:
    """Runs of the version with that change, which knows nothing of parcels."""
    return list(_runs(Random(f"{SEED} parcels"), now - timedelta(days=17), LIVE, SEARCH, TRACK, _PARCELS))  # noqa: S311


def _runs(
    rng: Random, begin: datetime, version: str, called: str, right: str, asked: tuple[str, ...]
) -> Iterator[Lookup]:
    """24 runs of two weeks, by most of which another tool would have been right, as people say of the first ones."""
    for number in range(24):
        at = begin + timedelta(hours=14 * number + rng.random() * 9)
        is_plain = number % 4 == 3
        text = rng.choice(_PLAIN if is_plain else asked)
        order = f"{rng.randint(10_000, 99_999)}"
        message = text.format(number=order, name=rng.choice(("Maud", "Jules", "Ottilie", "Ravi")))
        says = {True: called if number < 16 else "", False: right if number < 19 else ""}[is_plain]
        by = ("sam@acorn-outfitters.example", "kofi@acorn-outfitters.example")[number % 2]
        run_id = str(UUID(int=rng.getrandbits(128), version=4))
        yield Lookup(run_id, at, version, message, called, says, by)
