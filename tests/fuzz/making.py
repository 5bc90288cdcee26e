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
    "\0", "\ud800", "\udc00\ud800", "\ue800\ud800", "\ufeff", "\uffff", "\u2028", "\N{CAT}", "e\u0301", " ", "\n",
    "~", "/~2", "//", "/-", "/01", "/matches/0", "/matches/-", "%00", "%2F", "'\"--", "null", "../..",
    "a" * 201, "k" * 10_000, "answer", "kindgi:correction", "nothing", "open", "fixed",
    "@run@", "@project@", "@class@", "@user@", "@new@", "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00", "2016-12-31T23:59:60Z", "-infinity",
]  # fmt: skip
ODD_JSON = [
    "null", "true", "[]", "{}", "0", "-0", "-0.0", "1.0", "1e400", "-1e400", "1e-400", "12345678901234567890",
    "9" * 309, "9" * 5000, "0." + "0" * 400 + "1", "9007199254740993", "NaN", "Infinity", "01", "'x'", "", " ", "{",
    "]", '"', '{"a":1,"a":2}', '{"":{"":[]}}', '{"\\u0000":1}', '{"\\ud800":1}', '{"__proto__":1}',
    "[" * 60 + "]" * 60, "[" * 200 + "]" * 200, '{"a":' * 100 + "1" + "}" * 100, '"\\ud800"', '"\\u0000"',
    '"\\ue800\\ud800"', '"\\x"', '"\t"',
]  # fmt: skip
# What stands for an id of something that is there, by the field's or the parameter's name.
NAMED = {
    "runId": ["@run@", "@going@", "@flow@", "@new@"],
    "correctionId": ["@correction@", "@new@"],
    "judgmentId": ["@judgment@", "@new@"],
    "correctorGroupId": ["@class@", "@restricted@", "@new@"],
    "judgeClassId": ["@class@", "@restricted@", "@new@"],
    "projectId": ["@project@", "@empty@", "@new@"],
    "agentId": ["@agent@", "shop.new"],
    "version": ["@version@", "2.0.0-rc.1", "main"],
    "tool": ["shop.mail", "shop.refund", "nothing"],
    "userId": ["@member@", "@user@", "@new@"],
    "reviewerId": ["@reviewer@", "@new@"],
    "serviceAccountId": ["@account@", "@new@"],
    "tokenId": ["@token@", "@new@"],
    "pointer": ["", "/matches/0", "/matches/2/id", "/note"],
    "id": ["@new@", "@account@", "@user@", "@agent@"],
}
# What a path names first, where that isn't the first of the above.
FIRST = {
    "runs.record": ["@new@", "@going@"],
}
ODD_PARTS = [
    "%00",
    "%ff",
    "%ed%a0%80",
    "%F0%9F%90%88",
    "..",
    "%2e%2e%2f",
    "%25",
    "0" * 300,
    "@new@",
    "nothing",
    "%20",
    "%0a",
]
ODD_QUERIES = [*[""] * 30, "?x=1", "?limit=0", "?%00=1", "?a=%00", "?a=%ff", "?&&", "?limit=5"]
ODD_HEADERS: list[dict[str, str]] = [
    *[{}] * 40,
    {"Idempotency-Key": "k"},
    {"Idempotency-Key": ""},
    {"Idempotency-Key": "\u00e9" * 300},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"Content-Encoding": "gzip"},
    {"X-Request-Id": "\u00e9" * 300},
]


# Bodies that are right, for operations whose fields depend on each other.
RIGHT: dict[str, list[Any]] = {
    "corrections.create": [
        {"runId": "@run@", "answer": "right", "why": "w", "correctorGroupId": "@class@", "participantId": "p"},
        {"runId": "@run@", "answer": "wrong", "shouldSay": "s", "items": [{"key": "k", "verdict": "right"}]},
        {"runId": "@run@", "items": [{"key": "k", "pointer": "/matches/0", "rank": 0, "verdict": "wrong"}] * 2},
        {
            "runId": "@run@",
            "decisions": "wrong",
            "shouldCall": [{"tool": "shop.mail", "args": {"a": [1.5, {"b": "c"}]}}],
            "mustNotCall": ["shop.refund"],
        },
    ],
    "judgments.create": [
        {
            "runId": "@run@",
            "item": {"key": "k", "pointer": "/matches/0", "rank": 0},
            "verdict": "no",
            "reason": "r",
            "judgeClassId": "@class@",
            "participantId": "p",
        },
        {
            "runId": "@run@",
            "item": {"key": "kindgi:correction", "pointer": ""},
            "verdict": "no",
            "correction": {
                "calls": [{"tool": "shop.mail", "args": {"a": [1.5, {"b": "c"}]}}],
                "notCalled": ["shop.refund"],
            },
        },
    ],
    "runs.record": [
        {
            "agent": {"id": "a", "version": "1", "via": "live", "conversationId": "c"},
            "status": "completed",
            "input": {"a": "b"},
            "output": {"matches": [1, "x"]},
            "calls": [{"tool": "t", "args": {"a": 1}, "refused": False}],
            "createdAt": "2026-01-01T00:00:00Z",
            "completedAt": "2026-01-01T00:00:01Z",
        },
        {"flow": {"id": "f", "version": "1"}, "status": "failed", "failureMessage": "m", "projectId": "@project@"},
    ],
    "judgeClasses.create": [
        {
            "scope": {"kind": "agent", "projectId": "@project@", "agentId": "a"},
            "name": "n",
            "weight": 1.5,
            "assertableBy": {"minReviewerRole": "senior", "principalKinds": ["user"], "principalIds": ["@user@"]},
        }
    ],
    "projects.memberships.create": [{"userId": "@user@", "role": "editor"}],
    "tokens.mint": [{"role": "member", "label": "l", "projectId": "@project@", "reviewerRole": "senior"}],
}


