"""``POST /v1/corrections``: every field of the page, at each of its limits and one past it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.shops import Shop

WRONG = {"decisions": "wrong", "mustNotCall": ["shop.mail"]}
LAST_RANK = 2**53 - 1

# What is sent besides runId, and what became of it.
TAKEN: dict[str, dict[str, Any]] = {
    "decisions right": {"decisions": "right"},
    "decisions wrong": WRONG,
    "answer right": {"answer": "right"},
    "answer wrong": {"answer": "wrong", "shouldSay": "It is on its way."},
    "one item": {"items": [{"key": "a", "verdict": "right"}]},
    "everything": {
        **WRONG,
        "shouldCall": [{"tool": "shop.refund", "args": {"id": 1}}],
        "answer": "wrong",
        "shouldSay": "say",
        "why": "because",
        "items": [{"key": "a", "pointer": "/matches/0", "rank": 0, "verdict": "wrong"}],
        "participantId": "end-user",
    },
    "50 shouldCall": {"decisions": "wrong", "shouldCall": [{"tool": "shop.refund"}] * 50},
    "50 mustNotCall": {"decisions": "wrong", "mustNotCall": ["shop.mail"] * 50},
    "50 of both": {
        "decisions": "wrong",
        "shouldCall": [{"tool": "shop.refund"}] * 50,
        "mustNotCall": ["shop.mail"] * 50,
    },
    "empty mustNotCall beside shouldCall": {
        "decisions": "wrong",
        "shouldCall": [{"tool": "shop.refund"}],
        "mustNotCall": [],
    },
    "no args": {"decisions": "wrong", "shouldCall": [{"tool": "shop.refund", "args": {}}]},
    "shouldSay of 4000": {"answer": "wrong", "shouldSay": "s" * 4000},
    "shouldSay of 4000 emoji": {"answer": "wrong", "shouldSay": "\N{CAT}" * 4000},
    "why of 4000": {"answer": "wrong", "why": "w" * 4000},
    "why beside a right answer": {"answer": "right", "why": "It says when."},
    "why beside items": {"items": [{"key": "a", "verdict": "right"}], "why": "All good."},
    "100 items": {"items": [{"key": f"k{n}", "verdict": "right"} for n in range(100)]},
    "no items beside an answer": {"answer": "right", "items": []},
    "key of 1": {"items": [{"key": "k", "verdict": "right"}]},
    "key of 200": {"items": [{"key": "k" * 200, "verdict": "right"}]},
    "key of 200 emoji": {"items": [{"key": "\N{CAT}" * 200, "verdict": "right"}]},
    "keys that differ in case": {"items": [{"key": "k", "verdict": "right"}, {"key": "K", "verdict": "right"}]},
    "keys that differ in normal form": {
        "items": [{"key": "\u00e9", "verdict": "right"}, {"key": "e\u0301", "verdict": "right"}]
    },
    "the same pointer twice": {
        "items": [{"key": key, "verdict": "right", "pointer": "/matches/0"} for key in ("a", "b")]
    },
    "rank 0": {"items": [{"key": "k", "verdict": "right", "rank": 0}]},
    "the last rank": {"items": [{"key": "k", "verdict": "right", "rank": LAST_RANK}]},
    "participantId of 1": {"answer": "right", "participantId": "p"},
    "participantId of 100,000": {"answer": "right", "participantId": "p" * 100_000},
    "participantId of spaces": {"answer": "right", "participantId": "  "},
}

# What is sent besides runId, and where the refusal says that it stands.
REFUSED: dict[str, tuple[dict[str, Any], str | None]] = {
    "51 shouldCall": ({"decisions": "wrong", "shouldCall": [{"tool": "shop.refund"}] * 51}, "/shouldCall"),
    "51 mustNotCall": ({"decisions": "wrong", "mustNotCall": ["shop.mail"] * 51}, "/mustNotCall"),
    "empty tool": ({"decisions": "wrong", "shouldCall": [{"tool": ""}]}, "/shouldCall/0/tool"),
    "tool of 201": ({"decisions": "wrong", "shouldCall": [{"tool": "t" * 201}]}, "/shouldCall/0/tool"),
    "no tool": ({"decisions": "wrong", "shouldCall": [{"args": {}}]}, "/shouldCall/0"),
    "tool that is a number": ({"decisions": "wrong", "shouldCall": [{"tool": 1}]}, "/shouldCall/0/tool"),
    "args that are null": ({"decisions": "wrong", "shouldCall": [{"tool": "t", "args": None}]}, "/shouldCall/0/args"),
    "args that are a list": ({"decisions": "wrong", "shouldCall": [{"tool": "t", "args": []}]}, "/shouldCall/0/args"),
    "args that are text": ({"decisions": "wrong", "shouldCall": [{"tool": "t", "args": "{}"}]}, "/shouldCall/0/args"),
    "unknown field of a call": (
        {"decisions": "wrong", "shouldCall": [{"tool": "t", "refused": True}]},
        "/shouldCall/0",
    ),
    "empty tool in mustNotCall": ({"decisions": "wrong", "mustNotCall": [""]}, "/mustNotCall/0"),
    "tool of 201 in mustNotCall": ({"decisions": "wrong", "mustNotCall": ["t" * 201]}, "/mustNotCall/0"),
    "mustNotCall of objects": ({"decisions": "wrong", "mustNotCall": [{"tool": "t"}]}, "/mustNotCall/0"),
    "decisions yes": ({"decisions": "yes"}, "/decisions"),
    "decisions true": ({"decisions": True}, "/decisions"),
    "decisions null": ({"decisions": None}, "/decisions"),
    "answer no": ({"answer": "no"}, "/answer"),
    "answer Right": ({"answer": "Right"}, "/answer"),
    "shouldSay of 4001": ({"answer": "wrong", "shouldSay": "s" * 4001}, "/shouldSay"),
    "shouldSay null": ({"answer": "wrong", "shouldSay": None, "why": "w"}, "/shouldSay"),
    "shouldSay that is an object": ({"answer": "wrong", "shouldSay": {}}, "/shouldSay"),
    "why of 4001": ({"answer": "wrong", "why": "w" * 4001}, "/why"),
    "101 items": ({"items": [{"key": f"k{n}", "verdict": "right"} for n in range(101)]}, "/items"),
    "items that are an object": ({"items": {"key": "k", "verdict": "right"}}, "/items"),
    "no key": ({"items": [{"verdict": "right"}]}, "/items/0"),
    "empty key": ({"items": [{"key": "", "verdict": "right"}]}, "/items/0/key"),
    "key of 201": ({"items": [{"key": "k" * 201, "verdict": "right"}]}, "/items/0/key"),
    "key that is a number": ({"items": [{"key": 1, "verdict": "right"}]}, "/items/0/key"),
    "no verdict": ({"items": [{"key": "k"}]}, "/items/0"),
    "verdict yes": ({"items": [{"key": "k", "verdict": "yes"}]}, "/items/0/verdict"),
    "pointer of 501": ({"items": [{"key": "k", "verdict": "right", "pointer": "/" + "p" * 500}]}, "/items/0/pointer"),
    "rank that is a fraction": ({"items": [{"key": "k", "verdict": "right", "rank": 0.5}]}, "/items/0/rank"),
    "rank below 0": ({"items": [{"key": "k", "verdict": "right", "rank": -1}]}, "/items/0/rank"),
    "rank past the last": ({"items": [{"key": "k", "verdict": "right", "rank": LAST_RANK + 1}]}, "/items/0/rank"),
    "rank of 20 digits": ({"items": [{"key": "k", "verdict": "right", "rank": 10**19}]}, "/items/0/rank"),
    "rank true": ({"items": [{"key": "k", "verdict": "right", "rank": True}]}, "/items/0/rank"),
    "unknown field of an item": ({"items": [{"key": "k", "verdict": "right", "value": 1}]}, "/items/0"),
    "empty correctorGroupId": ({"answer": "right", "correctorGroupId": ""}, "/correctorGroupId"),
    "correctorGroupId null": ({"answer": "right", "correctorGroupId": None}, "/correctorGroupId"),
    "empty participantId": ({"answer": "right", "participantId": ""}, "/participantId"),
    "participantId that is a number": ({"answer": "right", "participantId": 7}, "/participantId"),
    "madeBy": ({"answer": "right", "madeBy": {"kind": "user", "id": "x"}}, None),
    "expert": ({"answer": "right", "expert": True}, None),
    "status": ({"answer": "right", "status": "fixed"}, None),
    "a field in snake case": ({"answer": "wrong", "should_say": "x"}, None),
}


@pytest.mark.parametrize("said", TAKEN.values(), ids=TAKEN)
def test_what_the_page_allows_is_recorded_as_it_was_said(undone: Shop, said: dict[str, Any]):
    made = undone.editor.ok("POST", "corrections", {"runId": undone.run(), **said})
    kept = {name: value for name, value in said.items() if value}
    if "shouldCall" in said:
        kept["shouldCall"] = [{"tool": call["tool"], "args": call.get("args", {})} for call in said["shouldCall"]]
    assert {name: made[name] for name in kept} == kept


@pytest.mark.parametrize(("said", "place"), REFUSED.values(), ids=REFUSED)
def test_what_the_page_does_not_allow_is_bad_input_that_names_the_place(
    undone: Shop, said: dict[str, Any], place: str | None
):
    response = undone.editor.post("corrections", {"runId": undone.run(), **said})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "bad-input")
    if place is not None:
        assert error["details"]["path"] == place
        assert error["message"].startswith(f"{place}: ")
    else:
        assert next(iter(said.keys() - {"answer"})) in error["message"]


@pytest.mark.parametrize("missing", [{}, {"runId": None}, {"runId": 5}, {"runId": ["x"]}, {"runId": ""}], ids=str)
def test_the_run_must_be_named_by_a_text(undone: Shop, missing: dict[str, Any]):
    assert undone.editor.refused("POST", "corrections", {"answer": "right", **missing}) == (400, "bad-input")
