"""How runs are sent (contract, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from kindgi.api.json_values import members
from kindgi.api.operations import Answer, Body, Time
from kindgi.api.times import wire
from kindgi.runs.blocks import Blocks, Values
from kindgi.runs.content import unpack
from kindgi.runs.models import AgentPin, AgentVersion, BlockVersion, Run, RunContent
from kindgi.runs.records import Calls, Name, StatusName, Version


class RunAgent(Answer):
    """The agent that ran, which version, in which conversation, and why that version."""

    id: str
    version: str
    conversation_id: str
    via: str | UnsetType = UNSET


class RunAnswer(Answer, kw_only=True):
    """A run. `output`, `input` and `calls` come only with a single run, to the byte as reported."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    flow_id: str
    flow_version: str
    status: StatusName
    dry_run: bool
    created_at: Time
    updated_at: Time
    completed_at: Time | UnsetType = UNSET
    failure_message: str | UnsetType = UNSET
    input: Raw | UnsetType = UNSET
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET
    content_erased_at: Time | UnsetType = UNSET
    parent_run_id: UUID | UnsetType = UNSET
    replay_of: UUID | UnsetType = UNSET
    eval_run_id: str | UnsetType = UNSET
    agent: RunAgent | UnsetType = UNSET


def run_answer(run: Run) -> RunAnswer:
    """A run without its content."""
    answer = RunAnswer(
        id=run.run_id,
        tenant_id=run.tenant_id,
        project_id=run.project_id,
        flow_id=run.flow_id,
        flow_version=run.flow_version,
        status=run.status,  # type: ignore[arg-type]
        dry_run=run.dry_run,
        created_at=wire(run.created_at),
        updated_at=wire(run.updated_at),
        completed_at=wire(run.completed_at) if run.completed_at else UNSET,
        failure_message=UNSET if run.failure_message is None else run.failure_message,
        content_erased_at=wire(run.content_erased_at) if run.content_erased_at else UNSET,
        parent_run_id=run.parent_run_id or UNSET,
        replay_of=run.replay_of or UNSET,
        eval_run_id=run.eval_run_id or UNSET,
    )
    if run.is_agents:
        answer.agent = RunAgent(
            id=run.agent_id,
            version=run.agent_version,
            conversation_id=run.conversation_id,
            via=run.agent_via or UNSET,
        )
    return answer


def content_part(content: RunContent | None, name: str) -> Raw | UnsetType:
    """One part of a run's content as it was reported, or nothing."""
    text = unpack(getattr(content, name)) if content is not None else None
    return UNSET if text is None else Raw(text)


class Erased(Answer):
    """How many an erasure took words from: `copies` are what corrections kept of runs, `replays` test runs' own."""

    runs: int
    corrections: int
    copies: int
    replays: int


class ParticipantErased(Answer):
    """The receipt of an erasure; a second one takes nothing and says so."""

    project_id: UUID
    participant_id: str
    erased_at: Time
    erased: Erased


class ImportResult(Answer, kw_only=True):
    """What became of one record: `line` counts from 1, blank lines included."""

    line: int
    outcome: Literal["created", "updated", "unchanged", "refused"]
    id: str | UnsetType = UNSET
    error: RecordRefusal | UnsetType = UNSET


class RecordRefusal(Answer):
    """Why a record was refused, as its own request would have been."""

    code: str
    message: str


class ImportAnswer(Answer):
    """How many records became what, and each one's result in their order."""

    created: int
    updated: int
    unchanged: int
    refused: int
    results: list[ImportResult]


class Tool(Body):
    """A tool that the version can call; `writes` says whether it changes something."""

    id: Name
    writes: bool | UnsetType = UNSET


class VersionBody(Body):
    """A version's tools: left out, nothing is known of them and none is refused. And its blocks, which never change."""

    tools: Annotated[list[Tool], Meta(max_length=1000)] | UnsetType = UNSET
    blocks: Blocks | UnsetType = UNSET


class BlockAnswer(Answer, kw_only=True):
    """A block of the version: `version` counts the block's contents from 1, whichever agent versions pin them."""

    id: str
    kind: Literal["prompt", "settings"]
    version: str
    template: str | UnsetType = UNSET
    parameters: Annotated[Raw, Meta(extra_json_schema={"type": "array"})] | UnsetType = UNSET
    values: Values | UnsetType = UNSET
    schema: Annotated[Raw, Meta(extra_json_schema={"type": "object"})] | UnsetType = UNSET


class VersionAnswer(Answer, kw_only=True):
    """A registered version; `latest` says whether it is the agent's Latest."""

    agent_id: str
    version: str
    latest: bool
    created_at: Time
    updated_at: Time
    tools: list[Tool] | UnsetType = UNSET
    blocks: list[BlockAnswer] | UnsetType = UNSET


class PinBody(Body):
    """Which version to pin."""

    version: Version


class PinAnswer(Answer, kw_only=True):
    """What a project runs of an agent: the pinned version, or Latest where none is."""

    project_id: UUID
    agent_id: str
    pinned: bool
    version: str | UnsetType = UNSET
    pinned_by: str | UnsetType = UNSET
    pinned_at: Time | UnsetType = UNSET


def version_answer(
    version: AgentVersion, *, agent_id: str, latest: bool, blocks: Sequence[BlockVersion]
) -> VersionAnswer:
    """A version with its blocks as it is sent; without `blocks` where it pins none."""
    tools = UNSET if version.tools is None else [Tool(**tool) for tool in version.tools]
    return VersionAnswer(
        agent_id=agent_id,
        version=version.version,
        latest=latest,
        created_at=wire(version.created_at),
        updated_at=wire(version.updated_at),
        tools=tools,
        blocks=[block_answer(block) for block in blocks] or UNSET,
    )


def block_answer(block: BlockVersion) -> BlockAnswer:
    """A block as it was sent, with its version."""
    content, declares = members(block.content.encode()), members(block.declares.encode())
    return BlockAnswer(
        id=block.block_id,
        kind=block.kind,  # type: ignore[arg-type]
        version=str(block.version),
        template=msgspec.json.decode(content["template"], type=str) if "template" in content else UNSET,
        parameters=declares.get("parameters", UNSET),
        values=content.get("values", UNSET),
        schema=declares.get("schema", UNSET),
    )


def pin_answer(*, project_id: UUID, agent_id: str, pin: AgentPin | None, latest: AgentVersion | None) -> PinAnswer:
    """What the project runs; no version where nothing is pinned and no semver is registered."""
    if pin is None:
        version = latest.version if latest else UNSET
        return PinAnswer(project_id=project_id, agent_id=agent_id, pinned=False, version=version)
    return PinAnswer(
        project_id=project_id,
        agent_id=agent_id,
        pinned=True,
        version=pin.version.version,
        pinned_by=pin.pinned_by,
        pinned_at=wire(pin.created_at),
    )
