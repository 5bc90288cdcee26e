"""Making test sets: corrected runs copied as they stand, with what people said of them (contract, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Max

from corrections.services.test_runs.reading import Scope, corrections_lock
from improve.errors import TestSetEmpty, TestSetNarrowed
from improve.evaluating import MOST_CASES, TestSetBody, Which
from improve.judged import Judged, judged_packed
from improve.models import TestCase, TestSet
from improve.selectors.judged import Corrected, corrected_runs, judged_of_runs
from improve.selectors.test_sets import test_sets_of
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_write
from kindgi.api.ids import new_id
from kindgi.rows import fresh, insert
from kindgi.sql import fetch

_SAME = ("created_at", "test_set_id", "tenant_id", "erased_at")
_NUMBER = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def test_set_make(*, caller: Caller, project: Project, body: TestSetBody) -> TestSet:
    """A new test set of an agent's corrected runs; needs write access.

    Raises ``BadInput`` for times that enclose nothing, ``PermissionDenied``, :class:`TestSetEmpty`.
    """
    which = body.which()
    check_write(caller, project.pk)
    return cases_copy(caller=caller, project=project, which=which)


def cases_copy(*, caller: Caller, project: Project, which: Which) -> TestSet:
    """The same, for a caller who has been checked.

    The runs are locked, in the order of their ids, before anybody's words are read: an erasure
    comes before, and there is nothing to copy, or after, and finds the copy.
    """
    found = corrected_runs(project=project, which=which)
    chosen, truncated = found[:MOST_CASES], len(found) > MOST_CASES
    scope = Scope(project.tenant_id, project.pk, which.agent_id, which.experts_only)
    erased = corrections_lock(scope, sorted(one.run_id for one in chosen))
    judged = judged_of_runs(
        tenant_id=project.tenant_id,
        run_ids=[one.run_id for one in chosen if one.run_id not in erased],
        experts_only=which.experts_only,
        judge_class_ids=which.judge_class_ids,
    )
    cases = [one for one in chosen if _verdicts(judged.get(one.run_id)) >= which.min_verdicts]
    if not cases:
        raise _none(which)
    return _store(_test_set(caller, project, which, cases=len(cases), truncated=truncated), cases, judged)


def _none(which: Which) -> TestSetEmpty:
    """Why there is no case: by what narrows the runs first, or because there is none anyway."""
    narrows = {
        "/since": which.since is not None,
        "/until": which.until is not None,
        "/versions": which.versions is not None,
        "/judgeClassIds": which.judge_class_ids is not None,
        "/minVerdicts": which.min_verdicts > 1,
        "/expertsOnly": which.experts_only,
    }
    path = next((path for path, narrowed in narrows.items() if narrowed), None)
    return TestSetEmpty() if path is None else TestSetNarrowed(path)


def _verdicts(judged: Judged | None) -> int:
    return 0 if judged is None else sum(len(item.voices) for item in judged.items)


def _test_set(caller: Caller, project: Project, which: Which, *, cases: int, truncated: bool) -> TestSet:
    """The row, numbered; nobody else numbers one of the agent's until this transaction ends."""
    fetch(_NUMBER, [f"test sets {project.pk} {which.agent_id}"])
    last = test_sets_of(project).filter(agent_id=which.agent_id).aggregate(Max("version"))["version__max"]
    return TestSet(
        tenant_id=project.tenant_id,
        project=project,
        version=(last or 0) + 1,
        made_by=caller.actor,
        cases=cases,
        truncated=truncated,
        **which._asdict(),
    )


def _store(test_set: TestSet, cases: Sequence[Corrected], judged: dict[UUID, Judged]) -> TestSet:
    test_set.save(force_insert=True)
    rows = [
        fresh(
            TestCase,
            id=new_id(),
            created_at=test_set.created_at,
            test_set_id=test_set.pk,
            position=position,
            tenant_id=test_set.tenant_id,
            run_id=case.run_id,
            agent_version=case.version,
            completed_at=case.ended_at,
            content_id=case.content_id,
            judged=judged_packed(judged[case.run_id]),
        )
        for position, case in enumerate(cases)
    ]
    insert(rows, same=_SAME)
    return test_set
