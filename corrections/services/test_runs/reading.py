"""Reading what a test run grades: corrections that say something was wrong, and what they compare with.

Three statements for the corrections of any number of runs, and content only where a pointer or an
answer needs it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from corrections.decision_check import Expected
from corrections.grading import Output, ToGrade, Wrong, canonical_text
from corrections.models import ANSWER_KEY
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live correction that says something was wrong, as it was read at ``revision``."""

    id: UUID
    run_id: UUID
    revision: int
    standing: Standing
    expert: bool
    to_grade: ToGrade


# Two statements that an index answers each, and no join: which is planned well however old the statistics are. The
# revisions are read first, so that a verdict that changed since then is noticed by its correction's move.
_CORRECTIONS = """
SELECT correction.id, correction.run_id, correction.revision, correction.status, correction.sorted_to,
       correction.fixed_in, correction.reopened_in, correction.restricted,
       correction.should_call, correction.must_not_call, correction.should_say
FROM corrections_correction AS correction
WHERE correction.tenant_id = %s AND correction.run_id = ANY(%s) AND correction.project_id = %s
  AND correction.subject_kind = 'agent' AND correction.subject_id = %s
  AND correction.unregistered_at IS NULL AND (correction.restricted OR %s)
ORDER BY correction.run_id, correction.id
"""
_VERDICTS = """
SELECT correction_id, run_id, item_key, pointer, "right", item_value
FROM corrections_verdict
WHERE tenant_id = %s AND run_id = ANY(%s) AND unregistered_at IS NULL
ORDER BY correction_id, position
"""
_OUTPUTS = """
SELECT copy.run_id, content.output
FROM corrections_runcopy AS copy JOIN runs_runcontent AS content ON content.id = copy.content_id
WHERE copy.tenant_id = %s AND copy.run_id = ANY(%s) AND content.output IS NOT NULL
"""


class _Said(NamedTuple):
    """A live verdict."""

    correction_id: UUID
    run_id: UUID
    key: str
    pointer: str | None
    right: bool
    item_value: bytes | None


@dataclass(slots=True)
class _Run:
    """What people said of a run: its verdicts, and its answer where any of them is about the answer as a whole."""

    verdicts: list[_Said] = field(default_factory=list)
    answer: str | None = None

    def value(self, said: _Said) -> str | None:
        """The canonical text of what a verdict is about, where it is known."""
        if said.pointer is not None:
            stored = unpack(said.item_value)
            return None if stored is None else canonical_text(stored)
        return self.answer if said.key == ANSWER_KEY else None

    def marked(self) -> dict[tuple[str, str], bool]:
        """By item key and value, whether anybody marked it right."""
        marked: dict[tuple[str, str], bool] = {}
        for said in self.verdicts:
            value = self.value(said)
            if value is not None:
                marked[said.key, value] = said.right or marked.get((said.key, value), False)
        return marked


def candidates_of(scope: Scope, run_ids: Sequence[UUID]) -> list[Candidate]:
    """The corrections of ``run_ids`` that a test run checks, by run and id; what it reads may change until it locks."""
    found = fetch(
        _CORRECTIONS, [scope.tenant_id, list(run_ids), scope.project_id, scope.agent_id, not scope.experts_only]
    )
    corrected = sorted({row[1] for row in found})
    if not corrected:
        return []
    runs = _runs(scope.tenant_id, corrected)
    marked = {run_id: run.marked() for run_id, run in runs.items()}
    by_correction: dict[UUID, list[Wrong]] = defaultdict(list)
    for run in runs.values():
        for said in run.verdicts:
            if not said.right:
                by_correction[said.correction_id].append(Wrong(said.key, said.pointer, run.value(said)))
    return [_candidate(row, by_correction[row[0]], marked[row[1]]) for row in found if row[0] in by_correction]


def _runs(tenant_id: UUID, run_ids: list[UUID]) -> dict[UUID, _Run]:
    runs: dict[UUID, _Run] = defaultdict(_Run)
    for row in fetch(_VERDICTS, [tenant_id, run_ids]):
        said = _Said(*row)
        runs[said.run_id].verdicts.append(said)
    answered = [run_id for run_id, run in runs.items() if any(_is_whole_answer(said) for said in run.verdicts)]
    for run_id, stored in fetch(_OUTPUTS, [tenant_id, answered]):
        output = unpack(stored)
        if output is not None:
            runs[run_id].answer = Output(output).answer
    return runs


def _is_whole_answer(said: _Said) -> bool:
    return said.key == ANSWER_KEY and said.pointer is None


def _candidate(row: tuple[Any, ...], wrong: list[Wrong], marked: dict[tuple[str, str], bool]) -> Candidate:
    pk, run_id, revision, status, sorted_to, fixed_in, reopened_in, expert, should_call, never, should_say = row
    return Candidate(
        id=pk,
        run_id=run_id,
        revision=revision,
        # Django has raw cursors hand out jsonb as text.
        standing=Standing(status, sorted_to, _loaded(fixed_in), _loaded(reopened_in)),
        expert=expert,
        to_grade=ToGrade(wrong, Expected.of(should_call=should_call, must_not_call=never), should_say, marked),
    )


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
