"""``POST /v1/corrections``: of two rules that a request breaks, the earlier one answers (contract, section 4)."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from kindgi.api.bodies import MAX_BYTES
from tests.builders import Api, make_token
from tests.support.shops import Shop

# The contract's order. Each is broken by itself in `Broken`, and beside each later one.
ORDER = {
    "body size": (413, "request-too-large"),
    "auth": (401, "auth-missing"),
    "JSON": (400, "bad-input"),
    "body shape": (400, "bad-input"),
    "run exists": (404, "run-not-found"),
    "write access": (403, "permission-denied"),
    "erased": (410, "run-erased"),
    "finished": (409, "run-not-finished"),
    "class applies": (400, "corrector-group-not-applicable"),
    "class allowed": (403, "corrector-group-not-allowed"),
    "tools known": (400, "bad-input"),
    "pointers": (400, "item-not-found"),
}
WORDS = {"JSON": "JSON", "body shape": "decisions", "tools known": "no tool"}
# Two that exclude each other: a body is one or the other, a run that isn't there is neither, and so on.
EXCLUSIVE = {
    *itertools.product(["run exists"], ["write access", "erased", "finished"]),
    ("class applies", "class allowed"),
    ("JSON", "body shape"),
}


class Broken:
    """A request that breaks the rules that it is told to break."""

    def __init__(self, shop: Shop, rules: set[str]) -> None:
        self.shop, self.rules = shop, rules
        self.body: dict[str, Any] = {"runId": self._run(), "answer": "right"}
        if "body shape" in rules:
            self.body["decisions"] = "perhaps"
        if "tools known" in rules and "body shape" not in rules:
            self.body |= {"decisions": "wrong", "mustNotCall": ["no.such"]}
        if "pointers" in rules:
            self.body["items"] = [{"key": "k", "verdict": "right", "pointer": "/no/such"}]
        if "class applies" in rules:
            self.body["correctorGroupId"] = "nothing"
        if "class allowed" in rules:
            self.body["correctorGroupId"] = shop.judge_class(assertableBy={"minReviewerRole": "senior"})

    def _run(self) -> str:
        if "run exists" in self.rules:
            return "018f0000-0000-7000-8000-000000000000"
        run_id = self.shop.run(**({"status": "suspended", "output": None} if "finished" in self.rules else {}))
        if "erased" in self.rules:
            self.shop.admin.ok("POST", f"runs/{run_id}/erase")
        return run_id

    def send(self) -> Any:
        api = (
            Api(None) if "auth" in self.rules else self.shop.api("viewer" if "write access" in self.rules else "editor")
        )
        sent = json.dumps(self.body).encode()
        if "JSON" in self.rules:
            sent = sent[:-1]
        if "body size" in self.rules:
            sent += b" " * MAX_BYTES
        return api.post("corrections", sent)


def check(shop: Shop, rules: list[str]) -> None:
    response = Broken(shop, set(rules)).send()
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == ORDER[rules[0]], rules
    assert WORDS.get(rules[0], "") in error["message"], rules


@pytest.mark.parametrize("rule", ORDER)
def test_each_rule_answers_when_it_alone_is_broken(undone: Shop, rule: str):
    check(undone, [rule])


PAIRS = [pair for pair in itertools.combinations(ORDER, 2) if pair not in EXCLUSIVE]


@pytest.mark.parametrize("pair", PAIRS, ids=" before ".join)
def test_the_earlier_of_two_broken_rules_answers(undone: Shop, pair: tuple[str, str]):
    check(undone, list(pair))


def test_the_earliest_of_all_broken_rules_answers(undone: Shop):
    broken = [rule for rule in ORDER if rule not in ("run exists", "class applies", "body shape")]
    while broken:
        check(undone, broken)
        del broken[0]


@pytest.mark.parametrize(
    ("kind", "code"), [("none", "auth-missing"), ("unknown", "auth-missing"), ("expired", "auth-expired")]
)
def test_whoever_is_not_let_in_learns_nothing_of_the_body(undone: Shop, kind: str, code: str):
    secret = {"none": None, "unknown": "kgi_nobody"}.get(kind) if kind != "expired" else None
    if kind == "expired":
        secret = make_token(undone.person("editor"), expired=True)
    assert Api(secret).refused("POST", "corrections", b"\xff not even text") == (401, code)


def test_the_media_type_is_looked_at_before_the_body_is(undone: Shop):
    body = json.dumps({"runId": "x", "answer": "perhaps"}).encode()
    for content_type in ("text/plain", "application/x-ndjson", "multipart/form-data", ""):
        refused = undone.editor.refused("POST", "corrections", body, content_type=content_type)
        assert refused == (415, "unsupported-media-type")
    for content_type in ("application/json; charset=utf-8", "APPLICATION/JSON"):
        assert undone.editor.refused("POST", "corrections", body, content_type=content_type) == (400, "bad-input")
