"""An endpoint that does whatever comes to its mind: each case says in a sentence what was wrong; the rest goes on."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from django.conf import LazySettings
from tenacity import wait_none

from improve.models import Evaluation
from improve.replaying import asking
from tests.builders import browser
from tests.improve import suggesting
from tests.improve.answering import Asked, Behaviour, answer, answering, hangs, says
from tests.improve.replays import work
from tests.quality_console.tabs import text_of
from tests.support.shops import AGENT, Shop

LARGE = 10 * 1024 * 1024
GOOD = {"output": suggesting.SAID, "calls": []}
# What it does instead of answering, and what the page says of it.
HOSTILE: list[tuple[Behaviour, str]] = [
    (hangs, "The endpoint didn't answer within 0.3 seconds."),
    (says(GOOD, length=5_000), "The answer ended before the length that it announced."),
    (
        says(b"", status="302 Found", headers="Location: http://169.254.169.254/\r\n"),
        "The endpoint answered 302, a redirect. Redirects aren't followed: set the final address.",
    ),
    (says(b"<!doctype html><h1>Hello</h1>", headers="Content-Type: text/html\r\n"), "The answer isn't JSON."),
    (says(b'{"output": "' + b"a" * LARGE + b'"}'), "The answer is larger than 1048576 bytes."),
    (says(b'{"output": {"a": }'), "The answer isn't JSON."),
    (says([1, 2]), "The answer isn't {output, calls}"),
    (says({"error": "broken"}, status="500 Internal Server Error"), "The endpoint failed with status 500."),
]
RUNS = 20


@pytest.fixture
def changed(undone: Shop, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> str:
    """A change of an agent with corrected runs, asked about without patience."""
    settings.REPLAY_SECONDS = 0.3
    monkeypatch.setattr(asking, "_backoff", wait_none())
    suggesting.register(undone)
    suggesting.corrected_runs(undone, RUNS)
    return suggesting.draft(undone)


def asked_of(shop: Shop, url: str, proposal: str) -> Evaluation:
    """What came of evaluating it on an endpoint."""
    path = f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint"
    shop.admin.ok("PUT", path, {"url": url})
    work(suggesting.begin(shop, proposal))
    return Evaluation.objects.select_related("job").get(proposal_id=proposal)


def page(shop: Shop, proposal: str, query: str = "") -> str:
    return text_of(browser(shop.person("editor")).get(f"{suggesting.page_of(shop, proposal)}?{query}"))


def hostile_at_times(connection: socket.socket, asked: Asked, number: int) -> None:
    """Every second run is answered as people said; for the others there are as many ways as are listed."""
    order = asked.json["input"]["message"].removeprefix("Where is A-").removesuffix("?")
    kind, is_odd = divmod(int(order), 2)
    if is_odd and kind < len(HOSTILE):
        HOSTILE[kind][0](connection, asked, number)
    else:
        calls = [{"tool": suggesting.REFUND, "args": {"order": f"A-{order}"}}]
        connection.sendall(answer({"output": suggesting.SAID, "calls": calls}))


def test_each_case_says_what_was_wrong_and_the_others_are_counted(undone: Shop, changed: str):
    with answering(hostile_at_times) as server:
        evaluation = asked_of(undone, server.url, changed)
    job = evaluation.job
    assert (job.state, job.answered, job.failed) == ("done", RUNS - len(HOSTILE), len(HOSTILE))
    assert evaluation.finding == "better" and evaluation.cases == RUNS - len(HOSTILE)
    found = page(undone, changed, "cases=failed")
    for _, sentence in HOSTILE:
        assert f"Failed: {sentence.removesuffix('.')}" in found
    assert f"Failed {len(HOSTILE)}" in found and f"{len(HOSTILE)} cases got no answer" in found
    assert "Better on the test cases" in found


@pytest.mark.parametrize("kind", range(len(HOSTILE)))
def test_where_none_is_answered_it_fails_with_what_was_wrong_and_the_counts(undone: Shop, changed: str, kind: int):
    behaviour, sentence = HOSTILE[kind]
    with answering(behaviour) as server:
        evaluation = asked_of(undone, server.url, changed)
    assert_failed(undone, changed, evaluation, sentence)


def test_a_name_that_leads_to_an_address_of_the_machines_own_is_never_asked(
    undone: Shop, changed: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket, "getaddrinfo", metadata(socket.getaddrinfo))
    evaluation = asked_of(undone, "https://metadata.example.com/", changed)
    sentence = (
        "The host resolves to 169.254.169.254, which isn't a public address, and this deployment doesn't allow it."
    )
    assert_failed(undone, changed, evaluation, sentence)


def metadata(resolve: Any) -> Any:
    """A resolver that leads one name to where a cloud tells its machines their secrets."""

    def resolved(host: Any, port: Any, *rest: Any, **options: Any) -> Any:
        if host in ("metadata.example.com", b"metadata.example.com"):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", port))]
        return resolve(host, port, *rest, **options)

    return resolved


def assert_failed(shop: Shop, proposal: str, evaluation: Evaluation, sentence: str) -> None:
    """It says so on the page and over /v1, where its status is that it failed."""
    job = evaluation.job
    assert (evaluation.finding, job.state, job.answered, job.failed) == ("failed", "failed", 0, 10)
    found = page(shop, proposal)
    assert "Evaluation failed" in found
    assert f"10 replays in a row failed, the last one because: {sentence}" in found
    assert f"answered 0 of {RUNS} cases" in found
    assert shop.editor.ok("GET", f"proposals/{proposal}")["status"] == "evaluation-failed"
