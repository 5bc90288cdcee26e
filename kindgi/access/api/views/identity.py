"""Who asks, over /v1 (contract, section 9)."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from kindgi.access.api import answers, schemas
from kindgi.api.endpoints import Endpoint
from kindgi.api.operations import operation


class Whoami(Endpoint):
    """`/v1/identity/whoami`."""

    @operation(
        id="identity.whoami", summary="Who the token stands for, and what narrows it", answer=schemas.WhoamiAnswer
    )
    def get(self, request: Request) -> Response:
        """The caller."""
        return Response(answers.whoami_answer(self.caller_of(request)))
