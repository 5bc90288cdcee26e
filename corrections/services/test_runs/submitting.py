"""What is sent of a test run, checked for shape (contract, section 4). Knows no database."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Raw, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.api.operations import Body
from kindgi.runs.records import Calls, Name, Version, check_calls

MAX_REPLAYS = 10_000


class ReplayBody(Body):
    """What the version did on one run; without `calls` or `output`, what these would decide stays unchecked."""

    run_id: Annotated[str, Meta(min_length=1, description="The corrected run's id.")]
    calls: Calls | UnsetType = UNSET
    output: Raw | UnsetType = UNSET


class TestRunBody(Body):
    """A version of an agent, replayed on corrected runs."""

    agent_id: Name
    version: Version
    how: Annotated[
        Literal["pin", "went-back", "unpin", "latest"], Meta(description="How the project came to run the version.")
    ]
    replays: Annotated[list[ReplayBody], Meta(min_length=1, max_length=MAX_REPLAYS, description="Each run once.")]
    experts_only: Annotated[bool, Meta(description="Count, and move, only experts' corrections.")] = False


def replays_by_run(body: TestRunBody) -> dict[UUID, ReplayBody]:
    """The replays whose run's id can be one, by it; raises :class:`BadInput` for bad calls and a run sent twice."""
    found: dict[UUID, ReplayBody] = {}
    for index, replay in enumerate(body.replays):
        if not isinstance(replay.calls, UnsetType):
            check_calls(bytes(replay.calls), f"/replays/{index}/calls")
        run_id = parse_id(replay.run_id)
        if run_id is None:
            continue
        if run_id in found:
            raise BadInput(
                f'/replays/{index}: the run "{run_id}" is there more than once; each run goes once.',
                details={"path": f"/replays/{index}"},
            )
        found[run_id] = replay
    return found
