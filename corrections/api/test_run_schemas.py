"""How test runs are sent (contract, section 4)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType

from corrections.api.schemas import MadeBy, StatusName
from corrections.models import Replay, TestResult, TestRun
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire
from kindgi.runs.content import unpack
from kindgi.runs.records import Calls

OutcomeName = Literal["right", "wrong", "changed", "unchecked"]


class CountsAnswer(Answer):
    """How many corrections were checked, came out how, and were fixed or reopened by it."""

    corrections: int
    right: int
    wrong: int
    changed: int
    unchecked: int
    fixed: int
    reopened: int


class TestRunAnswer(Answer):
    """A test run. `experts` counts the experts' corrections among the others; `uncorrected` the replays of runs
    of which no correction says that something was wrong.
    """

    id: UUID
    tenant_id: UUID
    project_id: UUID
    agent_id: str
    version: str
    how: Literal["pin", "went-back", "unpin", "latest"]
    experts_only: bool
    made_by: MadeBy
    replays: int
    uncorrected: int
    counts: CountsAnswer
    experts: CountsAnswer
    created_at: Time


class ItemOutcomeAnswer(Answer):
    """How an item came out."""

    key: str
    outcome: OutcomeName


class ResultAnswer(Answer, kw_only=True):
    """How the replay came out for one correction: altogether, and for each thing that it says was wrong."""

    correction_id: UUID
    run_id: UUID
    expert: bool
    outcome: OutcomeName
    decisions: OutcomeName | UnsetType = UNSET
    answer: OutcomeName | UnsetType = UNSET
    items: list[ItemOutcomeAnswer] | UnsetType = UNSET
    status_before: StatusName
    status_after: StatusName


class ReplayAnswer(Answer, kw_only=True):
    """What the version did on a run, to the byte; nothing of it after an erasure."""

    run_id: UUID
    calls: Calls | UnsetType = UNSET
    output: Raw | UnsetType = UNSET


def test_run_answer(test_run: TestRun) -> TestRunAnswer:
    """A test run as it is sent."""
    return TestRunAnswer(
        id=test_run.pk,
        tenant_id=test_run.tenant_id,
        project_id=test_run.project_id,
        agent_id=test_run.agent_id,
        version=test_run.version,
        how=test_run.how,  # type: ignore[arg-type]
        experts_only=test_run.experts_only,
        made_by=MadeBy(test_run.made_by_kind, test_run.made_by_id),  # type: ignore[arg-type]
        replays=test_run.replays,
        uncorrected=test_run.uncorrected,
        counts=CountsAnswer(**test_run.counts),
        experts=CountsAnswer(**test_run.expert_counts),
        created_at=wire(test_run.created_at),
    )


def result_answer(result: TestResult) -> ResultAnswer:
    """A result as it is sent; its parts are stored so."""
    return ResultAnswer(
        correction_id=result.correction_id,
        run_id=result.run_id,
        expert=result.expert,
        outcome=result.outcome,  # type: ignore[arg-type]
        status_before=result.status_before,  # type: ignore[arg-type]
        status_after=result.status_after,  # type: ignore[arg-type]
        **result.parts,
    )


def replay_answer(replay: Replay) -> ReplayAnswer:
    """A replay as it is sent."""
    return ReplayAnswer(run_id=replay.run_id, calls=_part(replay.calls), output=_part(replay.output))


def _part(stored: bytes | memoryview | None) -> Raw | UnsetType:
    text = unpack(stored)
    return UNSET if text is None else Raw(text)
