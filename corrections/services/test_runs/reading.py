"""Reading what a test run grades: corrections that say something was wrong, and what they compare with.

Three statements for the corrections of any number of runs, and content only where a pointer or an
answer needs it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from corrections.decision_check import Expected
from corrections.grading import Marks, Output, ToGrade, Wrong, canonical_text
from corrections.json_values import canonical
from corrections.models import ANSWER_KEY, DECISIONS_KEY
from corrections.services.erasure import runs_erased
from corrections.transitions import Standing
from kindgi.runs.content import unpack
from kindgi.runs.selectors import runs_lock
from kindgi.sql import fetch

BATCH = 500

Thing = TypeVar("Thing")


def batches(things: Sequence[Thing]) -> Iterator[list[Thing]]:
    """``things`` in order, :data:`BATCH` at a time."""
    for start in range(0, len(things), BATCH):
        yield list(things[start : start + BATCH])


class Scope(NamedTuple):
    """Whose corrections count: of an agent in a project, all or the experts' alone."""

    tenant_id: UUID
    project_id: UUID
    agent_id: str
    experts_only: bool


class Candidate(NamedTuple):
    """A live correction that says something was wrong, as it was read at ``revision``.

    ``seen`` stands for the live verdicts of its run, by all people, when it was read.
    """

    id: UUID
    run_id: UUID
    revision: int
    standing: Standing
    expert: bool
    seen: tuple[int, ...]


# Run by run, so that the index of a run's rows is taken whatever the statistics say, and though they are old: without
# the OFFSET, reading all of a tenant's rows may look as good. The revisions are read first, so that a verdict that
# changed since then is noticed by its correction's move.
_CORRECTIONS = """
SELECT correction.*
FROM unnest(%s::uuid[]) AS wanted(run_id) CROSS JOIN LATERAL (
    SELECT id, run_id, revision, status, sorted_to, fixed_in, reopened_in, restricted,
           should_call, must_not_call, should_say, args_erased_at IS NOT NULL
    FROM corrections_correction AS one
    WHERE one.tenant_id = %s AND one.run_id = wanted.run_id AND one.project_id = %s
      AND one.subject_kind = 'agent' AND one.subject_id = %s
      AND one.unregistered_at IS NULL AND (one.restricted OR %s)
    OFFSET 0) AS correction
ORDER BY correction.run_id, correction.id
"""
_VERDICTS = """
SELECT verdict.*
FROM unnest(%s::uuid[]) AS wanted(run_id) CROSS JOIN LATERAL (
    SELECT hashtextextended(id::text, 0), correction_id, run_id, item_key, pointer, "right", item_value
    FROM corrections_verdict AS one
    WHERE one.tenant_id = %s AND one.run_id = wanted.run_id AND one.unregistered_at IS NULL
    ORDER BY correction_id, position
    OFFSET 0) AS verdict
"""
_OUTPUTS = """
SELECT copy.run_id, content.output
FROM corrections_runcopy AS copy JOIN runs_runcontent AS content ON content.id = copy.content_id
WHERE copy.tenant_id = %s AND copy.run_id = ANY(%s) AND content.output IS NOT NULL
"""


_LIVE = """
SELECT wanted.run_id, ARRAY(
    SELECT hashtextextended(id::text, 0) FROM corrections_verdict AS one
    WHERE one.tenant_id = %s AND one.run_id = wanted.run_id AND one.unregistered_at IS NULL)
FROM unnest(%s::uuid[]) AS wanted(run_id)
"""


class _Said(NamedTuple):
    """A live verdict; ``mark`` stands for its id."""

    mark: int
    correction_id: UUID
    run_id: UUID
    key: str
    pointer: str | None
    right: bool
    item_value: bytes | None


