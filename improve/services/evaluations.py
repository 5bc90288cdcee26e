"""Trying a suggested change: begun, cancelled, and scored anew (contract, section 7; locks in docs/concurrency.md)."""

from __future__ import annotations

from corrections.services.test_runs.reading import Scope, corrections_lock
from improve.blocks import changed_blocks
from improve.errors import ReplayEndpointMissing, TestSetEmpty, TestSetNotFound
from improve.evaluating import EvaluateBody, Which
from improve.models import Evaluation, Proposal, TestCase, TestSet
from improve.selectors.endpoints import replay_endpoint_of
from improve.selectors.test_sets import test_set_cases, test_set_get
from improve.services.jobs import CaseToReplay, job_begin, job_cancel
from improve.services.proposals import candidate_name, proposal_lock
from improve.services.settling import evaluation_give_up, evaluation_rescored
from improve.services.test_sets import cases_copy
from improve.standing import Standing
from improve.statuses import Action
from kindgi.access.callers import Caller
from kindgi.runs.selectors import agent_get, agent_version_get, blocks_of


def proposal_evaluate(*, caller: Caller, proposal_id: str, body: EvaluateBody) -> Evaluation:
    """Begin to replay a test set with the change made; one is made of the agent's corrected runs where none is named.

    Raises ``BadInput``, ``ProposalNotFound``, ``PermissionDenied``, ``ProposalWrongStatus``,
    :class:`ReplayEndpointMissing`, :class:`TestSetNotFound`, :class:`TestSetEmpty`.
    """
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.EVALUATE)
    proposal = standing.proposal
    which = body.which(proposal.agent_id)
    if replay_endpoint_of(project=proposal.project, agent_id=proposal.agent_id) is None:
        raise ReplayEndpointMissing
    proposal.candidate_version = candidate_name(proposal)
    test_set = _test_set(caller, proposal, str(body.suite_id), which)
    cases = _cases(proposal, test_set)
    if not cases:
        raise TestSetEmpty
    return _begin(caller, standing, test_set, cases, body)


def _test_set(caller: Caller, proposal: Proposal, suite_id: str, which: Which | None) -> TestSet:
    if which is not None:
        return cases_copy(caller=caller, project=proposal.project, which=which)
    test_set = test_set_get(project=proposal.project, test_set_id=suite_id)
    if test_set.agent_id != proposal.agent_id:
        raise TestSetNotFound("The test set is of another agent.")
    return test_set


def _cases(proposal: Proposal, test_set: TestSet) -> list[TestCase]:
    """Those that nobody has erased or erases now: their runs are locked, in the order of their ids."""
    run_ids = sorted(test_set_cases(test_set).values_list("run_id", flat=True))
    scope = Scope(proposal.tenant_id, proposal.project_id, proposal.agent_id, experts_only=False)
    erased = corrections_lock(scope, run_ids)
    cases = test_set_cases(test_set).filter(erased_at__isnull=True).defer("judged")
    return [case for case in cases if case.run_id not in erased]


def _begin(
    caller: Caller, standing: Standing, test_set: TestSet, cases: list[TestCase], body: EvaluateBody
) -> Evaluation:
    proposal = standing.proposal
    agent = agent_get(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    version = agent_version_get(agent=agent, version=proposal.from_version)
    made = changed_blocks(proposal=proposal, pinned=blocks_of(version))
    job = job_begin(
        project=proposal.project,
        agent_id=proposal.agent_id,
        version=proposal.from_version,
        change=made.change,
        blocks=made.blocks,
        cases=[CaseToReplay(case.run_id, case.content_id) for case in cases],
        repetitions=body.repetitions,
        asked_by=caller.actor,
    )
    evaluation = Evaluation.objects.create(
        created_at=standing.at,
        proposal=proposal,
        test_set=test_set,
        job=job,
        repetitions=body.repetitions,
        experts_only=body.only_experts,
        started_by=caller.actor,
    )
    _stamp(standing, "candidate_version")
    return evaluation


def proposal_cancel(*, caller: Caller, proposal_id: str) -> Evaluation:
    """Stop the evaluation that goes on; what was answered until now is counted, and says nothing.

    Raises ``ProposalNotFound``, ``PermissionDenied``, ``ProposalWrongStatus``.
    """
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.CANCEL)
    evaluation = _latest(standing)
    if not job_cancel(job_id=evaluation.job_id, by=caller.actor):
        evaluation_give_up(evaluation)  # its job is over, and could not be settled
    evaluation.refresh_from_db()
    return evaluation


def proposal_rescore(*, caller: Caller, proposal_id: str) -> Evaluation:
    """Score what was answered anew, with what people said since of the runs that were made of it; replays nothing.

    It is a new evaluation of the same job, and the latest from then on. Raises ``ProposalNotFound``,
    ``PermissionDenied``, ``ProposalWrongStatus``.
    """
    standing = proposal_lock(caller=caller, proposal_id=proposal_id, action=Action.RESCORE)
    before = _latest(standing)
    evaluation = Evaluation.objects.create(
        created_at=standing.at,
        proposal=standing.proposal,
        test_set=before.test_set,
        job=before.job,
        rescore_of=before,
        repetitions=before.repetitions,
        experts_only=before.experts_only,
        started_by=caller.actor,
    )
    _stamp(standing)
    evaluation_rescored(evaluation)
    return evaluation


def _latest(standing: Standing) -> Evaluation:
    """The latest evaluation, which there is wherever an action on one is legal."""
    if standing.evaluation is None:
        raise LookupError("The suggested change was never evaluated.")
    return standing.evaluation


def _stamp(standing: Standing, *fields: str) -> None:
    standing.proposal.updated_at = standing.at
    standing.proposal.save(update_fields=["updated_at", *fields])
