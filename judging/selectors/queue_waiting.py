"""How much waits, and for whom: sums of the lanes' counts, by the rule that the lists go by (contract, section 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple
from uuid import UUID

from corrections.models import JudgeClass
from corrections.policies import class_refusal
from judging.models import State
from judging.queue_view import Judge, QueueView, Subject
from judging.selectors.queue_lanes import MINE, lane_filters
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write
from kindgi.sql import fetch

MOST_AGENTS = 200
# A rule wants a class of its own project or of the tenant, so that the classes' ids say all.
_WAITING = """
WITH home AS MATERIALIZED (
    SELECT id FROM access_project WHERE tenant_id = %s AND (%s::uuid[] IS NULL OR id = ANY(%s::uuid[]))
), mine(rule_ids) AS MATERIALIZED (SELECT ARRAY(
    SELECT rule.id FROM home JOIN judging_judgingrule AS rule ON rule.project_id = home.id
    WHERE rule.judge_class_id IS NULL OR rule.judge_class_id = ANY(%s::uuid[])) || %s::uuid[]
), waiting AS MATERIALIZED (
    SELECT lane.project_id, sum(counted.n)::bigint AS n FROM home
    JOIN judging_lane AS lane ON lane.project_id = home.id
    JOIN judging_lanecount AS counted
        ON counted.project_id = lane.project_id AND counted.lane_id = lane.id AND counted.state = 'open'
    WHERE lane.unmet_rule_ids && (SELECT rule_ids FROM mine) GROUP BY lane.project_id
)
SELECT home.id, coalesce(waiting.n, 0) FROM home LEFT JOIN waiting ON waiting.project_id = home.id
"""
_STATES = """
WITH {mine}
SELECT counted.state,
    coalesce(sum(counted.n) FILTER (WHERE (SELECT rule_ids FROM mine) &&
        CASE counted.state WHEN 'open' THEN lane.unmet_rule_ids ELSE lane.rule_ids END), 0)::bigint,
    sum(counted.n)::bigint
FROM judging_lane AS lane
JOIN judging_lanecount AS counted ON counted.project_id = lane.project_id AND counted.lane_id = lane.id
WHERE {filters} GROUP BY counted.state
"""
_AGENTS = """
SELECT agent_id, CASE WHEN agent_id = '' THEN flow_id ELSE '' END AS flow FROM judging_lane WHERE project_id = %s
GROUP BY 1, 2 ORDER BY coalesce(nullif(agent_id, ''), min(flow_id)) COLLATE "C" LIMIT %s
"""


class StateCount(NamedTuple):
    """How many items stand so: of those for whoever looks, and of everyone's."""

    for_me: int
    everyones: int


def judge_of(*, caller: Caller, project: Project, classes: Iterable[JudgeClass], asked_for: Collection[UUID]) -> Judge:
    """What of the project's queue is for the caller; no statement.

    ``classes`` are the tenant's, retired ones too; ``asked_for`` is what asks them for corrections,
    besides rules (:mod:`judging.hooks`).
    """
    own = [one for one in classes if one.project_id in (None, project.pk)]
    writes = can_write(caller, project.pk)
    return Judge(writes=writes, class_ids=_given(caller, own), asked_for=tuple(asked_for) if writes else ())


def _given(caller: Caller, classes: Iterable[JudgeClass]) -> tuple[UUID, ...]:
    return tuple(one.pk for one in classes if one.unregistered_at is None and class_refusal(caller, one) is None)


def queue_waiting(*, caller: Caller, classes: Iterable[JudgeClass], asked_for: Collection[UUID]) -> dict[UUID, int]:
    """How many open items wait for the caller in each project that they may write in, also where none does.

    One statement; ``classes`` and ``asked_for`` as :func:`judge_of` has them, of all projects.
    """
    named = None
    if not caller.sees_every_project:
        named = [project_id for project_id in caller.readable_project_ids() if can_write(caller, project_id)]
    return dict(fetch(_WAITING, [caller.tenant_id, named, named, list(_given(caller, classes)), list(asked_for)]))


def queue_state_counts(view: QueueView) -> dict[str, StateCount]:
    """How many items there are in each state of what the view narrows to, whoever's: what its lists have altogether.

    One statement. The view's own state and sort say nothing here.
    """
    filters, parameters = lane_filters(view)
    counts = dict.fromkeys(map(str, State), StateCount(0, 0))
    for state, for_me, everyones in fetch(_STATES.format(mine=MINE, filters=filters), parameters):
        counts[state] = StateCount(for_me, everyones)
    return counts


def queue_agents(project: Project) -> list[Subject]:
    """The agents and flows that the project's queue has, by their ids; the first 200. One statement."""
    found = fetch(_AGENTS, [project.pk, MOST_AGENTS])
    return [Subject("agent", agent_id) if agent_id else Subject("flow", flow_id) for agent_id, flow_id in found]
