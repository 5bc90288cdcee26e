"""What the server refuses of arguments and calls, the document refuses too, and what it takes the document allows."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.services.history import KINDS
from kindgi.api.openapi.document import document
from tests.corrections.replaying import path
from tests.support.openapi import check, operations
from tests.support.shops import AGENT, Shop, completed

TOO_MANY = {f"field-{number}": 1 for number in range(101)}
NO_OBJECT: list[Any] = [None, [], "x", 1, True]
MISSING = "nothing"  # no argument is ever this text
# Arguments and whether they are taken, as listed and as made.
LISTED = [(MISSING, True), ({}, True), ({"a": [1]}, True), (TOO_MANY, False), *((one, False) for one in NO_OBJECT)]
JUDGED = [(MISSING, False), *LISTED[1:]]
MADE = [(MISSING, False), ({}, True), (TOO_MANY, True), *((one, False) for one in NO_OBJECT)]
# Calls that aren't a list of calls.
NO_CALLS: list[Any] = [None, {}, "x", 1, [1], [None], [{"tool": "", "args": {}}], [{"tool": "t", "args": {}, "x": 1}]]


def with_args(tool: str, args: Any) -> dict[str, Any]:
    return {"tool": tool} if args is MISSING else {"tool": tool, "args": args}


def is_allowed(operation_id: str, body: Any) -> bool:
    """Whether the document allows the body."""
    address, method = operations()[operation_id]
    escaped = address.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
    try:
        check(body, f"/paths/{escaped}/{method}/requestBody/content/application~1json/schema")
    except AssertionError:
        return False
    return True


def assert_agreed(shop: Shop, operation_id: str, method: str, where: str, body: Any, *, taken: bool) -> None:
    """The server and the document both take the body, or neither does."""
    response = shop.admin.request(method, where, body)
    assert (response.status_code < 300) == taken, response.content
    assert taken or response.json()["error"]["code"] == "bad-input"
    assert is_allowed(operation_id, body) == taken


@pytest.mark.parametrize(("args", "taken"), LISTED, ids=str)
def test_listed_arguments(undone: Shop, args: Any, taken: bool):
    body = {"runId": undone.run(), "decisions": "wrong", "shouldCall": [with_args("shop.mail", args)]}
    assert_agreed(undone, "corrections.create", "POST", "corrections", body, taken=taken)


@pytest.mark.parametrize(("args", "taken"), JUDGED, ids=str)
def test_a_judgments_arguments(undone: Shop, args: Any, taken: bool):
    expected = {"calls": [with_args("shop.mail", args)], "notCalled": []}
    body = {"runId": undone.run(), "item": {"key": "kindgi:correction"}, "verdict": "no", "correction": expected}
    assert_agreed(undone, "judgments.create", "POST", "judgments", body, taken=taken)


CALLS = [([with_args("shop.mail", args)], taken) for args, taken in MADE] + [(calls, False) for calls in NO_CALLS]
EITHER = [*CALLS, ([], True), ([{"tool": "t", "args": {}, "refused": True}], True)]


@pytest.mark.parametrize(("calls", "taken"), EITHER, ids=lambda value: str(value)[:60])
def test_calls_that_were_made(undone: Shop, calls: Any, taken: bool):
    run_id = undone.run()
    made = undone.correct(run_id)
    reported = completed(calls=calls) if calls is not None else {**completed(), "calls": None}
    replays = {"agentId": AGENT, "version": "2.0.0", "how": "pin", "replays": [{"runId": run_id, "calls": calls}]}
    new, check_path = "018f0000-0000-7000-8000-000000000000", f"corrections/{made['id']}/check"
    assert_agreed(undone, "runs.record", "PUT", f"runs/{new}", reported, taken=taken)
    assert_agreed(undone, "projects.testRuns.create", "POST", path(undone), replays, taken=taken)
    assert_agreed(undone, "corrections.check", "POST", check_path, {"calls": calls}, taken=taken)


def test_only_what_an_agent_said_or_was_told_is_any_json():
    """A field without a type is one that may hold any JSON: a run's input and output, and parts of it or a prompt."""
    found = {
        (name, field)
        for name, schema in document()["components"]["schemas"].items()
        for field, described in schema.get("properties", {}).items()
        if not described.keys() & {"type", "$ref", "anyOf", "enum", "const"}
    }
    fields = {field for _, field in found}
    assert fields <= {"input", "output", "value", "itemValue", "expected", "actual", "default"}, found


def test_a_changes_kind_is_one_that_the_history_writes():
    kind = document()["components"]["schemas"]["ChangeAnswer"]["properties"]["kind"]
    assert sorted(kind["enum"]) == sorted(KINDS)
