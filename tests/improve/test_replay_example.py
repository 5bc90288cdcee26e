"""The example endpoint is a real one: it runs by itself, and what a block says is what its agent does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from improve.models import CaseReplay
from improve.replaying.asking import Answered, Failed, Message, Outcome, Target, ask_once
from improve.replaying.problems import Problem
from improve.replaying.signing import new_secret
from improve.replaying.transport import Limits
from kindgi.runs.content import unpack
from tests.improve.answering import LOCAL
from tests.improve.replays import begin, counts, set_endpoint, work
from tests.support.shops import Shop

EXAMPLE = Path(settings.BASE_DIR) / "examples" / "replay_agent.py"
SECRET = new_secret()


def started(secret: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(EXAMPLE), "--port", "0", *arguments]
    environment = {"REPLAY_SECRET": secret} if not arguments else {}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line: str = process.stdout.readline()
    return line.split()[-1]


def ended(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    process = started(SECRET)
    yield address_of(process)
    ended(process)


def asked(url: str, said: Any, secret: str = SECRET) -> Outcome:
    message = Message("message-1", json.dumps(said).encode())
    return ask_once(message, Target(url, (secret,)), limits=Limits(seconds=10, allowed=LOCAL))


def tools(outcome: Outcome) -> list[str]:
    assert isinstance(outcome, Answered), outcome
    return [call["tool"] for call in json.loads(outcome.calls)]


def test_a_block_decides_which_tool_is_called(url: str):
    said = {"input": {"message": "Where is it?"}, "version": "1.0.0", "dryRun": True}
    assert tools(asked(url, said)) == ["orders.find"]
    blocks = {"routing": {"values": {"lookupTool": "orders.search"}}, "greeting": {"template": "Hello"}}
    outcome = asked(url, {**said, "blocks": blocks})
    assert tools(outcome) == ["orders.search"]
    assert isinstance(outcome, Answered) and json.loads(outcome.calls)[0]["args"] == {"query": "Where is it?"}


def test_the_last_message_of_several_is_what_was_said(url: str):
    outcome = asked(url, {"input": {"messages": [{"content": "Hello"}, {"content": "Order 7?"}]}})
    assert isinstance(outcome, Answered) and json.loads(outcome.calls)[0]["args"] == {"query": "Order 7?"}


def test_whoever_does_not_sign_is_refused(url: str):
    outcome = asked(url, {"input": {"message": "Hello"}}, secret=new_secret())
    assert isinstance(outcome, Failed) and (outcome.problem, outcome.detail) == (Problem.STATUS_4XX, "401")


@pytest.mark.parametrize("said", ["text", {}, {"messages": []}, None, 1, {"messages": [1]}])
def test_an_input_that_it_cannot_read_is_refused(url: str, said: Any):
    outcome = asked(url, {"input": said})
    assert isinstance(outcome, Failed) and (outcome.problem, outcome.detail) == (Problem.STATUS_4XX, "422")


def test_a_job_is_answered_by_it(undone: Shop):
    secret = set_endpoint(undone, "http://127.0.0.1:9/")
    process = started("", "--secret", secret)
    try:
        set_endpoint(undone, address_of(process))
        job = work(begin(undone, 3))
    finally:
        ended(process)
    assert counts(job) == (3, 3, 0, 0)
    calls = [json.loads(unpack(replay.calls) or b"") for replay in CaseReplay.objects.filter(job=job)]
    assert [call["tool"] for (call,) in calls] == ["orders.search"] * 3


def test_it_is_short_and_needs_one_library():
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) <= 70
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import", "from"))}
    assert imported - set(sys.stdlib_module_names) == {"standardwebhooks"}
