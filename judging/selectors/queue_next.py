"""What waits in a person's list, for handing it out (contract, section 10)."""

from __future__ import annotations

from dataclasses import replace

from judging.models import State
from judging.queue_view import QueueView
from judging.selectors.queue_lanes import MINE, chosen_lanes
from judging.selectors.queue_list import QueueQuery
from kindgi.sql import fetch

_LANES = "WITH {mine} SELECT lane.id FROM judging_lane AS lane WHERE {filters}"


def open_items_of(view: QueueView) -> QueueQuery:
    """The open items of the list, whatever state and sort it shows; one statement."""
    open_view = replace(view, state=str(State.OPEN))
    filters, parameters = chosen_lanes(open_view)
    found = fetch(_LANES.format(mine=MINE, filters=filters), parameters)
    return QueueQuery(view.project, [State.OPEN], lanes=[lane_id for (lane_id,) in found])
