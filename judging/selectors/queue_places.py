"""Where a list's next rows are, as SQL: read from indexes that have them in their order, however many there are.

A list is read from a place on, forward or backward. Where lanes have an order of their own, each of
those past that place is read from its beginning, those that are alike to the place's from there,
and the others not at all. Of each lane only the places are read, as many as are asked for; then
the first of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from judging.queue_view import KEYED, Place, QueueView, Sort
from judging.selectors.queue_lanes import MINE, chosen_lanes

# What all items of a lane have in common that they are sorted by, as texts.
_KEYS = {
    Sort.RAN: "ARRAY[CASE WHEN lane.agent_id = '' THEN lane.flow_id ELSE lane.agent_id END]::text[] COLLATE \"C\"",
    Sort.WHY: """
        ARRAY(SELECT lower(rule.name) COLLATE "C" AS name FROM judging_judgingrule AS rule
        WHERE rule.id = ANY(lane.rule_ids) ORDER BY name) COLLATE "C"
    """,
    Sort.STANDS: """
        (ARRAY[lane.corrected::int::text] || ARRAY(
            SELECT DISTINCT lower(class.name) COLLATE "C" AS name FROM judging_judgingrule AS rule
            JOIN corrections_judgeclass AS class ON class.id = rule.judge_class_id
            WHERE rule.id = ANY(lane.unmet_rule_ids) ORDER BY name)) COLLATE "C"
    """,
    Sort.HELD: "1",
}
_CHOSEN = "chosen AS MATERIALIZED (SELECT lane.id, {key} AS key FROM judging_lane AS lane WHERE {filters})"
_LANE = "lane AS MATERIALIZED (SELECT id, key, {begin} AS begin_at FROM chosen)"
_LANE_FROM = """
here AS MATERIALIZED (
    SELECT {key} AS key FROM judging_lane AS lane WHERE lane.id = %(lane)s AND lane.project_id = %(project)s
), lane AS MATERIALIZED (
    SELECT chosen.id, chosen.key, CASE WHEN chosen.key = here.key THEN {at} ELSE {begin} END AS begin_at
    FROM chosen JOIN here ON chosen.key {beyond}= here.key
)
"""
_OF_LANES = """
SELECT lane.key, found.at, found.id FROM lane CROSS JOIN LATERAL (
    SELECT item.{column} AS at, item.id FROM judging_queueitem AS item
    WHERE item.lane_id = lane.id AND item.state = %(state)s
      AND (item.{column}, item.id) {after} (lane.begin_at, {id}) AND {also}
    ORDER BY item.{column} {way}, item.id {way} LIMIT %(limit)s) AS found
ORDER BY {order} LIMIT %(limit)s
"""
_OF_PROJECT = """
SELECT {key} AS key, item.{column} AS at, item.id FROM judging_queueitem AS item
WHERE item.project_id = %(project)s AND item.state = %(state)s
  AND (item.{column}, item.id) {after} ({begin}, {id}) AND {also}
ORDER BY item.{column} {way}, item.id {way} LIMIT %(limit)s
"""
# Few, and found by the index of what is held.
_HELD = """
held AS MATERIALIZED (
    SELECT item.created_at, item.id FROM judging_queueitem AS item
    WHERE item.project_id = %(project)s AND item.held_until > %(seen_at)s AND item.state = %(state)s AND {of_lanes})
