"""An evaluation's cases by pages, as its card in the console lists them (contract, section 8)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from improve.models import CaseReplay, CaseResult, Evaluation
from kindgi.access.selectors import made_by_ids_of
from kindgi.sql import fetch

PER_PAGE = 25
# What was said of a run counts as improve.selectors.judged reads it; sent runs are those of all evaluations of the same
# suggested change that were made of the same recorded runs, since each of them counts (improve.services.settling).
_FACTS = """
WITH result AS MATERIALIZED (
    SELECT label, baseline_right, sent_run_ids FROM improve_caseresult WHERE evaluation_id = %(evaluation)s
), sent AS MATERIALIZED (
    SELECT unnest(result.sent_run_ids) AS run_id
    FROM improve_evaluation AS evaluation
    JOIN improve_caseresult AS result ON result.evaluation_id = evaluation.id AND result.sent_run_ids <> '{}'
    JOIN improve_testcase AS tried ON tried.id = result.case_id
    JOIN improve_testcase AS own ON own.test_set_id = %(test_set)s AND own.run_id = tried.run_id
    WHERE evaluation.proposal_id = %(proposal)s
)
SELECT ARRAY(SELECT DISTINCT agent_version FROM improve_testcase WHERE test_set_id = %(test_set)s),
       NOT EXISTS (SELECT FROM result WHERE label <> 'erased' AND baseline_right > 0),
       (SELECT count(*) FROM result WHERE label = 'changed' AND sent_run_ids <> '{}'),
       (SELECT count(*) FROM result WHERE label = 'changed' AND EXISTS (
            SELECT FROM judging_queueitem AS item
            WHERE item.tenant_id = %(tenant)s AND item.run_id = ANY(result.sent_run_ids) AND item.state = 'open')),
       EXISTS (SELECT FROM sent
            JOIN corrections_verdict AS verdict ON verdict.tenant_id = %(tenant)s AND verdict.run_id = sent.run_id
            JOIN corrections_correction AS correction ON correction.id = verdict.correction_id
            WHERE (correction.restricted OR NOT %(experts)s)
              AND NOT verdict.made_by_id = ANY(%(drafter)s::uuid[])
              AND (%(classes)s::uuid[] IS NULL OR verdict.judge_class_id = ANY(%(classes)s::uuid[]))
              AND (verdict.created_at > %(counted)s OR verdict.unregistered_at > %(counted)s))
"""


class CasePage(NamedTuple):
    """Some of the cases in their order, and the positions that the pages beside them begin from; ``None`` for none.

    ``first`` is which of those that were asked for the first row is, from 1.
    """

    rows: list[CaseResult]
    after: int | None
    before: int | None
    first: int


class Facts(NamedTuple):
    """What an evaluation's card says besides what the evaluation keeps.

    ``versions`` are those of the recorded runs; ``all_were_wrong`` says that of none that isn't erased
    anything was right, so far as it is known beside the answer. ``sent`` counts the cases that changed
    to something that nobody has judged whose answers people were given, ``waiting`` those of them that
    nobody has corrected yet; ``said_since`` tells whether anything was said of such answers since they
    were counted.
    """

    versions: list[str]
    all_were_wrong: bool
    sent: int
    waiting: int
    said_since: bool


class CaseOpened(NamedTuple):
    """A case with the run's content, and its replays with what they answered."""

    result: CaseResult
    replays: list[CaseReplay]


def case_page(
    evaluation: Evaluation, *, label: str = "", after: int | None = None, before: int | None = None
) -> CasePage:
    """The cases after a position, or before one; those with the label alone where one is given. Two statements."""
    found = CaseResult.objects.filter(evaluation=evaluation).select_related("case")
    if label:
        found = found.filter(label=label)
    if before is not None:
        rows = list(found.filter(position__lt=before).order_by("-position")[: PER_PAGE + 1])
        more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE][::-1]
        first = found.filter(position__lt=rows[0].position).count() + 1 if more else 1
        return CasePage(rows, rows[-1].position if rows else None, rows[0].position if more else None, first)
    first = 1 if after is None else found.filter(position__lte=after).count() + 1
    if after is not None:
        found = found.filter(position__gt=after)
    rows = list(found.order_by("position")[: PER_PAGE + 1])
    more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE]
    earlier = rows[0].position if rows and after is not None else None
    return CasePage(rows, rows[-1].position if more else None, earlier, first)


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


def evaluation_facts(evaluation: Evaluation) -> Facts:
    """The facts of an evaluation that has compared; its suggested change is read with it. Two statements at most."""
    # What was said while it was scored again may not be counted.
    counted = evaluation.created_at if evaluation.rescore_of_id else evaluation.finished_at
    parameters = {
        "evaluation": evaluation.pk,
        "test_set": evaluation.test_set_id,
        "proposal": evaluation.proposal_id,
        "tenant": evaluation.test_set.tenant_id,
        "experts": evaluation.experts_only or evaluation.test_set.experts_only,
        "classes": evaluation.test_set.judge_class_ids,
        "drafter": made_by_ids_of(evaluation.proposal.drafted_by),
        "counted": counted,
    }
    return Facts(*fetch(_FACTS, parameters)[0])
