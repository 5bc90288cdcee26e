"""What reads replay endpoints (contract, section 7)."""

from __future__ import annotations

from improve.errors import ReplayEndpointNotFound
from improve.models import ReplayEndpoint
from kindgi.access.models import Project


def replay_endpoint_of(*, project: Project, agent_id: str) -> ReplayEndpoint | None:
    """The project's replay endpoint of an agent, or ``None``."""
    return ReplayEndpoint.objects.filter(project=project, agent_id=agent_id).first()


def replay_endpoint_get(*, project: Project, agent_id: str) -> ReplayEndpoint:
    """The project's replay endpoint of an agent; raises :class:`ReplayEndpointNotFound`."""
    found = replay_endpoint_of(project=project, agent_id=agent_id)
    if found is None:
        raise ReplayEndpointNotFound
    return found


def replay_endpoint_lock(*, project: Project, agent_id: str) -> ReplayEndpoint:
    """The same, locked."""
    locked = ReplayEndpoint.objects.filter(project=project, agent_id=agent_id).select_for_update(no_key=True)
    found = locked.first()
    if found is None:
        raise ReplayEndpointNotFound
    return found


def replay_endpoints_of(project: Project) -> list[ReplayEndpoint]:
    """The project's replay endpoints by their agents, without the secrets. One statement."""
    return list(ReplayEndpoint.objects.filter(project=project).defer("secret", "previous_secret").order_by("agent_id"))
