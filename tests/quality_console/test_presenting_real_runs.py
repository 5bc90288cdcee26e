"""Real agents' runs as their pages show them: nothing missing, everything small, pointers that corrections take.

The runs lie beside the project where its makers work; a clone elsewhere has none, and skips these tests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from kindgi.api.jsontext import Document
from quality_console.presenting.form_calls import MOST_CALLS, calls_to_mark, tool_choices
from quality_console.presenting.items import output_lists, output_tree
from quality_console.presenting.marks import expected_from_marks
from quality_console.presenting.runs import RunTexts, part_of, present_run
from quality_console.presenting.shown import Form, Mark, MarkKind, RunShown
from quality_console.presenting.steps import ToolCalls

DATA = Path(settings.BASE_DIR).parent / "shared" / "data"
RUNS, AGENTS = DATA / "runs.jsonl", DATA / "agents.json"

pytestmark = pytest.mark.skipif(not RUNS.exists(), reason="the real runs aren't here")


@cache
def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RUNS.read_text().splitlines()]


@cache
def tools() -> dict[tuple[str, str], list[dict[str, Any]]]:
    agents = json.loads(AGENTS.read_text())["agents"]
    return {(agent["id"], one["version"]): one["tools"] for agent in agents for one in agent["versions"]}


def texts_of(run: dict[str, Any]) -> RunTexts:
    parts = {part: json.dumps(run[part], ensure_ascii=False).encode() for part in ("input", "output", "calls")}
    return RunTexts(**parts)


def shown() -> Iterator[tuple[dict[str, Any], RunTexts, RunShown]]:
    """Each run with its texts, and as its page shows it."""
    for run in records():
        texts = texts_of(run)
        yield (
            run,
            texts,
            present_run(
                texts,
                tools=tools()[run["agent"]["id"], run["agent"]["version"]],
                created_at=datetime.fromisoformat(run["createdAt"]),
                completed_at=datetime.fromisoformat(run["completedAt"]),
            ),
        )


def test_each_real_run_shows_its_sentence_its_calls_and_its_answer() -> None:
    count: Counter[str] = Counter()
    for run, texts, page in shown():
        assert page.input is not None
        assert page.input.said is not None
        assert page.input.said.text == run["input"]["message"][: len(page.input.said.text)]
        assert page.input.rest_pointer == "/context"
        assert page.answer is not None
        assert page.answer.pointer == "/response/content"
        assert [step.tool for step in page.steps] == [call["tool"] for call in run["calls"]]
        assert page.milliseconds is not None
        for step, told in zip(page.steps, run["output"]["toolCalls"], strict=True):
            assert step.writes is not None
            assert step.result is not None
            assert step.args_left == 0
            assert step.result.place is not None
            whole = part_of(texts, step.result.place)
            assert whole is not None
            if whole.form == Form.JSON:
                assert json.loads(whole.text) == told["result"]
            count["failed"] += step.failed
        count["steps"] += len(page.steps)
        count["empty"] += page.answer.empty
        count["in a string"] += page.answer.in_string
        assert len(repr(page)) < 100_000
    assert count == {"steps": 3393, "failed": 138, "empty": 48, "in a string": 79}


def test_each_item_offered_of_a_real_run_is_one_that_a_correction_finds() -> None:
    for texts in map(texts_of, records()):
        assert texts.output is not None
        output = Document(texts.output)
        found, _ = output_lists(texts.output)
        for one in found:
            for element in one.elements:
                assert output.find(element.pointer) is not None
        root = output_tree(texts.output)
        assert root is not None
        assert root.count == 3


def test_any_one_call_of_a_real_run_can_be_marked_right() -> None:
    for run in records():
        texts = texts_of(run)
        known = tools()[run["agent"]["id"], run["agent"]["version"]]
        calls = ToolCalls(texts.calls, texts.output)
        pages = [calls_to_mark(calls, tools=known, start=start) for start in range(0, len(calls), MOST_CALLS)]
        shown = [call.n for groups in pages for group in groups for call in group.calls]
        assert shown == [*range(1, len(run["calls"]) + 1)]
        assert {call["tool"] for call in run["calls"]} <= {tool.id for tool in tool_choices(calls, tools=known)}
        for n, call in list(enumerate(run["calls"], 1))[-3:]:
            marked = expected_from_marks(calls, [Mark(MarkKind.RIGHT, "", n)], tools=known)
            assert marked.problems == ()
            assert json.loads(marked.text) == [{"tool": call["tool"], "args": call["args"]}]
