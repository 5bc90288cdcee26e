"""What handing out items, and taking a reopening back, ask of the queue (contract, sections 6 and 10)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from judging.models import QueueItem, State
from judging.queue_view import QueueView
from judging.selectors.queue_lanes import MINE, chosen_lanes
from judging.selectors.queue_list import QueueQuery
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.sql import fetch

_LANES = "WITH {mine} SELECT lane.id FROM judging_lane AS lane WHERE {filters}"
_REASONS = """
SELECT DISTINCT coalesce(reason, '') FROM judging_queueitem
WHERE tenant_id = %s AND project_id = %s AND run_id = ANY(%s) AND state = 'dismissed'
"""


def open_items_of(view: QueueView) -> QueueQuery:
    """The open items of the list, whatever state and sort it shows; one statement."""
    open_view = replace(view, state=str(State.OPEN))
    filters, parameters = chosen_lanes(open_view)
    found = fetch(_LANES.format(mine=MINE, filters=filters), parameters)
    return QueueQuery(view.project, [State.OPEN], lanes=[lane_id for (lane_id,) in found])


def held_by(query: QueueQuery, *, caller: Caller, at: datetime) -> QueueItem | None:
    """The item of those that the caller has had open the longest; one statement."""
    held = QueueItem.objects.filter(
        project=query.project, held_by=caller.actor, held_until__gt=at, state__in=query.states
    )
    return held.filter(lane__in=query.lanes or []).order_by("held_since", "pk").first()


def reasons_of(*, project: Project, run_ids: Collection[UUID]) -> set[str]:
    """Why those of the runs were dismissed that are; empty of one without a reason. One statement."""
    found = fetch(_REASONS, [project.tenant_id, project.pk, list(run_ids)])
    return {reason for (reason,) in found}
