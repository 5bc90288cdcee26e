"""How fast a rule's results and its trend are read in a project with a million verdicts.

    .venv/bin/python bench/results.py [--verdicts 1000000] [--unfolded 100000] [--times 60] [--explain]

A PostgreSQL of its own, the production server, one client. Ten rules, each with two versions, took
runs of three agent versions over 90 days, and left some out; of the runs something is said under
four judge classes or none. Rows and counts are made in the database, without the runs and the
corrections, which results don't read. The rules are asked in turn, with all counts folded, and then
with so many rows beside them that aren't folded yet. ``--explain`` says how PostgreSQL reads them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from datetime import time as clock
from itertools import cycle
from typing import Any
from uuid import UUID

from support import Client, figures, project, tenant_with_token

RULES, DAYS = 10, 90
A_RUN = 2.5  # verdicts, in the mean
CLASSES = {"expert": 3.0, "peer": 1.0, "bot": 0.5, "lead": 2.5}
WARM = 10
AIM = 150.0  # milliseconds

_RUNS = """
CREATE TEMP TABLE run AS
SELECT n, at, uuidv7(at - clock_timestamp()) AS id, gen_random_uuid() AS run_id,
    '1.' || n %% 3 || '.0' AS agent_version, random() AS chance, floor(random() * (2 * %s + 1))::int AS verdicts
FROM generate_series(1, %s) AS n,
    LATERAL (SELECT date_trunc('milliseconds', %s - %s * (1 - n::float8 / %s))) AS ended(at)
"""
_SAID = """
CREATE TEMP TABLE said AS
SELECT n, (%s::uuid[])[1 + floor(random() * %s)::int] AS class_id, random() < 0.7 + 0.1 * (n %% 3) AS yes
FROM run, generate_series(1, verdicts)
"""
_VERDICTS = """
INSERT INTO corrections_verdict (id, created_at, made_by_kind, made_by_id, participant_id, correction_id, tenant_id,
    project_id, run_id, position, item_key, "right", judge_class_id)
SELECT uuidv7(at - clock_timestamp()), at, 'user', gen_random_uuid(), '', gen_random_uuid(), %s, %s, run_id, 0,
    'answer', yes, class_id
FROM said JOIN run USING (n)
"""
_ITEMS = """
INSERT INTO judging_queueitem (id, created_at, tenant_id, project_id, run_id, agent_id, agent_version, flow_id,
    run_status, completed_at, lane_id, counted, state, closed_at, closed_by, held_by)
SELECT id, at, %s, %s, run_id, 'bench.agent', agent_version, 'agent.turn', 'completed', at, %s, counted, state,
    CASE WHEN state <> 'open' THEN at END, '', ''
FROM run JOIN (
    SELECT n, coalesce(jsonb_object_agg(coalesce(class_id::text, ''), tally) FILTER (WHERE tally IS NOT NULL), '{}')
        AS counted
    FROM run LEFT JOIN (
        SELECT n, class_id, jsonb_build_array(count(*), count(*) FILTER (WHERE yes)) AS tally FROM said GROUP BY 1, 2
    ) AS by_class USING (n) GROUP BY 1) AS tallied USING (n),
    LATERAL (SELECT CASE WHEN chance < 0.02 THEN 'erased' WHEN chance < 0.1 THEN 'dismissed'
        WHEN counted = '{}' THEN 'open' ELSE 'judged' END) AS standing(state)
"""
# Each run is one rule's, and of each third run another rule's too; a rule changed in the middle of the days.
_ENTRIES = """
INSERT INTO judging_queueentry (id, created_at, item_id, rule_id, rule_version, agent_version, open)
SELECT uuidv7(at - clock_timestamp()), at, item.id, (%s::uuid[])[1 + (n / 3 + other) %% %s], 1 + (at > %s)::int,
    item.agent_version, state = 'open'
FROM run JOIN judging_queueitem AS item USING (run_id), generate_series(0, (n %% 9 = 0)::int) AS other
"""
_SKIPPED = """
INSERT INTO judging_skippedrun (id, created_at, rule_id, rule_version, agent_version, run_id)
SELECT uuidv7(at - clock_timestamp()), at, (%s::uuid[])[1 + n %% %s], 1 + (at > %s)::int, agent_version,
    gen_random_uuid()
