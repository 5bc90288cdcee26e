"""A key under requests that come at once, are slow, or die (contract, section 2).

The races have a control: with the hold taken away they must end badly, so that they are known to bite.
"""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponse

from kindgi.api import idempotency
from kindgi.api.errors import IdempotencyKeyInFlight
from kindgi.api.ids import new_id
from kindgi.api.models import IdempotencyKey
from kindgi.api.times import now
from tests.builders import Api, make_tenant, make_user
from tests.support.parallel import at_once
from tests.support.servers import worker_database_url

pytestmark = [pytest.mark.urls("tests.api.probes"), pytest.mark.django_db(transaction=True)]

TOGETHER = 16
PATIENCE = 30.0
LAPSES_WITHIN = 30.0
GRACE = timedelta(milliseconds=200)

# A process that holds and locks a key, and then goes on as its third argument says.
HOLDER = """
import datetime, sys, time, uuid
import django
django.setup()
from django.db import connection, transaction
from kindgi.api import idempotency
idempotency.LOCK_WAIT = datetime.timedelta(seconds=2)
hold = idempotency.take(key_hash=bytes.fromhex(sys.argv[1]), tenant_id=uuid.UUID(sys.argv[2]), body=b"{}")
with transaction.atomic():
    idempotency.lock(hold)
    print("locked", flush=True)
    exec(sys.argv[3])
"""
SLEEPS = "time.sleep(600)"
WAITS = "connection.cursor().execute('SELECT FROM probe_effects FOR UPDATE')"


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(idempotency, "GRACE", GRACE)


def code(response):
    return response.status_code, response.json()["error"]["code"]


def send(api, key="k", body=b"{}"):
    return api.post("probes/effects", body, key=key)


def send_until_answered(api):
    """What a client does that has a key: ask again while the first request runs. Gives up in the end."""
    deadline = time.monotonic() + PATIENCE
    while True:
        response = send(api)
        if response.status_code != 409 or time.monotonic() > deadline:
            return response
        assert code(response) == (409, "idempotency-key-in-flight")
        assert response.headers["Retry-After"] == "1"
        time.sleep(0.02)


def race(api):
    """Sixteen clients with one key: their last answers."""
    responses = at_once([lambda: send_until_answered(Api(api.secret))] * TOGETHER)
    assert [response for response in responses if isinstance(response, Exception)] == []
    return responses


def slowly():
    time.sleep(0.05)


class Slow:
    """A request that stays in its transaction until it is let go."""

    def __init__(self, api, during, **sent):
        self.inside, self.go, self.response = threading.Event(), threading.Event(), None

        def wait():
            self.inside.set()
            assert self.go.wait(PATIENCE)

        def run():
            try:
                self.response = send(Api(api.secret), **sent)
            finally:
                connection.close()

        during(wait)
        self.thread = threading.Thread(target=run)

    def __enter__(self):
        self.thread.start()
        assert self.inside.wait(PATIENCE)
        return self

    def __exit__(self, *error):
        self.go.set()
        self.thread.join(PATIENCE)


