"""``POST /v1/judgments``: each refusal that the reference writes out, letter for letter, and what is beside them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.shops import Shop

ANSWER = {"key": "answer"}
DECISIONS = {"key": "kindgi:correction"}
REFUND = {"tool": "acme-store.refund", "args": {}}

# The item, what is sent beside it, and the refusal, as the reference has it.
QUOTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "correction needs at least one of calls or notCalled.": (
        DECISIONS,
        {"correction": {"calls": [], "notCalled": []}},
    ),
    "each correction call needs an args object ({} asks only that the tool was called).": (
        DECISIONS,
        {"correction": {"calls": [{"tool": "acme-store.refund"}], "notCalled": []}},
    ),
    '"acme-store.refund" can\'t be in both correction.calls and correction.notCalled.': (
        DECISIONS,
        {"correction": {"calls": [REFUND], "notCalled": ["acme-store.refund"]}},
    ),
    'a correction is recorded under the item "kindgi:correction", not "answer".': (
        ANSWER,
        {"correction": {"calls": [REFUND], "notCalled": []}},
    ),
    'the item "kindgi:correction" is reserved for corrections; judge an item of the output instead.': (DECISIONS, {}),
}


@pytest.fixture
def run_id(undone: Shop) -> str:
    """A run of a version that has the reference's tools."""
    tools = [{"id": "acme-store.refund"}, {"id": "acme-store.lookup"}]
    undone.admin.ok("PUT", "agents/acme.desk/versions/1.0.0", {"tools": tools})
    return undone.run(agent={"id": "acme.desk", "version": "1.0.0"})


def refused(shop: Shop, run_id: str, item: dict[str, Any], **more: Any) -> tuple[int, str, str]:
    response = shop.editor.post("judgments", {"runId": run_id, "item": item, "verdict": "no", **more})
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


@pytest.mark.parametrize(("message", "sent"), QUOTED.items(), ids=QUOTED)
def test_what_the_agent_should_have_done_is_refused_in_the_references_words(
    undone: Shop, run_id: str, message: str, sent: tuple[dict[str, Any], dict[str, Any]]
):
    item, more = sent
    assert refused(undone, run_id, item, **more) == (400, "bad-input", message)


def test_a_run_that_has_no_output_yet(undone: Shop):
    run_id = undone.run(status="suspended", output=None)
    message = f'Run "{run_id}" has no output to judge yet (status suspended).'
    assert refused(undone, run_id, ANSWER) == (409, "run-not-finished", message)


def test_a_pointer_that_finds_nothing(undone: Shop, run_id: str):
    message = f'Nothing at "/no/such" in run "{run_id}"\'s output.'
    assert refused(undone, run_id, {"key": "k", "pointer": "/no/such"}) == (400, "item-not-found", message)


@pytest.mark.parametrize("listed", ["calls", "notCalled"])
def test_a_tool_that_the_version_does_not_have(undone: Shop, run_id: str, listed: str):
    correction: dict[str, Any] = {"calls": [], "notCalled": ["acme-store.lookup"]}
    correction[listed] = [{"tool": "acme-store.refunds", "args": {}}] if listed == "calls" else ["acme-store.refunds"]
    message = 'The judged version has no tool "acme-store.refunds".'
    assert refused(undone, run_id, DECISIONS, correction=correction) == (400, "bad-input", message)


@pytest.mark.parametrize("args", [None, [], "{}", 1, True], ids=str)
def test_args_that_are_no_object_are_refused_as_missing_ones_are(undone: Shop, run_id: str, args: Any):
    correction = {"calls": [REFUND, {"tool": "acme-store.lookup", "args": args}], "notCalled": []}
    message = "each correction call needs an args object ({} asks only that the tool was called)."
    assert refused(undone, run_id, DECISIONS, correction=correction) == (400, "bad-input", message)


def test_the_item_of_a_correction_is_named_as_it_was_sent(undone: Shop, run_id: str):
    correction = {"calls": [REFUND], "notCalled": []}
    for key in ("kindgi:corrections", "Kindgi:correction", "kindgi:correction "):
        message = f'a correction is recorded under the item "kindgi:correction", not "{key}".'
        assert refused(undone, run_id, {"key": key}, correction=correction) == (400, "bad-input", message)


def test_a_pointer_beside_a_correction_can_only_be_the_whole(undone: Shop, run_id: str):
    correction = {"calls": [REFUND], "notCalled": []}
    message = 'the item "kindgi:correction" is about the whole run: its pointer is "" or left out.'
    refusal = refused(undone, run_id, {**DECISIONS, "pointer": "/matches"}, correction=correction)
    assert refusal == (400, "bad-input", message)


def test_a_flows_run_has_no_decisions(undone: Shop):
    run_id = undone.run(flow={"id": "onboarding", "version": "7"})
    correction = {"calls": [REFUND], "notCalled": []}
    message = "Only an agent's run has decisions to correct; this is a flow's."
    assert refused(undone, run_id, DECISIONS, correction=correction) == (400, "bad-input", message)
    undone.editor.ok("POST", "judgments", {"runId": run_id, "item": ANSWER, "verdict": "no"})


@pytest.mark.parametrize("listed", ["calls", "notCalled"])
def test_both_lists_are_required(undone: Shop, run_id: str, listed: str):
    correction: dict[str, Any] = {"calls": [REFUND], "notCalled": ["acme-store.lookup"]}
    del correction[listed]
    status, code, message = refused(undone, run_id, DECISIONS, correction=correction)
    assert (status, code) == (400, "bad-input") and listed in message


def test_a_refused_judgment_leaves_no_trace(undone: Shop, run_id: str):
    for item, more in QUOTED.values():
        refused(undone, run_id, item, **more)
    assert undone.editor.ok("GET", "judgments", query={"runId": run_id})["data"] == []
    everything = {"runId": run_id, "include": "removed,superseded"}
    assert undone.editor.ok("GET", "corrections", query=everything)["data"] == []