FROM run WHERE n %% 8 = 0
"""
_COUNTS = """
INSERT INTO judging_rulecount
    (rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, n, folded)
SELECT rule_id, rule_version, agent_version, day, measure, one, other, sum(times * each), true
FROM (
    SELECT entry.rule_id, entry.rule_version, entry.agent_version, (entry.created_at AT TIME ZONE 'UTC')::date AS day,
        state, counted, count(*) AS times
    FROM judging_queueentry AS entry JOIN judging_queueitem AS item ON item.id = entry.item_id
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT rule_id, rule_version, agent_version, (created_at AT TIME ZONE 'UTC')::date, 'skipped', '{}', count(*)
    FROM judging_skippedrun GROUP BY 1, 2, 3, 4) AS alike, LATERAL (
    SELECT state, NULL::uuid, NULL::uuid, 1
    UNION ALL SELECT 'corrected', NULL, NULL, 1 WHERE counted <> '{}'
    UNION ALL SELECT 'judgments', nullif(key, '')::uuid, NULL, (value->>0)::int FROM jsonb_each(counted)
    UNION ALL SELECT 'yes', nullif(key, '')::uuid, NULL, (value->>1)::int FROM jsonb_each(counted)
    UNION ALL SELECT 'pairs', nullif(a.key, '')::uuid, nullif(b.key, '')::uuid, (a.value->>0)::int * (b.value->>0)::int
        FROM jsonb_each(counted) AS a, jsonb_each(counted) AS b) AS measured(measure, one, other, each)
GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(times * each) <> 0 ORDER BY 1, 4
"""
# What changes write that undo each other: no count is another for it.
_UNFOLDED = """
INSERT INTO judging_rulecount
    (rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, n, folded)
SELECT rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, sign, false
FROM (SELECT * FROM judging_rulecount WHERE day > %s ORDER BY random() LIMIT 1000) AS recent,
    generate_series(1, %s), unnest(ARRAY[1, -1]) AS sign
