"""Runs to correct, a correction that says all that there is to say, and a client that sends it."""

from __future__ import annotations

import json
import multiprocessing
import uuid
from collections.abc import Callable
from typing import Any

from support import Client, output_of


def seed(tenant: Any, home: Any, size: int, runs: int) -> list[str]:
    """Completed runs with an output of ``size`` bytes; their ids."""
    from kindgi.api.ids import new_id
    from kindgi.api.times import now
    from kindgi.rows import insert
    from kindgi.runs.content import pack
    from kindgi.runs.models import Run, RunContent

    output, at = pack(output_of(size).encode()), now()
    ids = []
    for _ in range(0, runs, 1000):
        rows, contents = [], []
        for _ in range(min(1000, runs)):
            content = RunContent(id=new_id(), input=pack(b'{"message":"Where is my order?"}'), output=output)
            run_id = uuid.uuid4()
            rows.append(
                Run(
                    id=new_id(),
                    tenant=tenant,
                    project=home,
                    run_id=run_id,
                    content_id=content.pk,
                    flow_id="agent.turn",
                    flow_version="1.0.0",
                    agent_id="bench.agent",
                    agent_version="1.0.0",
                    agent_via="live",
                    conversation_id=str(uuid.uuid4()),
                    status="completed",
                    completed_at=at,
                    created_at=at,
                )
            )
            contents.append(content)
            ids.append(str(run_id))
        insert(contents)
        insert(rows)
    return ids


def body_of(run_id: str, group: str | None = None) -> bytes:
    """A correction that says all that there is to say."""
    said = {
        "runId": run_id,
        "decisions": "wrong",
        "shouldCall": [{"tool": "orders.track", "args": {"orderId": "A-1001"}}],
        "mustNotCall": ["orders.refund"],
        "answer": "wrong",
        "shouldSay": "It arrives on Friday.",
        "items": [{"key": "case-2", "pointer": "/matches/2", "rank": 2, "verdict": "right"}],
    }
    if group:
        said["correctorGroupId"] = group
    return json.dumps(said).encode()


def app_step(url: str, token: str, run_ids: list[str]) -> Callable[[int], Callable[[], None]]:
    """A client that corrects run after run, each once in all windows, with a key of its own."""
    turn = multiprocessing.Value("q", 0)

    def make(number: int) -> Callable[[], None]:
        client = Client(url, token)

        def step() -> None:
            with turn.get_lock():
                turn.value += 1
                mine = turn.value
            body = body_of(run_ids[mine % len(run_ids)])
            status, answer = client.send("POST", "/v1/corrections", body, key=str(uuid.uuid4()))
            if status != 201:
                raise SystemExit(f"{status} {answer[:300]!r}")

        return step

    return make
