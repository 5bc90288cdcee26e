"""How fast the queue is read and worked on, with 1,000, 100,000 and 1,000,000 items in a project.

    .venv/bin/python bench/judging_queue.py [--sizes 1000 100000 1000000] [--lanes 80] [--times 60]

The projects are of one database and one server, and one client asks each of them in turn, so that
what else the machine does meets them alike. p50 and p95 are printed in milliseconds, then the
median of the pairs' ratios, the largest project's to the smallest's. ``--explain`` says how
PostgreSQL reads the largest project's lists; ``--recount`` how long check_queue takes, and its
repair.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import cycle
from typing import Any

from correcting import seed
from queued import agent, middle_of, queue_seed
from support import Client, figures, project, tenant_with_token

WARM = 8
AIM = 2.0
_EASY = """
SELECT item.run_id::text FROM judging_queueitem AS item JOIN judging_lane AS lane ON lane.id = item.lane_id
WHERE item.project_id = %s AND item.state = 'open' AND lane.unmet_rule_ids <@ %s::uuid[] LIMIT %s
"""


@dataclass(slots=True)
class Shop:
    """A project with its queue: the lists that are asked for, runs to correct, and an item that is held."""

    size: int
    path: str
    lists: dict[str, str]
    queued: Iterator[str]
    unqueued: Iterator[str]
    dismissable: Iterator[str]
    dismissed: str = ""
    held: str = ""
    times: dict[str, list[float]] = field(default_factory=dict)


def shop_make(tenant: Any, home: Any, size: int, options: argparse.Namespace) -> Shop:
    """Seed a project."""
    from kindgi.sql import fetch

    runs = options.times + WARM
    begun = time.perf_counter()
    rules = queue_seed(tenant.pk, home, items=size, lanes=options.lanes)
    unqueued = seed(tenant, home, 64, runs)
    print(f"{size} items made in {time.perf_counter() - begun:.0f} s", flush=True)
    anybodys = [rule.pk for rule in rules if rule.judge_class_id is None]
    queued = [run_id for (run_id,) in fetch(_EASY, [home.pk, anybodys, runs])]
    others = [rule.pk for rule in rules if rule.judge_class_id is not None]
    dismissable = [run_id for (run_id,) in fetch(_EASY, [home.pk, others, runs])]
    path = f"/v1/projects/{home.pk}/judging-queue"
    return Shop(size, path, lists_of(home, rules), iter(queued), iter(unqueued), cycle(dismissable))


def lists_of(home: Any, rules: Sequence[Any]) -> dict[str, str]:
    """What is asked of the queue, as query strings."""
    from kindgi.api.pages import Cursor
    from kindgi.api.times import now, wire

    day, week = (wire(now() - timedelta(days=days)) for days in (1, 7))
    return {
        "open, first page": "state=open&limit=25",
        "open, a page in the middle": f"state=open&limit=25&cursor={Cursor(*middle_of(home)).encode()}",
        "forMe": "forMe=true&limit=25",
        "a rule's of an agent": f"state=open&limit=25&ruleId={rules[0].pk}&agentId={agent(0)}",
        "any state, first page": "limit=25",
        "open, the total alone": "state=open&limit=0",
        "added in a day, the total": f"addedAfter={day}&limit=0",
        "closed in a week, the total": f"state=judged&closedAfter={week}&limit=0",
        "closed in a week, first page": f"state=judged&closedAfter={week}&limit=25",
    }


def steps(client: Client, lists: Iterable[str]) -> dict[str, Callable[[Shop], None]]:
    """What is measured of a shop, by name; what one step leaves, a later one takes back."""

    def call(method: str, path: str, body: bytes = b"{}") -> Any:
        status, answer = client.send(method, path, body)
        if status not in (200, 201, 204):
            raise SystemExit(f"{method} {path}: {status} {answer[:300]!r}")
        return json.loads(answer) if answer else None

    def reading(name: str) -> Callable[[Shop], None]:
        return lambda shop: call("GET", f"{shop.path}?{shop.lists[name]}", b"")

    def dismiss(shop: Shop) -> None:
        shop.dismissed = next(shop.dismissable)
        call("POST", f"{shop.path}/{shop.dismissed}/dismiss")

    def reopen(shop: Shop) -> None:
        call("POST", f"{shop.path}/{shop.dismissed}/reopen")

    def take(shop: Shop) -> None:
        shop.held = call("POST", f"{shop.path}/next")["item"]["runId"]

    def release(shop: Shop) -> None:
        call("DELETE", f"{shop.path}/{shop.held}/hold", b"")

    def correcting(shop: Shop, run_id: str) -> None:
        call("POST", "/v1/corrections", json.dumps({"runId": run_id, "answer": "right"}).encode())

    return {
        **{name: reading(name) for name in lists},
        "dismiss": dismiss,
        "reopen": reopen,
        "next": take,
        "release": release,
        "correct a run that closes": lambda shop: correcting(shop, next(shop.queued)),
        "correct one that isn't queued": lambda shop: correcting(shop, next(shop.unqueued)),
    }


def measure(client: Client, shops: Sequence[Shop], times: int) -> None:
    """Do each step to each shop in turn, so many times."""
    doing = steps(client, shops[0].lists)
    for turn in range(WARM + times):
        for name, step in doing.items():
            for shop in shops:
                begun = time.perf_counter()
                step(shop)
                if turn >= WARM:
                    shop.times.setdefault(name, []).append(time.perf_counter() - begun)


def show(shops: Sequence[Shop]) -> None:
    """Print the table."""
    print(f"{'p50 / p95, ms':31}" + "".join(f"{shop.size:>16}" for shop in shops) + f"{'ratio':>9}")
    ratios = {}
    for name, first in shops[0].times.items():
        cells = [figures(shop.times[name], 1.0) for shop in shops]
        ratios[name] = statistics.median(b / a for a, b in zip(first, shops[-1].times[name], strict=True))
        print(f"{name:31}" + "".join(f"{one.p50:9.1f} /{one.p95:5.1f}" for one in cells) + f"{ratios[name]:9.2f}")
    ratio = ratios["open, first page"]
    print(f"first page, {shops[-1].size} to {shops[0].size} items: {ratio:.2f}; the aim is at most {AIM:.0f}")


def explain(shop: Shop, token: str) -> None:
    """Print how PostgreSQL answers each list of the shop, by the statements that the application sends."""
    from django.db import connection
    from django.test import Client as TestClient

    found: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "judging_" in sql:
            found.append((sql, params))
        return execute(sql, params, many, context)

    client = TestClient(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})
    for name, query in shop.lists.items():
        found.clear()
        with connection.execute_wrapper(note):
            client.get(f"{shop.path}?{query}")
        print(f"\n== {name}")
        with connection.cursor() as cursor:
            for sql, params in found:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", params)
                print("\n".join(line for (line,) in cursor.fetchall()), end="\n\n")


def recount(homes: Sequence[Any], *, repair: bool) -> None:
    """Print how long a check takes and what it finds, and a repair."""
    from django.db import transaction

    from judging.services.checking import queue_check
    from judging.services.repairing import queue_repair

    for home in homes:
        begun = time.perf_counter()
        with transaction.atomic():
            findings = queue_check(project=home)
        checked = time.perf_counter()
        print(
            f"check_queue: {findings.items} items, {findings.found.total()} faults, {checked - begun:.1f} s", flush=True
        )
        if findings.found:
            raise SystemExit(str(findings))
        if repair:
            with transaction.atomic():
                queue_repair(project=home)
            print(f"... and its repair: {time.perf_counter() - checked:.1f} s", flush=True)


def projects_make(tenant: Any, sizes: Sequence[int]) -> list[Any]:
    """A project for each size, which the service account that measures may edit."""
    from kindgi.access.callers import operator_in
    from kindgi.access.models import ServiceAccount
    from kindgi.access.services.projects import project_create
    from kindgi.access.services.service_accounts import service_account_grant

    operator, account = operator_in(tenant.pk), ServiceAccount.objects.get(tenant=tenant)
    homes = [project_create(caller=operator, name=f"{size} items", slug=f"items-{size}") for size in sizes]
    for home in homes:
        service_account_grant(caller=operator, account=account, project=home, role="editor")
    return homes


def main() -> None:
    """Seed, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    parser.add_argument("--lanes", type=int, default=80, help="about so many lanes in each project")
    parser.add_argument("--times", type=int, default=60, help="how often each step is done to each project")
    parser.add_argument("--explain", action="store_true", help="say how the lists are read")
    parser.add_argument("--recount", action="store_true", help="time check_queue and its repair in each project")
    options = parser.parse_args()
    with project("bench_queue"):
        from django.db import connection

        from kindgi.embedded import web

        tenant, _, token = tenant_with_token()
        homes = projects_make(tenant, options.sizes)
        shops = [shop_make(tenant, home, size, options) for home, size in zip(homes, options.sizes, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        recount(homes if options.recount else homes[:1], repair=options.recount)
        if options.explain:
            explain(shops[-1], token)
        server = web.WebServer.start(host="127.0.0.1", port=8767)
        try:
            measure(Client(server.url, token), shops, options.times)
        finally:
            server.stop()
    show(shops)


if __name__ == "__main__":
    main()
