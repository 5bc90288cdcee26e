"""Items are dismissed and reopened by hand, and close when their run's content goes (contract, sections 3, 6, 10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection

from judging.models import QueueItemChange
from kindgi.api.times import as_of, now, wire
from kindgi.runs.services.retention import runs_purge
from tests.judging.queues import dismiss, item_of, old_rule, queue, queue_path, reopen
from tests.support.shops import Shop, completed

AT = datetime(2126, 3, 1, 12, tzinfo=UTC)
UNKNOWN = "018f0000-0000-7000-8000-000000000000"
WORDS = "what-nobody-may-read-any-more"
VERBS = ["dismiss", "reopen"]


def item(shop: Shop, run_id: str) -> dict[str, Any]:
    found = item_of(shop, run_id)
    assert found is not None
    return found


def history(run_id: str) -> list[tuple[str, str, str, str | None]]:
    """From what to what, by whom and why, oldest first."""
    return list(QueueItemChange.objects.filter(item__run_id=run_id).values_list("before", "after", "by", "reason"))


def actor(shop: Shop, name: str = "editor") -> str:
    kind = "service_account" if name == "service" else "user"
    return f"{kind}:{shop.person(name).pk}"


def purge(shop: Shop, run_id: str) -> None:
    """Let retention take every run of the shop that ended more than a day ago."""
    shop.admin.ok("PATCH", f"projects/{shop.project.pk}", {"retentionDays": 1})
    shop.project.refresh_from_db()
    assert runs_purge(project=shop.project, limit=100) > 0
    assert shop.admin.refused("GET", f"runs/{run_id}") == (404, "run-not-found")


def erase(shop: Shop, run_id: str) -> None:
    shop.admin.ok("POST", f"runs/{run_id}/erase")


GOING = [erase, purge]


def waiting_run(shop: Shop, days: float = 3) -> str:
    """A run that ended some days ago, and waits."""
    old_rule(shop, at=now() - timedelta(days=30))
    at = wire(now() - timedelta(days=days))
    return shop.run(createdAt=at, completedAt=at)


@pytest.mark.parametrize("by", ["editor", "service", "tenant-admin"])
def test_a_dismissed_item_says_who_dismissed_it_when_and_why(undone: Shop, by: str):
    run_id = waiting_run(undone)
    before = item(undone, run_id)
    with as_of(AT):
        dismissed = dismiss(undone, run_id, by=by, reason="A test order")
    assert dismissed == before | {
        "state": "dismissed",
        "closedAt": wire(AT),
        "closedBy": actor(undone, by),
        "reason": "A test order",
        "can": {"dismiss": False, "reopen": True},
    }
    assert item(undone, run_id) == dismissed
    assert queue(undone, "state=open")["total"] == 0
    assert history(run_id) == [("open", "dismissed", actor(undone, by), "A test order")]


def test_a_reopened_item_waits_as_before(undone: Shop):
    run_id = waiting_run(undone)
    before = item(undone, run_id)
    dismiss(undone, run_id, reason="A test order")
    reopened = reopen(undone, run_id, by="service")
    assert reopened == before | {"closedBy": actor(undone, "service")}, "addedAt, and so its place, too"
    assert item(undone, run_id) == reopened
    assert history(run_id) == [
        ("open", "dismissed", actor(undone), "A test order"),
        ("dismissed", "open", actor(undone, "service"), None),
    ]


def test_it_can_be_dismissed_and_reopened_again(undone: Shop):
    run_id = waiting_run(undone)
    for reason in ("first", "second"):
        dismiss(undone, run_id, reason=reason)
        reopen(undone, run_id)
    assert dismiss(undone, run_id)["state"] == "dismissed"
    assert [(before, reason) for before, _, _, reason in history(run_id)] == [
        ("open", "first"),
        ("dismissed", None),
        ("open", "second"),
        ("dismissed", None),
        ("open", None),
    ]


@pytest.mark.parametrize("body", [None, {}, {"reason": None}], ids=str)
def test_a_reason_may_be_left_out(undone: Shop, body: Any):
    run_id = waiting_run(undone)
    dismissed = undone.editor.ok("POST", queue_path(undone, run_id, "dismiss"), body)
    assert dismissed["state"] == "dismissed" and "reason" not in dismissed


@pytest.mark.parametrize("reason", ["", " ", "x" * 500, "\U0001f600" * 500, "two\nlines"], ids=lambda one: one[:10])
def test_a_reason_is_kept_as_it_was_given(undone: Shop, reason: str):
    run_id = waiting_run(undone)
    assert dismiss(undone, run_id, reason=reason)["reason"] == item(undone, run_id)["reason"] == reason


@pytest.mark.parametrize("body", [{"reason": "x" * 501}, {"reason": 1}, {"reason": "a\0b"}, {"why": "x"}, []], ids=str)
def test_a_reason_that_is_too_long_or_no_text_is_refused(undone: Shop, body: Any):
    run_id = waiting_run(undone)
    refused = undone.editor.post(queue_path(undone, run_id, "dismiss"), body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad-input")
    assert item(undone, run_id)["state"] == "open" and history(run_id) == []


@pytest.mark.parametrize("body", [{"reason": "x"}, [], 1], ids=str)
def test_reopening_takes_no_body(undone: Shop, body: Any):
    run_id = waiting_run(undone)
    dismiss(undone, run_id)
    assert undone.editor.refused("POST", queue_path(undone, run_id, "reopen"), body) == (400, "bad-input")


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_not_in_the_queue_is_not_found(undone: Shop, verb: str):
    old_rule(undone, when={"agentIds": ["other"]})
    never_queued, rival = undone.run(), Shop.open()
    elsewhere = waiting_run(rival)
    for run_id in (never_queued, elsewhere, UNKNOWN, "nothing"):
        refused = undone.editor.post(queue_path(undone, run_id, verb))
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "judging-item-not-found")
        assert f'"{run_id}"' in refused.json()["error"]["message"]


@pytest.mark.parametrize("verb", VERBS)
def test_an_item_is_found_in_its_own_project_alone(undone: Shop, verb: str):
    run_id, other = waiting_run(undone), undone.other_project()
    path = f"projects/{other.pk}/judging-queue/{run_id}/{verb}"
    assert undone.admin.refused("POST", path) == (404, "judging-item-not-found")
    assert item(undone, run_id)["state"] == "open"


def test_a_run_is_named_in_capitals_too(undone: Shop):
    run_id = waiting_run(undone)
    assert dismiss(undone, run_id.upper())["runId"] == run_id
    assert reopen(undone, run_id.upper())["runId"] == run_id


CLOSED: list[tuple[str, Callable[[Shop, str], Any]]] = [
    ("dismissed", dismiss),
    ("judged", lambda shop, run_id: shop.correct(run_id)),
    ("erased", erase),
]


@pytest.mark.parametrize(("state", "close"), CLOSED, ids=[state for state, _ in CLOSED])
def test_only_an_open_item_is_dismissed_and_only_a_dismissed_one_reopened(
    undone: Shop, state: str, close: Callable[[Shop, str], Any]
):
    run_id = waiting_run(undone)
    not_open = (409, "judging-item-not-open")
    assert undone.editor.refused("POST", queue_path(undone, run_id, "reopen")) == not_open
    close(undone, run_id)
    before, told = item(undone, run_id), history(run_id)
    assert before["state"] == state
    for verb in VERBS if state != "dismissed" else ["dismiss"]:
        refused = undone.editor.post(queue_path(undone, run_id, verb))
        assert (refused.status_code, refused.json()["error"]["code"]) == not_open
        assert state in refused.json()["error"]["message"] and run_id in refused.json()["error"]["message"]
    assert item(undone, run_id) == before and history(run_id) == told


@pytest.mark.parametrize("go", GOING)
def test_what_waits_closes_as_erased_when_its_content_goes(undone: Shop, go: Callable[[Shop, str], None]):
    run_id = waiting_run(undone)
    before = item(undone, run_id)
    go(undone, run_id)
    after = item(undone, run_id)
    assert after == before | {
        "state": "erased",
        "closedAt": after["closedAt"],
        "can": {"dismiss": False, "reopen": False},
    }
    assert history(run_id) == [("open", "erased", "", None)]
    assert queue(undone, "state=erased&limit=0")["total"] == 1 and queue(undone, "state=open&limit=0")["total"] == 0


@pytest.mark.parametrize("go", GOING)
def test_what_had_closed_stays_so_when_its_content_goes(undone: Shop, go: Callable[[Shop, str], None]):
    run_id = waiting_run(undone)
    undone.correct(run_id)
    before = item(undone, run_id)
    go(undone, run_id)
    assert item(undone, run_id) == before and before["state"] == "judged"


@pytest.mark.parametrize("go", GOING)
def test_a_dismissed_item_is_not_reopened_once_its_content_is_gone(undone: Shop, go: Callable[[Shop, str], None]):
    run_id = waiting_run(undone)
    dismissed = dismiss(undone, run_id)
    go(undone, run_id)
    assert item(undone, run_id) == dismissed | {"can": {"dismiss": False, "reopen": False}}
    refused = undone.editor.post(queue_path(undone, run_id, "reopen")).json()["error"]
    assert refused["code"] == "judging-item-not-open" and "gone" in refused["message"]
    assert item(undone, run_id)["state"] == "dismissed"


class Reasons:
    """A run that was dismissed twice, by requests with keys that can be sent again."""

    def __init__(self, shop: Shop) -> None:
        self.shop, self.run_id = shop, waiting_run(shop)
        self.retries: list[Callable[[], Any]] = []
        for verb, body in (("dismiss", {"reason": WORDS}), ("reopen", None), ("dismiss", {"reason": f"{WORDS}!"})):
            self.write("POST", queue_path(shop, self.run_id, verb), body)

    def write(self, method: str, path: str, body: Any) -> None:
        key = str(uuid4())
        self.retries.append(lambda: self.shop.editor.request(method, path, body, key=key))
        self.shop.editor.ok(method, path, body, key=key)


def tables_with_words() -> set[str]:
    """Tables that hold the words as text or as the bytes of a kept answer."""
    found = set()
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in apps.get_models()):
            cursor.execute(
                f'SELECT count(*) FROM "{table}" AS t WHERE t::text LIKE %s OR t::text LIKE %s',  # noqa: S608 - ours
                [f"%{WORDS}%", f"%{WORDS.encode().hex()}%"],
            )
            found |= {table} if cursor.fetchone()[0] else set()
    return found


@pytest.mark.parametrize("go", GOING)
def test_every_reason_goes_with_the_runs_content(undone: Shop, go: Callable[[Shop, str], None]):
    story = Reasons(undone)
    other = undone.run()
    dismiss(undone, other, reason="It stays")
    assert tables_with_words() >= {"judging_queueitem", "judging_queueitemchange"}
    kept = [retry() for retry in story.retries]
    assert {answer.headers.get("X-Idempotent-Replay") for answer in kept} == {"true"}
    assert tables_with_words() == {"judging_queueitem", "judging_queueitemchange", "api_idempotencykey"}
    go(undone, story.run_id)
    assert tables_with_words() == set()
    assert "reason" not in item(undone, story.run_id)
    assert [reason for *_, reason in history(story.run_id)] == [None, None, None]
    assert item(undone, other)["reason"] == "It stays"


@pytest.mark.parametrize("go", GOING)
def test_no_retry_says_a_reason_once_the_content_is_gone(undone: Shop, go: Callable[[Shop, str], None]):
    story = Reasons(undone)
    go(undone, story.run_id)
    for answer in [retry() for retry in story.retries]:
        assert WORDS.encode() not in answer.content
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")


@pytest.mark.parametrize("state", ["open", "dismissed", "judged"])
def test_the_id_of_a_run_that_was_queued_is_taken_once_it_is_purged(undone: Shop, state: str):
    run_id = waiting_run(undone)
    if state == "dismissed":
        dismiss(undone, run_id)
    if state == "judged":
        made = undone.correct(run_id)
        undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    purge(undone, run_id)
    before = item(undone, run_id)
    for body in (completed(), completed(status="running"), completed(status="failed")):
        assert undone.admin.refused("PUT", f"runs/{run_id}", body) == (409, "run-already-terminal")
    (told,) = undone.admin.ok("POST", "runs/import", [{"id": run_id, **completed()}])["results"]
    assert (told["outcome"], told["error"]["code"]) == ("refused", "run-already-terminal")
    assert item(undone, run_id) == before


def test_a_retry_of_a_dismissal_is_answered_as_the_first_was(undone: Shop):
    run_id = waiting_run(undone)
    path = queue_path(undone, run_id, "dismiss")
    first, again = (undone.editor.post(path, {"reason": "x"}, key="once") for _ in range(2))
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["X-Idempotent-Replay"] == "true" and len(history(run_id)) == 1


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("rules", [1, 20])
def test_it_takes_as_many_statements_for_any_number_of_rules(undone: Shop, assert_queries: Any, verb: str, rules: int):
    for _ in range(rules):
        old_rule(undone)
    run_id, editor = undone.run(), undone.editor
    if verb == "reopen":
        dismiss(undone, run_id)
    # The token, the project, the item, its lock, its entries; the item, the entries and the history are written, the
    # counts; the entries and the wants of the answer. Reopening takes the rules' lock besides.
    with assert_queries(exact={"dismiss": 11, "reopen": 12}[verb]):
        editor.ok("POST", queue_path(undone, run_id, verb))
