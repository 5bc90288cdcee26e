"""Scoring what was answered, once a job of replays is over, or anew by what people said since (contract, section 7).

The suggested change is locked; whoever ends its job has locked it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from improve.comparing import Comparison, Outcome, Tried, as_float, compared, outcome, result_stored
from improve.judged import Judged, judged_unpacked
from improve.models import CaseLabel, CaseReplay, CaseResult, Evaluation, Finding, JobState, ReplayJob, ReplayState
from improve.scoring import Part, Replayed, Tally, counted, recorded_tally, score
from improve.selectors.evaluations import (
    CaseToScore,
    cases_to_score,
    evaluation_going_on,
    runs_sent,
    runs_sent_of_cases,
)
from improve.selectors.judged import judged_of_runs
from kindgi.access.selectors import made_by_ids_of
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import fresh, insert_together
from kindgi.runs.content import unpack

_BATCH = 500
_FINDINGS = {JobState.FAILED: Finding.FAILED, JobState.CANCELLED: Finding.CANCELLED}

SaidSince = Mapping[UUID, Sequence[Judged]]
"""What people said of the runs that were made of a case's answers, by the case's id."""


def evaluations_settle(jobs: list[ReplayJob]) -> None:
    """End the evaluations that waited for these jobs, which are over."""
    for job in jobs:
        evaluation = evaluation_going_on(job)
        if evaluation is not None:
            since = _since(evaluation) if job.state == JobState.DONE else {}
            evaluation_settle(evaluation, state=job.state, sent={}, since=since)


def evaluation_rescored(evaluation: Evaluation) -> None:
    """Score what was answered for an evaluation anew, with what people said since of what was sent."""
    before = evaluation.rescore_of
    sent = {} if before is None else runs_sent(before)
    evaluation_settle(evaluation, state=JobState.DONE, sent=sent, since=_since(evaluation))


def _since(evaluation: Evaluation) -> SaidSince:
    """What people said of the answers that any evaluation of the same change gave them, of the same recorded runs."""
    sent = runs_sent_of_cases(evaluation)
    said = _said_since(evaluation, sorted({run_id for ids in sent.values() for run_id in ids}))
    return {case_id: [said[one] for one in ids if one in said] for case_id, ids in sent.items()}


def _said_since(evaluation: Evaluation, run_ids: Sequence[UUID]) -> dict[UUID, Judged]:
    """What counts of what was said of these runs: as for the test set, and nothing by who drafted the change."""
    test_set = evaluation.test_set
    experts_only = evaluation.experts_only or test_set.experts_only
    drafter = made_by_ids_of(evaluation.proposal.drafted_by)
    said: dict[UUID, Judged] = {}
    for start in range(0, len(run_ids), _BATCH):
        said |= judged_of_runs(
            tenant_id=test_set.tenant_id,
            run_ids=run_ids[start : start + _BATCH],
            experts_only=experts_only,
            judge_class_ids=test_set.judge_class_ids,
            but_by=drafter,
        )
    return {
        run_id: counted(judged, experts_only=experts_only)
        for run_id, judged in said.items()
        if sum(len(item.voices) for item in judged.items) >= test_set.min_verdicts
    }


def evaluation_give_up(evaluation: Evaluation) -> None:
    """End an evaluation whose job is over as failed, whatever was answered; nothing is scored."""
    _finish(evaluation, JobState.FAILED, [])


def evaluation_settle(evaluation: Evaluation, *, state: str, sent: Mapping[UUID, list[UUID]], since: SaidSince) -> None:
    """Score every case that has replays, keep how each came out, and end the evaluation.

    Of a job that failed or was cancelled only the counts are kept: what happened to be answered says
    nothing of the rest. Up to 100 cases are in memory at once.
    """
    outcomes: list[Outcome] = []
    for cases in cases_to_score(evaluation):
        results = []
        for one in cases:
            judged = _judged(one)
            if judged is not None and not one.replays:
                continue  # never come to
            said = since.get(one.case.pk, ())
            tried = [] if judged is None else [_one_tried(evaluation, each, judged, said) for each in one.replays]
            outcomes.append(_outcome(evaluation, judged, tried))
            results.append(_result(evaluation, one, tried, outcomes[-1], sent.get(one.case.pk, [])))
        insert_together(results)
    _finish(evaluation, state, outcomes)


def _judged(one: CaseToScore) -> Judged | None:
    """What people said of the case; ``None`` where it or one of its replays was erased."""
    erased = any(replay.erased_at is not None for replay in one.replays)
    return None if erased else judged_unpacked(one.case.judged)


def _one_tried(evaluation: Evaluation, replay: CaseReplay, judged: Judged, since: Sequence[Judged]) -> Tried:
    output = unpack(replay.output)
    if replay.state != ReplayState.ANSWERED or output is None:
        return Tried(replay.repetition, ReplayState(replay.state))
    replayed = Replayed(output=output, calls=unpack(replay.calls))
    scored = score(judged, replayed, experts_only=evaluation.experts_only, also=since)
    return Tried(replay.repetition, ReplayState.ANSWERED, scored)


def _outcome(evaluation: Evaluation, judged: Judged | None, tried: Sequence[Tried]) -> Outcome:
    if judged is None:
        return Outcome(CaseLabel.ERASED)
    return outcome(tried, recorded=recorded_tally(counted(judged, experts_only=evaluation.experts_only)))


def _result(
    evaluation: Evaluation, one: CaseToScore, tried: Sequence[Tried], found: Outcome, sent: list[UUID]
) -> CaseResult:
    return fresh(
        CaseResult,
        id=new_id(),
        evaluation_id=evaluation.pk,
        case_id=one.case.pk,
        position=one.case.position,
        label=found.label,
        baseline_right=as_float(found.baseline.right),
        baseline_total=as_float(found.baseline.total),
        candidate_right=as_float(found.candidate.right),
        candidate_total=as_float(found.candidate.total),
        parts=[_tried_stored(each) for each in tried],
        sent_run_ids=sent,
    )


def _tried_stored(tried: Tried) -> dict[str, Any]:
    parts = [] if tried.scored is None else [_part_stored(part) for part in tried.scored.parts]
    counts = tried.scored is not None and tried.scored.counts
    return {"repetition": tried.repetition, "state": tried.state, "counts": counts, "parts": parts}


def _part_stored(part: Part) -> dict[str, Any]:
    """A judged thing: what it is, how it came out, and what that weighs; nobody's words."""
    stored: dict[str, Any] = {"key": part.key, "same": part.same, "outcome": _came_out(part)}
    if part.pointer is not None:
        stored["pointer"] = part.pointer
    stored["baseline"] = _tally_stored(part.baseline)
    if part.candidate is not None:
        stored["candidate"] = _tally_stored(part.candidate)
    return stored