"""


def rules_make(tenant: Any, home: Any) -> tuple[list[UUID | None], list[UUID]]:
    """The judge classes, with none among them, and the rules, which were changed once."""
    from django.db import transaction

    from corrections.models import JudgeClass
    from judging.matching import When
    from judging.services.rules import rule_change, rule_create
    from judging.submissions import RuleBody, RuleChangeBody
    from kindgi.access.callers import operator_in

    caller = operator_in(tenant.pk)
    classes = [JudgeClass.objects.create(tenant=tenant, name=name, weight=CLASSES[name]).pk for name in CLASSES]
    rules = []
    with transaction.atomic():
        for number in range(RULES):
            made = rule_create(caller=caller, project=home, body=RuleBody(name=f"Rule {number}", when=When()))
            rule_change(caller=caller, project=home, rule_id=str(made.pk), body=RuleChangeBody(sample=0.5))
            rules.append(made.pk)
    return [None, *classes], rules


def seed(tenant: Any, home: Any, until: datetime, verdicts: int) -> list[UUID]:
    """Runs with so many verdicts among them, taken by rules and counted; the rules."""
    from django.db import transaction

    from judging.lanes import LaneKey
    from judging.models import Lane
    from kindgi.sql import execute

    classes, rules = rules_make(tenant, home)
    key = LaneKey(home.pk, "bench.agent", "agent.turn", (), (), corrected=False)
    Lane.objects.create(id=key.id, **key._asdict() | {"rule_ids": [], "unmet_rule_ids": []})
    changed = until - timedelta(days=DAYS / 2)
    with transaction.atomic():
        # Foreign keys aren't looked up: what they name is made here, or isn't read.
        execute("SET LOCAL session_replication_role = replica", [])
        runs = int(verdicts / A_RUN)
        execute(_RUNS, [A_RUN, runs, until, timedelta(days=DAYS), runs])
        execute(_SAID, [classes, len(classes)])
        execute("ANALYZE run, said", [])
        execute(_VERDICTS, [tenant.pk, home.pk])
        execute(_ITEMS, [tenant.pk, home.pk, key.id])
        execute(_ENTRIES, [rules, RULES, changed])
        execute(_SKIPPED, [rules, RULES, changed])
        execute(_COUNTS, [])
    execute("VACUUM ANALYZE", [])
    return rules


def steps(client: Client, home: Any, rules: Sequence[UUID], until: datetime) -> dict[str, Callable[[], Any]]:
    """What is measured, by name; what is asked of one rule goes round all of them."""
    from judging.selectors.results import rule_groups
    from kindgi.api.times import wire

    noon = datetime.combine(until.date() - timedelta(days=30), clock(12, 34, 56), until.tzinfo)
    since = f"?since={wire(noon)}"

    def asking(what: str) -> Callable[[], Any]:
        turn = cycle(rules)

        def ask() -> Any:
            path = f"/v1/projects/{home.pk}/judging-rules/{next(turn)}/{what}"
            status, answer = client.send("GET", path, b"")
            if status != 200:
                raise SystemExit(f"{path}: {status} {answer[:300]!r}")
            return json.loads(answer)

        return ask

    return {
        "results": asking("results"),
        "results, 30 days": asking(f"results{since}"),
        "trend": asking("trend"),
        "trend, 30 days": asking(f"trend{since}"),
        "rule_groups of all": lambda: rule_groups(rules),
        "rule_groups of all, 30 days": lambda: rule_groups(rules, since=noon),
    }


def measure(doing: dict[str, Callable[[], Any]], times: int) -> bool:
    """Do each step so many times in turn, and print its times; whether all are as they should be."""
    taken: dict[str, list[float]] = {name: [] for name in doing}
    for turn in range(WARM + times):
        for name, step in doing.items():
            begun = time.perf_counter()
            step()
            if turn >= WARM:
                taken[name].append(time.perf_counter() - begun)
    found = {name: figures(lasted, sum(lasted)) for name, lasted in taken.items()}
    for name, one in found.items():
        print(f"{name:30}  p50 {one.p50:6.1f}   p95 {one.p95:6.1f}   p99 {one.p99:6.1f} ms", flush=True)
    return all(one.p95 < AIM for one in found.values())


def explain(doing: dict[str, Callable[[], Any]]) -> None:
    """Print how PostgreSQL reads what ``rule_groups`` asks for."""
    from django.db import connection

    def explaining(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        with connection.connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", params)
            print("\n".join(line for (line,) in cursor.fetchall()), "\n")
        return execute(sql, params, many, context)

    for name, step in doing.items():
        if name.startswith("rule_groups"):
            print(f"\n{name}")
            with connection.execute_wrapper(explaining):
                step()


def unfold(until: datetime, rows: int) -> None:
    """Add so many rows that aren't folded, of the last two days."""
    from kindgi.sql import execute

    execute(_UNFOLDED, [until.date() - timedelta(days=2), rows // 2000])


def compare(client: Client, home: Any, rules: Sequence[UUID], options: argparse.Namespace, until: datetime) -> bool:
    """Measure with all counts folded, and with some that aren't; whether both are as they should be."""
    from judging.models import RuleCount
    from judging.selectors.results import rule_groups

    doing, before = steps(client, home, rules, until), rule_groups(rules)
    fine = True
    for unfolded in (0, options.unfolded):
        unfold(until, unfolded)
        rows = RuleCount.objects.count()
        print(f"\n{rows} rows of counts, {RuleCount.objects.filter(folded=False).count()} not folded")
        if options.explain:
            explain(doing)
        fine = measure(doing, options.times) and fine
        if rule_groups(rules) != before:
            raise SystemExit("The results are others.")
    print(f"\nEach p95 under {AIM:.0f} ms: {'yes' if fine else 'no'}")
    return fine


def main() -> None:
    """Seed, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=1_000_000)
    parser.add_argument("--unfolded", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    with project("bench_results"):
        from django.db import connection

        from corrections.models import Verdict
        from judging.models import QueueEntry, QueueItem
        from kindgi.api.times import now
        from kindgi.embedded import web

        tenant, home, token = tenant_with_token()
        until, begun = now(), time.perf_counter()
        rules = seed(tenant, home, until, options.verdicts)
        models = (QueueItem, QueueEntry, Verdict)
        sizes = [f"{model.objects.count()} {model._meta.verbose_name_plural}" for model in models]
        print(f"{', '.join(sizes)}; made in {time.perf_counter() - begun:.0f} s", flush=True)
        connection.close()
        server = web.WebServer.start(host="127.0.0.1", port=8769)
        try:
            fine = compare(Client(server.url, token), home, rules, options, until)
        finally:
            server.stop()
    raise SystemExit(not fine)


if __name__ == "__main__":
    main()
