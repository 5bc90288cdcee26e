"""`/v1/openapi.json` and `/v1/docs`: both without a token (contract, section 2)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from rest_framework.request import Request

from kindgi.api.endpoints import Endpoint
from kindgi.api.jsontext import encode
from kindgi.api.openapi.document import document
from kindgi.api.openapi.page import groups, objects, paragraphs, refusals_table
from kindgi.api.operations import operation

_HTML = "text/html; charset=utf-8"
_INDENT = re.compile(r"\s*\n\s*(?=<)")
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class OpenApiDocument(Endpoint):
    """`/v1/openapi.json`."""

    @operation(id="docs.openapi", summary="Get this document", answer=dict[str, Any], public=True)
    def get(self, request: Request) -> HttpResponse:
        """OpenAPI 3.1, in JSON."""
        return HttpResponse(_encoded(settings.ROOT_URLCONF), content_type="application/json")


class DocsPage(Endpoint):
    """`/v1/docs`."""

    @operation(id="docs.read", summary="Read the same as a page", answer=str, produces="text/html", public=True)
    def get(self, request: Request) -> HttpResponse:
        """HTML, which needs no JavaScript."""
        return HttpResponse(
            _page(settings.ROOT_URLCONF), content_type=_HTML, headers={"Content-Security-Policy": _POLICY}
        )


@cache
def _encoded(urlconf: str) -> bytes:
    return encode(document())


@cache
def _page(urlconf: str) -> str:
    found = document()
    context = {
        "info": found["info"],
        "intro": paragraphs(found["info"]["description"]),
        "groups": groups(found),
        "objects": objects(found),
        "errors": refusals_table(found),
    }
    return _INDENT.sub("\n", render_to_string("api/docs.html", context).strip())