def _came_out(part: Part) -> str:
    if part.candidate is None:
        return "changed"
    if not part.candidate.has_wrong:
        return "right"
    return "mixed" if part.candidate.right else "wrong"


def _tally_stored(tally: Tally) -> dict[str, float]:
    return {"right": as_float(tally.right), "total": as_float(tally.total)}


def _finish(evaluation: Evaluation, state: str, outcomes: Sequence[Outcome]) -> None:
    """Write what was found, and that the suggested change has got on."""
    evaluation.finished_at = max(now(), evaluation.created_at)
    if state in _FINDINGS:
        evaluation.finding = _FINDINGS[JobState(state)]
        evaluation.result = {"labels": _labels(outcomes)}
    else:
        _found(evaluation, compared(outcomes, repetitions=evaluation.repetitions))
    evaluation.save()
    proposal = evaluation.proposal
    proposal.updated_at = max(evaluation.finished_at, proposal.updated_at + timedelta(milliseconds=1))
    proposal.save(update_fields=["updated_at"])


def _labels(outcomes: Iterable[Outcome]) -> dict[str, int]:
    labels = Counter(one.label for one in outcomes)
    return {label.value: labels[label] for label in CaseLabel}


def _found(evaluation: Evaluation, found: Comparison) -> None:
    evaluation.finding = Finding.BETTER if found.is_better else Finding.NOT_BETTER
    evaluation.result = result_stored(found)
    evaluation.cases = found.cases
    for name in ("delta", "spread"):
        value = getattr(found, name)
        setattr(evaluation, name, None if value is None else float(value))
    for name, side in (("baseline", found.baseline), ("candidate", found.candidate)):
        setattr(evaluation, name, None if side.share is None else float(side.share))
