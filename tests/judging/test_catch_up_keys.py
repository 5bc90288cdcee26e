"""queue-recent with an Idempotency-Key is one catch-up, however often it is sent (contract, sections 2 and 6)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from judging.api import catch_up_views
from judging.models import CatchUp
from judging.services import catch_up
from kindgi.api import idempotency
from kindgi.api.models import IdempotencyKey
from kindgi.api.times import now, wire
from tests.judging.catching_up import Rule, at, at_once_answered, code, do, ended, nobody, path, told, work_once
from tests.judging.queues import make_rule, rules_path
from tests.support.parallel import at_once
from tests.support.racing import pausing, wait_until
from tests.support.shops import Shop
from tests.support.workers import WorkerProcess

__all__ = ["at_once_answered", "nobody"]

REPLAY = "X-Idempotent-Replay"


class Killed(BaseException):
    """The request's end."""


class TestKeys:
    """With an Idempotency-Key it is one catch-up, whatever becomes of the request that asked for it."""

    @pytest.fixture
    def rule(self, undone: Shop) -> Rule:
        ended(undone, 1, 2)
        return make_rule(undone)

    @pytest.fixture
    def killed(self, undone: Shop, rule: Rule, monkeypatch: pytest.MonkeyPatch) -> CatchUp:
        """What a request leaves that asked with the key ``k``, and was killed before it could answer."""

        def die(**waits: Any) -> None:
            raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(catch_up_views, "catch_up_wait", die)
            patched.setattr(idempotency, "give_back", lambda held: None)
            with pytest.raises(Killed):
                undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
        return CatchUp.objects.get()

    def test_a_retry_gets_the_first_answer_to_the_byte(self, undone: Shop, rule: Rule, at_once_answered: None):
        first = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert first.status_code == 202
        do(first.json()["jobId"])
        again = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert told(again) == told(first) and again.headers[REPLAY] == "true"
        other = undone.editor.post(path(undone, rule), {"last": 1}, key="k")
        assert code(other) == (409, "idempotency-key-body-mismatch")
        assert CatchUp.objects.count() == 1

    def test_without_a_key_each_is_a_catch_up_of_its_own(self, undone: Shop, rule: Rule, at_once_answered: None):
        asked = [undone.editor.ok("POST", path(undone, rule), {"last": 2})["jobId"] for _ in range(2)]
        assert len(set(asked)) == CatchUp.objects.count() == 2

    def test_a_key_is_of_one_rule(self, undone: Shop, rule: Rule, at_once_answered: None):
        for one in (rule, make_rule(undone)):
            assert undone.editor.post(path(undone, one), {"last": 2}, key="k").status_code == 202
        assert CatchUp.objects.count() == 2

    def test_who_was_killed_before_the_answer_finds_the_same_catch_up(
        self, undone: Shop, rule: Rule, killed: CatchUp, at_once_answered: None
    ):
        answer = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert (answer.status_code, answer.json()) == (202, {"jobId": str(killed.pk), "done": 0, "of": 2})
        assert CatchUp.objects.count() == 1

    def test_and_what_came_of_it_meanwhile(self, undone: Shop, rule: Rule, killed: CatchUp):
        do(str(killed.pk))
        answer = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert answer.json() == {"queued": 2, "alreadyQueued": 0, "alreadyReviewed": 0}
        assert told(undone.editor.post(path(undone, rule), {"last": 2}, key="k")) == told(answer)
        assert CatchUp.objects.count() == 1

    def test_even_where_the_rule_was_removed_after_that(self, undone: Shop, rule: Rule, killed: CatchUp):
        do(str(killed.pk))
        undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
        answer = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert answer.json() == {"queued": 2, "alreadyQueued": 0, "alreadyReviewed": 0}

    @pytest.mark.parametrize("body", [{"last": 1}, {"since": wire(at(0))}, {"last": 2, "since": wire(at(0))}])
    def test_but_not_with_another_body(self, undone: Shop, rule: Rule, killed: CatchUp, body: dict[str, Any]):
        answer = undone.editor.post(path(undone, rule), body, key="k")
        assert code(answer) == (409, "idempotency-key-body-mismatch")
        assert CatchUp.objects.count() == 1

    def test_an_answer_that_fails_leaves_the_catch_up_to_the_retry(
        self, undone: Shop, rule: Rule, monkeypatch: pytest.MonkeyPatch
    ):
        def fail(**waits: Any) -> None:
            raise RuntimeError

        with monkeypatch.context() as patched:
            patched.setattr(catch_up_views, "catch_up_wait", fail)
            assert undone.editor.post(path(undone, rule), {"last": 2}, key="k").status_code == 500
        assert not IdempotencyKey.objects.exists()
        do(str(CatchUp.objects.get().pk))
        answer = undone.editor.post(path(undone, rule), {"last": 2}, key="k")
        assert (answer.status_code, answer.json()["queued"]) == (200, 2)
        assert CatchUp.objects.count() == 1

    def test_after_a_day_the_key_is_a_new_one(self, undone: Shop, rule: Rule, at_once_answered: None):
        first = undone.editor.post(path(undone, rule), {"last": 2}, key="k").json()["jobId"]
        day_ago = now() - idempotency.KEPT
        IdempotencyKey.objects.update(expires_at=now())
        CatchUp.objects.update(created_at=day_ago)
        again = undone.editor.post(path(undone, rule), {"last": 1}, key="k")
        assert again.status_code == 202 and again.json()["jobId"] != first
        assert CatchUp.objects.count() == 2
        assert told(undone.editor.post(path(undone, rule), {"last": 1}, key="k")) == told(again)

    def test_a_refusal_leaves_no_catch_up_and_gives_the_key_back(
        self, undone: Shop, rule: Rule, at_once_answered: None
    ):
        assert code(undone.api("viewer").post(path(undone, rule), {"last": 1}, key="k"))[0] == 403
        assert code(undone.editor.post(path(undone, rule), {"last": 0}, key="k"))[0] == 400
        assert not CatchUp.objects.exists() and not IdempotencyKey.objects.exists()
        assert undone.editor.post(path(undone, rule), {"last": 1}, key="k").status_code == 202


