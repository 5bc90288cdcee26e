"""Registering agents' versions, and pinning them (contract, section 3)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import semver

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write_anywhere, check_administer
from kindgi.api.errors import PermissionDenied
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import insert
from kindgi.runs.models import Agent, AgentPin, AgentVersion, PinChange
from kindgi.runs.selectors import agent_get, agent_version_get


def agent_version_register(
    *, caller: Caller, agent_id: str, version: str, tools: list[dict[str, Any]] | None
) -> tuple[AgentVersion, bool]:
    """Register a version with its tools, or say its tools anew; the version, and whether it is new.

    Saying what is known already changes nothing.

    The agent's row is locked, so that Latest, the highest semver registered, follows every
    version however many are registered at once. A version that is no semver is never Latest.
    """
    if not can_write_anywhere(caller):
        raise PermissionDenied("This needs write access to a project (editor or above).")
    insert(
        [Agent(tenant_id=caller.tenant_id, agent_id=agent_id)], suffix="ON CONFLICT (tenant_id, agent_id) DO NOTHING"
    )
    agent = Agent.objects.select_for_update(no_key=True).get(tenant_id=caller.tenant_id, agent_id=agent_id)
    at = now()
    found, made = AgentVersion.objects.get_or_create(
        agent=agent, version=version, defaults={"tools": tools, "created_at": at, "updated_at": at}
    )
    if not made and tools is not None and found.tools != tools:
        found.tools, found.updated_at = tools, now()
        found.save(update_fields=["tools", "updated_at"])
    latest = AgentVersion.objects.get(pk=agent.latest_id) if agent.latest_id else None
    if _precedes(latest, found):
        agent.latest = found
        agent.save(update_fields=["latest"])
    return found, made


def agent_lock(*, tenant_id: UUID, agent_id: str) -> Agent:
    """The agent's row with its Latest, locked until the transaction ends; raises ``AgentNotFound``."""
    seen = agent_get(tenant_id=tenant_id, agent_id=agent_id)
    agent = Agent.objects.select_for_update(no_key=True).get(pk=seen.pk)
    agent.latest = AgentVersion.objects.get(pk=agent.latest_id) if agent.latest_id else None
    return agent


def _precedes(latest: AgentVersion | None, candidate: AgentVersion) -> bool:
    """Whether ``candidate`` is the higher semver."""
    if not semver.Version.is_valid(candidate.version):
        return False
    return latest is None or semver.Version.parse(latest.version) < semver.Version.parse(candidate.version)


def agent_pin_set(*, caller: Caller, project: Project, agent_id: str, version: str) -> AgentPin:
    """Pin a version in a project; needs its admin. Pinning what is pinned changes nothing."""
    check_administer(caller, project.pk)
    agent = agent_get(tenant_id=caller.tenant_id, agent_id=agent_id)
    wanted = agent_version_get(agent=agent, version=version)
    pin = _locked_pin(project, agent)
    if pin is not None and pin.version_id == wanted.pk:
        return pin
    before = pin.version.version if pin else ""
    pin, _ = AgentPin.objects.update_or_create(
        project=project,
        agent=agent,
        defaults={"version": wanted, "pinned_by": caller.actor, "created_at": now()},
    )
    _note(caller, project, agent, before, wanted.version)
    return pin


def agent_pin_remove(*, caller: Caller, project: Project, agent_id: str) -> bool:
    """Follow Latest again; needs the project's admin. Whether there was a pin."""
    check_administer(caller, project.pk)
    agent = agent_get(tenant_id=caller.tenant_id, agent_id=agent_id)
    pin = _locked_pin(project, agent)
    if pin is None:
        return False
    before = pin.version.version
    pin.delete()
    _note(caller, project, agent, before, "")
    return True


def _locked_pin(project: Project, agent: Agent) -> AgentPin | None:
    """The project's pin, with all pinning of the agent in it held until the transaction ends."""
    Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
    return AgentPin.objects.filter(project=project, agent=agent).select_related("version").first()


def _note(caller: Caller, project: Project, agent: Agent, before: str, after: str) -> None:
    PinChange.objects.create(
        id=new_id(), project=project, agent=agent, from_version=before, to_version=after, by=caller.actor
    )
