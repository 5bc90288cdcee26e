"""A project whose queue holds as many items as asked for, made in the database, as rules and people would leave it.

Three of five items wait untouched; one of ten is corrected, but not by whom a rule wants; the others
are judged, dismissed or erased. They were added evenly over 90 days. Every item has its run with
content, its entries, corrections and history, and is counted.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any
from uuid import UUID

DAYS = 90
SLOTS = 4096
LANES_AN_AGENT = 20
# A rule's name, which of each four agents it is about, and the class that it wants.
RULES: tuple[tuple[str, tuple[int, ...], str | None], ...] = (
    ("Everything", (0, 1, 2, 3), None),
    ("Expert sample", (0, 2), "expert"),
    ("Peers", (0, 1), "peer"),
    ("Bot review", (1, 3), "bot"),
    ("Refunds", (2,), None),
    ("Second look", (3,), "expert"),
)
# Nobody who measures may correct as an expert: people alone may.
CLASSES: Mapping[str, dict[str, Any]] = {
    "expert": {"weight": 3, "assertableBy": {"principalKinds": ["user"]}},
    "peer": {"weight": 1},
    "bot": {"weight": 1, "assertableBy": {"principalKinds": ["service"]}},
}
UNTOUCHED, PARTLY, JUDGED, DISMISSED, ERASED = range(5)
_STATES = ("open", "open", "judged", "dismissed", "erased")
_PARTS = (60, 10, 20, 8, 2)  # of a hundred items

_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = ANY(%s::regclass[]) AND NOT indisunique
"""
_SHAPES = """
CREATE TEMP TABLE shape (
    shape int PRIMARY KEY, agent_id text, lane_id uuid, state text, rule_ids uuid[], class_ids uuid[], yes bool,
    counted jsonb)
"""
_ITEMS = """
CREATE TEMP TABLE item (
    at timestamptz, closed_at timestamptz, id uuid, run_pk uuid, run_id uuid, content_id uuid, agent_version text,
    shape int, agent_id text, lane_id uuid, state text, rule_ids uuid[], class_ids uuid[], yes bool, counted jsonb)
"""
_FILL = """
WITH placed AS (
    SELECT date_trunc('milliseconds', %s - make_interval(secs => %s * (1 - n::float8 / %s))) AS at,
        (%s::int[])[1 + floor(random() * %s)::int] AS shape, '1.' || n %% 3 || '.0' AS agent_version
    FROM generate_series(1, %s) AS n)
INSERT INTO item
SELECT at,
    CASE WHEN state <> 'open' THEN date_trunc('milliseconds', at + random() * least(interval '3 days', %s - at)) END,
    uuidv7(at - clock_timestamp()), uuidv7(at - clock_timestamp()), gen_random_uuid(),
    uuidv7(at - clock_timestamp()), agent_version, shape.*
FROM placed JOIN shape USING (shape)
"""
_SAID = """
CREATE TEMP TABLE said AS
SELECT uuidv7(at - clock_timestamp()) AS id, gen_random_uuid() AS by, class_id,
    item.at, run_id, agent_id, agent_version, yes
FROM item, unnest(class_ids) AS class_id
"""
_LANE_COUNTS = """
INSERT INTO judging_lanecount (project_id, lane_id, state, n, folded)
SELECT %s, lane_id, state, count(*), true FROM item GROUP BY lane_id, state
"""
_RULE_COUNTS = """
INSERT INTO judging_rulecount
    (rule_id, rule_version, agent_version, day, measure, judge_class_id, other_class_id, n, folded)
SELECT rule_id, 1, agent_version, day, measure, one, other, sum(times * each), true
FROM (SELECT shape, agent_version, (at AT TIME ZONE 'UTC')::date AS day, count(*) AS times
    FROM item GROUP BY 1, 2, 3) AS alike
JOIN shape USING (shape), unnest(rule_ids) AS rule_id, LATERAL (
    SELECT state, NULL::uuid, NULL::uuid, 1
    UNION ALL SELECT 'corrected', NULL, NULL, 1 WHERE class_ids <> '{}'
    UNION ALL SELECT 'judgments', class_id, NULL, 1 FROM unnest(class_ids) AS class_id
    UNION ALL SELECT 'yes', class_id, NULL, yes::int FROM unnest(class_ids) AS class_id
    UNION ALL SELECT 'pairs', a, b, 1 FROM unnest(class_ids) AS a, unnest(class_ids) AS b
) AS measured(measure, one, other, each) GROUP BY 1, 2, 3, 4, 5, 6, 7
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """Items that are alike: the agent, which rules took them, as which classes they were corrected, how they stand."""

    agent_id: str
    rule_ids: tuple[UUID, ...]
    class_ids: tuple[UUID | None, ...]
    state: str
    yes: bool
    part: float


def rules_make(tenant_id: UUID, project: Any, agents: int) -> list[Any]:
    """The project's classes, and its rules, which are older than any item."""
    from django.db import transaction
    from msgspec import convert

    from corrections.services.classes import ClassBody, judge_class_create
    from judging.services.rules import rule_create
    from judging.submissions import RuleBody
    from kindgi.access.callers import operator_in
    from kindgi.api.times import as_of, now

    caller, scope = operator_in(tenant_id), {"kind": "project", "projectId": str(project.pk)}
    with transaction.atomic(), as_of(now() - timedelta(days=DAYS + 1)):
        classes = {
            name: judge_class_create(caller=caller, body=convert({"scope": scope, "name": name, **said}, ClassBody))
            for name, said in CLASSES.items()
        }
        return [
            rule_create(
                caller=caller,
                project=project,
                body=RuleBody(name, _when(about, agents), judge_class_id=str(classes[wants].pk) if wants else None),
            )
            for name, about, wants in RULES
        ]