class TestKeysAtOnce:
    """While the first request waits, and before it does."""

    def test_while_the_first_waits_a_second_is_told_so(
        self, fresh: Shop, nobody: WorkerProcess, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
        ended(fresh, 1)
        rule, editor = make_rule(fresh), fresh.editor

        def second() -> list[Any]:
            wait_until(CatchUp.objects.exists)
            threading.Event().wait(0.3)  # the first waits in its own transaction by now
            answers = [editor.post(path(fresh, rule), {"last": 1}, key="k") for _ in range(3)]
            work_once()
            return answers

        first, refused = at_once([lambda: editor.post(path(fresh, rule), {"last": 1}, key="k"), second])
        assert [code(answer) for answer in refused] == [(409, "idempotency-key-in-flight")] * 3
        assert all(answer.headers["Retry-After"] for answer in refused)
        assert (first.status_code, first.json()["queued"]) == (200, 1)
        assert CatchUp.objects.count() == 1
        assert told(editor.post(path(fresh, rule), {"last": 1}, key="k")) == told(first)

    def test_who_takes_the_key_over_before_the_first_has_written_the_row_makes_no_second(
        self, fresh: Shop, nobody: WorkerProcess, at_once_answered: None, monkeypatch: pytest.MonkeyPatch
    ):
        first, second = taken_over(fresh, monkeypatch)
        assert (second.status_code, code(first)) == (202, (409, "idempotency-key-in-flight"))
        assert CatchUp.objects.count() == 1 and nobody.waiting() == 2

    def test_control_without_looking_again_the_first_would_fail(
        self, fresh: Shop, nobody: WorkerProcess, at_once_answered: None, monkeypatch: pytest.MonkeyPatch
    ):
        def save(job: CatchUp) -> CatchUp:
            job.save(force_insert=True)
            return job

        monkeypatch.setattr(catch_up, "_save_once", save)
        first, second = taken_over(fresh, monkeypatch)
        assert (first.status_code, second.status_code) == (500, 202)


def taken_over(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The answers to two with one key: the first has found no catch-up of it, then the second does and asks for one."""
    monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
    ended(shop, 1)
    rule, editor = make_rule(shop), shop.editor
    reached, answered = threading.Event(), threading.Event()

    def second() -> Any:
        assert reached.wait(10)
        answer = editor.post(path(shop, rule), {"last": 1}, key="k")
        answered.set()
        return answer

    with pausing("judging.services.catch_up.window_of", reached=reached, until=answered):
        return at_once([lambda: editor.post(path(shop, rule), {"last": 1}, key="k"), second])
