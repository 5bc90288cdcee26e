"""Erasing a run takes the words out of its judgments: reasons, values, listed calls' args, copies, kept answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.corrections.test_erasure import WORDS, content_with_words, tables_with_words
from tests.support.shops import Shop

CALLS = [{"tool": "shop.mail", "args": {"text": WORDS}}, {"tool": "shop.refund", "args": {}}]
# Said by a few people, so that some are live, some superseded and some removed.
SAID: list[tuple[str, dict[str, Any]]] = [
    ("editor", {"item": {"key": "answer", "pointer": ""}, "verdict": "no", "reason": WORDS}),
    ("editor", {"item": {"key": "answer", "pointer": "/a"}, "verdict": "yes", "reason": WORDS}),
    ("editor", {"item": {"key": "a", "pointer": "/a/0", "rank": 0}, "verdict": "no"}),
    (
        "service",
        {
            "item": {"key": "kindgi:correction"},
            "verdict": "no",
            "correction": {"calls": CALLS, "notCalled": ["shop.lookup"]},
        },
    ),
    ("editor:2", {"item": {"key": "a", "pointer": "/a/0"}, "verdict": "yes", "reason": WORDS, "participantId": "p"}),
]


class Judged:
    """A run that was judged in every way, each with a key."""

    def __init__(self, shop: Shop) -> None:
        self.shop, self.retries = shop, list[Callable[[], Any]]()
        self.run_id = shop.run(
            input={"q": WORDS}, output={"a": [WORDS]}, calls=[{"tool": "shop.mail", "args": {"x": WORDS}}]
        )
        self.made = [self._judge(by, sent) for by, sent in SAID]
        shop.api("editor:2").ok("POST", f"judgments/{self.made[-1]['id']}/unregister")

    def _judge(self, by: str, sent: dict[str, Any]) -> Any:
        api, key, body = self.shop.api(by), str(uuid4()), {"runId": self.run_id, **sent}
        self.retries.append(lambda: api.post("judgments", body, key=key))
        return api.ok("POST", "judgments", body, key=key)

    def reads(self) -> list[bytes]:
        paths = [f"judgments/{made['id']}" for made in self.made] + [f"judgments?runId={self.run_id}", "judgments"]
        return [self.shop.admin.get(path).content for path in paths]


@pytest.fixture
def judged(undone: Shop) -> Judged:
    return Judged(undone)


def test_no_answer_and_no_table_holds_the_words_any_more(judged: Judged):
    assert all(WORDS.encode() in text for text in judged.reads()), "so that the test is known to look"
    assert tables_with_words() and content_with_words()
    judged.shop.admin.ok("POST", f"runs/{judged.run_id}/erase")
    assert not any(WORDS.encode() in text for text in judged.reads())
    assert tables_with_words() == [] and not content_with_words()


def test_a_kept_answer_is_withheld(judged: Judged):
    assert {retry().headers.get("X-Idempotent-Replay") for retry in judged.retries} == {"true"}
    judged.shop.admin.ok("POST", f"runs/{judged.run_id}/erase")
    for retry in judged.retries:
        answer = retry()
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")
        assert answer.json()["error"]["details"]["status"] == 201


def test_what_was_said_stays_without_its_words(judged: Judged):
    before = [judged.shop.editor.ok("GET", f"judgments/{made['id']}") for made in judged.made]
    judged.shop.admin.ok("POST", f"runs/{judged.run_id}/erase")
    for was in before:
        for name in ("reason", "itemValue"):
            was.pop(name, None)
        for call in was.get("correction", {}).get("calls", []):
            call["args"] = {}
        was["run"] |= {"input": None, "output": None}
        del was["run"]["calls"]
        assert judged.shop.editor.ok("GET", f"judgments/{was['id']}") == was


def test_an_erased_run_is_not_judged_any_more(judged: Judged):
    judged.shop.admin.ok("POST", f"runs/{judged.run_id}/erase")
    for by, sent in SAID:
        refused = judged.shop.api(by).refused("POST", "judgments", {"runId": judged.run_id, **sent})
        assert refused == (410, "run-erased")
