"""What a value lacks by its JSON Schema, in a sentence that says what would do (contract, section 7). Pure."""

from __future__ import annotations

import json
from typing import Any

from jsonschema.exceptions import ValidationError

_LONGEST = 100
_SAYS = {
    "maximum": "It must be at most {}.",
    "minimum": "It must be at least {}.",
    "exclusiveMaximum": "It must be less than {}.",
    "exclusiveMinimum": "It must be more than {}.",
    "multipleOf": "It must be a multiple of {}.",
    "maxLength": "It has too many characters: at most {}.",
    "minLength": "It has too few characters: at least {}.",
    "maxItems": "It has too many entries: at most {}.",
    "minItems": "It has too few entries: at least {}.",
    "maxProperties": "It has too many fields: at most {}.",
    "minProperties": "It has too few fields: at least {}.",
    "pattern": "It must match the pattern {}.",
    "const": "It must be {}.",
    "format": "It must be of the format {}.",
}
_KINDS = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def said(error: ValidationError) -> str:
    """The sentence; of a keyword that none is known for, which it is."""
    keyword, wanted = str(error.validator), error.validator_value
    if keyword in _SAYS:
        return _SAYS[keyword].format(_short(wanted))
    if keyword == "type":
        kinds = wanted if isinstance(wanted, list) else [wanted]
        return f"It must be {_either(_KINDS.get(str(kind), str(kind)[:_LONGEST]) for kind in kinds)}."
    if keyword == "enum" and isinstance(wanted, list):
        return f"It must be one of {_short(wanted)[1:-1]}."
    if keyword == "uniqueItems":
        return "No entry may be there twice."
    return _of_fields(keyword, wanted, error.instance, error.schema)


def _of_fields(keyword: str, wanted: Any, instance: Any, schema: Any) -> str:
    """What is said of an object's fields, and of all that has no words of its own."""
    if keyword == "required" and isinstance(wanted, list) and isinstance(instance, dict):
        missing = next((name for name in wanted if name not in instance), "")
        return f"The field {_short(missing)} is missing."
    if keyword == "additionalProperties" and wanted is False and isinstance(instance, dict):
        known = schema.get("properties", {}) if isinstance(schema, dict) else {}
        unknown = next((name for name in instance if name not in known), "")
        return f"There's no field {_short(unknown)} in its schema."
    return f"It doesn't satisfy the block's schema ({keyword[:_LONGEST]})."


def _either(kinds: Any) -> str:
    *most, last = kinds
    return f"{', '.join(most)} or {last}" if most else str(last)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
