"""``POST /v1/corrections/{id}/check``: whether calls are what the correction says; asking changes nothing."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from django.db import transaction

from corrections.models import CorrectionChange
from corrections.services import checking
from kindgi.access.models import Project
from kindgi.api.times import now, wire
from kindgi.runs.models import Run
from kindgi.runs.services.retention import runs_purge
from tests.support.parallel import at_once
from tests.support.queries import assert_queries
from tests.support.racing import pausing
from tests.support.shops import Shop

WORDS = "what-nobody-may-read-any-more"
LOOKUP = {"tool": "shop.lookup", "args": {"order": 4711}}
EMPTY: dict[str, Any] = {"unmet": [], "extra": [], "forbidden": []}


def wrong(shop: Shop, *should: dict[str, Any], never: list[str] | None = None, **said: Any) -> str:
    """The id of a correction by the editor that lists the calls."""
    lists: dict[str, Any] = {"shouldCall": list(should), "mustNotCall": never}
    listed = {name: value for name, value in lists.items() if value}
    return str(shop.correct(said.pop("run_id", None) or shop.run(), decisions="wrong", **listed, **said)["id"])


def ask(shop: Shop, correction_id: str, *calls: dict[str, Any], by: str = "editor") -> dict[str, Any]:
    answer: dict[str, Any] = shop.api(by).ok("POST", f"corrections/{correction_id}/check", {"calls": list(calls)})
    return answer


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def test_what_was_asked_for_passes(undone: Shop):
    made = wrong(undone, LOOKUP, {"tool": "shop.lookup"}, never=["shop.refund"])
    other = call("shop.mail", to="a")
    answer = ask(undone, made, call("shop.lookup", order=1), other, call("shop.lookup", more=[1], order=4711.0))
    assert answer == {"passed": True, **EMPTY, "tools": ["shop.lookup", "shop.refund"]}


def test_what_is_amiss_is_told_with_the_nearest_call(undone: Shop):
    made = wrong(undone, call("shop.lookup", order=4711, full=True), call("shop.mail"), never=["shop.refund"])
    answer = ask(
        undone,
        made,
        call("shop.lookup", order=1),
        {**call("shop.refund", order=1), "refused": True},
        call("shop.lookup", order=4711),
        {**call("shop.lookup"), "refused": False},
    )
    assert answer == {
        "passed": False,
        "unmet": [
            {
                "index": 0,
                "tool": "shop.lookup",
                "nearest": {"index": 2, "differs": {"argument": "full", "expected": True}},
            },
            {"index": 1, "tool": "shop.mail"},
        ],
        "extra": [{"index": 0, "tool": "shop.lookup"}, {"index": 3, "tool": "shop.lookup"}],
        "forbidden": [{"index": 1, "tool": "shop.refund", "refused": True}],
        "tools": ["shop.lookup", "shop.mail", "shop.refund"],
    }


def test_a_call_that_was_counted_for_another_says_so(undone: Shop):
    made = wrong(undone, LOOKUP, LOOKUP)
    unmet = ask(undone, made, LOOKUP)["unmet"]
    assert unmet == [{"index": 1, "tool": "shop.lookup", "nearest": {"index": 0, "countedFor": 0}}]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("1.00", "1.000001"),
        ("12345678901234567890", "12345678901234567891"),
        ('"\\u00e9"', '"e\\u0301"'),
        ('{"b":1, "a":2.0}', '{ "a" : 2 }'),
        ('"\\u0000"', '"\\ud800 and \\\\ud800"'),
        ("null", "1e400"),
        ("1", "1e-999999999999999999999"),
    ],
)
def test_values_come_back_to_the_byte(undone: Shop, expected: str, actual: str):
    run_id = undone.run()
    body = f'{{"runId":"{run_id}","decisions":"wrong","shouldCall":[{{"tool":"shop.mail","args":{{"x":{expected}}}}}]}}'
    made = undone.editor.ok("POST", "corrections", body.encode())["id"]
    body = f'{{"calls":[{{"tool":"shop.mail","args":{{"y":1,"x": {actual} ,"\\ud800":2}}}}]}}'
    answer = undone.editor.post(f"corrections/{made}/check", body.encode())
    assert answer.status_code == 200
    assert f'"differs":{{"argument":"x","expected":{expected},"actual":{actual}}}'.encode() in answer.content
    same = body.replace(actual, expected)
    assert undone.editor.ok("POST", f"corrections/{made}/check", same.encode())["passed"] is True


def test_a_correction_that_says_nothing_of_calls_compares_nothing(undone: Shop):
    for said in ({"answer": "right"}, {"decisions": "right"}):
        made = undone.correct(undone.run(), **said)["id"]
        assert ask(undone, made, LOOKUP) == {"passed": True, **EMPTY, "tools": []}


@pytest.mark.parametrize("verdict", ["yes", "no"])
def test_a_judgment_is_checked_as_the_correction_that_it_is(undone: Shop, verdict: str):
    run_id = undone.run()
    expected = {"calls": [LOOKUP], "notCalled": ["shop.refund"]}
    body = {"runId": run_id, "item": {"key": "kindgi:correction"}, "verdict": verdict, "correction": expected}
    undone.editor.ok("POST", "judgments", body)
    made = undone.editor.ok("GET", f"corrections?runId={run_id}")["data"][0]["id"]
    assert ask(undone, made, LOOKUP) == {"passed": True, **EMPTY, "tools": ["shop.lookup", "shop.refund"]}
    assert ask(undone, made, call("shop.refund"))["passed"] is False


def test_removed_and_superseded_ones_are_checked_too(undone: Shop):
    run_id = undone.run()
    first, second = (wrong(undone, LOOKUP, run_id=run_id) for _ in range(2))
    undone.editor.ok("POST", f"corrections/{second}/unregister")
    for made in (first, second):
        assert ask(undone, made)["unmet"] == [{"index": 0, "tool": "shop.lookup"}]


def test_what_was_taken_back_of_a_live_one_is_not_compared(undone: Shop):
    run_id = undone.run()
    made = wrong(undone, LOOKUP, run_id=run_id, answer="right")
    body = {"runId": run_id, "item": {"key": "kindgi:correction"}, "verdict": "no"}
    undone.editor.ok("POST", "judgments", body | {"correction": {"calls": [], "notCalled": ["shop.mail"]}})
    assert undone.editor.ok("GET", f"corrections/{made}").get("supersededBy") is None
    assert ask(undone, made) == {"passed": True, **EMPTY, "tools": []}


@pytest.mark.parametrize("who", ["viewer", "editor", "admin", "owner", "service", "tenant-admin"])
def test_whoever_reads_may_ask(undone: Shop, who: str):
    assert ask(undone, wrong(undone, LOOKUP), LOOKUP, by=who)["passed"] is True


def test_asking_changes_nothing(undone: Shop):
    made = wrong(undone, LOOKUP)
    before = undone.editor.get(f"corrections/{made}").content
    history = CorrectionChange.objects.count()
    ask(undone, made, call("shop.refund"))
    assert undone.editor.get(f"corrections/{made}").content == before
    assert CorrectionChange.objects.count() == history


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, ""),
        ({"calls": None}, "/calls"),
        ({"calls": {}}, "/calls"),
        ({"calls": [1]}, "/calls/0"),
        ({"calls": [{"args": {}}]}, "/calls/0"),
        ({"calls": [{"tool": "a"}]}, "/calls/0"),
        ({"calls": [{"tool": "", "args": {}}]}, "/calls/0/tool"),
        ({"calls": [{"tool": 1, "args": {}}]}, "/calls/0/tool"),
        ({"calls": [{"tool": "a", "args": {}}, {"tool": "a", "args": []}]}, "/calls/1/args"),
        ({"calls": [{"tool": "a", "args": None}]}, "/calls/0/args"),
        ({"calls": [{"tool": "a", "args": {}, "refused": None}]}, "/calls/0/refused"),
        ({"calls": [{"tool": "a", "args": {}, "refused": "no"}]}, "/calls/0/refused"),
        ({"calls": [{"tool": "a", "args": {}, "result": 1}]}, "/calls/0"),
        ({"calls": [], "strict": True}, ""),
    ],
)
def test_a_body_of_another_shape_is_refused_by_its_place(undone: Shop, body: Any, path: str):
    answer = undone.editor.post(f"corrections/{wrong(undone, LOOKUP)}/check", body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["details"]["path"]) == ("bad-input", path)


@pytest.mark.parametrize(
    "body",
    [
        b" ",
        b"{",
        b'{"calls":[{"tool":"\\u0000","args":{}}]}',
        b'{"calls":[{"tool":"\\ud800","args":{}}]}',
        b'{"calls":[{"tool":"a","args":{"x":NaN}}]}',
        b'{"calls":[{"tool":"a","args":{"x":' + b"[" * 130 + b"]" * 130 + b"}}]}",
    ],
)
def test_what_no_text_column_or_parser_takes_is_refused(undone: Shop, body: bytes):
    assert undone.editor.refused("POST", f"corrections/{wrong(undone, LOOKUP)}/check", body) == (400, "bad-input")


def test_a_body_of_2_mib_is_the_limit(undone: Shop):
    made = wrong(undone, LOOKUP)
    body = {"calls": [call("shop.lookup", order=number) for number in range(40_000)]}
    answer = undone.editor.ok("POST", f"corrections/{made}/check", body)
    assert (answer["unmet"], len(answer["extra"])) == ([], 39_999)
    body = {"calls": [call("shop.lookup", text="x" * 2**21)]}
    assert undone.editor.refused("POST", f"corrections/{made}/check", body) == (413, "request-too-large")


def test_a_correction_that_is_not_there_is_not_found(undone: Shop):
    for unknown in (uuid4(), "what"):
        refused = undone.editor.refused("POST", f"corrections/{unknown}/check", {"calls": []})
        assert refused == (404, "correction-not-found")


def test_an_erased_runs_arguments_are_gone(undone: Shop):
    run_id = undone.run()
    made = wrong(undone, call("shop.lookup", order=WORDS), run_id=run_id)
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    assert undone.editor.refused("POST", f"corrections/{made}/check", {"calls": []}) == (410, "run-erased")


@pytest.mark.parametrize("erased", [False, True])
def test_a_purged_run_is_known_by_what_is_left_of_its_copy(undone: Shop, erased: bool):
    long_ago = wire(now() - timedelta(days=40))
    run_id = undone.run(createdAt=long_ago, completedAt=long_ago)
    made = wrong(undone, LOOKUP, run_id=run_id)
    if erased:
        undone.admin.ok("POST", f"runs/{run_id}/erase")
    undone.admin.ok("PATCH", f"projects/{undone.project.pk}", {"retentionDays": 30})
    with transaction.atomic():
        runs_purge(project=Project.objects.get(pk=undone.project.pk), limit=500)
    assert not Run.objects.filter(run_id=run_id).exists()
    answer = undone.editor.post(f"corrections/{made}/check", {"calls": [LOOKUP]})
    if erased:
        assert (answer.status_code, answer.json()["error"]["code"]) == (410, "run-erased")
    else:
        assert answer.json()["passed"] is True


def test_a_kept_answer_is_withheld_once_the_run_is_erased(fresh: Shop):
    run_id = fresh.run()
    path = f"corrections/{wrong(fresh, call('shop.lookup', order=WORDS), run_id=run_id)}/check"
    body = {"calls": [call("shop.lookup", order="another")]}
    first = fresh.editor.post(path, body, key="k")
    assert WORDS.encode() in first.content
    assert fresh.editor.post(path, body, key="k").content == first.content
    fresh.admin.ok("POST", f"runs/{run_id}/erase")
    assert fresh.editor.refused("POST", path, body, key="k") == (409, "idempotency-key-replay-withheld")


def check_and_erase(shop: Shop) -> Any:
    """What a check's key answers after its run was erased while the check was under way."""
    run_id = shop.run()
    path = f"corrections/{wrong(shop, call('shop.lookup', order=WORDS), run_id=run_id)}/check"
    body = {"calls": [call("shop.lookup", order="another")]}
    editor, admin = shop.editor, shop.admin
    read, erased = threading.Event(), threading.Event()

    def erase() -> Any:
        read.wait(timeout=30)
        answer = admin.post(f"runs/{run_id}/erase")
        erased.set()
        return answer

    with pausing("corrections.services.checking.check", reached=read, until=erased):
        first, erasure = at_once([lambda: editor.post(path, body, key="k"), erase])
    assert (first.status_code, erasure.status_code) == (200, 200)
    return editor.post(path, body, key="k")


