"""``POST /v1/judgments``: every field at each of its limits and one past it, pointers, classes, and the answer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from tests.builders import Api, make_tenant, make_user, mint
from tests.corrections.test_create_args import AT_THE_LIMIT
from tests.corrections.test_create_args import REFUSED as REFUSED_ARGS
from tests.corrections.test_create_args import TAKEN as TAKEN_ARGS
from tests.corrections.test_create_pointers import FOUND, NOT_A_POINTER, NOTHING, TO_THE_BYTE
from tests.support.shops import AGENT, OUTPUT, VERSION, CheckedApi, Shop

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
LAST_RANK = 2**53 - 1
ITEM = {"key": "k"}
DECISIONS = {"key": "kindgi:correction"}
CALL: dict[str, Any] = {"tool": "shop.refund", "args": {}}


def listed(calls: list[Any], never: list[Any]) -> dict[str, Any]:
    return {"item": DECISIONS, "correction": {"calls": calls, "notCalled": never}}


# What is sent besides runId and the verdict.
TAKEN: dict[str, dict[str, Any]] = {
    "an item": {"item": ITEM},
    "the answer": {"item": {"key": "answer"}},
    "the answer's text": {"item": {"key": "answer", "pointer": "/response/content"}},
    "the whole output": {"item": {"key": "answer", "pointer": ""}},
    "everything": {
        "item": {"key": "a", "pointer": "/matches/0", "rank": 0},
        "reason": "because",
        "participantId": "end-user",
    },
    "key of 200": {"item": {"key": "k" * 200}},
    "key of 200 emoji": {"item": {"key": "\N{CAT}" * 200}},
    "a key like the reserved one": {"item": {"key": "kindgi:correction "}},
    "the last rank": {"item": {"key": "k", "rank": LAST_RANK}},
    "empty reason": {"item": ITEM, "reason": ""},
    "reason of 4000 emoji": {"item": ITEM, "reason": "\N{CAT}" * 4000},
    "participantId of 100,000": {"item": ITEM, "participantId": "p" * 100_000},
    "calls alone": listed([CALL], []),
    "notCalled alone": listed([], ["shop.mail"]),
    "50 of both": listed([CALL] * 50, ["shop.mail"] * 50),
    "a pointer to the whole beside a correction": {
        "item": {**DECISIONS, "pointer": ""},
        "correction": {"calls": [CALL], "notCalled": []},
    },
    "a rank beside a correction": {
        "item": {**DECISIONS, "rank": 1},
        "correction": {"calls": [CALL], "notCalled": []},
        "reason": "as the rule says",
    },
}

# What is sent besides runId and the verdict, and where the refusal says that it stands.
REFUSED: dict[str, tuple[dict[str, Any], str | None]] = {
    "no item": ({}, None),
    "item null": ({"item": None}, "/item"),
    "item that is a text": ({"item": "answer"}, "/item"),
    "no key": ({"item": {}}, "/item"),
    "empty key": ({"item": {"key": ""}}, "/item/key"),
    "key of 201": ({"item": {"key": "k" * 201}}, "/item/key"),
    "key with a NUL": ({"item": {"key": "a\0b"}}, None),
    "pointer of 501": ({"item": {"key": "k", "pointer": "/" + "p" * 500}}, "/item/pointer"),
    "pointer null": ({"item": {"key": "k", "pointer": None}}, "/item/pointer"),
    "rank below 0": ({"item": {"key": "k", "rank": -1}}, "/item/rank"),
    "rank past the last": ({"item": {"key": "k", "rank": LAST_RANK + 1}}, "/item/rank"),
    "rank that is a fraction": ({"item": {"key": "k", "rank": 0.5}}, "/item/rank"),
    "unknown field of the item": ({"item": {"key": "k", "value": 1}}, "/item"),
    "verdict right": ({"item": ITEM, "verdict": "right"}, "/verdict"),
    "verdict true": ({"item": ITEM, "verdict": True}, "/verdict"),
    "verdict null": ({"item": ITEM, "verdict": None}, "/verdict"),
    "reason of 4001": ({"item": ITEM, "reason": "r" * 4001}, "/reason"),
    "reason null": ({"item": ITEM, "reason": None}, "/reason"),
    "empty judgeClassId": ({"item": ITEM, "judgeClassId": ""}, "/judgeClassId"),
    "judgeClassId null": ({"item": ITEM, "judgeClassId": None}, "/judgeClassId"),
    "empty participantId": ({"item": ITEM, "participantId": ""}, "/participantId"),
    "correction null": ({"item": DECISIONS, "correction": None}, "/correction"),
    "correction that is a list": ({"item": DECISIONS, "correction": []}, "/correction"),
    "51 calls": (listed([CALL] * 51, []), "/correction/calls"),
    "51 notCalled": (listed([], ["shop.mail"] * 51), "/correction/notCalled"),
    "empty tool": (listed([{"tool": "", "args": {}}], []), "/correction/calls/0/tool"),
    "tool of 201": (listed([{"tool": "t" * 201, "args": {}}], []), "/correction/calls/0/tool"),
    "no tool": (listed([{"args": {}}], []), "/correction/calls/0"),
    "tool of 201 in notCalled": (listed([], ["t" * 201]), "/correction/notCalled/0"),
    "unknown field of a call": (listed([{**CALL, "refused": True}], []), "/correction/calls/0"),
    "unknown field of the correction": (
        {"item": DECISIONS, "correction": {"calls": [CALL], "notCalled": [], "why": "w"}},
        "/correction",
    ),
    "101 fields of args": (
        listed([CALL, {"tool": "shop.refund", "args": {f"f{n}": n for n in range(101)}}], []),
        "/correction/calls/1/args",
    ),
    "4001 characters of args": (
        listed([{"tool": "shop.refund", "args": {"a": "x" * 3993}}], []),
        "/correction/calls/0/args",
    ),
    "assertedBy": ({"item": ITEM, "assertedBy": {"kind": "user", "id": "x"}}, None),
    "restricted": ({"item": ITEM, "restricted": True}, None),
    "correctorGroupId": ({"item": ITEM, "correctorGroupId": UNKNOWN}, None),
    "a field in snake case": ({"item": ITEM, "participant_id": "p"}, None),
}


def post(shop: Shop, run_id: str | None = None, **sent: Any) -> Any:
    return shop.editor.post("judgments", {"runId": run_id or shop.run(), "verdict": "yes", **sent})


@pytest.mark.parametrize("verdict", ["yes", "no"])
@pytest.mark.parametrize("sent", TAKEN.values(), ids=TAKEN)
def test_what_the_reference_allows_is_recorded_as_it_was_said(undone: Shop, sent: dict[str, Any], verdict: str):
    made = post(undone, **sent, verdict=verdict).json()
    assert {name: made[name] for name in sent} == sent and made["verdict"] == verdict
    read = undone.editor.ok("GET", f"judgments/{made['id']}")
    assert {name: read[name] for name in made} == made and read.keys() - made.keys() <= {"run", "itemValue"}


@pytest.mark.parametrize(("sent", "place"), REFUSED.values(), ids=REFUSED)
def test_what_it_does_not_allow_is_bad_input_that_names_the_place(
    undone: Shop, sent: dict[str, Any], place: str | None
):
    response = post(undone, **sent)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "bad-input")
    if place is not None:
        assert error["details"]["path"] == place and error["message"].startswith(f"{place}: ")
    else:
        assert next(iter(sent.keys() - {"item"}), "item") in error["message"]


@pytest.mark.parametrize("missing", [{}, {"runId": None}, {"runId": 5}, {"runId": ""}], ids=str)
def test_the_run_must_be_named_by_a_text(undone: Shop, missing: dict[str, Any]):
    assert undone.editor.refused("POST", "judgments", {"item": ITEM, "verdict": "yes", **missing}) == (400, "bad-input")


def test_the_answer_has_exactly_what_was_said_and_what_is_always_there(undone: Shop):
    run_id, expert = undone.run(), undone.judge_class(assertableBy={"principalKinds": ["user"]})
    said: dict[str, Any] = {
        "item": {"key": "a", "pointer": "/matches/0", "rank": 3},
        "verdict": "no",
        "reason": "Another customer's.",
        "judgeClassId": expert,
        "participantId": "p",
    }
    made = post(undone, run_id, **said).json()
    assert made == {
        **said,
        "id": made["id"],
        "tenantId": str(undone.tenant.pk),
        "projectId": str(undone.project.pk),
        "runId": run_id,
        "subject": {"kind": "agent", "id": AGENT, "version": VERSION},
        "restricted": True,
        "assertedBy": {"kind": "user", "id": str(undone.person("editor").pk)},
        "createdAt": made["createdAt"],
    }
    assert UUID(made["id"]).version == 7
    always = {"id", "tenantId", "projectId", "runId", "subject", "item", "verdict", "assertedBy", "createdAt"}
    assert post(undone, run_id, item=ITEM).json().keys() == always


def test_reading_one_adds_the_copies_and_the_items_value(undone: Shop):
    run_id = undone.run(calls=[{"tool": "shop.lookup", "args": {"id": 1}}])
    first = post(undone, run_id, item={"key": "a", "pointer": "/matches/0"}).json()
    second = post(undone, run_id, item={"key": "b"}).json()
    read = undone.editor.ok("GET", f"judgments/{first['id']}")
    assert read.pop("itemValue") == OUTPUT["matches"][0]
    assert read.pop("run") == {
        "runId": run_id,
        "input": {"message": "Where is it?"},
        "output": OUTPUT,
        "calls": [{"tool": "shop.lookup", "args": {"id": 1}}],
        "subject": {"kind": "agent", "id": AGENT, "version": VERSION},
        "capturedAt": first["createdAt"],
    }
    assert read == first
    read = undone.editor.ok("GET", f"judgments/{second['id']}")
    assert "itemValue" not in read and read["run"]["capturedAt"] == first["createdAt"]


def test_a_run_that_had_no_input_and_no_output_has_them_null(undone: Shop):
    made = post(undone, undone.run(input=None, output=None), item=ITEM).json()
    copy = undone.editor.ok("GET", f"judgments/{made['id']}")["run"]
    assert (copy["input"], copy["output"], "calls" in copy) == (None, None, False)


@pytest.mark.parametrize(("pointer", "value"), FOUND.items(), ids=FOUND)
def test_it_keeps_the_value_that_it_points_at(undone: Shop, pointer: str, value: Any):
    made = post(undone, item={"key": "k", "pointer": pointer}).json()
    read = undone.editor.ok("GET", f"judgments/{made['id']}")
    assert (read["item"]["pointer"], read["itemValue"]) == (pointer, value)


@pytest.mark.parametrize(("output", "pointer", "text"), TO_THE_BYTE, ids=[text for _, _, text in TO_THE_BYTE])
def test_the_value_is_kept_to_the_byte(undone: Shop, output: str, pointer: str, text: str):
    made = post(undone, undone.run_with_output(output), item={"key": "k", "pointer": pointer}).json()
    content = undone.editor.get(f"judgments/{made['id']}").content
    assert b'"itemValue":' + text.encode() + b"}" in content and b'"output":' + output.encode() in content


@pytest.mark.parametrize("pointer", NOTHING, ids=lambda pointer: pointer[:40])
def test_a_pointer_that_finds_nothing_is_refused(undone: Shop, pointer: str):
    response = post(undone, item={"key": "k", "pointer": pointer})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "item-not-found")


@pytest.mark.parametrize("pointer", NOT_A_POINTER)
def test_one_that_is_no_pointer_is_bad_input(undone: Shop, pointer: str):
    response = post(undone, item={"key": "k", "pointer": pointer})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad-input")


def test_a_pointer_beside_a_correction_keeps_no_value(undone: Shop):
    for run_id in (undone.run(), undone.run(output=None)):
        made = post(undone, run_id, **TAKEN["a pointer to the whole beside a correction"]).json()
        read = undone.editor.ok("GET", f"judgments/{made['id']}")
        assert read["item"] == {"key": "kindgi:correction", "pointer": ""} and "itemValue" not in read


def with_args(shop: Shop, args: str) -> Any:
    listed = b'{"calls":[{"tool":"shop.refund","args":%s}],"notCalled":[]}' % args.encode()
    body = b'{"runId":"%s","item":{"key":"kindgi:correction"},"verdict":"no","correction":%s}'
    return shop.editor.post("judgments", body % (shop.run().encode(), listed))


@pytest.mark.parametrize("args", [*TAKEN_ARGS, *AT_THE_LIMIT.values()], ids=lambda args: args[:40])
def test_args_are_kept_to_the_byte_and_counted_as_at_the_other_door(undone: Shop, args: str):
    response = with_args(undone, args)
    assert response.status_code == 201, response.content
    kept = b'"correction":{"calls":[{"tool":"shop.refund","args":' + args.strip().encode() + b'}],"notCalled":[]}'
    for content in (response.content, undone.editor.get(f"judgments/{response.json()['id']}").content):
        assert kept in content


@pytest.mark.parametrize("args", REFUSED_ARGS, ids=lambda args: args[:40])
def test_args_that_are_no_finite_json_object_are_refused(undone: Shop, args: str):
    response = with_args(undone, args)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad-input")


def test_a_class_applies_by_its_scope(undone: Shop):
    project, other = str(undone.project.pk), str(undone.other_project().pk)
    for scope, applies in (
        ({"kind": "tenant"}, True),
        ({"kind": "project", "projectId": project}, True),
        ({"kind": "project", "projectId": other}, False),
        ({"kind": "agent", "projectId": project, "agentId": AGENT}, True),
        ({"kind": "agent", "projectId": project, "agentId": "shop.other"}, False),
    ):
        judge_class, run_id = undone.judge_class(scope=scope), undone.run()
        response = post(undone, run_id, item=ITEM, judgeClassId=judge_class)
        if applies:
            assert response.json()["judgeClassId"] == judge_class
            continue
        error = response.json()["error"]
        assert (response.status_code, error["code"]) == (400, "judge-class-not-applicable")
        assert error["message"] == f'"{judge_class}" doesn\'t apply to run "{run_id}".'


@pytest.mark.parametrize("judge_class", ["nothing", UNKNOWN, "\0", "\ud800"], ids=repr)
def test_a_class_that_is_not_there_does_not_apply(undone: Shop, judge_class: str):
    body = {"runId": undone.run(), "item": ITEM, "verdict": "yes", "judgeClassId": judge_class}
    assert undone.editor.refused("POST", "judgments", body) == (400, "judge-class-not-applicable")


def test_a_retired_class_does_not_apply_any_more(undone: Shop):
    judge_class = undone.judge_class("expert")
    before = post(undone, item=ITEM, judgeClassId=judge_class).json()
    undone.admin.ok("POST", f"judge-classes/{judge_class}/unregister")
    error = post(undone, item=ITEM, judgeClassId=judge_class).json()["error"]
    assert error["code"] == "judge-class-not-applicable"
    assert error["message"] == '"expert" was removed; no new correction can name it.'
    assert undone.editor.ok("GET", f"judgments/{before['id']}")["judgeClassId"] == judge_class


def test_a_class_that_the_caller_may_not_give_is_refused_in_words(undone: Shop):
    judge_class = undone.judge_class("expert", assertableBy={"principalKinds": ["service"]})
    error = post(undone, item=ITEM, judgeClassId=judge_class).json()["error"]
    assert (error["code"], error["message"]) == ("judge-class-not-allowed", '"expert" may be given only by services.')
    body = {"runId": undone.run(), "item": ITEM, "verdict": "yes", "judgeClassId": judge_class}
    assert undone.api("service").ok("POST", "judgments", body)["restricted"] is True


def test_restricted_is_decided_when_it_is_made(undone: Shop):
    judge_class, made = undone.judge_class(), []
    for restriction in (None, {"principalKinds": ["user"]}, None):
        undone.admin.ok("PATCH", f"judge-classes/{judge_class}", {"assertableBy": restriction})
        made.append(post(undone, item=ITEM, judgeClassId=judge_class).json())
    assert [one.get("restricted") for one in made] == [None, True, None]
    reads = [undone.editor.ok("GET", f"judgments/{one['id']}").get("restricted") for one in made]
    assert reads == [None, True, None]


def test_a_service_is_named_by_its_tokens_id(undone: Shop):
    minted = mint(undone.person("service"))
    body = {"runId": undone.run(), "item": ITEM, "verdict": "yes"}
    made = CheckedApi(minted.secret).ok("POST", "judgments", body)
    assert made["assertedBy"] == {"kind": "service", "id": str(minted.token.pk)}


@pytest.mark.parametrize("run_id", ["nope", UNKNOWN, "\0", "\ud800", "x" * 10_000], ids=lambda text: repr(text)[:20])
def test_an_unknown_run_is_not_found_whatever_its_shape(undone: Shop, run_id: str):
    body = {"runId": run_id, "item": ITEM, "verdict": "yes"}
    assert undone.editor.refused("POST", "judgments", body) == (404, "run-not-found")


def test_a_run_that_the_caller_may_not_read_answers_as_an_unknown_one(undone: Shop):
    run_id = undone.run()
    for api in (Api.of(make_user(undone.tenant)), Api.of(make_user(make_tenant(), admin=True))):
        body = {"item": ITEM, "verdict": "yes"}
        there = api.post("judgments", {"runId": run_id, **body}).json()["error"]
        unknown = api.post("judgments", {"runId": UNKNOWN, **body}).json()["error"]
        assert there["code"] == unknown["code"] == "run-not-found"
        assert there["message"] == unknown["message"].replace(UNKNOWN, run_id)


def test_a_judgment_that_is_not_there_is_not_found(undone: Shop):
    for judgment_id in ("nope", UNKNOWN, "0" * 300):
        for method, path in (("GET", f"judgments/{judgment_id}"), ("POST", f"judgments/{judgment_id}/unregister")):
            error = undone.editor.request(method, path).json()["error"]
            assert (error["code"], error["message"]) == ("judgment-not-found", f'There\'s no judgment "{judgment_id}".')


def test_a_retry_with_its_key_makes_no_second_judgment(undone: Shop):
    body = {"runId": undone.run(), "item": ITEM, "verdict": "yes"}
    first, retry = (undone.editor.post("judgments", body, key="k") for _ in range(2))
    assert (retry.status_code, retry.content) == (201, first.content)
    assert len(undone.editor.ok("GET", "judgments", query={"runId": body["runId"]})["data"]) == 1
