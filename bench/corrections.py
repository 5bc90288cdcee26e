"""How fast a correction is recorded over HTTP, beside the same SQL by psycopg alone.

    .venv/bin/python bench/corrections.py [--seconds 5] [--rounds 5]

Everything is of this run: a PostgreSQL of its own with fsync on, the production server, clients in
processes of their own. App and floor are measured in turn, window by window; the medians of the
windows and the median of the pairs' ratios are printed.
"""

from __future__ import annotations

import argparse
import re
import statistics
import uuid
from collections.abc import Callable
from itertools import count
from typing import Any

from correcting import app_step, body_of, seed
from support import Figures, project, tenant_with_token, window

RUNS = 20_000
PREPARED = 1_500  # requests whose parameters a floor client makes beforehand
UUID_TEXT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def floor_step(url: str, token: str, run_ids: list[str]) -> Callable[[int], Callable[[], None]]:
    """A client that sends the statements of one such request, recorded from the application, by psycopg alone."""
    statements = recorded(token, run_ids[0])

    def make(number: int) -> Callable[[], None]:
        import psycopg

        connection = psycopg.connect(url.replace("postgres://", "postgresql://"), autocommit=True, prepare_threshold=1)
        turn = count(number * 2003 + 1009)

        def one() -> tuple[list[Any], list[Any]]:
            run_id = uuid.UUID(run_ids[next(turn) % len(run_ids)])
            fresh = {old: uuid.uuid4() for old in statements.fresh}
            swap: dict[Any, Any] = {**fresh, statements.run_id: run_id, statements.key_hash: uuid.uuid4().bytes * 2}
            # What is written is of another run each time, so that a copy is always written too.
            written = {**swap, statements.run_id: uuid.uuid4()}
            return (
                [(sql, _swapped(params, swap, written)) for sql, params in statements.before],
                [(sql, _swapped(params, swap, written)) for sql, params in statements.inside],
            )

        made = iter([one() for _ in range(PREPARED)])

        def step() -> None:
            before, inside = next(made, None) or one()
            for sql, params in before:
                connection.execute(sql, params)
            with connection.transaction():
                for sql, params in inside:
                    connection.execute(sql, params)

        return step

    return make


class Recorded:
    """One request's statements, by whether they ran in its transaction, and which parameters are its own."""

    def __init__(self, run_id: str) -> None:
        """Start empty."""
        self.before: list[tuple[str, Any]] = []
        self.inside: list[tuple[str, Any]] = []
        self.fresh: set[uuid.UUID] = set()
        self.run_id = uuid.UUID(run_id)
        self.key_hash = b""


def recorded(token: str, run_id: str) -> Recorded:
    """The statements with which the application records one correction.

    Whoever made it counts as fresh: another one each time, so that nothing is superseded.
    """
    from django.db import connection
    from django.test import Client as TestClient

    from kindgi.access.models import Project, Tenant
    from kindgi.runs.models import Run

    found = Recorded(run_id)

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        where = found.inside if connection.in_atomic_block else found.before
        where.append((sql, params))
        return execute(sql, params, many, context)

    client = TestClient(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}", "Idempotency-Key": "x"})
    with connection.execute_wrapper(note):
        response = client.post("/v1/corrections", body_of(run_id), content_type="application/json")
    if response.status_code != 201:
        raise SystemExit(response.content)
    found.key_hash = next(params[0] for sql, params in found.before if "INSERT INTO api_idempotencykey" in sql)
    there = {found.run_id, *Tenant.objects.values_list("pk", flat=True), *Project.objects.values_list("pk", flat=True)}
    there |= set(Run.objects.filter(run_id=run_id).values_list("content_id", flat=True))
    used = {one for _, params in found.before + found.inside for one in _ids(params)}
    found.fresh = used - there
    return found


def _ids(params: Any) -> set[uuid.UUID]:
    """Every UUID among a statement's parameters, those inside of JSON too."""
    found = {one for one in params or [] if isinstance(one, uuid.UUID)}
    texts = " ".join(one for one in params or [] if isinstance(one, str))
    return found | {uuid.UUID(one) for one in UUID_TEXT.findall(texts)}


def _swapped(params: Any, swap: dict[Any, Any], written: dict[Any, Any]) -> Any:
    """The parameters with ids exchanged by ``swap``, and those inside of JSON, which are written, by ``written``."""
    if params is None:
        return None

    def exchanged(one: Any) -> Any:
        if isinstance(one, str) and len(one) >= 36:
            return UUID_TEXT.sub(lambda match: str(written.get(uuid.UUID(match.group()), match.group())), one)
        return swap.get(one, one) if isinstance(one, uuid.UUID | bytes) else one

    return [exchanged(one) for one in params]


def measure(url: str, db_url: str, token: str, run_ids: list[str], options: argparse.Namespace) -> None:
    """App and floor in turn, at 1 and 8 clients."""
    app, floor = app_step(url, token, run_ids), floor_step(db_url, token, run_ids)
    for clients in (8, 1):
        apps: list[Figures] = []
        floors: list[Figures] = []
        for _ in range(options.rounds):
            apps.append(window(app, clients=clients, seconds=options.seconds))
            floors.append(window(floor, clients=clients, seconds=options.seconds))
        ratio = statistics.median(a.per_second / f.per_second for a, f in zip(apps, floors, strict=True))
        print(f"{clients} client(s)  app    {_median(apps)}")
        print(f"             floor  {_median(floors)}   app/floor {ratio:.2f}", flush=True)


def _median(windows: list[Figures]) -> Figures:
    middle = statistics.median
    return Figures(
        middle(one.per_second for one in windows),
        middle(one.p50 for one in windows),
        middle(one.p95 for one in windows),
        middle(one.p99 for one in windows),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="a window's length")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of windows")
    parser.add_argument("--size", type=int, default=1024, help="bytes of each run's output")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    with project("bench_corrections") as db_url:
        from kindgi.embedded import web

        tenant, home, token = tenant_with_token()
        run_ids = seed(tenant, home, options.size, options.runs)
        server = web.WebServer.start(host="127.0.0.1", port=8765)
        try:
            measure(server.url, db_url, token, run_ids, options)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
