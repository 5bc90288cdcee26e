"""Which tests of versions have failed, and when they are begun anew (contract, section 4; docs/concurrency.md)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from improve.models import PinTest
from kindgi.api.times import now
from kindgi.sql import fetch

# After the first failure, the second, and so on; after as many tests more it is left.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 2 * 60, 6 * 60, 12 * 60))
# A test that was begun before isn't looked for: it may last a week, and its longest pause half a day.
LOOKED_BACK = timedelta(days=14)
MOST_AT_ONCE = 100

# The newest test of an agent in a project, where it failed, of what the project runs still, since its pin was moved
# last: coming back to a version is a move of its own, which starts a test or has nothing to test.
_FAILED = """
WITH failed AS (
    SELECT test.id, test.created_at, job.tenant_id, job.project_id, job.agent_id, job.version, job.finished_at
    FROM improve_pintest AS test
    JOIN improve_replayjob AS job ON job.id = test.job_id
    WHERE job.state = 'failed' AND job.id >= %(since)s AND test.id >= %(since)s
      AND (%(project_id)s::uuid IS NULL OR job.project_id = %(project_id)s AND job.agent_id = %(agent_id)s)
      AND NOT EXISTS (
        SELECT FROM improve_replayjob AS its JOIN improve_pintest AS later ON later.job_id = its.id
        WHERE its.project_id = job.project_id AND its.agent_id = job.agent_id
          AND (later.created_at, later.id) > (test.created_at, test.id)
      )
), standing AS (
    SELECT failed.*, coalesce(moved.at, '-infinity') AS moved_at
    FROM failed
    JOIN runs_agent AS agent ON agent.tenant_id = failed.tenant_id AND agent.agent_id = failed.agent_id
    LEFT JOIN runs_agentpin AS pin ON pin.project_id = failed.project_id AND pin.agent_id = agent.id
    JOIN runs_agentversion AS runs ON runs.id = coalesce(pin.version_id, agent.latest_id)
    LEFT JOIN LATERAL (
        SELECT max(change.created_at) AS at FROM runs_pinchange AS change
        WHERE change.project_id = failed.project_id AND change.agent_id = agent.id
    ) AS moved ON true
    WHERE runs.version = failed.version AND failed.created_at >= coalesce(moved.at, '-infinity')
      AND EXISTS (
        SELECT FROM improve_replayendpoint AS endpoint
        WHERE endpoint.project_id = failed.project_id AND endpoint.agent_id = failed.agent_id
      )
)
SELECT id, tenant_id, project_id, agent_id FROM standing
WHERE %(at_once)s OR finished_at <= %(now)s - (%(pauses)s::interval[])[(
    SELECT count(*) FROM improve_replayjob AS its JOIN improve_pintest AS test ON test.job_id = its.id
    WHERE its.project_id = standing.project_id AND its.agent_id = standing.agent_id
      AND its.version = standing.version AND test.created_at >= standing.moved_at
)]
ORDER BY finished_at LIMIT %(most)s
"""


class FailedTest(NamedTuple):
    """A test that failed, and of which project's agent it is."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    agent_id: str


def pin_tests_due() -> list[FailedTest]:
    """The tests to begin anew now, those first that failed first; at most ``MOST_AT_ONCE``. One statement."""
    return _failed()


def pin_tests_due_of(*, project_id: UUID, agent_id: str) -> PinTest | None:
    """The one of an agent in a project, which is locked; two statements."""
    return _read(_failed(project_id=project_id, agent_id=agent_id))


def pin_test_failed(*, project_id: UUID, agent_id: str) -> PinTest | None:
    """The last test of what the project runs, if it failed: however often, whenever. Two statements."""
    return _read(_failed(project_id=project_id, agent_id=agent_id, at_once=True))


def _failed(*, project_id: UUID | None = None, agent_id: str = "", at_once: bool = False) -> list[FailedTest]:
    at = now()
    found = fetch(
        _FAILED,
        {
            "project_id": project_id,
            "agent_id": agent_id,
            "since": UUID(int=0) if at_once else _first_id(at - LOOKED_BACK),
            "at_once": at_once,
            "now": at,
            "pauses": list(PAUSES),
            "most": MOST_AT_ONCE,
        },
    )
    return [FailedTest(*row) for row in found]


def _first_id(at: datetime) -> UUID:
    """No id that was made since is lower: ids begin with their time, and there is an index of them."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def _read(found: list[FailedTest]) -> PinTest | None:
    with_job = PinTest.objects.select_related("job__project", "promotion")
    return with_job.get(pk=found[0].id) if found else None
