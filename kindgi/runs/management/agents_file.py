"""A file of agents with their versions and tools, for programs that register them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins

from kindgi.access.callers import Caller
from kindgi.api.jsontext import decode
from kindgi.runs.records import Name, Version
from kindgi.runs.services.agents import agent_version_register


class ToolEntry(Struct):
    """A tool of a version; whatever else the file says of it is ignored, here as everywhere."""

    id: Name
    writes: bool | UnsetType = UNSET


class VersionEntry(Struct):
    """A version; without ``tools`` nothing is known of them."""

    version: Version
    tools: list[ToolEntry] | UnsetType = UNSET


class AgentEntry(Struct):
    """An agent."""

    id: Name
    versions: list[VersionEntry]


class AgentsFile(Struct):
    """The whole file."""

    agents: list[AgentEntry]


def agents_read(path: Path) -> AgentsFile:
    """What the file holds; raises ``OSError`` and ``BadInput``."""
    return decode(path.read_bytes(), AgentsFile)


def agents_register(*, caller: Caller, file: AgentsFile) -> tuple[int, int]:
    """Register every version with its tools; how many there are, and how many of them are new."""
    registered = new = 0
    for agent in file.agents:
        for entry in agent.versions:
            tools: Any = None if isinstance(entry.tools, UnsetType) else to_builtins(entry.tools)
            _, is_new = agent_version_register(caller=caller, agent_id=agent.id, version=entry.version, tools=tools)
            registered, new = registered + 1, new + is_new
    return registered, new
