"""An evaluation's cases by pages, as its card in the console lists them (contract, section 8)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from improve.models import CaseReplay, CaseResult, Evaluation

PER_PAGE = 25


class CasePage(NamedTuple):
    """Some of the cases in their order, and the positions that the pages beside them begin from; ``None`` for none."""

    rows: list[CaseResult]
    after: int | None
    before: int | None


class CaseOpened(NamedTuple):
    """A case with the run's content, and its replays with what they answered."""

    result: CaseResult
    replays: list[CaseReplay]


def case_page(
    evaluation: Evaluation, *, label: str = "", after: int | None = None, before: int | None = None
) -> CasePage:
    """The cases after a position, or before one; those with the label alone where one is given. One statement."""
    found = CaseResult.objects.filter(evaluation=evaluation).select_related("case")
    if label:
        found = found.filter(label=label)
    if before is not None:
        rows = list(found.filter(position__lt=before).order_by("-position")[: PER_PAGE + 1])
        more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE][::-1]
        return CasePage(rows, rows[-1].position if rows else None, rows[0].position if more else None)
    if after is not None:
        found = found.filter(position__gt=after)
    rows = list(found.order_by("position")[: PER_PAGE + 1])
    more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE]
    earlier = rows[0].position if rows and after is not None else None
    return CasePage(rows, rows[-1].position if more else None, earlier)


def replays_brief(evaluation: Evaluation, *, run_ids: Collection[UUID]) -> dict[UUID, list[CaseReplay]]:
    """How the replays of these runs went, without what they answered, by the run's id. One statement, none of none."""
    replays: dict[UUID, list[CaseReplay]] = {}
    found = CaseReplay.objects.filter(job_id=evaluation.job_id, run_id__in=run_ids).defer("calls", "output")
    for one in found.order_by("position", "repetition") if run_ids else []:
        replays.setdefault(one.run_id, []).append(one)
    return replays


def case_opened(evaluation: Evaluation, *, position: int) -> CaseOpened | None:
    """A case with all that it holds; ``None`` where the evaluation has none there. Two statements."""
    found = CaseResult.objects.filter(evaluation=evaluation, position=position).select_related("case__content").first()
    if found is None:
        return None
    replays = CaseReplay.objects.filter(job_id=evaluation.job_id, run_id=found.case.run_id).order_by("repetition")
    return CaseOpened(found, list(replays))


def answers_sent_counted(evaluation: Evaluation) -> int:
    """How many runs were made of its answers for people to judge. One statement."""
    sent = CaseResult.objects.filter(evaluation=evaluation).exclude(sent_run_ids=[])
    return sum(len(ids) for ids in sent.values_list("sent_run_ids", flat=True))
