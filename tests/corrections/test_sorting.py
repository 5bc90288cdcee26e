"""Sorting at save: the first match wins, over all that a correction can say (contract, section 4)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.support.shops import Shop

DECISIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "right": {"decisions": "right"},
    "wrong": {"decisions": "wrong", "mustNotCall": ["shop.mail"]},
}
ANSWER: dict[str, dict[str, Any]] = {"none": {}, "right": {"answer": "right"}, "wrong": {"answer": "wrong", "why": "w"}}
ITEMS: dict[str, list[str]] = {
    "none": [],
    "right": ["right"],
    "wrong": ["wrong"],
    "last wrong": ["right", "wrong"],
    "first wrong": ["wrong", "right"],
}
ALL = [said for said in itertools.product((False, True), DECISIONS, ANSWER, ITEMS) if said[1:] != ("none",) * 3]


def expected(participant: bool, decisions: str, answer: str, items: str) -> dict[str, Any]:
    """What the contract's list says, top to bottom."""
    if participant:
        return {"status": "open"}
    if decisions == "wrong":
        return {"status": "with-owner", "sortedTo": "owner"}
    if answer == "wrong" or "wrong" in ITEMS[items]:
        return {"status": "open", "sortedTo": "improve"}
    return {"status": "fixed"}


@pytest.mark.parametrize(("participant", "decisions", "answer", "items"), ALL)
def test_it_is_sorted_as_the_contract_says(undone: Shop, participant: bool, decisions: str, answer: str, items: str):
    body: dict[str, Any] = {**DECISIONS[decisions], **ANSWER[answer]}
    if ITEMS[items]:
        body["items"] = [{"key": f"k{n}", "verdict": verdict} for n, verdict in enumerate(ITEMS[items])]
    if participant:
        body["participantId"] = "end-user"
    made = undone.correct(undone.run(), **body)

    wanted = expected(participant, decisions, answer, items)
    assert {name: made[name] for name in ("status", "sortedTo") if name in made} == wanted
    by_rule = {"by": {"kind": "rule"}, "at": made["createdAt"]}
    assert made.get("sorted") == (by_rule if "sortedTo" in wanted else None)
    recorded_right = {"how": "recorded-right", "at": made["createdAt"]}
    assert made.get("fixedIn") == (recorded_right if wanted["status"] == "fixed" else None)
    assert "reopenedIn" not in made and "statusNote" not in made and "link" not in made


def test_the_table_above_is_whole():
    assert len(ALL) == 2 * (3 * 3 * 5 - 1)