def agent(number: int) -> str:
    """An agent's id."""
    return f"bench.agent-{number}"


def _when(about: Sequence[int], agents: int) -> Any:
    from judging.matching import When

    return When() if len(about) == 4 else When(agent_ids=[agent(n) for n in range(agents) if n % 4 in about])


def shapes_of(rules: Sequence[Any], agents: int) -> Iterator[Shape]:
    """All that items can be alike in, with how much of the whole each is: most were taken by one rule."""
    from judging.lanes import unmet_rules

    wants = {rule.pk: rule.judge_class_id for rule in rules}
    for number in range(agents):
        its = [rule.pk for rule, (_, about, _) in zip(rules, RULES, strict=True) if number % 4 in about]
        for taken in (subset for size in (1, 2, 3) for subset in combinations(its, size)):
            rule_ids, part = tuple(sorted(taken)), 8 / 4 ** len(taken)
            wanted = tuple(dict.fromkeys(wants[rule_id] for rule_id in rule_ids))
            for standing, weight in enumerate(_PARTS):
                given = {PARTLY: (None,), JUDGED: wanted}.get(standing, ())
                if standing == PARTLY and not unmet_rules(rule_ids, wants, given):
                    continue
                for yes, share in ((True, 0.8), (False, 0.2)):
                    yield Shape(agent(number), rule_ids, given, _STATES[standing], yes, part * weight * share)