def test_an_erasure_meanwhile_withholds_the_answer(fresh: Shop):
    assert check_and_erase(fresh).json()["error"]["code"] == "idempotency-key-replay-withheld"


def test_without_the_lock_the_words_would_stay(fresh: Shop):
    with mock.patch.object(checking, "_EXPECTED", checking._EXPECTED.removesuffix(" FOR SHARE")):
        assert WORDS.encode() in check_and_erase(fresh).content


@pytest.mark.parametrize("calls", [1, 20])
def test_it_takes_the_same_statements_for_any_number_of_calls(undone: Shop, calls: int):
    made = wrong(undone, *[LOOKUP] * calls)
    undone.api("viewer").ok("GET", f"corrections/{made}")
    with assert_queries(exact=5):  # the token, the correction, its verdicts, what it lists, whether it is erased
        ask(undone, made, *[LOOKUP] * calls, by="viewer")


def test_arguments_are_compared_by_value(undone: Shop):
    args = {"nested": {"b": [1, {"c": None}], "a": 1e2}, "text": "é", "long": 10**25}
    made = wrong(undone, {"tool": "shop.mail", "args": args})
    other = {"long": 10.0**25, "text": "é", "nested": {"a": 100, "b": [1.0, {"c": None}]}}
    assert ask(undone, made, {"tool": "shop.mail", "args": args})["passed"] is True
    assert ask(undone, made, {"tool": "shop.mail", "args": other})["passed"] is True
