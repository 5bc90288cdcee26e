"""API tokens over /v1 (contract, sections 2 and 9)."""

from __future__ import annotations

from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access import errors
from kindgi.access.api import answers, schemas
from kindgi.access.selectors import principal_get, project_get, token_get, tokens_visible
from kindgi.access.services.tokens import TokenSpec, token_mint, token_revoke
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import PermissionDenied
from kindgi.api.filters import check_parameters
from kindgi.api.operations import operation
from kindgi.api.pages import PageRequest, newest_first


class Tokens(Endpoint):
    """`/v1/tokens`."""

    @operation(id="tokens.list", summary="List tokens, newest first", answer=schemas.TokenAnswer, paged=True)
    def get(self, request: Request) -> Response:
        """A page of them: the tenant's for its admins, for everybody else those that act for them."""
        check_parameters(request.GET, set())
        page = newest_first(tokens_visible(self.caller_of(request)), PageRequest.of(request.GET))
        return Response(page.answer([answers.token_answer(token) for token in page.rows]))

    @operation(
        id="tokens.mint",
        summary="Mint a token; its secret is shown this once",
        body=schemas.TokenBody,
        answer=schemas.MintedAnswer,
        status=201,
        secret=True,
        errors=(
            PermissionDenied,
            errors.UserNotFound,
            errors.ServiceAccountNotFound,
            errors.ProjectNotFound,
            errors.TokenExpiryExceedsMinter,
        ),
    )
    def post(self, request: Request) -> Response:
        """The new token, which holds no more than the caller does."""
        body: schemas.TokenBody = self.body(schemas.TokenBody)
        caller = self.caller_of(request)
        named = body.for_ or None
        principal = principal_get(
            caller=caller, kind=named.kind if named else None, principal_id=named.id if named else ""
        )
        spec = TokenSpec(
            role=body.role,
            project=None if body.project_id is UNSET else project_get(caller=caller, project_id=body.project_id),
            label=body.label or "",
            expires_at=body.expires_at or None,
            reviewer_role=body.reviewer_role or "",
        )
        minted = token_mint(caller=caller, principal=principal, spec=spec)
        return Response(answers.minted_answer(minted.token, secret=minted.secret), status=201)


class OneToken(Endpoint):
    """`/v1/tokens/{tokenId}`."""

    @operation(
        id="tokens.get",
        summary="Get a token, never its secret",
        answer=schemas.TokenAnswer,
        errors=(errors.TokenNotFound,),
    )
    def get(self, request: Request, token_id: str) -> Response:
        """The token, a revoked one too."""
        return Response(answers.token_answer(token_get(caller=self.caller_of(request), token_id=token_id)))


class TokenRevocation(Endpoint):
    """`/v1/tokens/{tokenId}/revoke`."""

    @operation(
        id="tokens.revoke",
        summary="Revoke a token",
        answer=schemas.TokenRevoked,
        errors=(errors.TokenNotFound,),
    )
    def post(self, request: Request, token_id: str) -> Response:
        """That it is revoked; a second time changes nothing."""
        caller = self.caller_of(request)
        token = token_get(caller=caller, token_id=token_id)
        token_revoke(caller=caller, token=token)
        return Response(schemas.TokenRevoked(token_id=token.pk))
