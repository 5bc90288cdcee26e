"""What of an output can be judged by itself: its lists' elements and any value, each with a key that fits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quality_console.presenting.items import distinct_keys, list_at, output_lists, output_tree


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def keys_of(value: list[Any], name: str = "matches") -> list[str]:
    (found,) = [one for one in output_lists(text({name: value}))[0] if one.pointer == f"/{name}"]
    return [element.key for element in found.elements]


def test_a_ranked_lists_elements_have_their_id_pointer_and_rank() -> None:
    (found,), more = output_lists(text({"matches": [{"id": "case-7", "score": 0.9}, {"id": "case-2", "score": 0.4}]}))
    assert not more
    assert (found.pointer, found.count, found.left) == ("/matches", 2, 0)
    assert [(one.pointer, one.key, one.rank) for one in found.elements] == [
        ("/matches/0", "case-7", 0),
        ("/matches/1", "case-2", 1),
    ]
    assert found.elements[0].label == 'id "case-7", score 0.9'


@pytest.mark.parametrize(
    ("element", "key"),
    [
        ({"name": "Chair", "product_id": "p1", "match_id": "m1"}, "m1"),
        ({"name": "Chair", "product_id": "p1"}, "p1"),
        ({"name": "Office chair"}, "Office chair"),
        ({"id": 12}, "12"),
        ({"id": 1.5, "key": "k"}, "k"),
        ({"id": {"x": 1}}, "/matches/0"),
        ("#W4967593", "#W4967593"),
        ("A whole sentence is no key.", "/matches/0"),
        ("x" * 65, "/matches/0"),
        ("answer", "/matches/0"),
        ("kindgi:correction", "/matches/0"),
        ({"id": "answer", "sku": "s"}, "s"),
        ({"id": "a\u0000"}, "/matches/0"),
        (True, "/matches/0"),
        ("", "/matches/0"),
    ],
)
def test_a_key_is_an_id_and_never_an_items_own_text(element: Any, key: str) -> None:
    assert keys_of([element])[0] == key


def test_an_id_that_comes_twice_is_a_key_once() -> None:
    assert keys_of([{"id": "a"}, {"id": "a"}, {"id": "b"}]) == ["a", "/matches/1", "b"]
    assert distinct_keys([("a", "/x/0"), ("a", "/y/0"), ("b", "/y/1")]) == ["a", "/y/0", "b"]


def test_lists_of_the_answer_come_before_those_that_calls_found() -> None:
    output = {"toolCalls": [{"tool": "t", "result": {"orders": ["#1"]}}], "response": {"matches": ["#1"]}}
    found, _ = output_lists(text(output))
    assert [one.pointer for one in found] == ["/response/matches", "/toolCalls/0/result/orders", "/toolCalls"]


def test_names_with_slashes_and_tildes_are_escaped_in_pointers() -> None:
    (found,), _ = output_lists(text({"a/b~c": ["x"]}))
    assert found.elements[0].pointer == "/a~1b~0c/0"


def test_json_in_a_string_holds_no_items_since_no_pointer_goes_there() -> None:
    assert output_lists(text({"response": {"content": '{"matches":["a"]}'}})) == ([], False)


def test_a_pointer_longer_than_a_correction_takes_is_not_offered() -> None:
    assert output_lists(text({"n" * 600: ["a"]}))[0] == []
    root = output_tree(text({"n" * 600: "a"}))
    assert root is not None
    assert [child.addressable for child in root.children] == [False]


def test_a_long_list_is_read_on_from_where_it_ended() -> None:
    output = text({"matches": [{"id": f"m{n}"} for n in range(250)]})
    (found,), _ = output_lists(output)
    assert (len(found.elements), found.left) == (20, 230)
    more = list_at(output, "/matches", first=200)
    assert more is not None
    assert (more.first, more.elements[0].key, len(more.elements), more.left) == (200, "m200", 50, 0)
    assert list_at(output, "/matches/0") is None
    assert list_at(output, "nowhere") is None


def test_many_lists_are_cut_and_it_is_said() -> None:
    found, more = output_lists(text({f"list{n}": [n] for n in range(30)}))
    assert (len(found), more) == (20, True)


def test_the_tree_shows_what_is_near_the_top_and_says_what_it_leaves_out() -> None:
    root = output_tree(text({"response": {"content": "Sent."}, "rows": [{"n": n} for n in range(90)]}))
    assert root is not None
    response, rows = root.children
    assert (response.label, response.kind, response.count) == ("response", "object", 1)
    assert (response.children[0].pointer, response.children[0].text) == ("/response/content", '"Sent."')
    assert (rows.count, len(rows.children), rows.left) == (90, 30, 60)
    more = output_tree(text({"rows": [{"n": n} for n in range(90)]}), at="/rows", first=60)
    assert more is not None
    assert [child.label for child in more.children] == [str(n) for n in range(60, 90)]
    assert output_tree(b"{}", at="/nowhere") is None
