"""queue-recent over /v1: what it takes, who may ask, and that it waits for what comes of it (contract, section 6)."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from judging.models import CatchUp
from judging.services import catch_up
from kindgi.api.models import IdempotencyKey
from kindgi.api.times import wire
from tests.builders import Api, make_token, make_user
from tests.judging.catching_up import Rule, at, at_once_answered, code, do, ended, nobody, path, work_once
from tests.judging.queues import make_rule, queued_runs, rules_path
from tests.support.matrices import UNKNOWN
from tests.support.parallel import at_once
from tests.support.racing import wait_until
from tests.support.shops import Shop
from tests.support.workers import WorkerProcess

__all__ = ["at_once_answered", "nobody"]


class TestAsking:
    """What it takes, and what it refuses; a refusal leaves nothing that somebody would work on."""

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"last": 0},
            {"last": -1},
            {"last": 1001},
            {"last": "5"},
            {"last": 1.5},
            {"last": True},
            {"last": None},
            {"since": None},
            {"since": "yesterday"},
            {"since": "2025-03-10"},
            {"since": "2025-03-10T12:00:00"},
            {"since": 1741608000},
            {"since": "0001-01-01T00:00:00+14:00"},
            {"since": "9999-12-31T23:59:59-12:00"},
            {"last": 5, "since": "then"},
            {"last": 5, "first": 5},
            [],
        ],
        ids=str,
    )
    def test_a_body_that_it_does_not_take_is_refused(self, undone: Shop, at_once_answered: None, body: Any):
        ended(undone, 1)
        rule = make_rule(undone)
        assert undone.editor.refused("POST", path(undone, rule), body) == (400, "bad-input")
        assert not CatchUp.objects.exists()

    def test_neither_last_nor_since_is_said_in_a_sentence(self, undone: Shop):
        answer = undone.editor.post(path(undone, make_rule(undone)), {})
        assert answer.json()["error"]["message"] == "Say how far to go back: last, since or both."

    @pytest.mark.parametrize("last", [1, 1000])
    def test_the_last_may_be_one_or_a_thousand(self, undone: Shop, at_once_answered: None, last: int):
        ended(undone, 1, 2)
        answer = undone.editor.ok("POST", path(undone, make_rule(undone)), {"last": last})
        assert (answer["done"], answer["of"]) == (0, min(last, 2))

    @pytest.mark.parametrize(
        ("since", "of"),
        [
            (wire(at(1)), 2),
            (wire(at(1) + timedelta(milliseconds=1)), 1),
            ("2025-03-10T14:01:00+02:00", 2),
            ("2025-03-10T06:31:00.001-05:30", 1),
            ("0001-01-01T00:00:00Z", 2),
        ],
    )
    def test_since_is_an_instant_wherever_it_is_told(self, undone: Shop, at_once_answered: None, since: str, of: int):
        ended(undone, 1, 2)
        answer = undone.editor.ok("POST", path(undone, make_rule(undone)), {"since": since})
        assert answer["of"] == of
        assert CatchUp.objects.get().of == of

    @pytest.mark.parametrize("since", [wire(at(3)), "9999-12-31T23:59:59.999Z"])
    def test_where_there_is_nothing_to_do_it_is_answered_at_once(self, undone: Shop, since: str):
        ended(undone, 1, 2)
        answer = undone.editor.post(path(undone, make_rule(undone)), {"since": since})
        assert (answer.status_code, answer.json()) == (200, {"queued": 0, "alreadyQueued": 0, "alreadyReviewed": 0})

    def test_a_query_parameter_is_refused_before_anything_begins(self, undone: Shop):
        ended(undone, 1)
        address = path(undone, make_rule(undone))
        for key in (None, "k"):
            answer = undone.editor.request("POST", address, {"last": 1}, key=key, query={"dryRun": "true"})
            assert code(answer) == (400, "bad-input")
        assert not CatchUp.objects.exists() and not IdempotencyKey.objects.exists()

    def test_of_a_removed_rule_there_is_none(self, undone: Shop):
        ended(undone, 1)
        rule = make_rule(undone)
        undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
        answer = undone.editor.post(path(undone, rule), {"last": 1})
        assert code(answer) == (404, "judging-rule-not-found")
        assert "removed" in answer.json()["error"]["message"] and not CatchUp.objects.exists()


class TestPermission:
    """It takes write access to ask for one, and read access to see it."""

    @pytest.mark.parametrize(
        ("who", "answered"),
        [("viewer", 403), ("editor", 202), ("service", 202), ("admin", 202), ("tenant-admin", 202)],
    )
    def test_asking_takes_write_access(self, undone: Shop, at_once_answered: None, who: str, answered: int):
        ended(undone, 1)
        response = undone.api(who).post(path(undone, make_rule(undone)), {"last": 1})
        assert response.status_code == answered
        assert CatchUp.objects.count() == (answered == 202)
        if answered == 202:
            person = undone.person(who)
            kind = "service_account" if who == "service" else "user"
            assert CatchUp.objects.get().asked_by == f"{kind}:{person.pk}"

    def test_who_may_not_read_finds_nothing(self, undone: Shop, at_once_answered: None):
        ended(undone, 1)
        rule, other = make_rule(undone), undone.other_project()
        job = undone.editor.ok("POST", path(undone, rule), {"last": 1})["jobId"]
        strangers = [
            Api.of(make_user(undone.tenant)),
            Api(make_token(undone.person("tenant-admin"), project=other)),
            Shop.open().admin,
        ]
        for api in strangers:
            assert api.refused("POST", path(undone, rule), {"last": 1})[0] == 404
            assert api.refused("GET", path(undone, rule, job))[0] == 404
        assert CatchUp.objects.count() == 1

    def test_a_token_that_is_narrowed_to_the_project_may(self, undone: Shop, at_once_answered: None):
        ended(undone, 1)
        api = Api(make_token(undone.person("editor"), project=undone.project))
        assert api.post(path(undone, make_rule(undone)), {"last": 1}).status_code == 202

    def test_the_rule_must_be_the_projects_and_the_catch_up_the_rules(self, undone: Shop, at_once_answered: None):
        ended(undone, 1)
        rule, other, elsewhere = make_rule(undone), make_rule(undone), undone.other_project()
        job = undone.editor.ok("POST", path(undone, rule), {"last": 1})["jobId"]
        admin = undone.admin
        foreign = f"projects/{elsewhere.pk}/judging-rules/{rule['ruleId']}/queue-recent"
        assert admin.refused("POST", foreign, {"last": 1}) == (404, "judging-rule-not-found")
        assert admin.refused("GET", f"{foreign}/{job}") == (404, "judging-rule-not-found")
        for address in (path(undone, other, job), path(undone, rule, UNKNOWN), path(undone, rule, "no-id")):
            assert admin.refused("GET", address) == (404, "catch-up-not-found")
        assert undone.api("viewer").ok("GET", path(undone, rule, job))["jobId"] == job


class TestAnswer:
    """It waits up to ten seconds for what comes of it."""

    def test_it_says_how_far_it_is_where_it_takes_longer_and_goes_on_by_itself(
        self, undone: Shop, at_once_answered: None, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(catch_up, "BATCH", 2)
        runs, rule = ended(undone, 1, 2, 3), make_rule(undone)
        response = undone.editor.post(path(undone, rule), {"last": 3})
        asked = response.json()
        job_id = asked["jobId"]
        assert (response.status_code, asked) == (202, {"jobId": job_id, "done": 0, "of": 3})
        assert about(undone, rule, job_id) == ("running", 0, 3, 0, 0, 0)
        catch_up.catch_up_step(catch_up_id=CatchUp.objects.get().pk)
        assert about(undone, rule, job_id) == ("running", 2, 3, 2, 0, 0)
        do(job_id)
        answer = undone.editor.ok("GET", path(undone, rule, job_id))
        assert about(undone, rule, job_id) == ("done", 3, 3, 3, 0, 0)
        assert answer["ruleId"] == rule["ruleId"] and answer["createdAt"] <= answer["finishedAt"]
        assert queued_runs(undone) == runs

    def test_one_whose_rule_was_removed_says_so(self, undone: Shop, at_once_answered: None):
        ended(undone, 1)
        rule = make_rule(undone)
        job_id = undone.editor.ok("POST", path(undone, rule), {"last": 1})["jobId"]
        undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
        do(job_id)
        assert about(undone, rule, job_id) == ("stopped", 0, 1, 0, 0, 0)

    def test_it_answers_what_came_of_it_once_it_is_done(self, fresh: Shop, nobody: WorkerProcess):
        runs, rule = ended(fresh, 1, 2, 3), make_rule(fresh)
        fresh.correct(runs[1])
        answered, _ = at_once([lambda: fresh.editor.post(path(fresh, rule), {"last": 3}), work_once])
        assert (answered.status_code, answered.json()) == (200, {"queued": 2, "alreadyQueued": 0, "alreadyReviewed": 1})
        assert nobody.waiting() == 1, "it was sent to a worker"

    def test_it_is_not_found_where_its_rule_is_removed_while_it_waits(self, fresh: Shop, nobody: WorkerProcess):
        ended(fresh, 1)
        rule = make_rule(fresh)

        def remove() -> None:
            wait_until(CatchUp.objects.exists)
            fresh.editor.ok("POST", rules_path(fresh, rule["ruleId"], "unregister"))
            work_once()

        answered, _ = at_once([lambda: fresh.editor.post(path(fresh, rule), {"last": 1}), remove])
        assert code(answered) == (404, "judging-rule-not-found")
        assert "removed meanwhile" in answered.json()["error"]["message"]


def about(shop: Shop, rule: Rule, job_id: str) -> tuple[Any, ...]:
    """How a catch-up stands, as anybody who reads is told."""
    answer = shop.api("viewer").ok("GET", path(shop, rule, job_id))
    assert answer["jobId"] == job_id and ("finishedAt" in answer) == (answer["state"] != "running")
    return tuple(answer[name] for name in ("state", "done", "of", "queued", "alreadyQueued", "alreadyReviewed"))


def test_those_who_wait_leave_the_server_threads_for_others(fresh: Shop, settings: Any):
    """With nobody at work all would wait for ten seconds; half of the threads may, and the others answer at once."""
    ended(fresh, 1)
    rule = make_rule(fresh)
    editor, places = fresh.editor, settings.WEB_THREADS // 2
    settings.CATCH_UP_WAIT_SECONDS = 2

    def ask() -> float:
        begun = time.monotonic()
        assert editor.post(path(fresh, rule), {"last": 1}).status_code == 202
        return time.monotonic() - begun

    took = sorted(at_once([ask for _ in range(places + 3)]))
    assert [seconds >= 2 for seconds in took] == [False] * 3 + [True] * places
