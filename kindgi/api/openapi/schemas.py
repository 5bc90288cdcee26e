"""JSON Schemas of bodies and answers, from their msgspec types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from kindgi.api import errors
from kindgi.api.openapi.routes import Route
from kindgi.api.openapi.text import first_line, prose
from kindgi.api.operations import PREFIX

Json = dict[str, Any]

_JSON_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


class Schemas:
    """The schema of each type that an operation takes or answers; ``components`` are the named ones."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Make them all at once, so that two types of one name get names of their own."""
        kinds: list[Any] = []
        for route in routes:
            kinds += [kind for _, kind in route.operation.answers if kind is not None]
            kinds += [] if route.operation.body is None else [route.operation.body]
        made, components = msgspec.json.schema_components(kinds, ref_template=PREFIX + "{name}")
        # By identity: some types, such as list[X], are equal without being hashable together.
        self._made = [(kind, _tidy(schema)) for kind, schema in zip(kinds, made, strict=True)]
        self.components: dict[str, Json] = {name: _tidy(schema) for name, schema in components.items()}
        self.components |= _error_schemas()

    def of(self, kind: Any) -> Json:
        """The schema of a body, or of one row of a list."""
        return next(schema for known, schema in self._made if known == kind)

    def counted_page_of(self, kind: Any) -> Json:
        """The schema of a page of ``kind`` that has their total, too."""
        page = self.page_of(kind)
        schema = self.components[page["$ref"].removeprefix(PREFIX)]
        schema["properties"]["total"] = {"type": "integer", "description": "How many rows there are on all pages."}
        schema["required"] = [*schema["required"], "total"]
        return page

    def page_of(self, kind: Any) -> Json:
        """The schema of a page of ``kind``, which becomes a component too."""
        row = self.of(kind)
        name = row["$ref"].removeprefix(PREFIX) + "Page"
        self.components[name] = {
            "title": name,
            "type": "object",
            "description": "One page of a list.",
            "properties": {
                "data": {"type": "array", "items": row},
                "hasMore": {"type": "boolean", "description": "Whether more rows follow."},
                "nextCursor": {"type": "string", "description": "Where they begin: the next page's `cursor`."},
            },
            "required": ["data", "hasMore"],
        }
        return {"$ref": PREFIX + name}


def _tidy(schema: Any) -> Any:
    """``schema`` with the type of each enumeration, and docstrings as prose."""
    if isinstance(schema, list):
        return [_tidy(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _tidy(value) for key, value in schema.items()}
    if isinstance(found.get("description"), str):
        found["description"] = prose(found["description"])
    if isinstance(found.get("enum"), list) and "type" not in found:
        kinds = {_JSON_TYPES[type(value)] for value in found["enum"]}
        found = {"type": kinds.pop(), **found} if len(kinds) == 1 else found
    if found.get("default", ...) is None:
        del found["default"]
    return found


def _error_schemas() -> dict[str, Json]:
    classes = sorted(errors.error_classes(), key=lambda known: (known.status, known.code))
    meanings = "\n".join(f"- `{known.code}` ({known.status}): {first_line(known.__doc__)}" for known in classes)
    error: Json = {
        "type": "object",
        "properties": {
            "code": {"$ref": f"{PREFIX}ErrorCode"},
            "message": {"type": "string", "description": "A sentence for people; it may change."},
            "details": {"type": "object", "description": "More, by kind of error."},
            "requestId": {"type": "string", "description": "The same as `X-Request-Id`."},
        },
        "required": ["code", "message", "requestId"],
    }
    return {
        "Error": {
            "title": "Error",
            "type": "object",
            "description": "Every 4xx and 5xx.",
            "properties": {"error": error},
            "required": ["error"],
        },
        "ErrorCode": {
            "title": "ErrorCode",
            "type": "string",
            "description": f"What went wrong, for programs; it never changes its meaning.\n\n{meanings}",
            "enum": [known.code for known in classes],
        },
    }