class _Run:
    """What people said of a run. ``should_say`` is what the answer should be, by the corrections that count."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.verdicts: list[_Said] = []
        self.should_say: dict[UUID, str | None] = {}
        self.answer: str | None = None

    def wrong_of(self, correction_id: UUID) -> list[Wrong]:
        """What a correction says was wrong, in its order."""
        return [
            Wrong(said.key, said.pointer, self._value(said))
            for said in self.verdicts
            if said.correction_id == correction_id and not said.right
        ]

    @cached_property
    def seen(self) -> tuple[int, ...]:
        """The verdicts, of whomever."""
        return tuple(sorted(said.mark for said in self.verdicts))

    def marks(self) -> Marks:
        """What is said of values, by the corrections that count."""
        return self._marks

    @cached_property
    def _marks(self) -> Marks:
        marks = Marks({}, {})
        for said in self.verdicts:
            value = self._value(said)
            if value is None or said.correction_id not in self.should_say:
                continue
            table: Any = marks.answers if said.key == ANSWER_KEY else marks.items
            table[value] = said.right or table.get(value, False)
        for said in self.verdicts:
            better = self.should_say.get(said.correction_id)
            if said.key == ANSWER_KEY and better is not None:
                marks.answers[canonical(better)] = True  # type: ignore[index]
        return marks

    def _value(self, said: _Said) -> str | None:
        """The canonical text of what a verdict is about, where it is known; the decisions are no value."""
        if said.key == DECISIONS_KEY:
            return None
        if said.pointer is not None:
            stored = unpack(said.item_value)
            return None if stored is None else canonical_text(stored)
        return self.answer if said.key == ANSWER_KEY else None


def candidates_of(scope: Scope, run_ids: Sequence[UUID]) -> list[tuple[Candidate, ToGrade]]:
    """The corrections of ``run_ids`` that a test run checks, by run and id; what it reads may change until it locks.

    What is needed to grade one is apart, so that it can be let go of once that is done.
    """
    parameters = [list(run_ids), scope.tenant_id, scope.project_id, scope.agent_id, not scope.experts_only]
    found = [_Row(*row) for row in fetch(_CORRECTIONS, parameters)]
    if not found:
        return []
    runs = _runs(scope.tenant_id, found)
    candidates = ((_candidate(row, runs[row.run_id]), _to_grade(row, runs[row.run_id])) for row in found)
    return [(candidate, to_grade) for candidate, to_grade in candidates if to_grade.wrong]


def changed_since(scope: Scope, candidates: Iterable[Candidate]) -> list[UUID]:
    """The runs of which anybody said something else since ``candidates`` were read; one statement. They are locked."""
    seen = {candidate.run_id: candidate.seen for candidate in candidates}
    live = dict(fetch(_LIVE, [scope.tenant_id, list(seen)]))
    return sorted(run_id for run_id, marks in seen.items() if list(marks) != sorted(live.get(run_id, ())))


class _Row(NamedTuple):
    """A live correction."""

    id: UUID
    run_id: UUID
    revision: int
    status: str
    sorted_to: str
    fixed_in: str | None
    reopened_in: str | None
    expert: bool
    should_call: str | None
    must_not_call: list[str] | None
    should_say: str | None
    args_erased: bool


def _runs(tenant_id: UUID, found: Sequence[_Row]) -> dict[UUID, _Run]:
    runs: dict[UUID, _Run] = defaultdict(_Run)
    for row in found:
        runs[row.run_id].should_say[row.id] = row.should_say
    for verdict in fetch(_VERDICTS, [list(runs), tenant_id]):
        said = _Said(*verdict)
        runs[said.run_id].verdicts.append(said)
    answered = [run_id for run_id, run in runs.items() if any(_is_whole_answer(said) for said in run.verdicts)]
    for run_id, stored in fetch(_OUTPUTS, [tenant_id, answered]):
        output = unpack(stored)
        if output is not None:
            runs[run_id].answer = Output(output).answer
    return runs


def _is_whole_answer(said: _Said) -> bool:
    return said.key == ANSWER_KEY and said.pointer is None


def _candidate(row: _Row, run: _Run) -> Candidate:
    return Candidate(
        id=row.id,
        run_id=row.run_id,
        revision=row.revision,
        # Django has raw cursors hand out jsonb as text.
        standing=Standing(row.status, row.sorted_to, _loaded(row.fixed_in), _loaded(row.reopened_in)),
        expert=row.expert,
        seen=run.seen,
    )


def _to_grade(row: _Row, run: _Run) -> ToGrade:
    expected = None if row.args_erased else Expected.of(should_call=row.should_call, must_not_call=row.must_not_call)
    return ToGrade(run.wrong_of(row.id), expected, row.should_say, run.marks)


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


# Of a run that retention has deleted, the corrections themselves are locked, after all runs.
_LOCK_CORRECTIONS = """
SELECT correction.run_id FROM corrections_correction AS correction
WHERE correction.tenant_id = %s AND correction.run_id = ANY(%s)
ORDER BY correction.run_id, correction.id FOR NO KEY UPDATE
"""


def corrections_lock(scope: Scope, run_ids: Sequence[UUID]) -> set[UUID]:
    """Hold all that is said of the runs as it is until the transaction ends; which of them were erased.

    All runs are locked first, in the order of their ids, then the corrections of those that are gone.
    """
    runs: dict[UUID, bool] = {}
    for batch in batches(run_ids):
        runs |= runs_lock(tenant_id=scope.tenant_id, run_ids=batch)
    erased = {run_id for run_id, is_erased in runs.items() if is_erased}
    for batch in batches([run_id for run_id in run_ids if run_id not in runs]):
        fetch(_LOCK_CORRECTIONS, [scope.tenant_id, batch])
        erased |= runs_erased(tenant_id=scope.tenant_id, run_ids=batch)
    return erased
