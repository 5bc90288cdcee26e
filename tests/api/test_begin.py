"""An operation that begins something does so first, for all to see, and once a key (contract, sections 2 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from kindgi.api import idempotency
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.models import IdempotencyKey
from tests.api.beginnings import Beginning
from tests.builders import Api, make_tenant, make_user
from tests.support.parallel import at_once

pytestmark = pytest.mark.urls("tests.api.beginnings")

REPLAY = "X-Idempotent-Replay"


@pytest.fixture
def table(db: None) -> Iterator[None]:
    """Where each thing that was begun is a row, for as long as the test runs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE probe_beginnings (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, "
            "key_hash bytea UNIQUE, times int NOT NULL DEFAULT 1)"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE probe_beginnings")


@pytest.fixture
def api(table: None) -> Api:
    return Api.of(make_user(make_tenant(), "editor"))


@pytest.fixture
def doing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set what happens ``before`` the beginning is committed, or ``during`` the handler."""

    def do(**works: Callable[[], None]) -> None:
        for name, work in works.items():
            monkeypatch.setattr(Beginning, name, staticmethod(work))

    return do


def begun() -> list[tuple[str, bool, int]]:
    """Each thing that was begun: its name, whether by a key, and how often it was."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, key_hash IS NOT NULL, times FROM probe_beginnings ORDER BY id")
        return list(cursor.fetchall())


def nothing() -> None:
    """Do nothing."""


def raising(error: BaseException) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def told(response: Any) -> tuple[int, Any, bytes]:
    return response.status_code, response.headers.get("Content-Type"), response.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", [None, "k"])
def test_what_is_begun_is_there_for_others_before_the_handler_runs(api: Api, doing: Any, key: str | None):
    seen: list[Any] = []
    doing(during=lambda: seen.extend(at_once([begun])))
    assert api.post("beginnings/a", {}, key=key).json() == {"number": 1}
    assert seen == [[("a", key is not None, 1)]]


@pytest.mark.django_db(transaction=True)
def test_until_it_is_committed_others_see_nothing_of_it(api: Api, doing: Any):
    seen: list[Any] = []
    doing(before=lambda: seen.extend(at_once([begun])))
    assert api.post("beginnings/a", {}).status_code == 201
    assert seen == [[]] and begun() == [("a", False, 1)]


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize(
    ("error", "answered"), [(BadInput("no"), 400), (PermissionDenied(), 403), (RuntimeError("no"), 500)]
)
class TestRefusals:
    """What is raised before it is begun leaves nothing, and what is raised after that leaves it."""

    def test_a_refusal_of_the_beginning_leaves_nothing(
        self, api: Api, doing: Any, key: str | None, error: Exception, answered: int
    ):
        handled: list[None] = []
        doing(before=raising(error), during=lambda: handled.append(None))
        assert api.post("beginnings/a", {}, key=key).status_code == answered
        assert (begun(), handled) == ([], []) and not IdempotencyKey.objects.exists()

    def test_a_refusal_of_the_handler_leaves_what_was_begun_and_the_retry_finds_it(
        self, api: Api, doing: Any, key: str | None, error: Exception, answered: int
    ):
        doing(during=raising(error))
        assert api.post("beginnings/a", {}, key=key).status_code == answered
        assert begun() == [("a", key is not None, 1)] and not IdempotencyKey.objects.exists()
        doing(during=nothing)
        assert api.post("beginnings/a", {}, key=key).status_code == 201
        assert begun() == ([("a", False, 1)] * 2 if key is None else [("a", True, 2)])


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize(
    ("body", "query", "answered"),
    [({"nothing": 1}, None, 400), (b"{", None, 400), (None, None, 415), ({}, {"dry": "1"}, 400)],
)
def test_what_the_operation_does_not_take_begins_nothing(
    api: Api, key: str | None, body: Any, query: dict[str, str] | None, answered: int
):
    assert api.post("beginnings/a", body, key=key, query=query).status_code == answered
    assert begun() == [] and not IdempotencyKey.objects.exists()


def test_nobody_begins_anything_without_a_token(table: None):
    assert code(Api().post("beginnings/a", {}, key="k")) == (401, "auth-missing")
    assert begun() == []


def test_an_operation_that_begins_nothing_has_no_beginning(api: Api):
    assert api.put("beginnings/a", {}, key="k").json() == {"number": 0}
    assert begun() == []


class TestKeys:
    """What is begun with a key is begun once."""

    def test_a_replay_begins_nothing(self, api: Api):
        first, again = (api.post("beginnings/a", {}, key="k") for _ in range(2))
        assert told(first) == told(again) and again.headers[REPLAY] == "true"
        assert begun() == [("a", True, 1)]

    def test_another_body_begins_nothing(self, api: Api):
        api.post("beginnings/a", {}, key="k")
        answer = api.post("beginnings/a", {"text": "b"}, key="k")
        assert code(answer) == (409, "idempotency-key-body-mismatch")
        assert begun() == [("a", True, 1)]

    def test_each_key_and_each_path_begins_its_own(self, api: Api):
        for name, key in (("a", "k"), ("a", "l"), ("b", "k"), ("b", "k")):
            api.post(f"beginnings/{name}", {}, key=key)
        assert begun() == [("a", True, 1), ("a", True, 1), ("b", True, 1)]

    def test_one_who_was_killed_after_the_beginning_is_followed_by_one_who_finds_it(
        self, api: Api, doing: Any, monkeypatch: pytest.MonkeyPatch
    ):
        doing(during=raising(Killed()))
        with monkeypatch.context() as patched:
            patched.setattr(idempotency, "give_back", lambda held: None)
            with pytest.raises(Killed):
                api.post("beginnings/a", {}, key="k")
        doing(during=nothing)
        monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
        assert api.post("beginnings/a", {}, key="k").json() == {"number": 1}
        assert begun() == [("a", True, 2)]
        assert api.post("beginnings/a", {}, key="k").headers[REPLAY] == "true"
        assert begun() == [("a", True, 2)]

    @pytest.mark.django_db(transaction=True)
    def test_while_the_first_is_in_its_handler_a_second_begins_nothing(
        self, api: Api, doing: Any, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
        answers: list[Any] = []
        doing(during=lambda: answers.extend(at_once([lambda: Api(api.secret).post("beginnings/a", {}, key="k")])))
        assert api.post("beginnings/a", {}, key="k").status_code == 201
        assert [code(answer) for answer in answers] == [(409, "idempotency-key-in-flight")]
        assert begun() == [("a", True, 1)]

    @pytest.mark.django_db(transaction=True)
    def test_one_whose_key_is_taken_over_meanwhile_is_told_so_and_does_not_go_on(
        self, api: Api, doing: Any, monkeypatch: pytest.MonkeyPatch
    ):
        """It has begun what the other then finds: the key's own row is what neither can both have."""
        monkeypatch.setattr(idempotency, "GRACE", timedelta(0))
        others: list[Any] = []
        handled: list[None] = []
        lock = idempotency.lock

        def overtaken(held: idempotency.Hold) -> None:
            if not others:
                others.append(None)
                others.extend(at_once([lambda: Api(api.secret).post("beginnings/a", {}, key="k")]))
            lock(held)

        doing(during=lambda: handled.append(None))
        monkeypatch.setattr(idempotency, "lock", overtaken)
        assert code(api.post("beginnings/a", {}, key="k")) == (409, "idempotency-key-in-flight")
        assert others[1].json() == {"number": 1}
        assert begun() == [("a", True, 2)] and len(handled) == 1


class Killed(BaseException):
    """The request's end."""
