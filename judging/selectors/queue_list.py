"""What reads the queue as a list: by index and keyset, and a total without reading it all (contract, section 6).

Filters choose lanes, of which a project has few; items are then read lane by lane, each by the
index that has them in their order, and merged. The total is the sum of the lanes' counts. Only
times ask for more: they count what they find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Min
from django.http import QueryDict

from corrections.models import JudgeClass
from corrections.policies import class_refusal
from corrections.selectors import judge_classes_of
from judging.filters import QueueFilter
from judging.hooks import Asker, asked_for_by
from judging.models import Lane, QueueEntry, QueueItem, State
from judging.selectors.rules import rules_of
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write
from kindgi.api.filters import bound, instant_of
from kindgi.api.pages import Cursor, Page, PageRequest, page_of
from kindgi.rows import fresh
from kindgi.sql import fetch

# Above so many lanes they aren't read one by one, but the project's items in order, and sieved. That is faster where
# most items are of the lanes, but reads all that there are where the lanes' are the newest: a new rule's.
MOST_LANES = 1000
# Of each lane only the places are read, which the index has; then the few items that are the first of all.
_BY_LANE = """
SELECT item.* FROM (
    SELECT place.id
    FROM unnest(%s::uuid[]) AS lane(id) CROSS JOIN unnest(%s::text[]) AS state(name) CROSS JOIN LATERAL (
        SELECT created_at, id FROM judging_queueitem AS item
        WHERE item.lane_id = lane.id AND item.state = state.name AND {more}
        ORDER BY created_at, id LIMIT %s) AS place
    ORDER BY place.created_at, place.id LIMIT %s) AS first JOIN judging_queueitem AS item ON item.id = first.id
ORDER BY item.created_at, item.id
"""
_BY_PROJECT = """
SELECT item.* FROM unnest(%s::text[]) AS state(name) CROSS JOIN LATERAL (
    SELECT * FROM judging_queueitem AS item
    WHERE item.project_id = %s AND item.state = state.name AND {more}
    ORDER BY created_at, id LIMIT %s) AS item
ORDER BY item.created_at, item.id LIMIT %s
"""
# Where they were closed lately, the index by that time finds the few that there are to sort.
_BY_CLOSING = """
SELECT item.* FROM judging_queueitem AS item
WHERE item.project_id = %s AND item.state = ANY(%s) AND item.closed_at > %s AND {more}
ORDER BY item.created_at, item.id LIMIT %s
"""
_TOTAL = "SELECT coalesce(sum(n), 0)::bigint FROM judging_lanecount WHERE project_id = %s AND state = ANY(%s) {more}"
_COUNT = "SELECT count(*) FROM judging_queueitem AS item WHERE item.project_id = %s AND item.state = ANY(%s) AND {more}"
# Read with every page, where building the queries costs ten times what they do.
_ENTRY_FIELDS = ("id", "created_at", "item_id", "rule_id", "rule_version", "agent_version", "open")
_ENTRIES = f"""
SELECT {", ".join(_ENTRY_FIELDS)} FROM judging_queueentry WHERE item_id = ANY(%s) ORDER BY item_id, created_at, id
"""  # noqa: S608 - names of ours
_WANTS = "SELECT id, judge_class_id FROM judging_judgingrule WHERE id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class QueueQuery:
    """What of a project's queue is asked for; ``lanes`` are ``None`` where no filter narrows them."""

    project: Project
    states: list[str]
    lanes: list[UUID] | None = None
    added_after: datetime | None = None
    closed_after: datetime | None = None
    unheld_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of items with their entries; the rules' wants by id, and how many items the filters match altogether."""

    page: Page[QueueItem]
    total: int
    wants: dict[UUID, UUID | None]


def queue_query(*, caller: Caller, project: Project, query: QueryDict) -> QueueQuery:
    """Read the list's parameters; three statements at most. Raises ``BadInput``."""
    filters = bound(QueueFilter, query, Lane.objects.filter(project=project))
    given = {name: value for name, value in filters.form.cleaned_data.items() if value}
    for_me = given.get("forMe") == "true"
    state = given.get("state") or (State.OPEN if for_me else None)
    lanes = filters.qs
    if for_me:
        # Of what has closed nobody looks any more at what is still wanted: what its rules want stays true.
        wanting = "unmet_rule_ids" if state == State.OPEN else "rule_ids"
        lanes = lanes.filter(**{f"{wanting}__overlap": _rules_for(caller, project)})
    narrowed = for_me or not given.keys().isdisjoint({"agentId", "ruleId", "judgeClassId"})
    return QueueQuery(
        project=project,
        states=[state] if state else State.values,
        lanes=list(lanes.values_list("pk", flat=True)) if narrowed else None,
        added_after=_instant(given.get("addedAfter")),
        closed_after=_instant(given.get("closedAfter")),
    )


def _instant(value: datetime | None) -> datetime | None:
    return None if value is None else instant_of(value)


