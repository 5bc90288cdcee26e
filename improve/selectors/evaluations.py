"""What reads evaluations and how their cases came out (contract, section 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from corrections.models import RunCopy
from improve.answers import Summary, summary_of
from improve.errors import EvaluationNotFound
from improve.models import CaseReplay, CaseResult, Evaluation, Proposal, ReplayJob, ReplayState, TestCase
from improve.selectors.test_sets import test_set_cases
from kindgi.api.ids import parse_id
from kindgi.runs.content import unpack
from kindgi.runs.errors import RunNotFound
from kindgi.runs.models import RunContent

_BATCH = 100


class CaseToScore(NamedTuple):
    """A case with its replays that are over, in the order of their repetitions."""

    case: TestCase
    replays: list[CaseReplay]


class CaseRow(NamedTuple):
    """A case's result as a list shows it: what was recorded, and what each repetition answered."""

    result: CaseResult
    recorded: Summary
    replays: list[tuple[CaseReplay, Summary]]


class CaseAnswered(NamedTuple):
    """A case's result with what its run was asked, and what was answered."""

    result: CaseResult
    content: RunContent
    replays: list[CaseReplay]


class CaseShown(NamedTuple):
    """A case's result with both sides whole: the recorded run's content, and each repetition's replay."""

    result: CaseResult
    case: TestCase
    content: RunContent | None
    replays: list[CaseReplay]


def evaluations_of(proposal: Proposal) -> QuerySet[Evaluation]:
    """A suggested change's evaluations, with test sets and jobs."""
    evaluations = Evaluation.objects.filter(proposal=proposal)
    return evaluations.select_related("test_set", "job").defer("job__change", "job__blocks")


def evaluation_get(*, proposal: Proposal, evaluation_id: str) -> Evaluation:
    """One of them; raises :class:`EvaluationNotFound`."""
    parsed = parse_id(evaluation_id)
    found = evaluations_of(proposal).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise EvaluationNotFound
    return found


def evaluation_going_on(job: ReplayJob) -> Evaluation | None:
    """The evaluation that waits for a job, with its test set and suggested change."""
    waiting = Evaluation.objects.filter(job=job, finished_at__isnull=True)
    return waiting.select_related("test_set", "proposal").first()


def case_results(evaluation: Evaluation, *, label: str | None = None) -> QuerySet[CaseResult]:
    """How its cases came out, in the test set's order, all or those that came out so; without anybody's words."""
    results = CaseResult.objects.filter(evaluation=evaluation)
    if label is not None:
        results = results.filter(label=label)
    return results.select_related("case").defer("case__judged").order_by("position")


def case_rows(evaluation: Evaluation, results: Sequence[CaseResult]) -> list[CaseRow]:
    """These results with summaries of both sides; two statements, whatever they are."""
    contents = _contents([one.case.content_id for one in results if one.case.content_id is not None])
    replays = _replays_by_run(evaluation.job_id, [one.case.run_id for one in results])
    return [_row(one, contents.get(one.case.content_id), replays.get(one.case.run_id, [])) for one in results]


def _contents(content_ids: Collection[UUID]) -> dict[UUID | None, RunContent]:
    found = RunContent.objects.filter(pk__in=content_ids).defer("input") if content_ids else []
    return {content.pk: content for content in found}


def _row(result: CaseResult, content: RunContent | None, replays: list[CaseReplay]) -> CaseRow:
    recorded = Summary() if content is None else summary_of(unpack(content.output), unpack(content.calls))
    return CaseRow(
        result, recorded, [(replay, summary_of(unpack(replay.output), unpack(replay.calls))) for replay in replays]
    )


def case_result_shown(*, evaluation: Evaluation, case_id: str) -> CaseShown:
    """How one case came out, by its run's id, with both sides whole; three statements. Raises ``RunNotFound``."""
    parsed = parse_id(case_id)
    results = CaseResult.objects.filter(evaluation=evaluation).select_related("case")
    found = results.filter(case__run_id=parsed).first() if parsed else None
    if found is None:
        raise RunNotFound(case_id)
    content = RunContent.objects.filter(pk=found.case.content_id).first() if found.case.content_id else None
    replays = _replays_by_run(evaluation.job_id, [found.case.run_id]).get(found.case.run_id, [])
    return CaseShown(found, found.case, content, replays)


def cases_with_answers(evaluation: Evaluation, results: Sequence[CaseResult]) -> list[CaseAnswered]:
    """Those of the results whose runs' content is there, with their replays; two statements."""
    content_ids = [one.case.content_id for one in results if one.case.content_id is not None]
    contents = {one.pk: one for one in RunContent.objects.filter(pk__in=content_ids).only("input")}
    replays = _replays_by_run(evaluation.job_id, [one.case.run_id for one in results])
    return [
        CaseAnswered(one, contents[one.case.content_id], replays.get(one.case.run_id, []))
        for one in results
        if one.case.content_id in contents
    ]


def participants_of(tenant_id: UUID, run_ids: Collection[UUID]) -> dict[UUID, str]:
    """Whose words corrected runs hold, by their ids, purged ones too; one statement."""
    copies = RunCopy.objects.filter(tenant_id=tenant_id, run_id__in=run_ids).order_by()
    return dict(copies.values_list("run_id", "participant_id"))


def cases_to_score(evaluation: Evaluation) -> Iterator[list[CaseToScore]]:
    """All cases of its test set with their replays, some at a time; two statements each time."""
    for start in range(0, evaluation.test_set.cases, _BATCH):
        cases = list(test_set_cases(evaluation.test_set).filter(position__gte=start, position__lt=start + _BATCH))
        replays = _replays_by_run(evaluation.job_id, [case.run_id for case in cases])
        yield [CaseToScore(case, replays.get(case.run_id, [])) for case in cases]


def _replays_by_run(job_id: UUID, run_ids: Sequence[UUID]) -> dict[UUID, list[CaseReplay]]:
    """The replays of these runs that are over or were erased; one statement, none of no run."""
    found: dict[UUID, list[CaseReplay]] = {}
    replays = CaseReplay.objects.filter(job_id=job_id, run_id__in=run_ids).order_by("position", "repetition")
    for replay in replays if run_ids else []:
        if replay.state != ReplayState.WAITING or replay.erased_at is not None:
            found.setdefault(replay.run_id, []).append(replay)
    return found


def runs_sent(evaluation: Evaluation) -> dict[UUID, list[UUID]]:
    """The runs that were made of its cases' answers, by the case's id; one statement."""
    sent = CaseResult.objects.filter(evaluation=evaluation).exclude(sent_run_ids=[])
    return dict(sent.values_list("case_id", "sent_run_ids"))


def runs_sent_of_cases(evaluation: Evaluation) -> dict[UUID, list[UUID]]:
    """The runs that all evaluations of its suggested change have made of the answers to its cases' runs, by its cases.

    One statement.
    """
    sent = CaseResult.objects.filter(evaluation__proposal_id=evaluation.proposal_id).exclude(sent_run_ids=[])
    own = TestCase.objects.filter(test_set_id=evaluation.test_set_id, run_id=OuterRef("case__run_id"))
    found: dict[UUID, list[UUID]] = {}
    for case_id, ids in sent.values_list(Subquery(own.values("pk")[:1]), "sent_run_ids").order_by("id"):
        if case_id is not None:
            found[case_id] = list(dict.fromkeys([*found.get(case_id, []), *ids]))
    return found
