"""Test runs over HTTP: a run that was corrected, and replays of it that come out as they should."""

from __future__ import annotations

from typing import Any

from tests.support.shops import AGENT, OUTPUT, Shop

SHOULD_SAY = "It was handed to your neighbour."
WRONG: dict[str, Any] = {"answer": "wrong", "shouldSay": SHOULD_SAY}
# For the owner, besides: the agent should have looked the parcel up.
OWNERS: dict[str, Any] = {"decisions": "wrong", "shouldCall": [{"tool": "shop.lookup"}], **WRONG}
LOOKED_UP = [{"tool": "shop.lookup", "args": {}}]
REPLAYS: dict[str, dict[str, Any]] = {
    "right": {"calls": LOOKED_UP, "output": {"response": {"content": SHOULD_SAY}}},
    "wrong": {"calls": LOOKED_UP, "output": OUTPUT},
    "changed": {"calls": LOOKED_UP, "output": {"response": {"content": "Nobody has said whether this is right."}}},
    "unchecked": {},
}


def path(shop: Shop) -> str:
    """Where the project's test runs are."""
    return f"projects/{shop.project.pk}/test-runs"


def body(run_id: str, outcome: str, how: str = "pin", *, version: str = "2.0.0", **more: Any) -> dict[str, Any]:
    """A test run of one replay, which comes out as ``outcome`` for what ``WRONG`` and ``OWNERS`` say."""
    replay = {"runId": run_id, **REPLAYS[outcome]}
    return {"agentId": AGENT, "version": version, "how": how, "replays": [replay], **more}


def replay(shop: Shop, run_id: str, outcome: str, how: str = "pin", *, by: str = "editor", **more: Any) -> Any:
    """The answer of such a test run."""
    return shop.api(by).ok("POST", path(shop), body(run_id, outcome, how, **more))
