"""Recording a test run: grade without a lock, then lock, move what is still as it was read, and keep it all.

It goes by batches of 500, of a fixed number of statements each, so that ten thousand corrections
take seconds, of which people who correct the same runs wait for the last ones only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import UnsetType

from corrections.grading import Grade, Output, Replayed, grade, unchecked
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Outcome, Replay, Status, TestResult, TestRun
from corrections.services.history import by
from corrections.services.test_runs.moving import Move, corrections_move
from corrections.services.test_runs.reading import (
    Candidate,
    Scope,
    batches,
    candidates_of,
    changed_since,
    corrections_lock,
)
from corrections.services.test_runs.submitting import ReplayBody, TestRunBody, replays_by_run
from corrections.transitions import Standing, Tested, after_test
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_write
from kindgi.access.selectors import project_get
from kindgi.api.errors import LockTimeout
from kindgi.api.times import now, wire
from kindgi.rows import fresh, insert
from kindgi.runs.content import pack
from kindgi.runs.selectors import pin_changed_by

_NOTHING_SHOWN = Replayed(calls=None, output=None)


class Graded(NamedTuple):
    """A correction, how its replay came out, and where it stands since (``None``: where it stood)."""

    candidate: Candidate
    grade: Grade
    moved_to: Standing | None = None


def test_run_record(*, caller: Caller, project_id: str, body: TestRunBody) -> TestRun:
    """Record what a version did on corrected runs, and fix or reopen their corrections by it; needs write access.

    Replays of runs of which the agent has no correction in the project that says something was
    wrong are counted, and not kept. Raises ``BadInput`` for the shape, ``ProjectNotFound``,
    ``PermissionDenied``.
    """
    replays = replays_by_run(body)
    project = project_get(caller=caller, project_id=project_id)
    check_write(caller, project.pk)
    scope = Scope(project.tenant_id, project.pk, body.agent_id, body.experts_only)
    read = [list(_graded(scope, run_ids, replays)) for run_ids in batches(sorted(replays))]
    checked = sorted({one.candidate.run_id for batch in read for one in batch})
    # The words of erased runs are gone, and what is said of them in another way is not kept either.
    for run_id in corrections_lock(scope, checked):
        del replays[run_id]
    test_run = _test_run(caller, project, body)
    tested = Tested(body.version, body.how, _who_moved(caller, project, body), wire(test_run.created_at))
    moving = _Moving(scope, replays, test_run, tested, by(caller))
    settled = [one for batch in read if batch for one in moving.settled(batch)]
    _store(test_run, settled, {run_id: replays[run_id] for run_id in checked if run_id in replays})
    return test_run


def _graded(scope: Scope, run_ids: Sequence[UUID], replays: Mapping[UUID, ReplayBody]) -> Iterator[Graded]:
    """How each correction of the runs came out; those of one run stand together, and its replay is read once."""
    run_id, replayed = None, _NOTHING_SHOWN
    for candidate, to_grade in candidates_of(scope, run_ids):
        if candidate.run_id != run_id:
            run_id = candidate.run_id
            replayed = _replayed(replays.get(run_id))
        yield Graded(candidate, grade(to_grade, replayed))


def _replayed(replay: ReplayBody | None) -> Replayed:
    if replay is None:
        return _NOTHING_SHOWN
    output = _given(replay.output)
    return Replayed(_given(replay.calls), None if output is None else Output(output))


def _given(part: Any) -> bytes | None:
    return None if isinstance(part, UnsetType) else bytes(part)


@dataclass(frozen=True, slots=True)
class _Moving:
    """A test run whose corrections are graded and locked; ``replays`` without those of erased runs."""

    scope: Scope
    replays: Mapping[UUID, ReplayBody]
    test_run: TestRun
    tested: Tested
    by: dict[str, Any]

    def settled(self, batch: Sequence[Graded]) -> list[Graded]:
        """The batch with its corrections moved; what changed since it was read is read and graded anew, and moved so.

        What is gone by then was never checked.
        """
        stale = changed_since(self.scope, (one.candidate for one in batch))
        if stale:  # whatever anybody says of a run, all of its corrections may be graded by
            batch = [one for one in batch if one.candidate.run_id not in stale] + self._anew(stale)
        settled, lost = self._moved(batch)
        if lost:
            ids = {one.candidate.id for one in lost}
            again = self._anew(sorted({one.candidate.run_id for one in lost}))
            more, lost = self._moved([one for one in again if one.candidate.id in ids])
            settled += more
        if lost:  # nobody can, while the locks are held
            raise LockTimeout(retry_after=1)
        return settled

    def _anew(self, run_ids: Sequence[UUID]) -> list[Graded]:
        return list(_graded(self.scope, run_ids, self.replays))

    def _moved(self, batch: Sequence[Graded]) -> tuple[list[Graded], list[Graded]]:
        """The corrections that stand now as they should, and those that somebody changed since they were read."""
        wanted = [(one, self._after(one)) for one in batch]
        moves = [
            Move(one.candidate.id, one.candidate.revision, one.candidate.standing, after)
            for one, after in wanted
            if after is not None
        ]
        moved = corrections_move(moves, by=self.by, test_run_id=self.test_run.pk)
        settled = [
            Graded(one.candidate, self._grade(one), after)
            for one, after in wanted
            if after is None or one.candidate.id in moved
        ]
        return settled, [one for one, after in wanted if after is not None and one.candidate.id not in moved]

    def _after(self, one: Graded) -> Standing | None:
        return after_test(one.candidate.standing, self._grade(one).outcome, self.tested)

    def _grade(self, one: Graded) -> Grade:
        """How it came out, unless its run was erased meanwhile."""
        return one.grade if one.candidate.run_id in self.replays else unchecked(one.grade)


def _who_moved(caller: Caller, project: Project, body: TestRunBody) -> dict[str, Any] | None:
    """Who pinned, went back or unpinned, as ``madeBy`` names people; the reporter where no pin is known.

    A pin tells of a service's account, and ``madeBy`` of its token: of another's it isn't known.
    """
    to_version = "" if body.how == "unpin" else body.version
    actor = pin_changed_by(project=project, agent_id=body.agent_id, to_version=to_version)
    if actor in (None, caller.actor):
        return by(caller)
    kind, _, pk = actor.partition(":")
    return {"kind": "user", "id": pk} if kind == "user" else None


def _test_run(caller: Caller, project: Project, body: TestRunBody) -> TestRun:
    return TestRun(
        tenant_id=project.tenant_id,
        project_id=project.pk,
        agent_id=body.agent_id,
        version=body.version,
        how=body.how,
        experts_only=body.experts_only,
        made_by_kind=caller.kind,
        made_by_id=caller.id,
        replays=len(body.replays),
        created_at=now(),
    )


def _store(test_run: TestRun, settled: Sequence[Graded], replays: Mapping[UUID, ReplayBody]) -> None:
    test_run.uncorrected = test_run.replays - len({one.candidate.run_id for one in settled})
    test_run.counts = counts(settled)
    test_run.expert_counts = counts([one for one in settled if one.candidate.expert])
    test_run.save(force_insert=True)
    for batch in batches(settled):
        insert([_result(test_run, one) for one in batch], same=("test_run_id", "created_at"))
    for run_ids in batches(list(replays)):
        kept = [_replay(test_run, run_id, replays[run_id]) for run_id in run_ids]
        insert(kept, same=("test_run_id", "created_at", "tenant_id"))


def counts(settled: Sequence[Graded]) -> dict[str, int]:
    """How many corrections came out how, and how many of them were moved."""
    outcomes = Counter(one.grade.outcome for one in settled)
    moved = Counter(one.moved_to.status == Status.FIXED for one in settled if one.moved_to is not None)
    return {
        "corrections": len(settled),
        **{outcome.value: outcomes[outcome] for outcome in Outcome},
        "fixed": moved[True],
        "reopened": moved[False],
    }


def _result(test_run: TestRun, one: Graded) -> TestResult:
    before = one.candidate.standing.status
    return fresh(
        TestResult,
        created_at=test_run.created_at,
        test_run_id=test_run.pk,
        correction_id=one.candidate.id,
        run_id=one.candidate.run_id,
        expert=one.candidate.expert,
        outcome=one.grade.outcome,
        parts=_parts(one.grade),
        status_before=before,
        status_after=before if one.moved_to is None else one.moved_to.status,
    )


def _parts(graded: Grade) -> dict[str, Any]:
    """The parts as they are sent: the two that have names of their own, then the items."""
    named = {DECISIONS_KEY: "decisions", ANSWER_KEY: "answer"}
    parts: dict[str, Any] = {name: graded.parts[key] for key, name in named.items() if key in graded.parts}
    items = [{"key": key, "outcome": outcome} for key, outcome in graded.parts.items() if key not in named]
    return {**parts, "items": items} if items else parts


def _replay(test_run: TestRun, run_id: UUID, replay: ReplayBody) -> Replay:
    return fresh(
        Replay,
        created_at=test_run.created_at,
        test_run_id=test_run.pk,
        tenant_id=test_run.tenant_id,
        run_id=run_id,
        calls=pack(_given(replay.calls)),
        output=pack(_given(replay.output)),
    )
