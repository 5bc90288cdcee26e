"""Agents, their versions, blocks and pins, and the runs that runtimes report (contract, section 3)."""

from kindgi.runs.models.agents import Agent, AgentPin, AgentVersion, BlockKind, BlockVersion, PinChange, PinnedBlock
from kindgi.runs.models.runs import (
    AGENT_FLOW_ID,
    AGENT_FLOW_VERSION,
    FINAL,
    Run,
    RunContent,
    RunStatus,
    Via,
)

__all__ = [
    "AGENT_FLOW_ID",
    "AGENT_FLOW_VERSION",
    "FINAL",
    "Agent",
    "AgentPin",
    "AgentVersion",
    "BlockKind",
    "BlockVersion",
    "PinChange",
    "PinnedBlock",
    "Run",
    "RunContent",
    "RunStatus",
    "Via",
]
