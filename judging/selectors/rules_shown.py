"""What a page of a project's rules shows beside them: how much of each is open, what goes on, what there is to name."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from judging.models import CatchUp, CatchUpState, JudgingRule, JudgingRuleVersion, State
from kindgi.access.models import Project
from kindgi.runs.models import AGENT_FLOW_ID
from kindgi.sql import fetch

MOST_NAMED = 200
MOST_CATCH_UPS = 20
VERSIONS_SHOWN = 25

_OPEN = """
SELECT rule_id, sum(counted.n)::bigint
FROM judging_lane AS lane
JOIN judging_lanecount AS counted
    ON counted.project_id = lane.project_id AND counted.lane_id = lane.id AND counted.state = %s
CROSS JOIN unnest(lane.rule_ids) AS rule_id
WHERE lane.project_id = %s GROUP BY rule_id
"""
# Each agent of the project's runs is found by one step in the index, however many runs it has. Flows have no index of
# their own: those of the newest runs, which are no agent's.
_NAMED = """
WITH RECURSIVE ran(id) AS (
    (SELECT agent_id FROM runs_run WHERE project_id = %(project)s AND agent_id > '' ORDER BY agent_id LIMIT 1)
    UNION ALL
    SELECT (SELECT agent_id FROM runs_run WHERE project_id = %(project)s AND agent_id > ran.id
            ORDER BY agent_id LIMIT 1)
    FROM ran WHERE ran.id IS NOT NULL
)
(SELECT 'agent', id FROM (SELECT id FROM ran WHERE id IS NOT NULL LIMIT %(most)s) AS seen
UNION
(SELECT 'agent', agent_id FROM runs_agent WHERE tenant_id = %(tenant)s ORDER BY agent_id LIMIT %(most)s))
UNION
(SELECT DISTINCT 'flow', flow_id FROM (
    SELECT flow_id FROM runs_run WHERE project_id = %(project)s AND agent_id = ''
    ORDER BY created_at DESC, id DESC LIMIT 1000) AS newest
WHERE flow_id <> %(turn)s)
ORDER BY 1, 2
"""


def open_by_rule(project: Project) -> dict[UUID, int]:
    """How many items wait that each of the project's rules queued; one without any is missing. One statement."""
    return dict(fetch(_OPEN, [State.OPEN, project.pk]))


def agents_and_flows(project: Project) -> tuple[list[str], list[str]]:
    """The ids that a rule of the project may name: the tenant's agents and those that ran in it, and its recent flows.

    Each in the order of the ids; one statement. There may be others, which a person has to type.
    """
    values = {"project": project.pk, "tenant": project.tenant_id, "most": MOST_NAMED, "turn": AGENT_FLOW_ID}
    found = fetch(_NAMED, values)
    return [name for kind, name in found if kind == "agent"], [name for kind, name in found if kind == "flow"]


def catch_ups_shown(project: Project, ids: Collection[UUID]) -> list[CatchUp]:
    """The project's catch-ups that go on, and those among ``ids``, with their rules; oldest first. One statement."""
    found = CatchUp.objects.filter(Q(state=CatchUpState.RUNNING) | Q(pk__in=ids), project=project)
    return list(found.select_related("rule").order_by("created_at", "pk")[:MOST_CATCH_UPS])


def versions_shown(rule: JudgingRule, *, up_to: int | None = None) -> list[JudgingRuleVersion]:
    """A rule's newest versions, or those up to a number, newest first; one more than ``VERSIONS_SHOWN``.

    What the last of these changed is known by one more, so that it isn't shown itself. One statement.
    """
    versions = JudgingRuleVersion.objects.filter(rule=rule)
    if up_to is not None:
        versions = versions.filter(version__lte=up_to)
    return list(versions.order_by("-version")[: VERSIONS_SHOWN + 1])


def rule_version_get(rule: JudgingRule, version: int) -> JudgingRuleVersion | None:
    """What a version of a rule said, if there is one of that number."""
    return JudgingRuleVersion.objects.filter(rule=rule, version=version).first()
