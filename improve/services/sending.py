"""Giving people the answers to judge that nobody has judged: as runs of the candidate (contract, section 7).

Each different answer of a case in which something is unjudged is one run, of an id that is made of
the replay's: sent again, there is nothing to send. Erasing what was replayed erases it
(:mod:`improve.services.erasure`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import UNSET, Raw, UnsetType

from corrections.services.test_runs.reading import Scope, corrections_lock
from improve.models import CaseLabel, CaseReplay, CaseResult, Evaluation, Proposal
from improve.scoring import Replayed
from improve.selectors.evaluations import case_results, cases_with_answers, participants_of
from improve.services.erasure import run_id_sent
from improve.services.proposals import proposal_lock
from improve.statuses import Action
from judging.services.asking import items_ask
from kindgi.access.callers import Caller
from kindgi.api.times import now
from kindgi.runs.content import unpack
from kindgi.runs.models import Run
from kindgi.runs.records import AgentRef, RunBody
from kindgi.runs.services.recording import Report, runs_record

_AT_ONCE = 50


def answers_send(*, caller: Caller, proposal_id: str) -> int:
    """Make runs of the answers that changed, which the suggested change's reviewers find in the queue; how many.

    Cases whose answers were sent before are left out. Raises ``ProposalNotFound``,
    ``PermissionDenied``, ``ProposalWrongStatus``.
    """
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.SEND)
    proposal, evaluation = standing.proposal, standing.evaluation
    if evaluation is None:
        return 0
    results = [one for one in case_results(evaluation, label=CaseLabel.CHANGED) if not one.sent_run_ids]
    # Whoever erases one of these runs waits, and finds what was made of it; or has been before, and nothing is made.
    scope = Scope(proposal.tenant_id, proposal.project_id, proposal.agent_id, experts_only=False)
    erased = corrections_lock(scope, sorted(one.case.run_id for one in results))
    left = [one for one in results if one.case.run_id not in erased]
    sent = sum(_send(caller, proposal, evaluation, left[at : at + _AT_ONCE]) for at in range(0, len(left), _AT_ONCE))
    proposal.updated_at = standing.at
    proposal.save(update_fields=["updated_at"])
    return sent


def _send(caller: Caller, proposal: Proposal, evaluation: Evaluation, results: Sequence[CaseResult]) -> int:
    reports: list[Report] = []
    participants = participants_of(proposal.tenant_id, [one.case.run_id for one in results])
    for answered in cases_with_answers(evaluation, results):
        whose = participants.get(answered.result.case.run_id, "")
        made = [
            Report(run_id_sent(replay.pk), _body(proposal, evaluation, replay, answered.content.input, whose))
            for replay in _different(answered.replays, _unjudged(answered.result))
        ]
        answered.result.sent_run_ids = [report.run_id for report in made]
        reports += made
    runs_record(caller=caller, reports=reports, default_project_id=proposal.project_id)
    items_ask(runs=_made(reports), asked_for=proposal.pk, at=now())
    CaseResult.objects.bulk_update(results, ["sent_run_ids"])
    return len(reports)


def _unjudged(result: CaseResult) -> set[int]:
    """The repetitions in which the evaluation found something that nobody has judged."""
    return {one["repetition"] for one in result.parts if any("candidate" not in part for part in one["parts"])}


def _different(replays: Sequence[CaseReplay], wanted: Collection[int]) -> Iterator[CaseReplay]:
    """Those of the wanted repetitions that were answered, each answer once."""
    seen: set[tuple[str, str]] = set()
    for replay in replays:
        output = unpack(replay.output)
        if replay.repetition not in wanted or replay.erased_at is not None or output is None:
            continue
        answer = Replayed(output=output, calls=unpack(replay.calls)).whole
        if answer not in seen:
            seen.add(answer)
            yield replay


def _body(
    proposal: Proposal, evaluation: Evaluation, replay: CaseReplay, given: bytes | memoryview | None, whose: str
) -> RunBody:
    return RunBody(
        status="completed",
        agent=AgentRef(id=proposal.agent_id, version=proposal.candidate_version, via="explicit"),
        dry_run=True,
        input=_raw(given),
        output=_raw(replay.output),
        calls=_raw(replay.calls),
        completed_at=replay.over_at or UNSET,
        replay_of=replay.run_id,
        eval_run_id=str(evaluation.pk),
        participant_id=whose or UNSET,
    )


def _raw(stored: bytes | memoryview | None) -> Raw | UnsetType:
    text = unpack(stored)
    return UNSET if text is None else Raw(text)


def _made(reports: Sequence[Report]) -> list[Run]:
    """The runs that there were not before. Raises why one couldn't be made."""
    for report in reports:
        if report.refused is not None:
            raise report.refused
    return [report.run for report in reports if report.run is not None and report.outcome == "created"]
