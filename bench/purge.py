"""How long retention holds its locks while people go on correcting, and what correcting costs meanwhile.

    .venv/bin/python bench/purge.py [--runs 50000] [--seconds 10] [--clients 4]

A PostgreSQL of its own with fsync on, the production server, clients in processes of their own.
Half of the runs are past their project's retention, and a part of these were corrected. Correcting
is measured alone, then while a purge goes on beside it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from typing import Any

from correcting import app_step, body_of, seed
from support import Client, project, tenant_with_token, window

CORRECTED = 1_000


def make_old(run_ids: list[str], url: str, token: str) -> None:
    """Let these runs have ended ten days ago, and a thousand of them have been corrected."""
    from django.db import connection

    client = Client(url, token)
    for run_id in run_ids[:CORRECTED]:
        client.send("POST", "/v1/corrections", body_of(run_id))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runs_run SET completed_at = completed_at - interval '10 days', "
            "created_at = created_at - interval '10 days' WHERE run_id = ANY(%s::uuid[])",
            [run_ids],
        )
        cursor.execute("UPDATE access_project SET retention_days = 5")
        cursor.execute("VACUUM ANALYZE")


def watched(held: list[tuple[int, float]]) -> None:
    """Note how many runs each batch had, and for how long it held its locks: to the end of its transaction."""
    from kindgi.runs.services import retention

    measured, purge = retention.Pace.measured, retention._purge
    begun = [0.0, 0]

    def timed_purge(*arguments: Any, **named: Any) -> int:
        begun[:] = [time.monotonic(), 0]
        begun[1] = purge(*arguments, **named)
        return int(begun[1])

    def noted(pace: Any, seconds: float) -> None:
        held.append((int(begun[1]), time.monotonic() - begun[0]))
        measured(pace, seconds)

    retention._purge = timed_purge
    retention.Pace.measured = noted  # type: ignore[method-assign]


def purge(home: Any, done: Any, answer: Any) -> None:
    """Purge until ``done``; ``answer`` gets how many runs it were, in how many seconds, and each batch's locks."""
    from kindgi.runs.services.retention import project_purge

    held: list[tuple[int, float]] = []
    watched(held)
    begun = time.monotonic()
    purged = project_purge(project=home, go_on=lambda: not done.is_set())
    answer.put((purged, time.monotonic() - begun, held))


def measure(url: str, token: str, run_ids: list[str], home: Any, options: argparse.Namespace) -> None:
    """Correct alone, then beside a purge, which is a process too: a connection can't be shared by a fork."""
    from django.db import connection

    step = app_step(url, token, run_ids)
    print(f"correcting alone           {window(step, clients=options.clients, seconds=options.seconds)}")
    connection.close()
    done: Any = multiprocessing.Event()
    answer: Any = multiprocessing.Queue()
    beside = multiprocessing.Process(target=purge, args=(home, done, answer))
    beside.start()
    print(f"correcting beside a purge  {window(step, clients=options.clients, seconds=options.seconds)}")
    done.set()
    purged, seconds, held = answer.get()
    beside.join()
    times, sizes = sorted(lasted * 1e3 for _, lasted in held), [size for size, _ in held]
    p99 = statistics.quantiles(times, n=100)[98]
    print(f"{purged} runs purged in {seconds:.1f} s, {len(held)} batches of {min(sizes)} to {max(sizes)}")
    print(f"locks held: median {statistics.median(times):.0f}, p99 {p99:.0f}, max {times[-1]:.0f} ms")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=4)
    options = parser.parse_args()
    with project("bench_purge"):
        from django.db import connection

        from kindgi.embedded import web

        tenant, home, token = tenant_with_token()
        old, recent = (seed(tenant, home, 4096, options.runs // 2) for _ in ("old", "recent"))
        connection.close()
        server = web.WebServer.start(host="127.0.0.1", port=8766)
        try:
            make_old(old, server.url, token)
            measure(server.url, token, recent, home, options)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
