"""Registering agents' versions, and pinning them (contract, sections 3 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import semver

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write_anywhere, check_administer
from kindgi.api.errors import PermissionDenied
from kindgi.api.times import now
from kindgi.rows import insert
from kindgi.runs import hooks
from kindgi.runs.blocks import Block
from kindgi.runs.hooks import LatestMoved
from kindgi.runs.models import Agent, AgentPin, AgentVersion
from kindgi.runs.selectors import agent_get, agent_pin_get, agent_version_get
from kindgi.runs.services.blocks import blocks_pin
from kindgi.runs.services.pins import How, pin_move


def agent_version_register(
    *,
    caller: Caller,
    agent_id: str,
    version: str,
    tools: list[dict[str, Any]] | None,
    blocks: Sequence[Block] | None = None,
) -> tuple[AgentVersion, bool]:
    """Register a version with its tools and blocks, or say its tools anew; the version, and whether it is new.

    Saying what is known already changes nothing. What a version pins of blocks never changes: said
    once, saying others raises ``AgentVersionBlocksFixed``.

    The agent's row is locked, so that Latest, the highest semver registered, follows every
    version however many are registered at once. A version that is no semver is never Latest.
    """
    if not can_write_anywhere(caller):
        raise PermissionDenied("This needs write access to a project (editor or above).")
    insert(
        [Agent(tenant_id=caller.tenant_id, agent_id=agent_id)], suffix="ON CONFLICT (tenant_id, agent_id) DO NOTHING"
    )
    agent = agent_lock(tenant_id=caller.tenant_id, agent_id=agent_id)
    at = now()
    found, made = AgentVersion.objects.get_or_create(
        agent=agent, version=version, defaults={"tools": tools, "created_at": at, "updated_at": at}
    )
    pinned = blocks is not None and blocks_pin(version=found, blocks=blocks)
    if not made and (pinned or (tools is not None and found.tools != tools)):
        found.tools, found.updated_at = found.tools if tools is None else tools, now()
        found.save(update_fields=["tools", "updated_at"])
    if _precedes(agent.latest, found):
        agent.latest = found
        agent.save(update_fields=["latest"])
        hooks.latest_moved([LatestMoved(agent, found.version, caller)])
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
    return latest is None or _by_semver(latest, candidate) < 0


def _by_semver(one: AgentVersion, other: AgentVersion) -> int:
    """Below 0 where ``one`` is the lower semver, above where it is the higher; 0 where semver doesn't tell."""
    if not (semver.Version.is_valid(one.version) and semver.Version.is_valid(other.version)):
        return 0
    order: int = semver.Version.parse(one.version).compare(other.version)
    return order


def agent_pin_set(*, caller: Caller, project: Project, agent_id: str, version: str) -> AgentPin:
    """Pin a version in a project; needs its admin. Pinning what is pinned changes nothing."""
    check_administer(caller, project.pk)
    agent = agent_lock(tenant_id=caller.tenant_id, agent_id=agent_id)
    wanted = agent_version_get(agent=agent, version=version)
    pin = pin_move(caller=caller, project=project, agent=agent, to=wanted, how=how_pinned(project, agent, wanted))
    assert pin is not None  # noqa: S101 - it was set to a version
    return pin


def how_pinned(project: Project, agent: Agent, wanted: AgentVersion) -> How:
    """What pinning ``wanted`` is: ``went-back`` where it is earlier than what the project runs, its pin or Latest.

    ``agent`` is locked, with its Latest. By semver; where that doesn't tell two apart, which it never does by build
    metadata, or where one is no semver, the earlier is the one that was registered first.
    """
    pin = agent_pin_get(project=project, agent=agent)
    runs = pin.version if pin else agent.latest
    return "went-back" if runs is not None and _is_earlier(wanted, runs) else "pin"


def _is_earlier(one: AgentVersion, other: AgentVersion) -> bool:
    order = _by_semver(one, other)
    return order < 0 if order else one.created_at < other.created_at


def agent_pin_remove(*, caller: Caller, project: Project, agent_id: str) -> bool:
    """Follow Latest again; needs the project's admin. Whether there was a pin."""
    check_administer(caller, project.pk)
    agent = agent_lock(tenant_id=caller.tenant_id, agent_id=agent_id)
    if agent_pin_get(project=project, agent=agent) is None:
        return False
    pin_move(caller=caller, project=project, agent=agent, to=None, how="unpin")
    return True
