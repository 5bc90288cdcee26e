"""What test runs that start by themselves are about (contract, sections 4 and 7)."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db.models import Exists, OuterRef

from improve.models import CaseReplay, JobState, PinTest, ReplayJob, ReplayState
from kindgi.access.models import Project
from kindgi.runs.models import Agent, AgentPin
from kindgi.sql import fetch

MOST_RUNS = 10_000
# Of answers, each of which may have a megabyte.
BATCH = 50

# Newest by the run's end; of one that retention has deleted, by its first correction. A run whose words were erased
# has nothing to replay.
_WRONG = """
WITH wrong AS MATERIALIZED (
    SELECT DISTINCT correction.run_id
    FROM corrections_correction AS correction
    JOIN corrections_verdict AS verdict ON verdict.correction_id = correction.id
    WHERE correction.tenant_id = %s AND correction.project_id = %s
      AND correction.subject_kind = 'agent' AND correction.subject_id = %s
      AND correction.unregistered_at IS NULL AND verdict.unregistered_at IS NULL AND NOT verdict."right"
)
SELECT wrong.run_id, copy.content_id
FROM wrong
JOIN corrections_runcopy AS copy ON copy.tenant_id = %s AND copy.run_id = wrong.run_id
JOIN runs_runcontent AS content ON content.id = copy.content_id AND content.input IS NOT NULL
LEFT JOIN runs_run AS run ON run.tenant_id = %s AND run.run_id = wrong.run_id
WHERE run.content_erased_at IS NULL
ORDER BY coalesce(run.completed_at, copy.created_at) DESC, wrong.run_id DESC LIMIT %s
"""


def runs_said_wrong(*, project: Project, agent_id: str) -> list[tuple[UUID, UUID]]:
    """The agent's runs in the project of which a live correction says that something was wrong, with their content.

    The newest 10,000; runs that retention has deleted too. One statement.
    """
    tenant = project.tenant_id
    found = fetch(_WRONG, [tenant, project.pk, agent_id, tenant, tenant, MOST_RUNS])
    return [(run_id, content_id) for run_id, content_id in found]


def projects_following(agent: Agent) -> list[Project]:
    """The projects that run the agent's Latest, and have a replay endpoint of it; one statement."""
    pins = AgentPin.objects.filter(project=OuterRef("pk"), agent=agent)
    asked = Project.objects.filter(tenant_id=agent.tenant_id, replay_endpoints__agent_id=agent.agent_id)
    return list(asked.filter(~Exists(pins)).order_by("pk"))


def pin_tests_going_on(*, project: Project, agent_id: str) -> list[UUID]:
    """The jobs that replay versions which the project came to run of the agent, in the order of their ids."""
    jobs = ReplayJob.objects.filter(project=project, agent_id=agent_id, state=JobState.RUNNING)
    return list(jobs.filter(pin_test__isnull=False).order_by("pk").values_list("pk", flat=True))


def pin_test_of(job: ReplayJob) -> PinTest | None:
    """The test that a job is of."""
    return PinTest.objects.filter(job=job).first()


def replays_to_record(job: ReplayJob) -> Iterator[CaseReplay]:
    """The job's replays of which there is something to check, those of erased runs apart; few are in memory at once."""
    told = CaseReplay.objects.filter(job=job, state__in=[ReplayState.ANSWERED, ReplayState.REFUSED])
    ids = list(told.filter(erased_at__isnull=True).order_by("position", "repetition").values_list("pk", flat=True))
    for begin in range(0, len(ids), BATCH):
        some = CaseReplay.objects.filter(pk__in=ids[begin : begin + BATCH], erased_at__isnull=True)
        yield from some.order_by("position", "repetition")
