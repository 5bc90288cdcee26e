"""What a reporter sends of a run, checked for shape (contract, section 3). Knows no database."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Raw, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.api.jsontext import decode_span
from kindgi.api.operations import PREFIX, Body
from kindgi.api.times import whole_ms
from kindgi.runs.models import FINAL

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Version = Annotated[str, Meta(min_length=1, max_length=100)]
Instant = Annotated[datetime, Meta(tz=True)]
StatusName = Literal["pending", "running", "suspended", "completed", "failed", "cancelled"]
ViaName = Literal["live", "latest", "explicit", "conversation", "flow-pin"]


class AgentRef(Body):
    """The agent that ran."""

    id: Name
    version: Version
    via: ViaName | UnsetType = UNSET
    conversation_id: Name | UnsetType = UNSET


class FlowRef(Body):
    """The flow that ran."""

    id: Name
    version: Version


class Call(Body):
    """One call of a tool; ``args`` is kept to the byte."""

    tool: Annotated[str, Meta(min_length=1)]
    args: Annotated[Raw, Meta(extra_json_schema={"type": "object"})]
    refused: bool | UnsetType = UNSET


Calls = Annotated[
    Raw,
    Meta(
        description="The calls of tools, in order; kept to the byte.",
        extra_json_schema={"type": "array", "items": {"$ref": f"{PREFIX}Call"}},
    ),
]
"""What :func:`check_calls` lets pass."""


class RunBody(Body):
    """A run as reported: exactly one of ``agent`` and ``flow``."""

    status: StatusName
    project_id: str | UnsetType = UNSET
    agent: AgentRef | UnsetType = UNSET
    flow: FlowRef | UnsetType = UNSET
    dry_run: bool | UnsetType = UNSET
    input: Raw | UnsetType = UNSET
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET
    created_at: Instant | UnsetType = UNSET
    completed_at: Instant | UnsetType = UNSET
    failure_message: Annotated[str, Meta(max_length=100_000)] | UnsetType = UNSET
    parent_run_id: UUID | UnsetType = UNSET
    replay_of: UUID | UnsetType = UNSET
    eval_run_id: Name | UnsetType = UNSET
    participant_id: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET


class RunRecord(RunBody, kw_only=True):
    """A line of an import: the run with its id."""

    id: str


def check_run(body: RunBody) -> None:
    """What the types can't say. Raises :class:`BadInput`."""
    if (body.agent is UNSET) == (body.flow is UNSET):
        raise BadInput("Exactly one of agent and flow says what ran.")
    if body.completed_at is not UNSET and body.status not in FINAL:
        raise BadInput(f"completedAt is for a run that has ended, not for one that is {body.status}.")
    instant(body.created_at)
    instant(body.completed_at)
    if body.calls is not UNSET:
        check_calls(bytes(body.calls), "/calls")


def check_calls(calls: bytes, place: str) -> None:
    """Refuse calls of another shape; ``place`` is where they stand in the body. Raises :class:`BadInput`."""
    for index, call in enumerate(decode_span(calls, list[Call], place)):
        if bytes(call.args)[:1] != b"{":
            at = f"{place}/{index}/args"
            raise BadInput(f"{at}: args must be an object.", details={"path": at})


def run_id_of(text: str) -> UUID:
    """The run's id as its reporter chose it; raises :class:`BadInput` for what is no UUID."""
    parsed = parse_id(text)
    if parsed is None:
        raise BadInput(f'A run\'s id is a UUID that its reporter chooses, not "{text[:100]}".')
    return parsed


def instant(value: datetime | UnsetType) -> datetime | None:
    """A reported instant as it is stored, or ``None``."""
    if isinstance(value, UnsetType):
        return None
    try:
        return whole_ms(value)
    except OverflowError:
        raise BadInput("An instant must lie in the years 1 to 9999, in UTC.") from None
