"""Pages of the queue as the console lists it, and a run's neighbours in a list (contract, sections 6 and 8).

/v1 lists a queue by :mod:`judging.selectors.queue_list`: the oldest first, forward only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from judging.models import QueueItem
from judging.queue_view import KEYED, Place, QueueView, unknown_place
from judging.selectors.queue_lanes import MINE, chosen_lanes
from judging.selectors.queue_places import Places, places_of
from kindgi.api.errors import BadInput
from kindgi.api.pages import DEFAULT_LIMIT, MAX_LIMIT
from kindgi.api.times import now
from kindgi.sql import fetch

NEAR = 1000
# An item doesn't keep its flow's version, which an agent's item has no need of: there the run isn't looked up. The
# rules that took each of the few come with it, since a page has no statement to spare for them.
_ROWS = """
SELECT item.*, (SELECT run.flow_version FROM runs_run AS run
    WHERE item.agent_id = '' AND run.tenant_id = item.tenant_id AND run.run_id = item.run_id) AS flow_version,
    taken.rule_ids, taken.rule_names, taken.rule_wants
FROM place JOIN judging_queueitem AS item ON item.id = place.id CROSS JOIN LATERAL (
    SELECT array_agg(rule.id ORDER BY entry.created_at, entry.id) AS rule_ids,
        array_agg(rule.name ORDER BY entry.created_at, entry.id) AS rule_names,
        array_agg(rule.judge_class_id ORDER BY entry.created_at, entry.id) AS rule_wants
    FROM judging_queueentry AS entry JOIN judging_judgingrule AS rule ON rule.id = entry.rule_id
    WHERE entry.item_id = item.id) AS taken
ORDER BY {order}
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


class _Taking(NamedTuple):
    """A rule that took an item, as its latest version has it."""

    id: UUID
    name: str
    wants: UUID | None


@dataclass(frozen=True, slots=True)
class QueueRows:
    """A page of items; the names of the rules that took them and what these want now, by the rules' ids.

    ``rules`` has the ids of those that took an item, by its own id, in the order in which they did.
    ``flow_versions`` has the versions of flows, by the items' public run ids, while the runs are there.
    ``previous`` is the place to read before, and ``next`` the one to read after, where there may be more.
    """

    rows: list[QueueItem]
    rules: dict[UUID, list[UUID]]
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

    One statement, and one more where a place has no rows. A page before a place may have fewer rows
    than asked for, though many follow, or none. Raises ``BadInput`` for a place that no page of this sort and
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
    taken = [_taken(item) for item in rows]
    has_previous, has_next = (more, True) if before is not None else (after is not None, more)
    ends = [_place_text(view, item, seen_at) for item in (rows[0], rows[-1])] if rows else [None, None]
    versions = {item.run_id: version for item in rows if (version := getattr(item, "flow_version", None))}
    return QueueRows(
        rows=rows,
        rules={item.pk: [rule.id for rule in rules] for item, rules in zip(rows, taken, strict=True)},
        names={rule.id: rule.name for rules in taken for rule in rules},
        wants={rule.id: rule.wants for rules in taken for rule in rules},
        flow_versions=versions,
        previous=ends[0] if has_previous else None,
        next=ends[1] if has_next else None,
    )


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


def _taken(item: QueueItem) -> list[_Taking]:
    """The rules that took an item, as :data:`_ROWS` has them; none where none did."""
    columns = [getattr(item, column) or [] for column in ("rule_ids", "rule_names", "rule_wants")]
    return [_Taking(*rule) for rule in zip(*columns, strict=True)]


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
