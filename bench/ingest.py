"""Runs a second by POST /v1/runs/import in batches of 500, beside COPY of the same rows.

    .venv/bin/python bench/ingest.py [--clients 2] [--seconds 5] [--rounds 5]

A record is 4 KiB as sent, nearly all of it content: an input, calls and an output of words and
figures that no two runs share. COPY writes the same rows (the run's and its content's, compressed
as the application does) into the same tables with their indexes, by psycopg in binary. Windows are
measured in turn; the medians, and the median of the pairs' ratios, are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import uuid
from collections.abc import Callable
from itertools import count
from typing import Any

from support import Client, Figures, project, tenant_with_token, window

BATCH = 500
RECORD_BYTES = 4096
WORDS = [
    "order",
    "parcel",
    "refund",
    "customer",
    "address",
    "flight",
    "reservation",
    "baggage",
    "ticket",
    "invoice",
    "payment",
    "delayed",
    "cancelled",
    "arrives",
    "tomorrow",
    "certificate",
    "passenger",
    "window",
    "account",
    "balance",
    "transfer",
    "agent",
    "policy",
    "window",
    "airport",
    "changed",
    "please",
    "confirm",
    "number",
    "total",
    "economy",
    "business",
    "upgrade",
    "seat",
    "insurance",
    "membership",
    "gold",
    "silver",
    "regular",
]


def record(rng: random.Random, at: str) -> tuple[str, dict[str, Any]]:
    """A run's id, and what is reported of it, filled up to ``RECORD_BYTES``."""
    run_id = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    calls = [
        {
            "tool": f"desk.{rng.choice(WORDS)}",
            "args": {"id": f"{rng.getrandbits(40):010X}", "amount": rng.randint(1, 9000) / 100},
        }
        for _ in range(6)
    ]
    body = {
        "id": run_id,
        "agent": {"id": "bench.desk", "version": "1.0.0", "via": "live"},
        "status": "completed",
        "createdAt": at,
        "completedAt": at,
        "input": {"message": sentence(rng, 40)},
        "calls": calls,
        "output": {"response": {"content": ""}, "toolCalls": calls},
    }
    room = RECORD_BYTES - 1 - len(json.dumps(body, separators=(",", ":")))
    body["output"]["response"]["content"] = sentence(rng, room)[:room]  # type: ignore[index]
    return run_id, body


def sentence(rng: random.Random, words: int) -> str:
    """Words and figures, as varied as talk is."""
    return " ".join(rng.choice(WORDS) if rng.random() < 0.85 else str(rng.getrandbits(24)) for _ in range(words))


def batch(rng: random.Random) -> bytes:
    """An NDJSON body of ``BATCH`` records."""
    at = "2026-01-02T03:04:05.678Z"
    return b"\n".join(json.dumps(record(rng, at)[1], separators=(",", ":")).encode() for _ in range(BATCH))


def app_step(url: str, token: str, batches: int) -> Callable[[int], Callable[[], None]]:
    """A client that imports batch after batch; the bodies are made beforehand, their ids anew each time."""

    def make(number: int) -> Callable[[], None]:
        client, rng = Client(url, token), random.Random()
        bodies = [batch(rng) for _ in range(batches)]
        turn = count()

        def step() -> None:
            body = renamed(bodies[next(turn) % batches], rng)
            status, answer = client.send("POST", "/v1/runs/import", body, kind="application/x-ndjson")
            if status != 200 or b'"created":500' not in answer:
                raise SystemExit(f"{status} {answer[:300]!r}")

        return step

    return make


def renamed(body: bytes, rng: random.Random) -> bytes:
    """The same records under new ids: the first bytes of each line's are exchanged."""
    fresh = f"{rng.getrandbits(32):08x}".encode()
    return b"\n".join(line[:7] + fresh + line[15:] for line in body.split(b"\n"))


def copy_step(db_url: str, tenant_id: uuid.UUID, project_id: uuid.UUID) -> Callable[[int], Callable[[], None]]:
    """A client that writes the rows of such a batch by COPY, in one transaction."""
    from kindgi.rows import _columns
    from kindgi.runs.models import Run, RunContent

    rows, contents = rows_of(batch(random.Random(7)), tenant_id, project_id)
    run_columns, content_columns = _columns(Run), _columns(RunContent)

    def make(number: int) -> Callable[[], None]:
        import psycopg

        connection = psycopg.connect(db_url.replace("postgres://", "postgresql://"), autocommit=True)

        def step() -> None:
            for run, content in zip(rows, contents, strict=True):
                run.id, run.run_id = uuid.uuid4(), uuid.uuid4()
                content.id = run.content_id = uuid.uuid4()
            with connection.transaction(), connection.cursor() as cursor:
                for table, columns, made in (
                    ("runs_runcontent", content_columns, contents),
                    ("runs_run", run_columns, rows),
                ):
                    names = ", ".join(column.name for column in columns)
                    with cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as copy:
                        copy.set_types([column.db_type for column in columns])
                        for one in made:
                            copy.write_row([column.read(one) for column in columns])

        return step

    return make


def rows_of(body: bytes, tenant_id: uuid.UUID, project_id: uuid.UUID) -> tuple[list[Any], list[Any]]:
    """The rows that the application would write for ``body``."""
    from msgspec import json as decoder

    from kindgi.access.callers import operator_in
    from kindgi.runs.records import RunRecord
    from kindgi.runs.services import recording

    rows, contents = [], []
    for line in body.split(b"\n"):
        parsed = decoder.decode(line, type=RunRecord)
        report = recording.Report(uuid.UUID(parsed.id), parsed, project_id)
        run, content = recording._new(operator_in(tenant_id), report)
        rows.append(run)
        contents.append(content)
    return rows, contents


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="a window's length")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of windows")
    parser.add_argument("--clients", type=int, default=2)
    options = parser.parse_args()
    with project("bench_ingest") as db_url:
        from kindgi.embedded import web

        tenant, home, token = tenant_with_token()
        server = web.WebServer.start(host="127.0.0.1", port=8766)
        try:
            app, copy = app_step(server.url, token, 4), copy_step(db_url, tenant.pk, home.pk)
            apps, copies = [], []
            for _ in range(options.rounds):
                apps.append(window(app, clients=options.clients, seconds=options.seconds))
                copies.append(window(copy, clients=options.clients, seconds=options.seconds))
        finally:
            server.stop()
    show("import", apps)
    show("COPY", copies)
    ratio = statistics.median(a.per_second / c.per_second for a, c in zip(apps, copies, strict=True))
    print(f"import/COPY {ratio:.2f}, {options.clients} client(s), batches of {BATCH}, {RECORD_BYTES} bytes a record")


def show(name: str, windows: list[Figures]) -> None:
    """The medians, in runs a second and milliseconds a batch."""
    middle = statistics.median
    rate = middle(one.per_second for one in windows) * BATCH
    print(f"{name:7} {rate:8.0f} runs/s   p50 {middle(one.p50 for one in windows):6.1f} ms a batch")


if __name__ == "__main__":
    main()
