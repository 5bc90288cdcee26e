"""Pages of the queue as the console lists it, and a run's neighbours in a list (contract, sections 6 and 8).

/v1 lists a queue by :mod:`judging.selectors.queue_list`: the oldest first, forward only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from judging.models import QueueItem
from judging.queue_view import KEYED, Place, QueueView, unknown_place
from judging.selectors.queue_lanes import MINE, chosen_lanes
from judging.selectors.queue_list import ENTRY_FIELDS, entries_keep
from judging.selectors.queue_places import Places, places_of
from kindgi.api.errors import BadInput
from kindgi.api.pages import DEFAULT_LIMIT, MAX_LIMIT
from kindgi.api.times import now
from kindgi.sql import fetch

NEAR = 1000
# An item doesn't keep its flow's version, which an agent's item has no need of: there the run isn't looked up.
_ROWS = """
SELECT item.*, (SELECT run.flow_version FROM runs_run AS run
    WHERE item.agent_id = '' AND run.tenant_id = item.tenant_id AND run.run_id = item.run_id) AS flow_version
FROM place JOIN judging_queueitem AS item ON item.id = place.id ORDER BY {order}
"""
_NEAREST = """
SELECT (SELECT count(*) FROM place), (
    SELECT run_id FROM judging_queueitem WHERE id = (SELECT id FROM place ORDER BY {order} LIMIT 1))
"""
_AMONG = """
WITH {mine}
SELECT coalesce(sum(counted.n), 0)::bigint, coalesce(bool_or(lane.id = %(own_lane)s), false)
FROM judging_lane AS lane LEFT JOIN judging_lanecount AS counted
    ON counted.project_id = lane.project_id AND counted.lane_id = lane.id AND counted.state = %(state)s
WHERE {filters}
"""
_LANE_THERE = "SELECT 1 FROM judging_lane WHERE id = %s AND project_id = %s"
_ENTRIES = f"""
SELECT {", ".join(f"entry.{name}" for name in ENTRY_FIELDS)}, rule.name, rule.judge_class_id
FROM judging_queueentry AS entry JOIN judging_judgingrule AS rule ON rule.id = entry.rule_id
WHERE entry.item_id = ANY(%s) ORDER BY entry.item_id, entry.created_at, entry.id
"""  # noqa: S608 - names of ours


@dataclass(frozen=True, slots=True)
class QueueRows:
    """A page of items with their entries; the names of these' rules and what they want now, by the rules' ids.

    ``flow_versions`` has the versions of flows, by the items' public run ids, while the runs are there.
    ``previous`` is the place to read before, and ``next`` the one to read after, where there may be more.
    """

    rows: list[QueueItem]
    names: dict[UUID, str]
    wants: dict[UUID, UUID | None]
    flow_versions: dict[UUID, str]
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an item is in a list of ``total``, and the public ids of the runs before and after it.

    ``position`` counts from 1; it is ``None`` where the item isn't of the list, and beyond 1,000.
    """

    position: int | None
    total: int
    previous_run_id: UUID | None
    next_run_id: UUID | None


def queue_page(
    view: QueueView, *, after: str | None = None, before: str | None = None, limit: int = DEFAULT_LIMIT
) -> QueueRows:
    """Up to ``limit`` rows of a view, 100 at most: its first ones, those after a place or those before one.

    Two statements, one where there is no row. A page before a place may have fewer rows than asked
    for, though many follow, or none. Raises ``BadInput`` for a place that no page of this sort and
    project has given, for two places, and for another limit.
    """
    if not 1 <= limit <= MAX_LIMIT or (after is not None and before is not None):
        raise BadInput(f"A page has from 1 to {MAX_LIMIT} rows, after a place or before one.")
    text = before if after is None else after
    place = None if text is None else Place.decode(text, sort=view.sort)
    seen_at = now() if place is None else place.seen_at
    found = _rows(places_of(view, after=place, back=before is not None, limit=limit + 1, seen_at=seen_at))
    if not found and place is not None:
        _check_there(view, place)
    more, rows = len(found) > limit, found[:limit]
    if before is not None:
        rows.reverse()
    names, wants = _read_entries(rows)
    has_previous, has_next = (more, True) if before is not None else (after is not None, more)
    ends = [_place_text(view, item, seen_at) for item in (rows[0], rows[-1])] if rows else [None, None]
    versions = {item.run_id: version for item in rows if (version := getattr(item, "flow_version", None))}
    return QueueRows(rows, names, wants, versions, ends[0] if has_previous else None, ends[1] if has_next else None)


def _rows(places: Places) -> list[QueueItem]:
    return list(QueueItem.objects.raw(places.select(_ROWS.format(order=_of_place(places))), places.parameters))


def _of_place(places: Places) -> str:
    """The order, by the names that it has beside an item."""
    return ", ".join(f"place.{column}" for column in places.order.split(", "))


def _check_there(view: QueueView, place: Place) -> None:
    """What has no rows may be a place that was made up; lanes never go."""
    if view.sort in KEYED and not fetch(_LANE_THERE, [place.lane_id, view.project.pk]):
        raise unknown_place()


def _place_text(view: QueueView, item: QueueItem, seen_at: datetime) -> str:
    return Place.of(item, sort=view.sort, seen_at=seen_at).encode()


def _read_entries(items: list[QueueItem]) -> tuple[dict[UUID, str], dict[UUID, UUID | None]]:
    """Read the items' entries into them; the names of their rules, and what these want by their latest versions."""
    if not items:
        return {}, {}
    found = fetch(_ENTRIES, [[item.pk for item in items]])
    width = len(ENTRY_FIELDS)
    entries = entries_keep(items, [row[:width] for row in found])
    named = {entry.rule_id: row[width:] for entry, row in zip(entries, found, strict=True)}
    return {pk: name for pk, (name, _) in named.items()}, {pk: wanted for pk, (_, wanted) in named.items()}


def queue_neighbours(view: QueueView, item: QueueItem) -> Neighbours:
    """An item's place in a view, and the runs before and after it there; three statements.

    An item that isn't of the view any more, since it was corrected meanwhile, has the neighbours of
    the place where it would be.
    """
    seen_at = now()
    place = Place.of(item, sort=view.sort, seen_at=seen_at)
    before, previous_run_id = _nearest(places_of(view, after=place, back=True, limit=NEAR, seen_at=seen_at))
    _, next_run_id = _nearest(places_of(view, after=place, back=False, limit=1, seen_at=seen_at))
    filters, parameters = chosen_lanes(view)
    parameters |= {"state": view.state, "own_lane": item.lane_id}
    ((total, in_lane),) = fetch(_AMONG.format(mine=MINE, filters=filters), parameters)
    is_there = in_lane and item.state == view.state and before < NEAR
    return Neighbours(before + 1 if is_there else None, total, previous_run_id, next_run_id)


def _nearest(places: Places) -> tuple[int, UUID | None]:
    """How many places there are, and whose the first is."""
    ((count, run_id),) = fetch(places.select(_NEAREST.format(order=places.order)), places.parameters)
    return count, run_id
