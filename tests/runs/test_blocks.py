"""Blocks of agent versions: said once a version, numbered a content, checked, never changed (section 7)."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi.api.errors import BadInput
from kindgi.runs.block_schemas import check_values
from kindgi.runs.models import AgentVersion, BlockVersion, PinnedBlock
from kindgi.runs.selectors import agent_get
from kindgi.runs.services import agents
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import meeting
from tests.support.shops import Shop

PROMPT: dict[str, Any] = {"id": "greeting", "kind": "prompt", "template": "Greet {{name}}."}
LIMITS: dict[str, Any] = {"id": "limits", "kind": "settings", "values": {"refundUpTo": 50}}
NUMBER = {"type": "object", "properties": {"refundUpTo": {"type": "number", "maximum": 100}}}


def register(shop: Shop, version: str, *blocks: Any, agent: str = "desk") -> Any:
    return shop.editor.put(f"agents/{agent}/versions/{version}", {"blocks": list(blocks)})


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_a_version_has_the_blocks_that_it_was_registered_with(undone: Shop):
    prompt = PROMPT | {"parameters": [{"name": "name", "type": "string", "required": True, "default": {"a": 1.0}}]}
    limits = LIMITS | {"schema": NUMBER}
    made = register(undone, "1.0.0", prompt, limits)
    assert made.status_code == 201
    assert made.json()["blocks"] == [prompt | {"version": "1"}, limits | {"version": "1"}]
    assert undone.editor.ok("GET", "agents/desk/versions/1.0.0") == made.json()
    again = register(undone, "1.0.0", limits, prompt)
    assert (again.status_code, again.json()) == (200, made.json()), "in whatever order"


def test_each_content_has_a_version_whichever_agent_versions_pin_it(undone: Shop):
    other = LIMITS | {"values": {"refundUpTo": 51}}
    versions = []
    for number, block in enumerate([LIMITS, other, LIMITS, other | {"schema": NUMBER}, other]):
        made = register(undone, f"1.{number}.0", block).json()["blocks"][0]
        versions.append(made["version"])
    assert versions == ["1", "2", "1", "3", "2"]
    assert register(undone, "1.0.0", LIMITS, agent="other").json()["blocks"][0]["version"] == "1"


def test_what_a_version_pins_never_changes(undone: Shop):
    first = register(undone, "1.0.0", LIMITS).json()
    fixed = (409, "agent-version-blocks-fixed")
    for blocks in ([LIMITS, PROMPT], [PROMPT], [], [LIMITS | {"values": {"refundUpTo": 51}}], [LIMITS | {"id": "a"}]):
        assert refusal(register(undone, "1.0.0", *blocks)) == fixed
    undone.editor.ok("PUT", "agents/desk/versions/1.0.0", {"tools": [{"id": "a"}]})
    now = undone.editor.ok("GET", "agents/desk/versions/1.0.0")
    assert (now["blocks"], now["tools"]) == (first["blocks"], [{"id": "a"}])


def test_a_version_without_any_may_be_given_some_once(undone: Shop):
    made = undone.editor.ok("PUT", "agents/desk/versions/1.0.0", {"tools": [{"id": "a"}]})
    assert "blocks" not in made
    assert "blocks" not in register(undone, "1.0.0").json()
    given_ = register(undone, "1.0.0", LIMITS)
    assert (given_.status_code, len(given_.json()["blocks"]), given_.json()["tools"]) == (200, 1, [{"id": "a"}])


def test_contents_are_kept_to_the_byte_and_equal_by_value(undone: Shop):
    values = '{"b": 12345678901234567890123, "a": 1.0 , "c": "\\ud800\\u0000", "d": 1e400}'
    body = f'{{"blocks": [{{"id": "x", "kind": "settings", "values": {values}}}]}}'
    made = undone.editor.put("agents/desk/versions/1.0.0", body.encode())
    assert made.status_code == 201 and values.encode() in made.content
    assert values.encode() in undone.editor.get("agents/desk/versions/1.0.0").content
    same = body.replace('"a": 1.0 ,', "").replace('"d": 1e400', '"d": 10e399, "a": 1')
    assert undone.editor.put("agents/desk/versions/1.0.0", same.encode()).status_code == 200
    other = body.replace("0123,", "0124,")
    assert refusal(undone.editor.put("agents/desk/versions/1.0.0", other.encode()))[0] == 409


@pytest.mark.parametrize(
    ("block", "place"),
    [
        (LIMITS | {"schema": NUMBER, "values": {"refundUpTo": 101}}, "/blocks/0/values/refundUpTo"),
        (LIMITS | {"schema": {"type": "objekt"}}, "/blocks/0/schema"),
        (LIMITS | {"schema": True}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"$schema": ["x"]}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"$ref": "http://169.254.169.254/latest"}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"$ref": "#"}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"description": "x" * 50_000}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"pattern": "("}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"pattern": "(?=a)"}}, "/blocks/0/schema"),
        (LIMITS | {"schema": {"patternProperties": {"(a+)+$": {}}}}, "/blocks/0/schema"),
        (LIMITS | {"values": [1]}, "/blocks/0/values"),
        (LIMITS | {"values": {"a": "x" * 200_000}}, "/blocks/0/values"),
        (LIMITS | {"template": "x"}, "template"),
        (PROMPT | {"values": {}}, "values"),
        (PROMPT | {"parameters": []}, "/blocks/0/template"),
        (PROMPT | {"template": "{{ other }}", "parameters": [{"name": "name"}]}, '"other"'),
        (PROMPT | {"parameters": [{"name": "name"}, {"name": "name"}]}, "/blocks/0/parameters"),
        (PROMPT | {"template": "x" * 200_001}, "/blocks/0/template"),
        (PROMPT | {"template": "\0"}, "/blocks/0/template"),
        (PROMPT | {"kind": "code"}, "/blocks/0"),
        (PROMPT | {"id": ""}, "/blocks/0/id"),
        (PROMPT | {"id": "x" * 201}, "/blocks/0/id"),
    ],
)
def test_what_is_no_block_is_refused_and_its_place_named(undone: Shop, block: Any, place: str):
    response = register(undone, "1.0.0", block)
    assert refusal(response) == (400, "bad-input")
    assert place in response.json()["error"]["message"]
    assert not AgentVersion.objects.filter(agent__agent_id="desk").exists()


def test_a_block_goes_once_and_fifty_are_the_most(undone: Shop):
    assert refusal(register(undone, "1.0.0", LIMITS, LIMITS)) == (400, "bad-input")
    many = [LIMITS | {"id": f"block-{number}"} for number in range(51)]
    assert refusal(register(undone, "1.0.0", *many)) == (400, "bad-input")
    assert register(undone, "1.0.0", *many[1:]).status_code == 201
    assert [block["id"] for block in undone.editor.ok("GET", "agents/desk/versions/1.0.0")["blocks"]] == [
        block["id"] for block in many[1:]
    ]


def _doubling(keyword: str, end: Any) -> dict[str, Any]:
    """A schema of forty steps that would be applied 2^40 times."""
    steps = {f"a{n}": {keyword: [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
    return {"$defs": {**steps, "a40": end}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize(
    ("values", "schema"),
    [
        ({"a": 1}, _doubling("allOf", {})),
        ({"a": "x" * 150_000}, _doubling("anyOf", {"type": "string"})),
        ({"a": "a" * 40 + "b"}, {"properties": {"a": {"pattern": "^(a+)+$"}}}),
        ({"a": "x" * 190_000}, {"properties": {"a": {"pattern": "^(\\p{L}{1,20}-?)*$"}}}),
        ({"a": [[n, "x"] for n in range(15_000)]}, {"properties": {"a": {"uniqueItems": True, "maxItems": 1}}}),
        ({"a": list(range(30_000))}, {"properties": {"a": {"items": {"enum": [str(n) for n in range(5_000)]}}}}),
        ({"a": "x" * 190_000}, {"anyOf": [{"type": "string"}] * 2_000}),
        # A reference into what only looks like data.
        ({"a" * 40 + "b": 1}, {"const": 1, "$ref": "#/default", "default": {"patternProperties": {"^(a+)+$": {}}}}),
        ({"a" * 40 + "b": 1}, {"allOf": [{"$ref": "#/default"}], "default": {"patternProperties": {"^(a+)+$": {}}}}),
    ],
)
def test_no_schema_keeps_anybody_waiting(values: Any, schema: Any):
    began = time.monotonic()
    with pytest.raises(BadInput):
        check_values(json.dumps(values).encode(), json.dumps(schema).encode(), "/blocks/0")
    assert time.monotonic() - began < 60, "without a bound these take hours"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"pattern": {"type": "string"}, "patternProperties": {"type": "string"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"n": {"type": "number"}}},
        {"$defs": {"n": {"type": "number"}}, "properties": {"refundUpTo": {"$ref": "#/$defs/n"}}},
        {
            "properties": {"name": {"type": "string", "pattern": "^\\p{L}+$"}},
            "additionalProperties": {"type": "number"},
        },
        {"$schema": "urn:nobody-knows", "type": "object"},
    ],
)
def test_schemas_that_are_some_are_taken(undone: Shop, schema: Any):
    assert register(undone, "1.0.0", LIMITS | {"schema": schema}).status_code == 201


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "$ref", "items"]), inner),
    max_leaves=8,
)
KEYWORDS = [
    *("type", "$ref", "$id", "$schema", "$defs", "properties", "items", "prefixItems", "allOf", "anyOf", "not", "if"),
    *("multipleOf", "maximum", "pattern", "format", "enum", "const", "required", "dependentRequired", "minLength"),
    *("uniqueItems", "contains", "additionalProperties", "propertyNames", "$anchor", "$dynamicRef", "then", "minItems"),
]


@given(
    values=st.dictionaries(st.sampled_from(["a", "b"]), JSONS), schema=st.dictionaries(st.sampled_from(KEYWORDS), JSONS)
)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_schema_says_yes_or_is_refused(values: Any, schema: Any):
    try:
        check_values(json.dumps(values).encode(), json.dumps(schema).encode(), "/blocks/0")
    except BadInput as refused:
        assert refused.message.startswith("/blocks/0")


def contents(shop: Shop) -> list[tuple[int, bytes]]:
    rows = BlockVersion.objects.filter(agent__tenant=shop.tenant, block_id="limits")
    return sorted((row.version, bytes(row.digest)) for row in rows)


def sixteen(shop: Shop) -> list[Any]:
    """Sixteen versions of an agent registered at once, with eight contents of one block."""
    blocks = [LIMITS | {"values": {"refundUpTo": number % 8}} for number in range(16)]
    return at_once([partial(register, shop, f"1.{n}.0", block) for n, block in enumerate(blocks)])


def test_sixteen_at_once_leave_one_version_a_content_numbered_without_gaps(fresh: Shop):
    fresh.api("editor")
    assert {answer.status_code for answer in sixteen(fresh)} == {201}
    numbers, digests = zip(*contents(fresh), strict=True)
    assert numbers == tuple(range(1, 9))
    assert len(set(digests)) == 8
    assert PinnedBlock.objects.filter(agent_version__agent__tenant=fresh.tenant).count() == 16


def test_sixteen_who_register_one_version_at_once_leave_the_first_ones_blocks(fresh: Shop):
    fresh.api("editor")
    blocks = [LIMITS | {"values": {"refundUpTo": number % 2}} for number in range(16)]
    answers = at_once([partial(register, fresh, "1.0.0", block) for block in blocks])
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(201) == 1 and set(statuses) <= {200, 201, 409}
    assert statuses.count(409) == 8, "whoever said the other content"
    assert [number for number, _ in contents(fresh)] == [1]


def test_control_without_the_agents_lock_contents_get_more_than_one_number(
    fresh: Shop, monkeypatch: pytest.MonkeyPatch
):
    register(fresh, "0.1.0", LIMITS)
    monkeypatch.setattr(agents, "agent_lock", agent_get)
    with (
        without_constraint("runs_blockversion", "block_version_once"),
        without_constraint("runs_blockversion", "block_content_once"),
    ):
        with meeting("kindgi.runs.services.blocks.blocks_of", 16):
            sixteen(fresh)
        numbers = [number for number, _ in contents(fresh)]
        assert len(numbers) != len(set(numbers)) or len(numbers) > 8
        PinnedBlock.objects.filter(agent_version__agent__tenant=fresh.tenant).delete()
        BlockVersion.objects.filter(agent__tenant=fresh.tenant).delete()