class TestAtOnce:
    """Many requests with one key."""

    def test_one_is_carried_out_and_all_end_with_its_answer(self, api, effects, during):
        during(slowly)
        responses = race(api)
        assert effects.count() == 1
        assert {(response.status_code, response.content) for response in responses} == {(201, b'{"number":1}')}
        assert sum("X-Idempotent-Replay" not in response.headers for response in responses) == 1

    def test_control_without_the_hold_it_is_carried_out_several_times(self, api, effects, during, monkeypatch):
        during(slowly)
        monkeypatch.setattr(idempotency, "take", lambda key_hash, **scope: idempotency.Hold(key_hash, uuid4()))
        monkeypatch.setattr(idempotency, "lock", lambda hold: None)
        responses = race(api)
        assert effects.count() > 1
        assert len({response.content for response in responses}) > 1

    def test_an_expired_key_is_taken_over_by_one(self, api, effects, during):
        first = send(api)
        IdempotencyKey.objects.update(expires_at=now())
        during(slowly)
        responses = race(api)
        assert effects.count() == 2
        assert {response.content for response in responses} == {b'{"number":2}'} != {first.content}

    def test_who_comes_second_to_an_expired_key_is_not_given_its_old_answer(self, api, effects, monkeypatch):
        send(api)
        IdempotencyKey.objects.update(expires_at=now())
        rows = idempotency.fetch  # type: ignore[attr-defined]

        def rival_first(sql, params):
            if sql is idempotency._TAKE_OVER:
                assert rows(sql, [uuid4(), *params[1:]])
            return rows(sql, params)

        monkeypatch.setattr(idempotency, "fetch", rival_first)
        assert code(send(api)) == (409, "idempotency-key-in-flight")
        assert effects.count() == 1

    def finishing_between(self, monkeypatch, api):
        """A request that holds the key past its grace, and finishes between another's look and its taking over."""
        fetch = idempotency.fetch  # type: ignore[attr-defined]
        kept: list[idempotency.Hold] = []

        def first_finishes(sql, params):
            if sql is idempotency._TAKE_OVER and not kept:
                row = IdempotencyKey.objects.get()
                kept.append(idempotency.Hold(bytes(row.key_hash), row.holder))
                idempotency.keep(kept[0], HttpResponse(b"{}", status=201), secret=False, subject_id=None)
            return fetch(sql, params)

        send(api)
        IdempotencyKey.objects.update(state="held", held_at=now() - timedelta(seconds=5), answer=None, status=None)
        monkeypatch.setattr(idempotency, "fetch", first_finishes)

    def test_who_finds_it_just_finished_gets_its_answer_and_does_nothing(self, api, effects, monkeypatch):
        self.finishing_between(monkeypatch, api)
        second = send(api)
        assert (second.status_code, second.content, second.headers["X-Idempotent-Replay"]) == (201, b"{}", "true")
        assert effects.count() == 1

    def test_control_taking_over_by_the_holder_alone_runs_it_twice(self, api, effects, monkeypatch):
        self.finishing_between(monkeypatch, api)
        guard = "AND (state = 'held' OR expires_at <= clock_timestamp())"
        assert guard in idempotency._TAKE_OVER
        unguarded = idempotency._TAKE_OVER.replace(guard, "")
        monkeypatch.setattr(idempotency, "_TAKE_OVER", unguarded)
        assert send(api).status_code == 201
        assert effects.count() == 2

    def test_each_of_many_keys_has_its_own_effect(self, api, effects):
        responses = at_once([partial(send, Api(api.secret), f"k{number}") for number in range(TOGETHER)])
        assert {response.status_code for response in responses} == {201}
        assert effects.count() == TOGETHER


class TestInFlight:
    """While the first request runs."""

    def test_a_retry_is_told_to_wait_and_then_gets_its_answer(self, api, effects, during):
        with Slow(api, during) as slow:
            response = send(api)
            assert code(response) == (409, "idempotency-key-in-flight")
            assert response.headers["Retry-After"] == "1"
            assert code(send(api, body=b'{"text": "other"}')) == (409, "idempotency-key-body-mismatch")
        assert slow.response.status_code == 201
        assert send(api).content == slow.response.content
        assert effects.count() == 1

    def test_another_key_does_not_wait(self, api, effects, during):
        with Slow(api, during):
            during(lambda: None)
            assert send(api, key="other").status_code == 201

    def test_a_slow_request_keeps_its_hold_for_as_long_as_it_lives(self, api, effects, during, short_grace):
        with Slow(api, during) as slow:
            time.sleep(3 * GRACE.total_seconds())
            assert [code(send(api)) for _ in range(3)] == [(409, "idempotency-key-in-flight")] * 3
        assert (slow.response.status_code, effects.count()) == (201, 1)

    def test_control_without_its_lock_a_slow_request_loses_its_hold(
        self, api, effects, during, short_grace, monkeypatch
    ):
        monkeypatch.setattr(idempotency, "lock", lambda hold: None)
        with Slow(api, during):
            during(lambda: None)
            time.sleep(3 * GRACE.total_seconds())
            assert send(api).status_code == 201
        assert effects.count() == 2


