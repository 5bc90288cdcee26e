"""How long the console's pages take on the server, with 1,000, 100,000 and 1,000,000 items in a project's queue.

    .venv/bin/python bench/console.py [--sizes 1000 100000 1000000] [--lanes 80] [--times 30]

The projects are of one database and one server; one client, who is signed in as an editor, asks each
of them in turn. p50 and p95 in milliseconds, then what the largest project's page weighs. The aim
is 100 ms for the queue's first page.
"""

from __future__ import annotations

import argparse
import http.client
import time
from dataclasses import dataclass, field
from typing import Any

from judging_queue import projects_make
from queued import agent, queue_seed
from support import figures, project, tenant_with_token

WARM = 4
AIM = 100.0
PAGES = {
    "to correct, first page": "quality?tab=to-correct",
    "to correct, everyone's": "quality?tab=to-correct&whose=everyone",
    "to correct, a rule's of an agent": "quality?tab=to-correct&rule={rule}&agent={agent}",
    "to correct, by what is wanted": "quality?tab=to-correct&sort=stands",
    "to correct, newest finished first": "quality?tab=to-correct&sort=-finished",
    "corrected": "quality?tab=to-correct&state=corrected",
    "rules": "quality?tab=rules",
    "trends": "quality?tab=trends",
    "a run, to be corrected": "runs/{run}?tab=corrections",
    "runs": "runs",
}


@dataclass(slots=True)
class Home:
    """A project, with what its addresses name."""

    size: int
    slug: str
    names: dict[str, str]
    times: dict[str, list[float]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)


def homes_make(tenant: Any, options: argparse.Namespace) -> list[Home]:
    """Seed the projects."""
    from judging.models import QueueItem

    homes = []
    for row, size in zip(projects_make(tenant, options.sizes), options.sizes, strict=True):
        begun = time.perf_counter()
        rules = queue_seed(tenant.pk, row, items=size, lanes=options.lanes)
        print(f"{size} items made in {time.perf_counter() - begun:.0f} s", flush=True)
        run = QueueItem.objects.filter(project=row, state="open").order_by("created_at", "id").first()
        names = {"rule": str(rules[0].pk), "agent": agent(0), "run": str(run.run_id)}
        homes.append(Home(size, row.slug, names))
    return homes


def cookie_of(tenant: Any) -> str:
    """The cookie of somebody who edits in all of the tenant's projects, and is signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from kindgi.access.callers import operator_in
    from kindgi.access.models import Project
    from kindgi.access.services.memberships import membership_add
    from kindgi.access.services.tenants import user_create

    person = user_create(tenant=tenant, email="editor@bench.example", display_name="Editor")
    for row in Project.objects.filter(tenant=tenant):
        membership_add(caller=operator_in(tenant.pk), project=row, user=person, role="editor")
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    return f"sessionid={session.session_key}; timezone=America/New_York"


def measure(port: int, cookie: str, homes: list[Home], times: int) -> None:
    """Ask for each page of each project in turn, so many times."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for turn in range(WARM + times):
        for name, page in PAGES.items():
            for home in homes:
                begun = time.perf_counter()
                connection.request(
                    "GET", f"/projects/{home.slug}/{page.format(**home.names)}", headers={"Cookie": cookie}
                )
                answer = connection.getresponse()
                body = answer.read()
                took = time.perf_counter() - begun
                if answer.status != 200:
                    raise SystemExit(f"{name}: {answer.status} {body[:300]!r}")
                if turn >= WARM:
                    home.times.setdefault(name, []).append(took)
                    home.bytes[name] = len(body)


def show(homes: list[Home]) -> None:
    """Print the table."""
    print(f"{'p50 / p95, ms':34}" + "".join(f"{home.size:>16}" for home in homes) + f"{'weighs':>10}")
    for name in PAGES:
        cells = [figures(home.times[name], 1.0) for home in homes]
        row = "".join(f"{one.p50:9.1f} /{one.p95:5.1f}" for one in cells)
        print(f"{name:34}{row}{homes[-1].bytes[name] / 1024:7.0f} KB")
    first = figures(homes[-1].times["to correct, first page"], 1.0)
    print(f"first page of {homes[-1].size} items: {first.p50:.0f} ms; the aim is under {AIM:.0f}")


def main() -> None:
    """Seed, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    parser.add_argument("--lanes", type=int, default=80, help="about so many lanes in each project")
    parser.add_argument("--times", type=int, default=30, help="how often each page is asked for in each project")
    options = parser.parse_args()
    with project("bench_console"):
        from django.db import connection

        from kindgi.embedded import web

        tenant, _, _ = tenant_with_token()
        homes = homes_make(tenant, options)
        cookie = cookie_of(tenant)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        server = web.WebServer.start(host="127.0.0.1", port=8768)
        try:
            measure(8768, cookie, homes, options.times)
        finally:
            server.stop()
    show(homes)


if __name__ == "__main__":
    main()
