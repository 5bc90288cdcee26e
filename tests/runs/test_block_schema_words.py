"""What a schema refuses is said by what would do, not by the schema's own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kindgi.api.errors import BadInput
from kindgi.runs.block_schemas import check_values

SAID: list[tuple[Any, dict[str, Any], str]] = [
    (11, {"maximum": 10}, "/x/values/a: It must be at most 10."),
    ("x", {"type": ["integer", "null"]}, "/x/values/a: It must be a whole number or null."),
    ("x", {"enum": ["y", 2]}, '/x/values/a: It must be one of "y", 2.'),
    ("ab", {"pattern": "^b"}, '/x/values/a: It must match the pattern "^b".'),
    ({}, {"required": ["b"]}, '/x/values/a: The field "b" is missing.'),
    (
        {"c/d": {}},
        {"properties": {"c/d": {"minProperties": 1}}},
        "/x/values/a/c~1d: It has too few fields: at least 1.",
    ),
    ({"b": 1}, {"additionalProperties": False}, '/x/values/a: There\'s no field "b" in its schema.'),
    ([1, 1], {"uniqueItems": True}, "/x/values/a: No entry may be there twice."),
    (1, {"not": {}}, "/x/values/a: It doesn't satisfy the block's schema (not)."),
]


@pytest.mark.parametrize(("value", "schema", "said"), SAID)
def test_it_says_where_and_what_would_do(value: Any, schema: dict[str, Any], said: str):
    whole = {"properties": {"a": schema}}
    with pytest.raises(BadInput) as refused:
        check_values(json.dumps({"a": value}).encode(), json.dumps(whole).encode(), "/x")
    assert refused.value.message == said
