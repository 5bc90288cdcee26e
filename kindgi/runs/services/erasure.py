"""Erasing runs: a person's words go, the structure stays (contract, section 3; locks in docs/concurrency.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TypeVar
from uuid import UUID

from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_read, check_administer
from kindgi.api import idempotency
from kindgi.api.ids import parse_id
from kindgi.api.times import now
from kindgi.rows import update
from kindgi.runs import hooks
from kindgi.runs.errors import RunNotFound
from kindgi.runs.hooks import GoneRun, Participant
from kindgi.runs.models import Run
from kindgi.runs.selectors import run_lock
from kindgi.sql import execute, fetch

BATCH = 500
Thing = TypeVar("Thing")

# The last condition is that of the index, which goes by the digest: an id may be longer than an entry.
_RUN_IDS = """
SELECT run_id FROM runs_run
WHERE project_id = %s AND md5(participant_id) = md5(%s) AND participant_id = %s AND participant_id <> ''
"""
_DERIVED = """
SELECT run_id FROM (
    SELECT run_id, project_id, participant_id FROM runs_run WHERE tenant_id = %s AND parent_run_id = ANY(%s)
    UNION ALL
    SELECT run_id, project_id, participant_id FROM runs_run WHERE tenant_id = %s AND replay_of = ANY(%s)) AS derived
