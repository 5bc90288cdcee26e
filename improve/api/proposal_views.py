"""Suggested changes over /v1: drafted, read, withdrawn (contract, section 7)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from improve import errors
from improve.api import history_schemas as history
from improve.api import proposal_schemas as schemas
from improve.models import Proposal
from improve.proposal_filters import ProposalFilter
from improve.selectors.proposals import (
    proposal_get,
    proposal_history,
    proposal_standing,
    proposal_standings,
    proposals_readable,
)
from improve.services.promoting import proposal_decide, proposal_request, proposal_roll_back
from improve.services.proposals import proposal_create, proposal_withdraw
from improve.suggesting import DecideBody, ProposalBody, ReasonBody, WithdrawBody
from kindgi.access.callers import Caller
from kindgi.access.errors import ProjectNotFound
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import filtered
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first
from kindgi.runs.errors import AgentNotFound, AgentVersionNotFound

_ACTING = (errors.ProposalNotFound, PermissionDenied, errors.ProposalWrongStatus)


def answered(caller: Caller, proposal: Proposal) -> schemas.ProposalAnswer:
    """A suggested change as it stands now, as it is sent."""
    return schemas.proposal_answer(proposal_standing(caller=caller, proposal=proposal))


class Proposals(Endpoint):
    """`/v1/proposals`."""

    @operation(
        id="proposals.list",
        summary="List suggested changes, newest first",
        answer=schemas.ProposalAnswer,
        filters=ProposalFilter,
        paged=True,
    )
    def get(self, request: Request) -> Response:
        """A page of those in projects that the caller may read, each where it stands now."""
        caller = self.caller_of(request)
        page = newest_first(
            filtered(ProposalFilter, request.GET, proposals_readable(caller)), PageRequest.of(request.GET)
        )
        standings = proposal_standings(caller=caller, proposals=page.rows)
        return Response(page.answer([schemas.proposal_answer(one) for one in standings]))

    @operation(
        id="proposals.create",
        summary="Suggest a change",
        body=ProposalBody,
        example={
            "agentId": "orders.desk",
            "fromVersion": "1.4.0",
            "tier": "settings-block",
            "change": {"blockId": "limits", "content": {"values": {"refundUpTo": 100}}},
            "hypothesis": "Refunds up to 100 needn't be asked about.",
        },
        status=201,
        answer=schemas.ProposalAnswer,
        also=((200, schemas.ProposalAnswer),),
        errors=(
            errors.ProposalUnchanged,
            PermissionDenied,
            ProjectNotFound,
            AgentNotFound,
            AgentVersionNotFound,
            errors.BlockNotFound,
        ),
    )
    def post(self, request: Request) -> Response:
        """201 with a draft; 200 with `X-Proposal-Deduped: true` for what is suggested already, as that is.

        New content for a block that the agent version pins: checked by the block's schema or
        parameters, which carry over.
        """
        caller = self.caller_of(request)
        proposal, made = proposal_create(caller=caller, body=self.body(ProposalBody))
        answer = Response(answered(caller, proposal), status=201 if made else 200)
        if not made:
            answer["X-Proposal-Deduped"] = "true"
        return answer


class OneProposal(Endpoint):
    """`/v1/proposals/{proposalId}`."""

    @operation(
        id="proposals.get",
        summary="Get a suggested change",
        answer=schemas.ProposalAnswer,
        errors=(errors.ProposalNotFound,),
    )
    def get(self, request: Request, proposal_id: str) -> Response:
        """Where it stands now, and what the caller may do with it."""
        caller = self.caller_of(request)
        return Response(answered(caller, proposal_get(caller=caller, proposal_id=proposal_id)))


class ProposalHistory(Endpoint):
    """`/v1/proposals/{proposalId}/history`."""

    @operation(
        id="proposals.history",
        summary="List the steps of a suggested change, newest first",
        answer=history.HistoryAnswer,
        errors=(errors.ProposalNotFound,),
    )
    def get(self, request: Request, proposal_id: str) -> Response:
        """All of them: what, when, by whom, why."""
        proposal = proposal_get(caller=self.caller_of(request), proposal_id=proposal_id)
        return Response(history.HistoryAnswer([history.entry_answer(one) for one in proposal_history(proposal)]))


class ProposalRequest(Endpoint):
    """`/v1/proposals/{proposalId}/request`."""

    @operation(
        id="proposals.request",
        summary="Ask for a suggested change to go live",
        body=ReasonBody,
        body_required=False,
        answer=schemas.ProposalAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """It waits for a reviewer; one that isn't better is refused, unless a tenant admin says why."""
        caller = self.caller_of(request)
        proposal = proposal_request(caller=caller, proposal_id=proposal_id, body=self.body(ReasonBody))
        return Response(answered(caller, proposal))


class ProposalDecision(Endpoint):
    """`/v1/proposals/{proposalId}/decide`."""

    @operation(
        id="proposals.decide",
        summary="Decide whether a suggested change goes live",
        body=DecideBody,
        answer=schemas.ProposalAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """By a person, a reviewer who neither drafted nor asked for it. Approved, it is registered and pinned.

        Where the project runs another version than when that was asked for, it is superseded instead.
        """
        caller = self.caller_of(request)
        proposal = proposal_decide(caller=caller, proposal_id=proposal_id, body=self.body(DecideBody))
        return Response(answered(caller, proposal))


class ProposalRollback(Endpoint):
    """`/v1/proposals/{proposalId}/rollback`."""

    @operation(
        id="proposals.rollback",
        summary="Go back to what was pinned before",
        body=ReasonBody,
        body_required=False,
        answer=schemas.ProposalAnswer,
        errors=(*_ACTING, errors.ProposalNotLive),
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Only while the project still pins the version that went live; where nothing was pinned, it follows Latest."""
        caller = self.caller_of(request)
        proposal = proposal_roll_back(caller=caller, proposal_id=proposal_id, body=self.body(ReasonBody))
        return Response(answered(caller, proposal))


class ProposalWithdrawal(Endpoint):
    """`/v1/proposals/{proposalId}/withdraw`."""

    @operation(
        id="proposals.withdraw",
        summary="Withdraw a suggested change",
        body=WithdrawBody,
        answer=schemas.ProposalAnswer,
        errors=_ACTING,
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """For good; an evaluation that goes on is cancelled. Not once it is in review, live or rejected."""
        caller = self.caller_of(request)
        proposal = proposal_withdraw(caller=caller, proposal_id=proposal_id, reason=self.body(WithdrawBody).reason)
        return Response(answered(caller, proposal))
