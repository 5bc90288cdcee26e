"""What reads runs, agents and pins. Lists never touch content."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_read
from kindgi.api.ids import parse_id
from kindgi.runs import errors
from kindgi.runs.models import Agent, AgentPin, AgentVersion, BlockVersion, PinChange, PinnedBlock, Run, RunContent
from kindgi.sql import fetch

# Read before every correction, so it is written out. The lock serialises what is said of one run,
# and keeps an erasure or a purge from passing a correction halfway.
_FOR_CORRECTION = """
SELECT run.project_id, run.run_id, run.content_id, run.status, run.flow_id, run.flow_version,
       run.agent_id, run.agent_version, run.participant_id, run.content_erased_at IS NOT NULL,
       (SELECT version.tools FROM runs_agentversion AS version JOIN runs_agent AS agent ON agent.id = version.agent_id
        WHERE agent.tenant_id = run.tenant_id AND agent.agent_id = run.agent_id AND version.version = run.agent_version)
FROM runs_run AS run
WHERE run.tenant_id = %s AND run.run_id = %s
FOR NO KEY UPDATE OF run
"""


_FOR_CORRECTIONS = """
SELECT run_id, content_erased_at IS NOT NULL FROM runs_run
WHERE tenant_id = %s AND run_id = ANY(%s) ORDER BY run_id FOR NO KEY UPDATE
"""


_MOST_AGENTS = 200
_AGENTS = """
WITH RECURSIVE agent AS (
    (SELECT agent_id FROM runs_run WHERE project_id = %s AND agent_id > '' ORDER BY agent_id LIMIT 1)
    UNION ALL
    SELECT (SELECT run.agent_id FROM runs_run AS run WHERE run.project_id = %s AND run.agent_id > agent.agent_id
            ORDER BY run.agent_id LIMIT 1)
    FROM agent WHERE agent.agent_id IS NOT NULL
)
SELECT agent_id FROM agent WHERE agent_id IS NOT NULL LIMIT %s
"""


class RunToCorrect(NamedTuple):
    """What a correction must know of its run. ``tools`` is ``None`` where they were never registered."""

    project_id: UUID
    run_id: UUID
    content_id: UUID | None
    status: str
    flow_id: str
    flow_version: str
    agent_id: str
    agent_version: str
    participant_id: str
    is_erased: bool
    tools: Any


class RunToShow(NamedTuple):
    """A run with its content, and its version's tools: ``None`` where these were never registered."""

    run: Run
    content: RunContent | None
    tools: list[dict[str, Any]] | None


def runs_readable(caller: Caller) -> QuerySet[Run]:
    """The runs of the caller's tenant in the projects that they may read."""
    runs = Run.objects.filter(tenant_id=caller.tenant_id)
    return runs if caller.sees_every_project else runs.filter(project_id__in=caller.readable_project_ids())


def runs_of(project: Project) -> QuerySet[Run]:
    """The runs of a project, without the texts that no list shows."""
    return Run.objects.filter(tenant_id=project.tenant_id, project=project).defer("failure_message")


def run_agents(project: Project) -> list[str]:
    """The ids of the agents that have runs in the project; the first 200, however many runs there are.

    One statement, which looks each agent's next one up in the index of agents' runs.
    """
    return [agent_id for (agent_id,) in fetch(_AGENTS, [project.pk, project.pk, _MOST_AGENTS])]


def run_get(*, caller: Caller, run_id: str) -> Run:
    """A readable run by its public id; raises :class:`RunNotFound` for everything else."""
    parsed = parse_id(run_id)
    run = Run.objects.filter(tenant_id=caller.tenant_id, run_id=parsed).first() if parsed else None
    if run is None or not can_read(caller, run.project_id):
        raise errors.RunNotFound(run_id)
    return run


def run_to_show(*, project: Project, run_id: str) -> RunToShow:
    """A run of the project by its public id, all that its page needs; one statement. Raises :class:`RunNotFound`."""
    parsed = parse_id(run_id)
    version = AgentVersion.objects.filter(
        agent__tenant=OuterRef("tenant"), agent__agent_id=OuterRef("agent_id"), version=OuterRef("agent_version")
    )
    runs = Run.objects.filter(tenant_id=project.tenant_id, project=project).select_related("content")
    run = runs.annotate(tools=Subquery(version.values("tools")[:1])).filter(run_id=parsed).first() if parsed else None
    if run is None:
        raise errors.RunNotFound(run_id)
    return RunToShow(run, run.content, run.tools)


def runs_related(run: Run, *, limit: int) -> list[Run]:
    """The run's parent, what it replays, its parts and its replays, in its project, newest first; one statement.

    Each kind is found by its own index; of parts and of replays ``limit`` at most.
    """
    runs = Run.objects.filter(tenant_id=run.tenant_id, project_id=run.project_id)
    above = runs.filter(run_id__in=[pk for pk in (run.parent_run_id, run.replay_of) if pk])
    parts = runs.filter(parent_run_id=run.run_id).order_by("-created_at", "-id")[:limit]
    replays = runs.filter(replay_of=run.run_id).order_by("-created_at", "-id")[:limit]
    return list(above.union(parts, replays).order_by("-created_at", "-id"))