WHERE project_id = %s AND participant_id IN ('', %s)
"""
_LOCK = "SELECT * FROM runs_run WHERE tenant_id = %s AND run_id = ANY(%s) ORDER BY run_id FOR NO KEY UPDATE"
_CLEAR = """
UPDATE runs_runcontent SET input = NULL, output = NULL, calls = NULL
WHERE id = ANY(%s) AND (input IS NOT NULL OR output IS NOT NULL OR calls IS NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure of a participant took, by kind: ``runs``, ``corrections``, ``copies``, ``replays``."""

    erased_at: datetime
    taken: Counter[str]


def run_erase(*, caller: Caller, run_id: str) -> Run:
    """Erase a run's input, output, calls and failure message, and what the apps above keep of them.

    Needs an admin of the project. Erasing again changes nothing. The kept answers of
    Idempotency-Keys that tell of the run go too: their replays are withheld.
    """
    run = run_lock(caller=caller, run_id=run_id)
    check_administer(caller, run.project_id)
    if run.content_erased_at is not None:
        return run
    _erase([run])
    hooks.runs_erased([run])
    # Last: what the hooks waited for, such as a change of a correction, has kept its answer by now.
    idempotency.forget(tenant_id=run.tenant_id, subject_ids=[run.run_id, run.pk, run.tenant_id])
    return run


def gone_run_erase(*, caller: Caller, run_id: str) -> None:
    """Erase what the apps above still keep of a run that retention has purged; again changes nothing.

    Needs an admin of each project in which they keep something. Raises :class:`RunNotFound` where
    nobody keeps anything, or the caller may not read it.
    """
    parsed = parse_id(run_id)
    gone = [GoneRun(caller.tenant_id, parsed)] if parsed else []
    projects = set(hooks.gone_run_projects(gone).values())
    if not projects or not all(can_read(caller, project_id) for project_id in projects):
        raise RunNotFound(run_id)
    for project_id in projects:
        check_administer(caller, project_id)
    hooks.gone_run_erased(gone)
    idempotency.forget(tenant_id=caller.tenant_id, subject_ids=[caller.tenant_id, *(one.run_id for one in gone)])


def participant_erase(*, caller: Caller, project: Project, participant_id: str) -> Receipt:
    """Erase the words of one end user from the project, as :func:`run_erase` does from each run of theirs.

    Also what was corrected for them on other runs, and what is kept of runs of theirs that
    retention has purged. Needs an admin of the project. Again takes nothing, nor does an id that
    nobody has. What comes after it, comes after it: an erasure is no ban.
    """
    check_administer(caller, project.pk)
    whose = Participant(project.tenant_id, project.pk, participant_id)
    own = _own_runs(whose)
    named = own | hooks.participant_runs([whose])
    runs = [run for run in _locked(whose.tenant_id, named) if run.run_id in own]
    taken: Counter[str] = Counter()
    erasing = [run for run in runs if run.content_erased_at is None]
    for batch in _batches(erasing):
        taken += _erase(batch)
    taken += hooks.participant_erased([whose])
    hooks.runs_erased(erasing)
    # Last, as above; of what was corrected for them until the corrections were locked, too.
    subjects = named | hooks.participant_runs([whose]) | {run.pk for run in runs} | {whose.tenant_id}
    idempotency.forget(tenant_id=whose.tenant_id, subject_ids=subjects)
    return Receipt(now(), taken)


def derived_erase(*, tenant_id: UUID, run_ids: Iterable[UUID]) -> Counter[str]:
    """Erase those of ``run_ids`` that are or were runs, since they were made of what is erased; what went, by kind.

    What they were made of is locked before, so that no more of them are made. They are locked after
    it, in the order of their ids. Of those that retention has purged goes what the apps above keep.
    """
    taken: Counter[str] = Counter()
    for batch in _batches(sorted(run_ids)):
        there = list(_locked(tenant_id, batch))
        taken += _derived_gone_erase(tenant_id, set(batch) - {run.run_id for run in there})
        runs = [run for run in there if run.content_erased_at is None]
        if runs:
            taken += _erase(runs)
            hooks.runs_erased(runs)
            idempotency.forget(tenant_id=tenant_id, subject_ids=[pk for run in runs for pk in (run.run_id, run.pk)])
    return taken


def _derived_gone_erase(tenant_id: UUID, run_ids: set[UUID]) -> Counter[str]:
    """The same of runs that are no more, or never were: of those that anybody keeps anything of."""
    gone = [GoneRun(tenant_id, run_id) for run_id in sorted(run_ids)]
    kept = hooks.gone_run_projects(gone)
    taken = hooks.gone_run_erased([one for one in gone if one.run_id in kept])
    if kept:
        idempotency.forget(tenant_id=tenant_id, subject_ids=list(kept))
    return taken


def contents_clear(content_ids: Iterable[UUID]) -> int:
    """Empty content rows, of runs or of copies; how many of them held anything. Who names them must be locked."""
    return execute(_CLEAR, [list(content_ids)])


def _own_runs(whose: Participant) -> set[UUID]:
    """The public ids of a participant's runs, and of what ran on behalf of these for nobody else.

    That are the steps of a flow, and replays, of which their reporter didn't say for whom.
    """
    parameters = [whose.project_id, whose.participant_id, whose.participant_id]
    own = found = {run_id for (run_id,) in fetch(_RUN_IDS, parameters)}
    while found:
        within = [whose.tenant_id, list(found), whose.tenant_id, list(found), whose.project_id, whose.participant_id]
        found = {run_id for (run_id,) in fetch(_DERIVED, within)} - own
        own = own | found
    return own


def _locked(tenant_id: UUID, run_ids: Iterable[UUID]) -> Iterator[Run]:
    """Lock those of ``run_ids`` that there are, all in the order of their ids."""
    for batch in _batches(sorted(run_ids)):
        yield from Run.objects.raw(_LOCK, [tenant_id, batch])


def _erase(runs: list[Run]) -> Counter[str]:
    """Erase locked runs that hold their words; what went, by kind."""
    at = now()
    for run in runs:
        run.content_erased_at = run.updated_at = at
        run.failure_message = None
    update(runs, ["content_erased_at", "updated_at", "failure_message"])
    taken = hooks.run_erased(runs)
    contents_clear(run.content_id for run in runs if run.content_id is not None)
    return Counter(runs=len(runs)) + taken


def _batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    left = iter(things)
    while batch := list(islice(left, BATCH)):
        yield batch
