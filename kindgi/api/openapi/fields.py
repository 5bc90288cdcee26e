"""A schema's fields as rows that people read: name, type, limits, meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from kindgi.api.operations import PREFIX

Json = dict[str, Any]

MAX_NESTING = 3
_CODE = re.compile(r"`([^`]+)`")
_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minItems", "at least {} entries"),
    ("maxItems", "at most {} entries"),
    ("maxProperties", "at most {} fields"),
    ("default", "default {}"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """One row; ``name`` of a nested field holds its way, as in ``items[].key``."""

    name: str
    kind: SafeString
    limits: str
    meaning: SafeString
    required: bool


class Fields:
    """Reads rows off schemas, where ``components`` are the named ones."""

    def __init__(self, components: dict[str, Json]) -> None:
        """Refer to ``components``."""
        self._components = components

    def of_object(self, schema: Json) -> list[Field]:
        """One row a field; what a field holds is named and linked."""
        return list(self._rows(schema, "", nested=False))

    def of_body(self, schema: Json) -> list[Field]:
        """One row a field, and those of the objects inside it, up to ``MAX_NESTING`` levels."""
        resolved = self.resolved(schema)
        if resolved.get("type") == "array":
            return list(self._rows(self.resolved(resolved["items"]), "[].", nested=True))
        return list(self._rows(resolved, "", nested=True))

    def resolved(self, schema: Json) -> Json:
        """The schema that a reference names."""
        return self._components[schema["$ref"].removeprefix(PREFIX)] if "$ref" in schema else schema

    def of_parameter(self, parameter: Json) -> Field:
        """The row of a parameter."""
        schema = parameter["schema"]
        meaning = with_code(parameter.get("description", ""))
        return Field(parameter["name"], kind_of(schema), limits_of(schema), meaning, parameter["required"])

    def _rows(self, schema: Json, prefix: str, *, nested: bool, depth: int = 0) -> Iterator[Field]:
        required = schema.get("required", [])
        for name, field in schema.get("properties", {}).items():
            meaning = field.get("description") or (self._meaning(field) if nested else "")
            yield Field(prefix + name, kind_of(field), limits_of(field), with_code(meaning), name in required)
            inner, suffix = self._inside(field)
            if nested and inner is not None and depth < MAX_NESTING:
                yield from self._rows(inner, f"{prefix}{name}{suffix}.", nested=True, depth=depth + 1)

    def _meaning(self, field: Json) -> str:
        inner, _ = self._inside(field)
        return "" if inner is None else inner.get("description", "").partition("\n\n")[0]

    def _inside(self, field: Json) -> tuple[Json | None, str]:
        """The object that a field holds, or each entry of it, if it is one."""
        is_list = field.get("type") == "array"
        held = self.resolved(field.get("items", {}) if is_list else field)
        return (held if "properties" in held else None), "[]" if is_list else ""


def kind_of(schema: Json) -> SafeString:
    """A schema's type in words; a named object is a link to its section."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(PREFIX)
        return format_html('<a href="#{0}">{0}</a>', name)
    if "anyOf" in schema:
        return format_html_join(" or ", "{}", ((kind_of(option),) for option in schema["anyOf"]))
    if "enum" in schema:
        return format_html_join(" ", "<code>{}</code>", ((_literal(value),) for value in schema["enum"]))
    if schema.get("type") == "array":
        return format_html("list of {}", kind_of(schema.get("items", {})))
    named = {"date-time": "time", "uuid": "UUID", "uri": "URL"}.get(schema.get("format", ""))
    return format_html("{}", named or schema.get("type", "any JSON"))


def limits_of(schema: Json) -> str:
    """A schema's bounds in words."""
    least_one = {key for key in ("minLength", "minItems") if schema.get(key) == 1}
    found = ["not empty"] if least_one else []
    found += [words.format(_amount(schema[key])) for key, words in _LIMITS if key in schema and key not in least_one]
    if "pattern" in schema and schema["pattern"] != r"\S":
        found.append(f"like {schema['pattern']}")
    if schema.get("type") == "array" and "items" in schema:
        found += [f"each {limit}" for limit in limits_of(schema["items"]).split(", ") if limit]
    return ", ".join(found)


def with_code(text: str) -> SafeString:
    """``text`` as HTML, with what stands in backticks as code."""
    pieces = _CODE.split(text)
    marked = (("<code>{}</code>" if index % 2 else "{}", piece) for index, piece in enumerate(pieces))
    return format_html_join("", "{}", ((format_html(markup, piece),) for markup, piece in marked))


def _literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _amount(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _literal(value)
