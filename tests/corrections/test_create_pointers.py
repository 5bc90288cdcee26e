"""``POST /v1/corrections``: an item's pointer is RFC 6901, and finds something in the run's output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.shops import OUTPUT, Shop

FOUND: dict[str, Any] = {
    "": OUTPUT,
    "/": OUTPUT[""],
    "//": "empty",
    "/matches": OUTPUT["matches"],
    "/matches/0": OUTPUT["matches"][0],
    "/matches/2/id": "case-c",
    "/response/content": OUTPUT["response"]["content"],
    "/a~1b": 1,
    "/m~0n": 2,
    "/7/01": "padded",
    "/e\u0301": "combining",
}
NOTHING = [
    "/no/such",
    "/Matches",
    "/matches/3",
    "/matches/-",
    "/matches/-1",
    "/matches/01",
    "/matches/00",
    "/matches/+0",
    "/matches/ 0",
    "/matches/0 ",
    "/matches/1e0",
    "/matches/0.0",
    "/matches/\N{ARABIC-INDIC DIGIT ZERO}",
    "/matches/99999999999999999999",
    "/matches/",
    "/matches/0/",
    "/matches/id",
    "/note/0",
    "/note/",
    "/response/content/0",
    "/a/b",
    "/a%2Fb",
    "/m~01n",
    "/7/1",
    "/\u00e9",  # the same letter in another normal form is another key
    "///",
    "/" + "x" * 499,
]
NOT_A_POINTER = [
    "~",
    "a",
    "matches/0",
    "#/matches",
    "#",
    " /matches",
    "/~",
    "/~2",
    "/m~2n",
    "/m~",
    "/a~ b",
    "/~1~",
    "~0",
]


def correct(shop: Shop, run_id: str, pointer: str) -> Any:
    return shop.editor.post(
        "corrections", {"runId": run_id, "items": [{"key": "k", "verdict": "right", "pointer": pointer}]}
    )


@pytest.mark.parametrize(("pointer", "value"), FOUND.items(), ids=FOUND)
def test_it_keeps_the_value_that_it_points_at(undone: Shop, pointer: str, value: Any):
    response = correct(undone, undone.run(), pointer)
    assert response.status_code == 201 and response.json()["items"][0]["pointer"] == pointer
    (item,) = undone.editor.ok("GET", f"corrections/{response.json()['id']}")["items"]
    assert item["pointer"] == pointer and item["value"] == value


@pytest.mark.parametrize("pointer", NOTHING, ids=lambda pointer: pointer[:40])
def test_one_that_finds_nothing_is_refused_in_the_references_words(undone: Shop, pointer: str):
    run_id = undone.run()
    response = correct(undone, run_id, pointer)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "item-not-found")
    assert error["message"] == f'Nothing at "{pointer}" in run "{run_id}"\'s output.'


@pytest.mark.parametrize("pointer", NOT_A_POINTER)
def test_one_that_is_no_pointer_is_bad_input(undone: Shop, pointer: str):
    response = correct(undone, undone.run(), pointer)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad-input")


def test_one_item_that_finds_nothing_refuses_the_whole_correction(undone: Shop):
    run_id = undone.run()
    items = [{"key": f"k{n}", "verdict": "right", "pointer": f"/matches/{n}"} for n in range(4)]
    response = undone.editor.post("corrections", {"runId": run_id, "items": items})
    assert response.json()["error"]["message"] == f'Nothing at "/matches/3" in run "{run_id}"\'s output.'
    assert undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"] == []


def test_a_run_without_output_has_nothing_at_any_pointer_but_may_be_corrected(undone: Shop):
    run_id = undone.run(output=None, input=None)
    for pointer in ("", "/a"):
        assert correct(undone, run_id, pointer).json()["error"]["code"] == "item-not-found"
    made = undone.correct(run_id, items=[{"key": "k", "verdict": "right"}])
    assert "value" not in undone.editor.ok("GET", f"corrections/{made['id']}")["items"][0]


@pytest.mark.parametrize("output", ["null", "0", '"text"', "[]", "{}", " [ 1 , 2.0 ] "])
def test_an_output_of_any_kind_can_be_pointed_at_whole(undone: Shop, output: str):
    run_id = undone.run_with_output(output)
    made = correct(undone, run_id, "").json()
    text = undone.editor.get(f"corrections/{made['id']}").content
    assert b'"value":' + output.strip().encode() in text


# Text of an output, a pointer into it, and the text that it finds.
TO_THE_BYTE = [
    (r'{"n": 1.0, "m": 1}', "/n", "1.0"),
    (r'{"n": 12345678901234567890}', "/n", "12345678901234567890"),
    (r'{"n": 1e400}', "/n", "1e400"),
    (r'{"n": -0.0}', "/n", "-0.0"),
    (r'{"a": {"z": 1, "b" :2}}', "/a", r'{"z": 1, "b" :2}'),
    (r'["\u0000"]', "/0", r'"\u0000"'),
    (r'["\ud800", "\udc00"]', "/0", r'"\ud800"'),
    (r'["\ud83d\ude00", "\/"]', "/1", r'"\/"'),
    (r'{"a": 1, "a": 2}', "/a", "2"),  # of a key that is there twice, the last, as JSON readers have it
    ('["\N{CAT}\\n"]', "/0", '"\N{CAT}\\n"'),
    ('{"%s": [0, 1]}' % ("k" * 400), "/" + "k" * 400 + "/1", "1"),
]


@pytest.mark.parametrize(("output", "pointer", "text"), TO_THE_BYTE, ids=[text for _, _, text in TO_THE_BYTE])
def test_the_value_is_kept_to_the_byte(undone: Shop, output: str, pointer: str, text: str):
    run_id = undone.run_with_output(output)
    made = correct(undone, run_id, pointer).json()
    content = undone.editor.get(f"corrections/{made['id']}").content
    assert b'"value":' + text.encode() + b"}" in content
    assert b'"output":' + output.encode() in content


def test_a_hundred_pointers_into_a_large_output_cost_little_more_than_one(undone: Shop, assert_queries: Any):
    run_id = undone.run(output={"matches": [{"id": n, "text": "x" * 1000} for n in range(1000)]})
    items = [{"key": f"k{n}", "verdict": "right", "pointer": f"/matches/{n}"} for n in range(100)]
    editor = undone.editor
    with assert_queries(at_most=12):
        made = editor.ok("POST", "corrections", {"runId": run_id, "items": items})
    values = [item["value"] for item in undone.editor.ok("GET", f"corrections/{made['id']}")["items"]]
    assert [value["id"] for value in values] == list(range(100))
    assert json.dumps(values[7]) == json.dumps({"id": 7, "text": "x" * 1000})
