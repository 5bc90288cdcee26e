"""What a project's rules add to recording a run that ends: by PUT, and by an import of 1,000 runs.

    .venv/bin/python bench/rules_at_end.py [--times 150] [--imports 5]

The projects differ in how many rules they have, and how many of these take the run. The others are
half about other agents, half too small a sample. One client records a run in each project in turn,
so that what else the machine does meets them alike: what a project's rules add is the median of
the differences to the project without any, in milliseconds, and its 95th percentile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from support import Client, project, tenant_with_token

AGENT = "bench.agent"
WARM = 10
AIM_MS = 3.0
RECORDS = 1_000
# How many rules there are, and how many of them take the run.
RULES = ((0, 0), (1, 0), (1, 1), (20, 0), (20, 2), (20, 20), (200, 0), (200, 20), (200, 200))
IMPORTS = ((0, 0), (200, 0), (200, 20))


@dataclass(slots=True)
class Shop:
    """A project with rules; seconds that each of its answers took."""

    project_id: str
    rules: int
    taking: int
    times: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Its rules."""
        return f"{self.rules:4} rules, {self.taking:3} take the run"


def shop_make(tenant: Any, rules: int, taking: int) -> Shop:
    """A project with so many rules that an hour ago were made, of which so many take the bench's runs."""
    from django.db import transaction

    from judging.matching import When
    from judging.services.rules import rule_create
    from judging.submissions import RuleBody
    from kindgi.access.callers import operator_in
    from kindgi.access.models import ServiceAccount
    from kindgi.access.services.projects import project_create
    from kindgi.access.services.service_accounts import service_account_grant
    from kindgi.api.times import as_of, now

    operator = operator_in(tenant.pk)
    home = project_create(caller=operator, name="Rules", slug=f"rules-{rules}-{taking}")
    account = ServiceAccount.objects.get(tenant=tenant)
    service_account_grant(caller=operator, account=account, project=home, role="editor")
    with transaction.atomic(), as_of(now() - timedelta(hours=1)):
        for number in range(rules):
            is_other = number >= taking and number % 2 == 0
            when = When(agent_ids=[f"bench.other-{number}" if is_other else AGENT])
            sample = 1.0 if is_other or number < taking else 1e-9
            rule_create(caller=operator, project=home, body=RuleBody(f"Rule {number}", when, sample))
    return Shop(str(home.pk), rules, taking)


def record(project_id: str) -> dict[str, Any]:
    """A run that has just ended."""
    return {
        "projectId": project_id,
        "agent": {"id": AGENT, "version": "1.0.0", "via": "live"},
        "status": "completed",
        "input": {"message": "Where is my order?"},
        "output": {"response": {"content": "It arrives on Friday."}},
    }


def put(client: Client, shop: Shop) -> None:
    """Record one."""
    status, answer = client.send("PUT", f"/v1/runs/{uuid.uuid4()}", json.dumps(record(shop.project_id)).encode())
    if status not in (200, 201):
        raise SystemExit(f"{status} {answer[:300]!r}")


def imported(client: Client, shop: Shop) -> None:
    """Record a thousand."""
    lines = [json.dumps({"id": str(uuid.uuid4()), **record(shop.project_id)}).encode() for _ in range(RECORDS)]
    status, answer = client.send("POST", "/v1/runs/import", b"\n".join(lines), kind="application/x-ndjson")
    if status != 200 or f'"created":{RECORDS}'.encode() not in answer:
        raise SystemExit(f"{status} {answer[:300]!r}")


def measure(
    step: Callable[[Client, Shop], None], client: Client, shops: Sequence[Shop], *, warm: int, times: int
) -> None:
    """Do the step to each shop in turn, so many times."""
    for turn in range(warm + times):
        for shop in shops:
            begun = time.perf_counter()
            step(client, shop)
            if turn >= warm:
                shop.times.append(time.perf_counter() - begun)


def show(shops: Sequence[Shop]) -> None:
    """Print what each took, and what it took longer than the first; forget the times."""
    bare_times = list(shops[0].times)
    for shop in shops:
        added = [(own - bare) * 1e3 for own, bare in zip(shop.times, bare_times, strict=True)]
        p95 = statistics.quantiles((own * 1e3 for own in shop.times), n=20)[18]
        print(
            f"{shop}: p50 {statistics.median(shop.times) * 1e3:7.2f}  p95 {p95:7.2f}"
            f"   added {statistics.median(added):7.2f} ms  p95 {statistics.quantiles(added, n=20)[18]:7.2f}"
        )
        shop.times.clear()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=150, help="runs by PUT in each project")
    parser.add_argument("--imports", type=int, default=5, help="imports in each project")
    options = parser.parse_args()
    with project("bench_rules"):
        from django.db import connection

        from kindgi.embedded import web

        tenant, _, token = tenant_with_token()
        shops = [shop_make(tenant, rules, taking) for rules, taking in RULES]
        importers = [shop for shop in shops if (shop.rules, shop.taking) in IMPORTS]
        connection.close()
        server = web.WebServer.start(host="127.0.0.1", port=8768)
        try:
            client = Client(server.url, token)
            measure(put, client, shops, warm=WARM, times=options.times)
            print(f"PUT of a run that ended; the aim is under {AIM_MS:.0f} ms more with 200 rules")
            show(shops)
            measure(imported, client, importers, warm=1, times=options.imports)
            print(f"Import of {RECORDS} runs")
            show(importers)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