def run_lock(*, caller: Caller, run_id: str) -> Run:
    """Like :func:`run_get`, with the row locked until the transaction ends."""
    seen = run_get(caller=caller, run_id=run_id)
    run = Run.objects.select_for_update(no_key=True).filter(pk=seen.pk).first()
    if run is None:  # purged a moment ago
        raise errors.RunNotFound(run_id)
    return run


def run_lock_for_correction(*, caller: Caller, run_id: str) -> RunToCorrect:
    """The run with its version's tools, locked until the transaction ends; one statement.

    Where it waited for the lock, it sees the run as it is after the wait, but what else it joined
    as it was before: content is read by :func:`run_output`, afterwards.

    Raises :class:`RunNotFound` for an id of whatever shape that the caller may not read.
    """
    parsed = parse_id(run_id)
    found = fetch(_FOR_CORRECTION, [caller.tenant_id, parsed]) if parsed is not None else []
    if not found or not can_read(caller, found[0][0]):
        raise errors.RunNotFound(run_id)
    run = RunToCorrect(*found[0])
    # Django has raw cursors hand out jsonb as text.
    return run._replace(tools=None if run.tools is None else json.loads(run.tools))


def runs_lock(*, tenant_id: UUID, run_ids: Sequence[UUID]) -> dict[UUID, bool]:
    """Lock those runs that there are, in the order of their ids, until the transaction ends; whether each is erased."""
    return dict(fetch(_FOR_CORRECTIONS, [tenant_id, list(run_ids)]))


def run_content(content_id: UUID | None) -> RunContent | None:
    """The content row, all of it."""
    return None if content_id is None else RunContent.objects.filter(pk=content_id).first()


def run_output(content_id: UUID | None) -> bytes | None:
    """The stored form of the output alone; the run must be locked."""
    if content_id is None:
        return None
    found = fetch("SELECT output FROM runs_runcontent WHERE id = %s", [content_id])
    return found[0][0] if found else None


def agent_get(*, tenant_id: UUID, agent_id: str) -> Agent:
    """An agent of the tenant; raises :class:`AgentNotFound`."""
    agent = Agent.objects.filter(tenant_id=tenant_id, agent_id=agent_id).select_related("latest").first()
    if agent is None:
        raise errors.AgentNotFound(f'No version of the agent "{agent_id}" is registered.')
    return agent


def agent_version_get(*, agent: Agent, version: str) -> AgentVersion:
    """A version of an agent; raises :class:`AgentVersionNotFound`."""
    found = AgentVersion.objects.filter(agent=agent, version=version).first()
    if found is None:
        raise errors.AgentVersionNotFound(f'The agent "{agent.agent_id}" has no version "{version}".')
    return found


def versions_named(*, tenant_id: UUID, agent_id: str, stem: str) -> list[str]:
    """The agent's versions that begin with ``stem``; one statement."""
    versions = AgentVersion.objects.filter(agent__tenant_id=tenant_id, agent__agent_id=agent_id)
    return list(versions.filter(version__startswith=stem).values_list("version", flat=True).order_by())


def agent_pin_get(*, project: Project, agent: Agent) -> AgentPin | None:
    """What the project pins, or ``None`` where it follows Latest."""
    return AgentPin.objects.filter(project=project, agent=agent).select_related("version").first()


def pins_of(agents: Collection[tuple[UUID, str]]) -> dict[tuple[UUID, str], str]:
    """The version that is pinned, by project and agent id, of those of ``agents`` that have a pin; one statement."""
    projects, names = {project_id for project_id, _ in agents}, {agent_id for _, agent_id in agents}
    pins = AgentPin.objects.filter(project_id__in=projects, agent__agent_id__in=names)
    found = pins.values_list("project_id", "agent__agent_id", "version__version")
    return {(project_id, agent_id): version for project_id, agent_id, version in found}


def blocks_of(version: AgentVersion) -> list[BlockVersion]:
    """The versions of blocks that an agent version pins, in the order in which they were sent; one statement."""
    pinned = PinnedBlock.objects.filter(agent_version=version).select_related("block").order_by("position")
    return [one.block for one in pinned]


def pin_changed_by(*, project: Project, agent_id: str, to_version: str) -> str | None:
    """Whose pin of the version is the newest change of the agent's pin, or whose unpin where it is empty.

    An actor (``user:<id>``, ``service_account:<id>``), or ``None`` where the newest is another.
    """
    changes = PinChange.objects.filter(project=project, agent__agent_id=agent_id)
    newest = changes.order_by("-created_at", "-pk").values_list("to_version", "by").first()
    return newest[1] if newest is not None and newest[0] == to_version else None