def _rules_for(caller: Caller, project: Project) -> list[UUID]:
    """The rules, stopped ones too, whose wish the caller may fulfil by their latest version; two statements at most.

    Also what else asks them for corrections, which the apps above read.
    """
    if not can_write(caller, project.pk):
        return []
    classes = {one.pk for one in classes_for(caller=caller, project=project)}
    wants = rules_of(project).values_list("pk", "judge_class_id")
    rules = [rule_id for rule_id, judge_class_id in wants if judge_class_id is None or judge_class_id in classes]
    return rules + list(asked_for_by([Asker(caller, project.pk)]))


def classes_for(*, caller: Caller, project: Project) -> list[JudgeClass]:
    """The classes that the caller may correct as in the project; one statement."""
    classes = judge_classes_of(project).filter(unregistered_at__isnull=True)
    return [one for one in classes if class_refusal(caller, one) is None]


def queue_list(query: QueueQuery, page: PageRequest) -> QueuePage:
    """A page of the queue, oldest first, and the total; four statements, two for ``limit=0``."""
    total = queue_total(query)
    found = queue_rows(query, after=page.cursor, limit=page.limit + 1) if page.limit else []
    return QueuePage(page_of(found, page.limit) if page.limit else Page([], None), total, with_rules(found))


def with_rules(items: list[QueueItem]) -> dict[UUID, UUID | None]:
    """Read the items' entries into them; what each rule among these wants by its latest version. Two statements."""
    if not items:
        return {}
    entries = _entries_keep(items, fetch(_ENTRIES, [[item.pk for item in items]]))
    return dict(fetch(_WANTS, [list({entry.rule_id for entry in entries})]))


def _entries_keep(items: list[QueueItem], rows: Sequence[tuple[Any, ...]]) -> list[QueueEntry]:
    """Entries made of ``_ENTRY_FIELDS``, each kept by its item as if it had been read with it."""
    entries = [fresh(QueueEntry, **dict(zip(_ENTRY_FIELDS, row, strict=True))) for row in rows]
    kept: dict[UUID, list[QueueEntry]] = {item.pk: [] for item in items}
    for entry in entries:
        kept[entry.item_id].append(entry)
    for item in items:
        item._prefetched_objects_cache = {"entries": kept[item.pk]}  # type: ignore[attr-defined]
    return entries


def queue_total(query: QueueQuery) -> int:
    """How many items there are of all that is asked for; one statement."""
    if query.lanes == []:
        return 0
    if query.added_after is None and query.closed_after is None:
        more, lanes = ("", []) if query.lanes is None else ("AND lane_id = ANY(%s)", [query.lanes])
        return int(fetch(_TOTAL.format(more=more), [query.project.pk, query.states, *lanes])[0][0])
    more, parameters = _more(query, None)
    if query.closed_after is not None:
        more, parameters = f"item.closed_at > %s AND {more}", [query.closed_after, *parameters]
    return int(fetch(_COUNT.format(more=more), [query.project.pk, query.states, *parameters])[0][0])


def queue_rows(query: QueueQuery, *, after: Cursor | None, limit: int) -> list[QueueItem]:
    """Up to ``limit`` items after a place, oldest first; one statement, by index."""
    if query.lanes == []:
        return []
    few = query.lanes is not None and len(query.lanes) <= MOST_LANES
    more, parameters = _more(replace(query, lanes=None) if few and query.closed_after is None else query, after)
    if query.closed_after is not None:
        values = [query.project.pk, query.states, query.closed_after, *parameters, limit]
        return list(QueueItem.objects.raw(_BY_CLOSING.format(more=more), values))
    if few:
        values = [query.lanes, query.states, *parameters, limit, limit]
        return list(QueueItem.objects.raw(_BY_LANE.format(more=more), values))
    values = [query.states, query.project.pk, *parameters, limit, limit]
    return list(QueueItem.objects.raw(_BY_PROJECT.format(more=more), values))


def _more(query: QueueQuery, after: Cursor | None) -> tuple[str, list[Any]]:
    """What is asked of an item besides its project and state, with the parameters."""
    asked: list[tuple[str, list[Any]]] = [("true", [])]
    if query.lanes is not None:
        asked.append(("item.lane_id = ANY(%s)", [query.lanes]))
    if after is not None:
        asked.append(("(item.created_at, item.id) > (%s, %s)", [after.at, after.id]))
    if query.added_after is not None:
        asked.append(("item.created_at > %s", [query.added_after]))
    if query.unheld_at is not None:
        asked.append(("(item.held_until IS NULL OR item.held_until <= %s)", [query.unheld_at]))
    return " AND ".join(sql for sql, _ in asked), [value for _, values in asked for value in values]


def held_by_others(query: QueueQuery, *, caller: Caller, at: datetime) -> tuple[int, datetime | None]:
    """How many of the open items that are asked for others hold, and when the first is free again; one statement."""
    held = QueueItem.objects.filter(project=query.project, state__in=query.states, held_until__gt=at)
    if query.lanes is not None:
        held = held.filter(lane__in=query.lanes)
    if query.added_after is not None:
        held = held.filter(created_at__gt=query.added_after)
    if query.closed_after is not None:
        held = held.none()
    held = held.exclude(held_by=caller.actor)
    found = held.aggregate(n=Count("pk"), first=Min("held_until"))
    return found["n"], found["first"]
