"""An example of each body and answer, made from its schema: the same at every start."""

from __future__ import annotations

from typing import Any

from kindgi.api.operations import PREFIX

Json = dict[str, Any]

ID = "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa"
_FORMATS = {"uuid": ID, "date-time": "2026-01-02T03:04:05.678Z", "uri": "https://example.com/"}
_STRINGS = {
    "actor": f"user:{ID}",
    "agentId": "support.assistant",
    "code": "bad-input",
    "createdBy": f"user:{ID}",
    "email": "ada@example.com",
    "flowId": "support.triage",
    "key": "case-17",
    "name": "Support",
    "nextCursor": "AQAGR0KVUtjw9ZwBfsG3Y0XPk7fhVJz4",
    "pinnedBy": f"user:{ID}",
    "pointer": "/matches/2",
    "slug": "support",
    "token": "kgi_example",
    "tool": "orders.lookup",
    "version": "1.4.0",
}
_MAX_DEPTH = 8


class Examples:
    """Examples by schema, where ``components`` are the named ones."""

    def __init__(self, components: dict[str, Json]) -> None:
        """Refer to ``components``."""
        self._components = components

    def of_body(self, schema: Json) -> Any:
        """What a body must have; of one that must have nothing, its first field."""
        return self._of(schema, "", whole=False, depth=0)

    def of_answer(self, schema: Json) -> Any:
        """An answer with all its fields."""
        return self._of(schema, "", whole=True, depth=0)

    def _of(self, schema: Json, name: str, *, whole: bool, depth: int) -> Any:
        if "$ref" in schema:
            return self._of(self._components[schema["$ref"].removeprefix(PREFIX)], name, whole=whole, depth=depth)
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        for key in ("examples", "enum"):
            if key in schema:
                return schema[key][0]
        if "anyOf" in schema:
            return self._of(schema["anyOf"][0], name, whole=whole, depth=depth)
        return self._by_type(schema, name, whole=whole, depth=depth)

    def _by_type(self, schema: Json, name: str, *, whole: bool, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._object(schema, whole=whole, depth=depth)
            case "array":
                items = schema.get("items", {})
                return [self._of(items, name, whole=whole, depth=depth + 1)] if items and depth < _MAX_DEPTH else []
            case "string":
                return _string(schema, name)
            case "integer" | "number":
                return schema.get("minimum", 1)
            case "boolean":
                return True
            case _:
                return {}

    def _object(self, schema: Json, *, whole: bool, depth: int) -> Json:
        properties: dict[str, Json] = schema.get("properties", {})
        names = list(properties) if whole else schema.get("required") or list(properties)[:1]
        if depth >= _MAX_DEPTH:
            names = schema.get("required", [])
        return {name: self._of(properties[name], name, whole=whole, depth=depth + 1) for name in names}


def _string(schema: Json, name: str) -> str:
    return _FORMATS.get(schema.get("format", "")) or example_of(name)


def example_of(name: str) -> str:
    """A text that a field or parameter called ``name`` may hold."""
    if name in _STRINGS:
        return _STRINGS[name]
    return ID if name == "id" or name.endswith("Id") else "example"
