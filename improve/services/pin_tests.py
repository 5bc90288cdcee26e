"""Test runs that start by themselves: a version that a project came to run is replayed on its corrected runs.

Contract, sections 4 and 7. Whoever moves a version has the agent's row locked; then come the jobs that this
ends, and then the runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType

from corrections.models import How
from corrections.services.test_runs.reading import Scope, corrections_lock
from corrections.services.test_runs.recording import test_run_record
from corrections.services.test_runs.submitting import ReplayBody, TestRunBody
from improve.blocks import blocks_text, change_text
from improve.models import CaseReplay, JobState, PinTest, Promotion, ReplayJob
from improve.selectors.candidates import change_of_version
from improve.selectors.endpoints import replay_endpoint_of
from improve.selectors.pin_tests import (
    pin_test_of,
    pin_tests_going_on,
    projects_following,
    replays_to_record,
    runs_said_wrong,
)
from improve.services.jobs import CaseToReplay, job_begin, job_cancel
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.runs.content import unpack
from kindgi.runs.hooks import LatestMoved, VersionMoved
from kindgi.runs.models import Agent
from kindgi.runs.selectors import agent_version_get, blocks_of

# What a test run is recorded by is in memory at once: of so many bytes of answers, and no more.
MOST_BYTES = 64 * 1024 * 1024


def version_moved(moves: list[VersionMoved]) -> None:
    """Test what projects came to run, where the agent can be replayed; what was tested before isn't any more."""
    for move in moves:
        for job_id in pin_tests_going_on(project=move.project, agent_id=move.agent.agent_id):
            job_cancel(job_id=job_id, by=move.caller.actor)
        if move.version is not None and replay_endpoint_of(project=move.project, agent_id=move.agent.agent_id):
            cases = _cases(move.project, move.agent.agent_id)
            if cases:
                _begin(move, move.version, cases)


def latest_moved(moves: list[LatestMoved]) -> None:
    """The same for each project that follows Latest."""
    for move in moves:
        for project in projects_following(move.agent):
            version_moved([VersionMoved(project, move.agent, move.version, How.LATEST.value, move.caller)])


def pin_test_begin_again(test: PinTest, *, agent: Agent) -> PinTest:
    """A new test of the version that ``test`` failed to test, in the name of whoever moved it then.

    ``agent`` is locked. All is asked anew, with what was said wrong since. One that finds nothing to ask any more
    is begun all the same, and done at once: that ends the trying.
    """
    job = test.job
    move = VersionMoved(job.project, agent, job.version, test.how, _mover(job.tenant_id, test))
    return _begin(move, job.version, _cases(job.project, job.agent_id), promotion=test.promotion)


def _begin(
    move: VersionMoved, version: str, cases: list[CaseToReplay], *, promotion: Promotion | None = None
) -> PinTest:
    moved_to = agent_version_get(agent=move.agent, version=version)
    change = change_of_version(project=move.project, version=moved_to)
    blocks = blocks_of(moved_to)
    job = job_begin(
        project=move.project,
        agent_id=move.agent.agent_id,
        version=version,
        change=None if change is None else change_text(change),
        blocks=blocks_text({block.block_id: block.content for block in blocks}) if blocks else None,
        cases=cases,
        asked_by=move.caller.actor,
    )
    return PinTest.objects.create(
        job=job,
        how=move.how,
        made_by_kind=move.caller.kind,
        made_by_id=move.caller.id,
        made_by_principal_id=move.caller.principal_id,
        promotion=promotion,
    )


def _cases(project: Project, agent_id: str) -> list[CaseToReplay]:
    """The runs to replay, which are locked: nobody erases one before its replay is there to be left out."""
    found = runs_said_wrong(project=project, agent_id=agent_id)
    scope = Scope(project.tenant_id, project.pk, agent_id, experts_only=False)
    erased = corrections_lock(scope, sorted(run_id for run_id, _ in found))
    return [CaseToReplay(run_id, content_id) for run_id, content_id in found if run_id not in erased]


def pin_tests_tie(promotion: Promotion, *, since: datetime) -> None:
    """Say of what the promotion started by moving the pin, in this transaction after ``since``, that it is its own.

    The agent's row is locked, so that nobody else started any meanwhile.
    """
    proposal = promotion.proposal
    started = PinTest.objects.filter(
        job__project_id=proposal.project_id, job__agent_id=proposal.agent_id, job__state=JobState.RUNNING
    )
    started.filter(created_at__gte=since, promotion__isnull=True).update(promotion=promotion)


def pin_tests_record(jobs: list[ReplayJob]) -> None:
    """Record the test runs of jobs that are done: corrections are fixed or reopened by them, in the mover's name."""
    for job in jobs:
        test = pin_test_of(job) if job.state == JobState.DONE else None
        if test is not None:
            _record(job, test)


def _record(job: ReplayJob, test: PinTest) -> None:
    replays = list(_bounded(replays_to_record(job)))
    if not replays:
        return
    how: Any = test.how
    body = TestRunBody(agent_id=job.agent_id, version=job.version, how=how, replays=replays)
    test.test_run = test_run_record(caller=_mover(job.tenant_id, test), project_id=str(job.project_id), body=body)
    test.save(update_fields=["test_run"])


def _mover(tenant_id: UUID, test: PinTest) -> Caller:
    """Who moved the version, whatever they may do by now: that they might was checked then."""
    kind: Any = test.made_by_kind
    return Caller(
        tenant_id=tenant_id,
        kind=kind,
        id=test.made_by_id,
        principal_id=test.made_by_principal_id,
        is_tenant_admin=True,
    )


def _bounded(rows: Iterator[CaseReplay]) -> Iterator[ReplayBody]:
    """The replays, in their order; of those that don't fit any more, the run alone, so that it is left unchecked."""
    left = MOST_BYTES
    for row in rows:
        calls, output = unpack(row.calls), unpack(row.output)
        size = len(calls or b"") + len(output or b"")
        if size > left:
            yield ReplayBody(run_id=str(row.run_id))
            continue
        left -= size
        yield ReplayBody(run_id=str(row.run_id), calls=_part(calls), output=_part(output))


def _part(text: bytes | None) -> Raw | UnsetType:
    return UNSET if text is None else Raw(text)
