"""``POST /v1/corrections``: what goes with what, what needs what, and what is reserved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.shops import Shop

CALL = [{"tool": "shop.refund"}]
ITEM = {"key": "a", "verdict": "right"}

NEEDS_ONE = "A correction says at least one of decisions, answer and items."
ONLY_WRONG_CALL = 'shouldCall goes only with decisions: "wrong".'
ONLY_WRONG_NEVER = 'mustNotCall goes only with decisions: "wrong".'
NEEDS_CALL = 'decisions: "wrong" needs an entry in shouldCall or mustNotCall.'
NEEDS_SAY = 'answer: "wrong" needs shouldSay or why.'
ONLY_WRONG_SAY = 'shouldSay goes only with answer: "wrong".'

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, NEEDS_ONE),
    ({"why": "because"}, NEEDS_ONE),
    ({"items": []}, NEEDS_ONE),
    ({"participantId": "p"}, NEEDS_ONE),
    ({"shouldCall": CALL}, NEEDS_ONE),
    ({"shouldSay": "x"}, NEEDS_ONE),
    ({"decisions": "wrong"}, NEEDS_CALL),
    ({"decisions": "wrong", "shouldCall": []}, NEEDS_CALL),
    ({"decisions": "wrong", "mustNotCall": []}, NEEDS_CALL),
    ({"decisions": "wrong", "shouldCall": [], "mustNotCall": []}, NEEDS_CALL),
    ({"decisions": "wrong", "why": "because"}, NEEDS_CALL),
    ({"decisions": "wrong", "answer": "wrong", "why": "because"}, NEEDS_CALL),
    ({"decisions": "right", "shouldCall": CALL}, ONLY_WRONG_CALL),
    ({"decisions": "right", "shouldCall": []}, ONLY_WRONG_CALL),
    ({"decisions": "right", "mustNotCall": ["shop.mail"]}, ONLY_WRONG_NEVER),
    ({"answer": "right", "shouldCall": CALL}, ONLY_WRONG_CALL),
    ({"answer": "right", "mustNotCall": ["shop.mail"]}, ONLY_WRONG_NEVER),
    ({"items": [ITEM], "mustNotCall": []}, ONLY_WRONG_NEVER),
    ({"answer": "wrong"}, NEEDS_SAY),
    ({"answer": "wrong", "why": ""}, NEEDS_SAY),
    ({"answer": "wrong", "why": " \n"}, NEEDS_SAY),
    ({"answer": "wrong", "items": [ITEM]}, NEEDS_SAY),
    ({"answer": "right", "shouldSay": "x"}, ONLY_WRONG_SAY),
    ({"decisions": "right", "shouldSay": "x"}, ONLY_WRONG_SAY),
    ({"items": [ITEM], "shouldSay": "x"}, ONLY_WRONG_SAY),
    (
        {"decisions": "wrong", "shouldCall": CALL, "mustNotCall": ["shop.refund"]},
        '"shop.refund" can\'t be in both shouldCall and mustNotCall.',
    ),
    ({"items": [ITEM, ITEM]}, 'The item "a" is there more than once; each key goes once.'),
    (
        {"items": [{"key": f"k{n}", "verdict": "right"} for n in range(99)] + [{"key": "k7", "verdict": "wrong"}]},
        'The item "k7" is there more than once; each key goes once.',
    ),
    (
        {"items": [{"key": "kindgi:correction", "verdict": "right"}]},
        'The item "kindgi:correction" is reserved for the decisions; say decisions instead.',
    ),
    (
        {"decisions": "right", "items": [{"key": "kindgi:correction", "verdict": "right"}]},
        'The item "kindgi:correction" is reserved for the decisions; say decisions instead.',
    ),
    (
        {"items": [{"key": "answer", "verdict": "right"}]},
        'The item "answer" stands for the whole answer; say answer instead.',
    ),
    (
        {"answer": "right", "items": [{"key": "answer", "verdict": "right"}]},
        'The item "answer" stands for the whole answer; say answer instead.',
    ),
]

TAKEN: list[dict[str, Any]] = [
    {"answer": "wrong", "shouldSay": ""},
    {"answer": "wrong", "why": "w"},
    {"answer": "wrong", "shouldSay": "s", "why": ""},
    {"items": [{"key": "Answer", "verdict": "right"}]},
    {"items": [{"key": "answer ", "verdict": "right"}]},
    {"items": [{"key": "kindgi:other", "verdict": "right"}]},
    {"decisions": "wrong", "shouldCall": CALL, "mustNotCall": ["shop.mail", "shop.mail"]},
]


@pytest.mark.parametrize(("said", "message"), REFUSED, ids=[str(said)[:80] for said, _ in REFUSED])
def test_a_combination_that_makes_no_sense_is_refused_in_words(undone: Shop, said: dict[str, Any], message: str):
    response = undone.editor.post("corrections", {"runId": undone.run(), **said})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["message"]) == (400, "bad-input", message)


@pytest.mark.parametrize("said", TAKEN, ids=str)
def test_a_combination_at_the_edge_of_sense_is_taken(undone: Shop, said: dict[str, Any]):
    undone.editor.ok("POST", "corrections", {"runId": undone.run(), **said})


def test_a_refused_correction_leaves_no_trace(undone: Shop):
    run_id = undone.run()
    for said, _ in REFUSED:
        undone.editor.refused("POST", "corrections", {"runId": run_id, **said})
    assert (
        undone.editor.ok("GET", "corrections", query={"runId": run_id, "include": "removed,superseded"})["data"] == []
    )


def test_a_flows_run_has_an_answer_and_items_but_no_decisions(undone: Shop):
    run_id = undone.run(flow={"id": "onboarding", "version": "7"})
    made = undone.correct(run_id, answer="right", items=[{"key": "a", "verdict": "right", "pointer": "/matches/0"}])
    assert made["subject"] == {"kind": "flow", "id": "onboarding", "version": "7"}
    for said in ({"decisions": "right"}, {"decisions": "wrong", "mustNotCall": ["shop.mail"]}):
        response = undone.editor.post("corrections", {"runId": run_id, **said})
        assert response.status_code == 400 and response.json()["error"]["code"] == "bad-input"


@pytest.mark.parametrize("name", ["shouldCall", "mustNotCall"])
def test_a_tool_that_the_version_does_not_have_is_named_in_the_references_words(undone: Shop, name: str):
    listed: Any = [{"tool": "shop.refunds"}] if name == "shouldCall" else ["shop.refunds"]
    response = undone.editor.post("corrections", {"runId": undone.run(), "decisions": "wrong", name: listed})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "bad-input")
    assert error["message"] == 'The judged version has no tool "shop.refunds".'


@pytest.mark.parametrize(
    "agent",
    [
        {"id": "shop.desk", "version": "9.9.9"},  # a version that was never registered
        {"id": "somebody.else", "version": "1.0.0"},
        {"id": "shop.untold", "version": "1.0.0"},  # registered without its tools
    ],
    ids=str,
)
def test_where_the_tools_are_not_known_none_is_refused(undone: Shop, agent: dict[str, str]):
    undone.admin.ok("PUT", "agents/shop.untold/versions/1.0.0")
    run_id = undone.run(agent=agent)
    undone.correct(run_id, decisions="wrong", shouldCall=[{"tool": "any.tool"}], mustNotCall=["another.tool"])


def test_a_version_that_is_registered_with_no_tools_has_none(undone: Shop):
    undone.admin.ok("PUT", "agents/shop.bare/versions/1.0.0", {"tools": []})
    run_id = undone.run(agent={"id": "shop.bare", "version": "1.0.0"})
    body = {"runId": run_id, "decisions": "wrong", "mustNotCall": ["shop.mail"]}
    assert undone.editor.refused("POST", "corrections", body) == (400, "bad-input")
