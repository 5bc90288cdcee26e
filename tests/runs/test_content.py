"""What was said in a run is kept exactly as it came: key order, spelling of numbers, escapes (contract, section 3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from kindgi.runs.content import pack, unpack
from kindgi.runs.models import RunContent
from tests.builders import Api
from tests.support.queries import recorded_queries
from tests.support.shops import Shop

REAL_RUNS = Path(settings.BASE_DIR).parent / "shared" / "data" / "runs.jsonl"
TEXTS = [
    "null",
    "true",
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1.00",
    "1e5",
    "1E+5",
    "1e400",
    "12345678901234567890",
    "0.1000000000000000055511151231257827",
    '""',
    r'"\u0000"',
    r'"\u0041\/\b"',
    r'"\ud800"',
    r'"\udc00\ud800"',
    r'"\uD83D\uDE00"',
    r'"\\ud800"',
    '"\N{CAT}\u00e9e\u0301"',
    '"\u2028\u2029\ufeff\uffff\ue800"',
    '{"z":1,"a":2}',
    '{"a":1,"a":2}',
    '{"":{"":[]}}',
    '{ "a" :\t[ 1 ,\n2 ] }',
    '{"%s":1}' % ("k" * 10_000),
    "[" * 100 + "]" * 100,
    "9" * 5000,
]


def report(content: str, part: str = "output") -> bytes:
    more = "" if part == "output" else ',"output":"x"'
    return f'{{"agent":{{"id":"a","version":"1"}},"status":"completed","{part}":{content}{more}}}'.encode()


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:30])
@pytest.mark.parametrize("part", ["input", "output"])
def test_it_comes_back_to_the_byte(undone: Shop, text: str, part: str):
    run_id = str(uuid4())
    # Not through the checked client: Python can't read a number of 5,000 digits.
    api = undone.editor if len(text) < 4000 else Api(undone.editor.secret)
    assert api.put(f"runs/{run_id}", report(text, part)).status_code == 201
    content = api.get(f"runs/{run_id}", include="input").content
    assert f'"{part}":{text}'.encode() in content


@pytest.mark.parametrize("args", ["{}", '{"b":1.0,"a":[1, 2]}', r'{"a":"\u0000\ud800"}', '{"a":12345678901234567890}'])
def test_calls_come_back_to_the_byte(undone: Shop, args: str):
    run_id, calls = str(uuid4()), f'[ {{"tool":"t", "args":{args}}},{{"args":{args},"refused":true,"tool":"t"}} ]'
    assert undone.editor.put(f"runs/{run_id}", report(calls, "calls")).status_code == 201
    assert f'"calls":{calls}'.encode() in undone.editor.get(f"runs/{run_id}", include="calls").content


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "01", "'a'", '"\t"', r'"\x"', "[1,]", "{1:2}", "1 2", "\\u0031"]
)
def test_what_is_no_json_is_refused(undone: Shop, text: str):
    assert undone.editor.refused("PUT", f"runs/{uuid4()}", report(text)) == (400, "bad-input")


def test_nesting_is_limited_wherever_it_is(undone: Shop):
    for part in ("input", "output"):
        assert undone.editor.put(f"runs/{uuid4()}", report("[" * 127 + "]" * 127, part)).status_code == 201
        response = undone.editor.put(f"runs/{uuid4()}", report("[" * 128 + "]" * 128, part))
        assert (response.status_code, response.json()["error"]["details"]) == (400, {"maxDepth": 128})


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(value=_values, ascii_only=st.booleans(), indent=st.sampled_from([None, 0, 2]))
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_comes_back_to_the_byte(undone: Shop, value: Any, ascii_only: bool, indent: int | None):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    sent, run_id = text.encode("utf-8", "surrogatepass"), str(uuid4())
    body = report("@").replace(b"@", sent)
    response = undone.editor.put(f"runs/{run_id}", body)
    if response.status_code == 400:
        # Lone surrogates as raw bytes are no UTF-8; two kinds of escapes exclude each other, and are refused in words.
        assert not ascii_only or "U+E800" in response.json()["error"]["message"]
        return
    assert response.status_code == 201
    assert b'"output":' + sent + b',"agent":' in undone.editor.get(f"runs/{run_id}").content


@given(st.binary(max_size=5000))
def test_packing_loses_nothing(text: bytes):
    assert unpack(pack(text)) == text


def test_it_is_kept_compressed(undone: Shop):
    run_id = undone.run(output={"text": "the same words again and again " * 20_000})
    stored = RunContent.objects.get(run__run_id=run_id).output
    assert stored is not None and len(bytes(stored)) < 10_000


def test_content_comes_only_where_it_is_asked_for(undone: Shop):
    run_id = undone.run(calls=[{"tool": "t", "args": {}}])
    wanted = {
        "": {"output"},
        "input": {"output", "input"},
        "input,calls": {"output", "input", "calls"},
        "calls": {"output", "calls"},
    }
    for include, parts in wanted.items():
        query = {"include": include} if include else {}
        found = undone.editor.ok("GET", f"runs/{run_id}", query=query)
        assert found.keys() & {"input", "output", "calls"} == parts
    (row,) = undone.editor.ok("GET", "runs", query={"limit": 1})["data"]
    assert not row.keys() & {"input", "output", "calls"}


@pytest.mark.parametrize(
    "query", [{"include": "words"}, {"include": "input calls"}, {"includes": "input"}, {"x": "1"}], ids=str
)
def test_nothing_else_can_be_included(undone: Shop, query: dict[str, str]):
    assert undone.editor.refused("GET", f"runs/{undone.run()}", query=query) == (400, "bad-input")


def test_a_list_never_reads_content(undone: Shop):
    undone.run()
    editor = undone.editor
    for query in ({}, {"agentId": "shop.desk", "status": "completed", "topLevel": "true", "replays": "exclude"}):
        with recorded_queries() as statements:
            editor.ok("GET", "runs", query=query)
        assert len(statements) == 2
        assert not [statement for statement in statements if "runs_runcontent" in statement]


@pytest.mark.skipif(not REAL_RUNS.exists(), reason="the real runs aren't here")
def test_every_real_run_comes_back_to_the_byte(undone: Shop):
    lines = REAL_RUNS.read_bytes().splitlines()
    for start in range(0, len(lines), 100):
        body = b"\n".join(lines[start : start + 100])
        answer = undone.admin.ok("POST", "runs/import", body, content_type="application/x-ndjson")
        assert answer["created"] == len(lines[start : start + 100])
    for line in lines:
        run = json.loads(line)
        content = undone.admin.get(f"runs/{run['id']}", include="input,calls").content
        for part in ("input", "output", "calls"):
            if part in run:
                text = json.dumps(run[part], ensure_ascii=False, separators=(",", ":"))
                assert text.encode() in line, "the test's own spelling"
                assert f'"{part}":{text}'.encode() in content
