"""At either door, of two rules that a request breaks, the earlier one answers (contract, section 4)."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from kindgi.api.bodies import MAX_BYTES
from tests.builders import Api, make_token
from tests.support.shops import Shop

# The contract's order. Each is broken by itself in `Broken`, and beside each later one. {} is the door's word for a
# class.
ORDER = {
    "body size": (413, "request-too-large"),
    "auth": (401, "auth-missing"),
    "JSON": (400, "bad-input"),
    "body shape": (400, "bad-input"),
    "run exists": (404, "run-not-found"),
    "write access": (403, "permission-denied"),
    "erased": (410, "run-erased"),
    "finished": (409, "run-not-finished"),
    "class applies": (400, "{}-not-applicable"),
    "class allowed": (403, "{}-not-allowed"),
    "tools known": (400, "bad-input"),
    "pointers": (400, "item-not-found"),
}
CLASS = {"corrections": "corrector-group", "judgments": "judge-class"}
WORDS = {"JSON": "JSON", "body shape": "perhaps", "tools known": "no tool"}
# Two that exclude each other: a body is one or the other, a run that isn't there is neither, and so on.
EXCLUSIVE = {
    *itertools.product(["run exists"], ["write access", "erased", "finished"]),
    ("class applies", "class allowed"),
    ("JSON", "body shape"),
}
# A judgment is about the decisions or about an item.
ONLY_ONE = {"corrections": set[tuple[str, str]](), "judgments": {("tools known", "pointers")}}


class Broken:
    """A request that breaks the rules that it is told to break."""

    def __init__(self, shop: Shop, door: str, rules: set[str]) -> None:
        self.shop, self.door, self.rules = shop, door, rules
        self.body: dict[str, Any] = {"runId": self._run()}
        self.body |= self._correction() if door == "corrections" else self._judgment()
        if "class applies" in rules:
            self.body["correctorGroupId" if door == "corrections" else "judgeClassId"] = "nothing"
        if "class allowed" in rules:
            restricted = shop.judge_class(assertableBy={"minReviewerRole": "senior"})
            self.body["correctorGroupId" if door == "corrections" else "judgeClassId"] = restricted

    def _correction(self) -> dict[str, Any]:
        said: dict[str, Any] = {"answer": "right"}
        if "body shape" in self.rules:
            said["decisions"] = "perhaps"
        elif "tools known" in self.rules:
            said |= {"decisions": "wrong", "mustNotCall": ["no.such"]}
        if "pointers" in self.rules:
            said["items"] = [{"key": "k", "verdict": "right", "pointer": "/no/such"}]
        return said

    def _judgment(self) -> dict[str, Any]:
        said: dict[str, Any] = {"item": {"key": "k"}, "verdict": "perhaps" if "body shape" in self.rules else "yes"}
        if "tools known" in self.rules:
            said |= {"item": {"key": "kindgi:correction"}, "correction": {"calls": [], "notCalled": ["no.such"]}}
        elif "pointers" in self.rules:
            said["item"]["pointer"] = "/no/such"
        return said

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
        return api.post(self.door, sent)


def check(shop: Shop, door: str, rules: list[str]) -> None:
    response = Broken(shop, door, set(rules)).send()
    error = response.json()["error"]
    status, code = ORDER[rules[0]]
    assert (response.status_code, error["code"]) == (status, code.format(CLASS[door])), rules
    assert WORDS.get(rules[0], "") in error["message"], rules


both_doors = pytest.mark.parametrize("door", CLASS)


@both_doors
@pytest.mark.parametrize("rule", ORDER)
def test_each_rule_answers_when_it_alone_is_broken(undone: Shop, door: str, rule: str):
    check(undone, door, [rule])


PAIRS = [
    (door, pair)
    for door in CLASS
    for pair in itertools.combinations(ORDER, 2)
    if pair not in EXCLUSIVE and pair not in ONLY_ONE[door]
]


@pytest.mark.parametrize(("door", "pair"), PAIRS, ids=[f"{door}: {' before '.join(pair)}" for door, pair in PAIRS])
def test_the_earlier_of_two_broken_rules_answers(undone: Shop, door: str, pair: tuple[str, str]):
    check(undone, door, list(pair))


@both_doors
def test_the_earliest_of_all_broken_rules_answers(undone: Shop, door: str):
    broken = [rule for rule in ORDER if rule not in ("run exists", "class applies", "body shape")]
    if door == "judgments":
        broken.remove("pointers")
    while broken:
        check(undone, door, broken)
        del broken[0]


@both_doors
@pytest.mark.parametrize(
    ("kind", "code"), [("none", "auth-missing"), ("unknown", "auth-missing"), ("expired", "auth-expired")]
)
def test_whoever_is_not_let_in_learns_nothing_of_the_body(undone: Shop, door: str, kind: str, code: str):
    secret = {"none": None, "unknown": "kgi_nobody"}.get(kind) if kind != "expired" else None
    if kind == "expired":
        secret = make_token(undone.person("editor"), expired=True)
    assert Api(secret).refused("POST", door, b"\xff not even text") == (401, code)


def test_the_media_type_is_looked_at_before_the_body_is(undone: Shop):
    body = json.dumps({"runId": "x", "answer": "perhaps"}).encode()
    for content_type in ("text/plain", "application/x-ndjson", "multipart/form-data", ""):
        refused = undone.editor.refused("POST", "corrections", body, content_type=content_type)
        assert refused == (415, "unsupported-media-type")
    for content_type in ("application/json; charset=utf-8", "APPLICATION/JSON"):
        assert undone.editor.refused("POST", "corrections", body, content_type=content_type) == (400, "bad-input")
