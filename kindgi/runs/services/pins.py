"""Pins moved: which version a project runs, with its history, and who is told of it (contract, section 3)."""

from __future__ import annotations

from typing import Literal

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.runs import hooks
from kindgi.runs.hooks import VersionMoved
from kindgi.runs.models import Agent, AgentPin, AgentVersion, PinChange
from kindgi.runs.selectors import agent_pin_get

How = Literal["pin", "went-back", "unpin"]


def pin_move(*, caller: Caller, project: Project, agent: Agent, to: AgentVersion | None, how: How) -> AgentPin | None:
    """The project's pin, set to a version, or removed for ``None``; ``agent`` is locked, with its Latest.

    Who may is the business of whoever calls. Where it is so already nothing changes, and nobody is told of a move.
    """
    pin = agent_pin_get(project=project, agent=agent)
    before = pin.version.version if pin else ""
    after = to.version if to else ""
    if before == after:
        if pin is not None:
            hooks.version_pinned_again([VersionMoved(project, agent, after, how, caller)])
        return pin
    if to is None:
        AgentPin.objects.filter(project=project, agent=agent).delete()
        pin = None
    else:
        values = {"version": to, "pinned_by": caller.actor, "created_at": now()}
        pin, _ = AgentPin.objects.update_or_create(project=project, agent=agent, defaults=values)
    PinChange.objects.create(
        id=new_id(), project=project, agent=agent, from_version=before, to_version=after, by=caller.actor
    )
    runs_since = to or agent.latest
    hooks.version_moved([VersionMoved(project, agent, runs_since.version if runs_since else None, how, caller)])
    return pin