class TestDeath:
    """A request that dies leaves its effect and its answer, or neither; and its hold lapses by itself."""

    def test_a_connection_that_is_cut_leaves_nothing_and_gives_the_key_back(self, api, effects, during):
        during(_cut)
        assert code(send(api)) == (503, "service-unavailable")
        assert effects.count() == 0
        during(lambda: None)
        assert send(api).status_code == 201
        assert effects.count() == 1

    def test_a_hold_that_can_not_be_given_back_lapses(self, api, effects, during, short_grace, monkeypatch):
        during(_cut)
        monkeypatch.setattr(idempotency, "give_back", lambda hold: None)
        assert code(send(api)) == (503, "service-unavailable")
        during(lambda: None)
        assert code(send(api)) == (409, "idempotency-key-in-flight")
        time.sleep(GRACE.total_seconds())
        assert send(api).status_code == 201
        assert effects.count() == 1

    def test_a_connection_that_is_cut_after_the_answer_was_written_leaves_neither(
        self, api, effects, short_grace, monkeypatch
    ):
        keep = idempotency.keep

        def keep_and_die(*args, **kwargs):
            keep(*args, **kwargs)
            _cut()

        monkeypatch.setattr(idempotency, "keep", keep_and_die)
        assert code(send(api)) == (503, "service-unavailable")
        assert effects.count() == 0
        monkeypatch.setattr(idempotency, "keep", keep)
        time.sleep(GRACE.total_seconds())
        assert send(api).status_code == 201
        assert effects.count() == 1

    @pytest.fixture
    def held(self):
        """A person's client, and the tenant and the hash of its key ``k``."""
        tenant = make_tenant()
        user = make_user(tenant)
        key_hash = idempotency.key_hash(
            tenant_id=tenant.pk, caller=f"user:{user.pk}", method="POST", path="/v1/probes/effects", key="k"
        )
        return Api.of(user), tenant.pk, key_hash

    def test_a_process_that_is_killed_holds_its_key_while_it_lives_and_no_longer(self, effects, held, short_grace):
        api, tenant_id, key_hash = held
        with _holder(key_hash, tenant_id, SLEEPS):
            time.sleep(3 * GRACE.total_seconds())
            assert code(send(api)) == (409, "idempotency-key-in-flight")
        killed = time.monotonic()
        assert send_until_answered(api).status_code == 201
        assert time.monotonic() - killed < LAPSES_WITHIN
        assert effects.count() == 1

    def test_so_does_one_that_is_killed_while_it_waits_for_a_lock(self, effects, held, short_grace):
        api, tenant_id, key_hash = held
        send(api, key="other")
        with connection.cursor() as cursor, transaction.atomic():
            cursor.execute("SELECT FROM probe_effects FOR UPDATE")
            with _holder(key_hash, tenant_id, WAITS):
                time.sleep(3 * GRACE.total_seconds())
            killed = time.monotonic()
            [response] = at_once([lambda: send_until_answered(Api(api.secret))])
            assert response.status_code == 201
            assert time.monotonic() - killed < LAPSES_WITHIN
        assert effects.count() == 2

    def test_that_wait_is_well_within_what_is_promised(self):
        assert timedelta(0) < idempotency.LOCK_WAIT < timedelta(seconds=LAPSES_WITHIN / 2)

    def test_who_lost_the_hold_before_locking_it_does_nothing(self, effects, short_grace):
        key_hash, tenant_id = bytes(32), new_id()
        stalled = idempotency.take(key_hash=key_hash, tenant_id=tenant_id, body=b"{}")
        time.sleep(GRACE.total_seconds())
        taken_over = idempotency.take(key_hash=key_hash, tenant_id=tenant_id, body=b"{}")
        assert isinstance(stalled, idempotency.Hold) and isinstance(taken_over, idempotency.Hold)
        assert taken_over.holder != stalled.holder
        with pytest.raises(IdempotencyKeyInFlight), transaction.atomic():
            idempotency.lock(stalled)
        idempotency.give_back(stalled)
        with transaction.atomic():
            idempotency.lock(taken_over)

    def test_the_grace_is_well_within_what_is_promised(self):
        assert timedelta(0) < idempotency.GRACE < timedelta(seconds=LAPSES_WITHIN)


def _cut() -> None:
    """End this thread's own connection, as when its server or its network dies."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


@contextmanager
def _holder(key_hash, tenant_id, does):
    """A process that holds and locks a key and then ``does`` something, until it is killed at the end of the block."""
    environment = {
        "DATABASE_URL": worker_database_url(),
        "KINDGI_ENV": "test",
        "DJANGO_SETTINGS_MODULE": "kindgi.settings",
    }
    command = [sys.executable, "-c", HOLDER, key_hash.hex(), str(tenant_id), does]
    with subprocess.Popen(
        command, cwd=settings.BASE_DIR, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "locked\n"
            yield
        finally:
            process.kill()
