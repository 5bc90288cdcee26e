"""The tenant's roster of reviewers over /v1 (contract, section 9)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access import errors
from kindgi.access.api import answers, schemas
from kindgi.access.policies import check_tenant_admin
from kindgi.access.selectors import reviewer_get, reviewers_of, user_get
from kindgi.access.services.reviewers import reviewer_register, reviewer_remove
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class Reviewers(Endpoint):
    """`/v1/approvals/reviewers`."""

    @operation(id="approvals.reviewers.list", summary="List the roster", answer=schemas.ReviewerAnswer, paged=True)
    def get(self, request: Request) -> Response:
        """A page of it, who came last first; everybody in the tenant may read it."""
        check_parameters(request.GET, set())
        page = newest_first(reviewers_of(self.caller_of(request).tenant_id), PageRequest.of(request.GET))
        return Response(page.answer([answers.reviewer_answer(reviewer) for reviewer in page.rows]))

    @operation(
        id="approvals.reviewers.register",
        summary="Put a person on the roster, or change their role there",
        body=schemas.ReviewerBody,
        answer=schemas.ReviewerAnswer,
        status=201,
        also=((200, schemas.ReviewerAnswer),),
        errors=(PermissionDenied, errors.UserNotFound),
    )
    def post(self, request: Request) -> Response:
        """Their entry: 201 when they weren't on the roster, else 200."""
        body: schemas.ReviewerBody = self.body(schemas.ReviewerBody)
        caller = self.caller_of(request)
        check_tenant_admin(caller)
        reviewer, is_new = reviewer_register(
            caller=caller,
            user=user_get(tenant_id=caller.tenant_id, user_id=body.user_id),
            role=body.role,
            display_name=body.display_name or None,
        )
        return Response(answers.reviewer_answer(reviewer), status=201 if is_new else 200)


class OneReviewer(Endpoint):
    """`/v1/approvals/reviewers/{reviewerId}`."""

    @operation(
        id="approvals.reviewers.unregister",
        summary="Take a person off the roster",
        answer=schemas.ReviewerUnregistered,
        errors=(errors.ReviewerNotFound, PermissionDenied),
    )
    def delete(self, request: Request, reviewer_id: str) -> Response:
        """That they are off it; what they recorded stays."""
        caller = self.caller_of(request)
        reviewer = reviewer_get(tenant_id=caller.tenant_id, reviewer_id=reviewer_id)
        reviewer_remove(caller=caller, reviewer=reviewer)
        return Response(schemas.ReviewerUnregistered(reviewer_id=reviewer.pk))
