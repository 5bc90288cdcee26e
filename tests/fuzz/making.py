"""Bodies, paths and headers made from the OpenAPI document: mostly as it says, with something odd in some place.

Bodies are made as text, since much of what is odd (1e400, a key twice, a lone surrogate) is in the spelling.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from kindgi.api.openapi.document import document
from kindgi.api.openapi.routes import Route
from tests.fuzz.sending import Odd

Text = st.SearchStrategy[str]
DEPTH = 4

ODD_TEXTS = [
    "\0", "\ud800", "\udc00\ud800", "\ue800\ud800", "\ufeff", "\uffff", "\u2028", "\N{CAT}", "e\u0301", " ", "\n", "~", "/~2",
    "//", "/-", "/01", "/matches/0", "/matches/-", "%00", "%2F", "'\"--", "null", "../..", "a" * 201, "k" * 10_000,
    "answer", "kindgi:correction", "@run@", "@project@", "@class@", "@user@", "@new@", "nothing", "open", "fixed",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2016-12-31T23:59:60Z", "-infinity",
]  # fmt: skip
ODD_JSON = [
    "null", "true", "[]", "{}", "0", "-0", "-0.0", "1.0", "1e400", "-1e400", "1e-400", "12345678901234567890", "9" * 309,
    "9" * 5000, "0." + "0" * 400 + "1", "9007199254740993", "NaN", "Infinity", "01", "'x'", "", " ", "{", "]", '"',
    '{"a":1,"a":2}', '{"":{"":[]}}', '{"\\u0000":1}', '{"\\ud800":1}', '{"__proto__":1}', "[" * 60 + "]" * 60,
    "[" * 200 + "]" * 200, '{"a":' * 100 + "1" + "}" * 100, '"\\ud800"', '"\\u0000"', '"\\ue800\\ud800"', '"\\x"', '"\t"',
]  # fmt: skip
# What stands for an id of something that is there, by the field's or the parameter's name.
NAMED = {
    "runId": ["@run@", "@going@", "@flow@", "@new@"],
    "correctionId": ["@correction@", "@new@"],
    "correctorGroupId": ["@class@", "@restricted@", "@new@"],
    "judgeClassId": ["@class@", "@restricted@", "@new@"],
    "projectId": ["@project@", "@empty@", "@new@"],
    "agentId": ["@agent@", "shop.new"],
    "version": ["@version@", "2.0.0-rc.1", "main"],
    "tool": ["shop.mail", "shop.refund", "nothing"],
    "userId": ["@user@", "@member@", "@new@"],
    "reviewerId": ["@reviewer@", "@new@"],
    "serviceAccountId": ["@account@", "@new@"],
    "tokenId": ["@token@", "@new@"],
    "pointer": ["", "/matches/0", "/matches/2/id", "/note"],
    "id": ["@new@", "@account@", "@user@", "@agent@"],
}
ODD_PARTS = ["%00", "%ff", "%ed%a0%80", "%F0%9F%90%88", "..", "%2e%2e%2f", "%25", "0" * 300, "@new@", "nothing", "%20", "%0a"]
ODD_QUERIES = ["", "", "", "?x=1", "?limit=0", "?%00=1", "?a=%00", "?a=%ff", "?&&", "?limit=5"]
ODD_HEADERS: list[dict[str, str]] = [
    *[{}] * 8,
    {"Idempotency-Key": "k"},
    {"Idempotency-Key": ""},
    {"Idempotency-Key": "\u00e9" * 300},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"Content-Encoding": "gzip"},
    {"X-Request-Id": "\u00e9" * 300},
]


def odd_requests(route: Route) -> st.SearchStrategy[Odd]:
    """Requests to one operation."""
    return st.builds(Odd, st.just(route.method.upper()), _paths(route), _bodies(route), st.sampled_from(ODD_HEADERS))


def _paths(route: Route) -> Text:
    parts = []
    for part in route.path.removeprefix("/v1/").split("/"):
        if part.startswith("{"):
            known = NAMED.get(part.strip("{}"), ["@new@"])
            parts.append(st.sampled_from([*known * 6, *ODD_PARTS]))
        else:
            parts.append(st.just(part))
    return st.tuples(st.tuples(*parts).map("/".join), st.sampled_from(ODD_QUERIES)).map("".join)


def _bodies(route: Route) -> st.SearchStrategy[bytes]:
    described = document()["paths"][route.path][route.method].get("requestBody")
    if described is None:
        return st.sampled_from([b"", b"", b"{}", b'{"a":1}', b"null", b"\xff"])
    schema = described["content"]["application/json"]["schema"]
    whole = values(schema, "", DEPTH).map(lambda text: text.encode("utf-8", "surrogatepass"))
    if "application/x-ndjson" in described["content"]:
        records = st.lists(values(schema["items"], "", DEPTH), max_size=4).map("\n".join)
        whole |= records.map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.one_of(whole, whole, whole, whole, st.tuples(whole, st.integers(0, 400), _bytes).map(_spoiled))


_bytes = st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff", b"\0", b"\xed\xa0\x80", b"\\ud800", b"[" * 200]) | st.binary(max_size=6)


def _spoiled(drawn: tuple[bytes, int, bytes]) -> bytes:
    """A body with a few bytes put into it, or in place of its end."""
    body, place, inserted = drawn
    place %= len(body) + 1
    return body[:place] + inserted + (body[place:] if len(inserted) % 2 else b"")


def values(schema: dict[str, Any], name: str, depth: int) -> Text:
    """JSON texts of a schema, each with a chance to be something else."""
    right = _right(schema, name, depth)
    return st.one_of(*[right] * 12, st.sampled_from(ODD_JSON), st.sampled_from(ODD_TEXTS).map(json.dumps))


def _right(schema: dict[str, Any], name: str, depth: int) -> Text:
    schema = _resolved(schema)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return st.one_of([_right(one, name, depth) for one in schema[choice]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]]).map(json.dumps)
    kind = schema.get("type", "object")
    if kind == "object":
        return _objects(schema, depth)
    if kind == "array":
        most = min(schema.get("maxItems", 4), 4)
        item = values(schema.get("items", {}), name, depth - 1) if depth > 0 else st.just("0")
        return st.lists(item, max_size=most).map(lambda texts: f"[{','.join(texts)}]")
    return _scalars(schema, kind, name)


def _objects(schema: dict[str, Any], depth: int) -> Text:
    members = schema.get("properties", {})
    if not members or depth <= 0:
        return st.sampled_from(['{"a":1}', "{}", '{"a":{"b":[1.0,1]}}', '{"a":"x","b":null}'])
    needed = set(schema.get("required", []))
    pairs = []
    for member, described in members.items():
        pair = values(described, member, depth - 1).map(lambda text, member=member: f"{json.dumps(member)}:{text}")
        pairs.append(st.one_of(*[pair] * 12, st.none()) if member in needed else st.one_of(pair, st.none(), st.none()))
    extra = st.sampled_from([*[None] * 14, '"unknown":1', '"":1', '"\\ud800":1', '"\\u0000":1'])
    return st.tuples(*pairs, extra).map(lambda texts: "{" + ",".join(text for text in texts if text is not None) + "}")


def _scalars(schema: dict[str, Any], kind: str, name: str) -> Text:
    if kind == "integer":
        return st.integers(schema.get("minimum", -2), schema.get("maximum", 2**53)).map(str)
    if kind == "number":
        return st.floats(0, 1e6).map(json.dumps)
    if kind == "boolean":
        return st.sampled_from(["true", "false"])
    if kind == "null":
        return st.just("null")
    if name in NAMED:
        return st.sampled_from(NAMED[name]).map(json.dumps)
    if schema.get("format") == "date-time":
        return st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456+02:00"]).map(json.dumps)
    if schema.get("format") == "uuid":
        return st.sampled_from(["@run@", "@project@", "@new@"]).map(json.dumps)
    return st.one_of(st.sampled_from(["a", "x-1", "https://example.com/1"]), st.text(max_size=6)).map(json.dumps)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = _component(schema["$ref"])
    return schema


@cache
def _component(reference: str) -> Any:
    found: Any = document()
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found