def odd_requests(route: Route) -> st.SearchStrategy[Odd]:
    """Requests to one operation."""
    return st.builds(Odd, st.just(route.method.upper()), _paths(route), _bodies(route), st.sampled_from(ODD_HEADERS))


def _paths(route: Route) -> Text:
    parts = []
    for part in route.path.removeprefix("/v1/").split("/"):
        if part.startswith("{"):
            known = FIRST.get(route.operation.id, []) + NAMED.get(part.strip("{}"), ["@new@"])
            parts.append(st.sampled_from([*known[:1] * 40, *known * 2, *ODD_PARTS]))
        else:
            parts.append(st.just(part))
    return st.tuples(st.tuples(*parts).map("/".join), st.sampled_from(ODD_QUERIES)).map("".join)


def _bodies(route: Route) -> st.SearchStrategy[bytes]:
    described = document()["paths"][route.path][route.method].get("requestBody")
    if described is None:
        return st.sampled_from([b"", b"", b"", b"{}", b'{"a":1}', b"null", b"\xff"])
    schema = described["content"]["application/json"]["schema"]
    whole = texts(schema, RIGHT.get(route.operation.id, []))
    if "application/x-ndjson" in described["content"]:
        right = [{"id": "@new@", **one} for one in RIGHT["runs.record"]]
        whole |= st.lists(texts(schema["items"], right), max_size=4).map("\n".join)
    sent = whole.map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.one_of(sent, sent, sent, sent, sent, st.tuples(sent, st.integers(0, 400), _bytes).map(_spoiled))


_bytes = st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff", b"\0", b"\xed\xa0\x80", b"\\ud800", b"[" * 200]) | st.binary(
    max_size=6
)


def _spoiled(drawn: tuple[bytes, int, bytes]) -> bytes:
    """A body with a few bytes put into it, or in place of its end."""
    body, place, inserted = drawn
    place %= len(body) + 1
    return body[:place] + inserted + (body[place:] if len(inserted) % 2 else b"")


@st.composite
def texts(draw: st.DrawFn, schema: dict[str, Any], right: list[Any]) -> str:
    """A JSON text by a schema or of one of the bodies that are right, with nothing, little or much that is odd."""
    maker = Maker(draw, draw(st.sampled_from([0, 0, 0, 2, 5, 20])))
    if right and draw(st.integers(0, 2)) > 0:
        return maker.spelled(draw(st.sampled_from(right)))
    return maker.by_schema(schema, "", DEPTH)


class Maker:
    """Makes JSON texts in which ``odd`` values of a hundred are odd."""

    def __init__(self, draw: st.DrawFn, odd: int) -> None:
        self.draw, self.odd = draw, odd

    def is_odd(self) -> bool:
        return self.odd > 0 and self.draw(st.integers(0, 99)) >= 100 - self.odd

    def anything(self) -> str:
        return self.draw(st.one_of(st.sampled_from(ODD_JSON), st.sampled_from(ODD_TEXTS).map(json.dumps)))

    def spelled(self, value: Any) -> str:
        """A value as it is, but for what is odd."""
        if self.is_odd():
            return self.anything()
        if isinstance(value, dict):
            return self.braced([f"{self.name(name)}:{self.spelled(entry)}" for name, entry in value.items()])
        if isinstance(value, list):
            return f"[{','.join(self.spelled(entry) for entry in value)}]"
        return json.dumps(value)

    def name(self, name: str) -> str:
        return json.dumps(self.draw(st.sampled_from(ODD_TEXTS)) if self.odd > 10 and self.is_odd() else name)

    def braced(self, members: list[str]) -> str:
        if self.is_odd():
            members.append(self.draw(st.sampled_from(['"unknown":1', '"":1', '"\\ud800":1', *members[:1]])))
        return "{" + ",".join(members) + "}"

    def by_schema(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if self.is_odd():
            return self.anything()
        schema = _resolved(schema)
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return self.by_schema(self.draw(st.sampled_from(schema[choice])), name, depth)
        if "const" in schema or "enum" in schema:
            return json.dumps(self.draw(st.sampled_from(schema.get("enum") or [schema["const"]])))
        kind = schema.get("type", "object")
        if kind == "object":
            return self.object_(schema, depth)
        if kind == "array":
            most = min(schema.get("maxItems", 4), 4) if depth > 0 else 0
            count = self.draw(st.integers(0, most))
            return f"[{','.join(self.by_schema(schema.get('items', {}), name, depth - 1) for _ in range(count))}]"
        return self.draw(_scalars(schema, kind, name))

    def object_(self, schema: dict[str, Any], depth: int) -> str:
        members = schema.get("properties", {})
        if not members or depth <= 0:
            return self.draw(st.sampled_from(['{"a":1}', "{}", '{"a":{"b":[1.0,1]}}', '{"a":"x","b":null}']))
        needed = set(schema.get("required", []))
        chosen = [one for one in members if one in needed or self.draw(st.integers(0, 2)) == 2]
        return self.braced([f"{self.name(one)}:{self.by_schema(members[one], one, depth - 1)}" for one in chosen])


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