def queue_seed(tenant_id: UUID, project: Any, *, items: int, lanes: int) -> list[Any]:
    """Fill the project's queue with items in about so many lanes; the project's rules."""
    from django.db import transaction

    from kindgi.api.times import now
    from kindgi.sql import execute

    agents = max(4, lanes // LANES_AN_AGENT)
    rules, at = rules_make(tenant_id, project, agents), now()
    with transaction.atomic():
        # Foreign keys aren't looked up one by one: what they name is made here.
        execute("SET LOCAL session_replication_role = replica", [])
        execute(_SHAPES, [])
        execute(_ITEMS, [])
        slots = _shapes_store(project, rules, list(shapes_of(rules, agents)))
        execute(_FILL, [at, DAYS * 86400, items, slots, SLOTS, items, at])
        execute(_SAID, [])
        with _indexed_afterwards():
            _fill(tenant_id, project.pk)
        execute(_LANE_COUNTS, [project.pk])
        execute(_RULE_COUNTS, [])
        for table in ("item", "said", "shape"):
            execute(f"DROP TABLE {table}", [])
    return rules


def _shapes_store(project: Any, rules: Sequence[Any], shapes: Sequence[Shape]) -> list[int]:
    """Make the shapes' lanes, and note the shapes; which shape each of the slots has that items are drawn from."""
    from judging.lanes import LaneKey, tallies_stored, unmet_rules
    from judging.models import Lane
    from kindgi.api.jsontext import encode
    from kindgi.sql import execute

    wants, lanes = {rule.pk: rule.judge_class_id for rule in rules}, {}
    for number, one in enumerate(shapes):
        unmet = unmet_rules(one.rule_ids, wants, one.class_ids)
        key = LaneKey(project.pk, one.agent_id, "agent.turn", one.rule_ids, tuple(sorted(unmet)), bool(one.class_ids))
        named = key._asdict() | {"rule_ids": list(key.rule_ids), "unmet_rule_ids": list(key.unmet_rule_ids)}
        lanes[key.id] = Lane(id=key.id, **named)
        counted = encode(tallies_stored({each: (1, int(one.yes)) for each in one.class_ids})).decode()
        execute(
            "INSERT INTO shape VALUES (%s, %s, %s, %s, %s, %s::uuid[], %s, %s::jsonb)",
            [number, one.agent_id, key.id, one.state, list(one.rule_ids), list(one.class_ids), one.yes, counted],
        )
    Lane.objects.bulk_create(lanes.values())
    return random.Random(7).choices(range(len(shapes)), [one.part for one in shapes], k=SLOTS)


@contextmanager
def _indexed_afterwards() -> Iterator[None]:
    """Make the indexes of the tables anew after the block, which takes half as long."""
    from corrections.models import Correction, Verdict
    from judging.models import QueueEntry, QueueItem, QueueItemChange
    from kindgi.runs.models import Run
    from kindgi.sql import execute, fetch

    models = (Run, QueueItem, QueueEntry, QueueItemChange, Correction, Verdict)
    indexes = fetch(_INDEXES, [[model._meta.db_table for model in models]])
    for name, _ in indexes:
        execute(f"DROP INDEX {name}", [])
    yield
    for _, definition in indexes:
        execute(definition, [])


def _fill(tenant_id: UUID, project_id: UUID) -> None:
    """Write the rows of the items and of what was said of their runs."""
    from corrections.models import Correction, Verdict
    from judging.models import QueueEntry, QueueItem, QueueItemChange
    from kindgi.runs.content import pack
    from kindgi.runs.models import Run, RunContent

    of = {"tenant_id": tenant_id, "project_id": project_id}
    ran = dict.fromkeys(("agent_id", "agent_version", "run_id"), "")
    ran = {name: name for name in ran} | {"created_at": "at", "completed_at": "at"}
    gone = "CASE state WHEN 'erased' THEN closed_at END"
    output = pack(b'{"response":{"content":"It arrives on Friday."}}')
    _rows(RunContent, "item", {"id": "content_id", "created_at": "at"}, output=output)
    _rows(
        Run,
        "item",
        ran | {"id": "run_pk", "content_id": "content_id", "content_erased_at": gone},
        **of, flow_id="agent.turn", flow_version="1.0.0", agent_via="live", conversation_id="1", status="completed",
    )  # fmt: skip
    item = {name: name for name in ("id", "lane_id", "state", "counted", "closed_at")}
    _rows(QueueItem, "item", ran | item | {"gone_at": gone}, **of, flow_id="agent.turn", run_status="completed")
    entry = {"created_at": "at", "item_id": "id", "rule_id": "rule_id", "agent_version": "agent_version"}
    entry |= {"id": "uuidv7(at - clock_timestamp())", "open": "state = 'open'"}
    _rows(QueueEntry, "item, unnest(rule_ids) AS rule_id", entry, rule_version=1)
    change = {"id": "uuidv7(closed_at - clock_timestamp())", "created_at": "closed_at", "item_id": "id"}
    _rows(QueueItemChange, "item WHERE state <> 'open'", change | {"after": "state"}, before="open")
    told = {"created_at": "at", "run_id": "run_id", "judge_class_id": "class_id", "made_by_id": "by"}
    about = {"id": "id", "subject_id": "agent_id", "subject_version": "agent_version", "must_not_call": "NULL"}
    kind = {"subject_kind": "agent", "door": "judgments", "status": "open", "made_by_kind": "service"}
    _rows(Correction, "said", told | about, **of, **kind)
    verdict = {"id": "uuidv7(at - clock_timestamp())", "correction_id": "id", "right": "yes"}
    _rows(Verdict, "said", told | verdict, **of, made_by_kind="service", position=0, item_key="answer")


def _rows(model: Any, source: str, columns: dict[str, str], **same: Any) -> None:
    """Insert a row of the model for each row of ``source``, with ``columns`` of that and else the same in all."""
    from kindgi.rows import _columns, fresh
    from kindgi.sql import execute

    row, every = fresh(model, **same), _columns(model)
    own = [column for column in every if column.attname not in columns]
    selected = ", ".join(columns.get(column.attname) or f"%b::{column.db_type}" for column in every)
    names = ", ".join(column.name for column in every)
    table = model._meta.db_table
    sql = f"INSERT INTO {table} ({names}) SELECT {selected} FROM {source}"  # noqa: S608 - names of ours
    execute(sql, [column.read(row) for column in own])


def middle_of(project: Any) -> tuple[datetime, UUID]:
    """The time and the id of the open item that as many are older than as are newer."""
    from judging.models import QueueItem

    waiting = QueueItem.objects.filter(project=project, state="open").order_by("created_at", "pk")
    at, pk = waiting.values_list("created_at", "pk")[waiting.count() // 2]
    return at, pk
