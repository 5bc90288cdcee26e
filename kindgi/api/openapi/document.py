"""The OpenAPI 3.1 document of /v1, generated from the code; made once a process."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings

import kindgi
from kindgi.api.openapi.examples import Examples
from kindgi.api.openapi.parameters import CONVENTIONS, SHARED, parameters
from kindgi.api.openapi.refusals import refusals, response, response_name
from kindgi.api.openapi.routes import Route, routes
from kindgi.api.openapi.schemas import Schemas
from kindgi.api.openapi.text import prose, words

Json = dict[str, Any]

_HEADERS: dict[str, Json] = {
    "XRequestId": {
        "description": "The request's id: the caller's, or a new one.",
        "schema": {"type": "string"},
    },
    "RetryAfter": {
        "description": "Whole seconds after which the same request can be sent again.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "XIdempotentReplay": {
        "description": "`true` on an answer that was kept for the request's Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "WWWAuthenticate": {"description": "`Bearer`.", "schema": {"type": "string"}},
}


def document() -> Json:
    """The document of this project's URL patterns. Shared: don't change it."""
    return _document(settings.ROOT_URLCONF)


@cache
def _document(urlconf: str) -> Json:
    return build(routes(urlconf))


def build(all_routes: list[Route]) -> Json:
    """The document of ``all_routes``; the same for the same code."""
    schemas = Schemas(all_routes)
    builder = _Builder(schemas)
    paths: dict[str, Json] = {}
    for route in all_routes:
        paths.setdefault(route.path, {})[route.method] = builder.operation(route)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Kindgi Quality",
            "version": kindgi.__version__,
            "description": "\n\n".join(CONVENTIONS),
        },
        "servers": [{"url": "/"}],
        "security": [{"bearerAuth": []}],
        "tags": [_tag(name) for name in dict.fromkeys(route.operation.tag for route in all_routes)],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearerAuth": {"type": "http", "scheme": "bearer"}},
            "parameters": SHARED,
            "headers": _HEADERS,
            "responses": dict(sorted(builder.responses.items())),
            "schemas": dict(sorted(schemas.components.items())),
        },
    }


def _tag(name: str) -> Json:
    first, *rest = (words(part) for part in name.split("."))
    return {"name": name, "x-displayName": ": ".join([first.capitalize(), *rest])}


class _Builder:
    """Operations, and the error responses that they share."""

    def __init__(self, schemas: Schemas) -> None:
        """Use ``schemas`` for bodies and answers."""
        self.schemas = schemas
        self.examples = Examples(schemas.components)
        self.responses: dict[str, Json] = {}

    def operation(self, route: Route) -> Json:
        """One method of one path."""
        declared = route.operation
        found: Json = {
            "operationId": declared.id,
            "tags": [declared.tag],
            "summary": declared.summary,
            "description": prose(route.description),
            "parameters": parameters(route),
        }
        if declared.body is not None:
            found["requestBody"] = self._request_body(route)
        found["responses"] = self._successes(route) | self._refusals(route)
        return found | ({"security": []} if declared.public else {})

    def _request_body(self, route: Route) -> Json:
        declared = route.operation
        schema = self.schemas.of(declared.body)
        example = self.examples.of_body(schema) if declared.example is None else declared.example
        content: Json = {}
        for media_type in declared.media_types:
            as_lines = {"type": "string", "description": "An entry of the `application/json` form on each line."}
            is_json = media_type == "application/json"
            content[media_type] = {"schema": schema, "example": example} if is_json else {"schema": as_lines}
        return {"required": declared.body_required, "content": content}

    def _successes(self, route: Route) -> Json:
        return {str(status): self._success(route, status, kind) for status, kind in route.operation.answers}

    def _success(self, route: Route, status: int, kind: Any) -> Json:
        headers = {"X-Request-Id": {"$ref": "#/components/headers/XRequestId"}}
        if route.is_write:
            headers["X-Idempotent-Replay"] = {"$ref": "#/components/headers/XIdempotentReplay"}
        found: Json = {"description": HTTPStatus(status).phrase, "headers": headers}
        if kind is None:
            return found
        media = {"schema": (schema := self._schema(route, kind))}
        if route.operation.produces == "application/json":
            media["example"] = self.examples.of_answer(schema)
        return found | {"content": {route.operation.produces: media}}

    def _schema(self, route: Route, kind: Any) -> Json:
        if not route.operation.paged:
            return self.schemas.of(kind)
        return self.schemas.counted_page_of(kind) if route.operation.counted else self.schemas.page_of(kind)

    def _refusals(self, route: Route) -> Json:
        found: Json = {}
        for status, classes in refusals(route).items():
            name = response_name(classes)
            self.responses.setdefault(name, response(classes))
            found[str(status)] = {"$ref": f"#/components/responses/{name}"}
        return found