"""
_OF_HELD = "SELECT 0 AS key, created_at AS at, id FROM held WHERE (created_at, id) {after} ({begin}, {id})"
_HELD_AND_FREE = "place AS MATERIALIZED (SELECT * FROM ({every}) AS found ORDER BY {order} LIMIT %(limit)s)"
# By the few ids, since only the row itself, and no index, says when it is free.
_FREE = "item.id NOT IN (SELECT id FROM held)"
_AT = "%(at)s::timestamptz"


@dataclass(frozen=True, slots=True)
class Places:
    """The parts of a ``WITH``, the last of them ``place(key, at, id)``; the columns that order it; the parameters."""

    parts: str
    order: str
    parameters: dict[str, Any]

    def select(self, what: str) -> str:
        """A statement that selects ``what`` of the places."""
        return f"WITH {self.parts} {what}"


def places_of(view: QueueView, *, after: Place | None, back: bool, limit: int, seen_at: datetime) -> Places:
    """Up to ``limit`` places of the view after a place or from its beginning; ``back`` reads it the other way round.

    At ``seen_at`` is looked who holds what, unless ``after`` has its own moment.
    """
    rises = view.descending == back
    plain = view.sort in (Sort.ADDED, Sort.FINISHED)
    words = _words(view, key_rises=rises, rises=rises if plain else not back)
    filters, parameters = chosen_lanes(view)
    parameters |= {"state": view.state, "limit": limit, "at": None, "id": UUID(int=0), "seen_at": seen_at}
    if after is not None:
        parameters |= {"at": after.at, "id": after.id, "lane": after.lane_id, "seen_at": after.seen_at}
    parts = [MINE, _CHOSEN.format(**words, filters=filters)]
    if view.sort == Sort.HELD:
        parts += _held_or_not(view, words, after, key_rises=rises)
    else:
        parts += _in_one_go(view, words, after)
    return Places(", ".join(parts), words["order"], parameters)


def _words(view: QueueView, *, key_rises: bool, rises: bool) -> dict[str, str]:
    """How the statements say which way keys go, and which way what is alike by them."""
    way, key_way = ("ASC" if up else "DESC" for up in (rises, key_rises))
    return {
        "key": _KEYS.get(Sort(view.sort), "0"),
        "column": "completed_at" if view.sort == Sort.FINISHED else "created_at",
        "after": ">" if rises else "<",
        "beyond": ">" if key_rises else "<",
        "way": way,
        "order": f"key {key_way}, at {way}, id {way}",
        "first": f"'{'-' if rises else ''}infinity'::timestamptz",
        "at": _AT,
        "id": "%(id)s::uuid",
    }


def _is_narrowed(view: QueueView) -> bool:
    return view.for_me or view.rule_id is not None or view.subject is not None


def _in_one_go(view: QueueView, words: dict[str, str], after: Place | None) -> list[str]:
    """The parts that read a list whose lanes have an order, or which is in that of its items alone."""
    if view.sort in KEYED and after is not None:
        lane = _LANE_FROM.format(**words, begin=words["first"])
        return [lane, f"place AS MATERIALIZED ({_OF_LANES.format(**words, also='true')})"]
    begin = words["first"] if after is None else _AT
    if view.sort == Sort.ADDED and not _is_narrowed(view):
        return [f"place AS MATERIALIZED ({_OF_PROJECT.format(**words, begin=begin, also='true')})"]
    lane = _LANE.format(begin=begin)
    return [lane, f"place AS MATERIALIZED ({_OF_LANES.format(**words, also='true')})"]


def _held_or_not(view: QueueView, words: dict[str, str], after: Place | None, *, key_rises: bool) -> list[str]:
    """The parts that read what somebody holds, and what nobody does."""
    narrowed = _is_narrowed(view)
    held = _HELD.format(of_lanes="item.lane_id IN (SELECT id FROM chosen)" if narrowed else "true")
    parts, reads = [held], []
    if (begin := _begin(words, after, held=True, key_rises=key_rises)) is not None:
        reads.append(_OF_HELD.format(**words, begin=begin))
    if (begin := _begin(words, after, held=False, key_rises=key_rises)) is not None:
        parts.append(_LANE.format(begin=begin))
        reads.append((_OF_LANES if narrowed else _OF_PROJECT).format(**words, begin=begin, also=_FREE))
    every = " UNION ALL ".join(f"({read})" for read in reads)
    return [*parts, _HELD_AND_FREE.format(**words, every=every)]


def _begin(words: dict[str, str], after: Place | None, *, held: bool, key_rises: bool) -> str | None:
    """From when on what is held, or what isn't, is read; ``None`` where all of it was before."""
    if after is None:
        return words["first"]
    if after.held == held:
        return _AT
    return words["first"] if after.held == key_rises else None
