"""What an operation takes beside its body: in its path, its query and its headers."""

from __future__ import annotations

from typing import Any

import django_filters
from django import forms

from kindgi.api.bodies import MAX_BYTES
from kindgi.api.filters import FlagFilter, IdFilter, InstantFilter
from kindgi.api.openapi.routes import Route
from kindgi.api.openapi.text import words
from kindgi.api.pages import DEFAULT_LIMIT, MAX_LIMIT

Json = dict[str, Any]

IDEMPOTENCY = (
    "A key of the caller's choosing that makes a write safe to retry, scoped to the caller, the method and the path "
    "and kept for 24 hours. A retry with the same key and body gets the first answer, byte for byte, with "
    "`X-Idempotent-Replay: true`; with another body, `409 idempotency-key-body-mismatch`; while the first request "
    "still runs, `409 idempotency-key-in-flight` with `Retry-After`. An answer that carries a secret isn't kept: a "
    "retry gets `409 idempotency-key-replay-withheld` with the first request's status and when it succeeded. A 4xx "
    "or 5xx is never kept. When the key store can't be read, `503 idempotency-store-unavailable` with "
    "`Retry-After`: nothing ran, so retry with the same key."
)

SHARED: dict[str, Json] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": IDEMPOTENCY,
        "schema": {"type": "string", "minLength": 1},
        "example": "3f1c6b0e-5d0a-4a53-9b1f-2a4f6f0d7f11",
    },
    "XRequestId": {
        "name": "X-Request-Id",
        "in": "header",
        "required": False,
        "description": "An id for this request, echoed in the answer where it is safe to; otherwise a new one is made.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:/+=@-]{1,128}$"},
    },
    "Limit": {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "How many rows a page holds at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    },
    "LimitOrNone": {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "How many rows a page holds at most; with 0 only `total` is answered.",
        "schema": {"type": "integer", "minimum": 0, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    },
    "Cursor": {
        "name": "cursor",
        "in": "query",
        "required": False,
        "description": "The `nextCursor` of the page before, as it is.",
        "schema": {"type": "string"},
    },
}

CONVENTIONS = (
    "JSON in and out, in UTF-8, with camelCase names. Times are ISO 8601 in UTC with milliseconds and `Z`. An "
    "optional field that has no value is left out.",
    "Send `Authorization: Bearer <token>` with every request. What you may not read answers as what doesn't exist; "
    "what you may read but not change answers `403 permission-denied`.",
    'Every 4xx and 5xx is `{"error": {"code", "message", "details"?, "requestId"}}`. The code is stable, the message '
    "is for people. `X-Request-Id` names the request in every answer and in the server's log.",
    'Lists answer `{"data": [...], "hasMore", "nextCursor"?}`. Cursors are opaque: rows that are added meanwhile make '
    "a walk through the pages neither skip nor repeat one.",
    f"A body has at most {MAX_BYTES:,} bytes and 128 levels of nesting. A field or query parameter that isn't listed "
    "is refused by name.",
    f"`Idempotency-Key` is taken by every POST, PUT, PATCH and DELETE. {IDEMPOTENCY}",
)


def parameters(route: Route) -> list[Json]:
    """All parameters of an operation, the shared ones by reference."""
    declared = [_in_path(name, schema) for name, schema in route.parameters.items()]
    if route.operation.filters is not None:
        declared += [_of_filter(name, one) for name, one in route.operation.filters.base_filters.items()]
    declared += [
        {"name": name, "in": "query", "required": False, "description": meaning, "schema": {"type": "string"}}
        for name, meaning in route.operation.params
    ]
    limit = "LimitOrNone" if route.operation.counted else "Limit"
    shared = [limit, "Cursor"] if route.operation.paged else []
    shared += ["IdempotencyKey"] if route.is_write else []
    return declared + [{"$ref": f"#/components/parameters/{name}"} for name in [*shared, "XRequestId"]]


def _in_path(name: str, schema: dict[str, str]) -> Json:
    subject = words(name)
    meaning = f"The {subject.removesuffix(' id')}'s id." if subject.endswith(" id") else f"The {subject}."
    return {"name": name, "in": "path", "required": True, "description": meaning, "schema": schema}


def _of_filter(name: str, one: django_filters.Filter) -> Json:
    meaning = str(one.extra.get("help_text") or "")
    found: Json = {"name": name, "in": "query", "required": False, "description": meaning, "schema": _schema(one)}
    if isinstance(one, django_filters.MultipleChoiceFilter):
        found |= {"style": "form", "explode": True}
    return found


def _schema(one: django_filters.Filter) -> Json:
    """The JSON Schema of a filter's value, read off its form field."""
    if isinstance(one, IdFilter):
        return {"type": "string", "format": "uuid"}
    if isinstance(one, FlagFilter):
        return {"type": "boolean"}
    if isinstance(one, InstantFilter):
        return {"type": "string", "format": "date-time"}
    field = one.field
    if isinstance(field, forms.ChoiceField):
        pairs: Any = field.choices
        choices = [str(value) for value, _ in pairs if value != ""]
        values: Json = {"type": "string", "enum": choices}
        is_many = isinstance(one, django_filters.MultipleChoiceFilter)
        return {"type": "array", "items": values} if is_many else values
    if isinstance(field, forms.IntegerField):
        return {"type": "integer"}
    limit = getattr(field, "max_length", None)
    return {"type": "string"} | ({"maxLength": limit} if limit else {})
