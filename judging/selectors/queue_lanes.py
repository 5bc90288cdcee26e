"""The lanes that a person's filters choose, in SQL: for what is counted, and for what is listed."""

from __future__ import annotations

from typing import Any

from judging.models import State
from judging.queue_view import QueueView

# The rules whose wish the view's judge may fulfil by their latest version, stopped ones too, and what else asks them.
# Names are those of :func:`lane_filters`.
MINE = """
mine(rule_ids) AS MATERIALIZED (SELECT ARRAY(
    SELECT id FROM judging_judgingrule
    WHERE project_id = %(project)s AND %(writes)s::boolean
      AND (judge_class_id IS NULL OR judge_class_id = ANY(%(classes)s::uuid[])))
    || %(asked)s::uuid[]
)
"""
_STILL_WANTED = "lane.unmet_rule_ids && (SELECT rule_ids FROM mine)"
_WANTED = "lane.rule_ids && (SELECT rule_ids FROM mine)"


def lane_filters(view: QueueView) -> tuple[str, dict[str, Any]]:
    """What the view's rule and subject ask of a ``lane``, and the parameters of this and of :data:`MINE`."""
    filters = ["lane.project_id = %(project)s"]
    parameters: dict[str, Any] = {
        "project": view.project.pk,
        "writes": view.judge.writes,
        "classes": list(view.judge.class_ids),
        "asked": list(view.judge.asked_for),
    }
    if view.rule_id is not None:
        filters.append("%(rule)s = ANY(lane.rule_ids)")
        parameters["rule"] = view.rule_id
    if view.subject is not None:
        of_agent = view.subject.kind == "agent"
        filters.append(
            "lane.agent_id = %(subject)s" if of_agent else "lane.agent_id = '' AND lane.flow_id = %(subject)s"
        )
        parameters["subject"] = view.subject.id
    return " AND ".join(filters), parameters


def chosen_lanes(view: QueueView) -> tuple[str, dict[str, Any]]:
    """As :func:`lane_filters`, and for the judge alone where the view is; :data:`MINE` must be there."""
    filters, parameters = lane_filters(view)
    if view.for_me:
        # Of what has closed nobody looks any more at what is still wanted: what its rules want stays true.
        wanted = _STILL_WANTED if view.state == State.OPEN else _WANTED
        return f"{filters} AND {wanted}", parameters
    return filters, parameters
