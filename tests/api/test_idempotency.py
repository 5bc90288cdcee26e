"""An Idempotency-Key makes a write happen once, and its retries get the first answer (contract, section 2)."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError, connection

from kindgi.api import idempotency
from kindgi.api.auth import token_resolver
from kindgi.api.ids import new_id
from kindgi.api.models import IdempotencyKey
from kindgi.api.times import now
from tests.api import probes
from tests.builders import Api, default_project, make_service_account, make_tenant, make_token, make_user

pytestmark = [pytest.mark.urls("tests.api.probes"), pytest.mark.django_db]

REPLAY = "X-Idempotent-Replay"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def told(response):
    """All that a client sees of an answer but the request's own id."""
    return response.status_code, response.headers.get("Content-Type"), response.content


def code(response):
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_retry_gets_the_first_answer_to_the_byte(api, effects, method):
    first = api.request(method, "probes/effects", key="k")
    assert first.status_code < 300 and REPLAY not in first.headers
    for _ in range(3):
        again = api.request(method, "probes/effects", key="k")
        assert told(again) == told(first)
        assert again.headers[REPLAY] == "true"
        assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
        assert again.headers["Cache-Control"] == "no-store"
    assert effects.count() == 1


def test_without_a_key_every_request_is_carried_out(api, effects):
    assert [api.post("probes/effects").status_code for _ in range(3)] == [201] * 3
    assert effects.count() == 3 and not IdempotencyKey.objects.exists()


def test_the_same_key_with_another_body_is_a_mismatch(api, effects):
    api.post("probes/effects", b'{"text": "a"}', key="k")
    response = api.post("probes/effects", b'{"text":"a"}', key="k")
    assert code(response) == (409, "idempotency-key-body-mismatch")
    assert "Retry-After" not in response.headers
    assert effects.count() == 1


@pytest.mark.parametrize("how", ["raises", "explodes", "refuses", "returns"])
def test_a_refusal_is_never_kept(api, effects, how):
    statuses = [api.post(f"probes/refusals/{how}", key="k").status_code for _ in range(3)]
    assert statuses == [{"raises": 403, "explodes": 500, "refuses": 400, "returns": 422}[how]] * 3
    assert not IdempotencyKey.objects.exists()
    assert effects.count() == (3 if how == "returns" else 0), "What is raised takes its effect back."


def test_a_body_that_is_refused_gives_its_key_back(api, effects):
    assert code(api.post("probes/effects", b'{"nothing": 1}', key="k")) == (400, "bad-input")
    assert api.post("probes/effects", b"{}", key="k").status_code == 201
    assert effects.count() == 1


def test_an_answer_with_a_secret_is_not_kept(api, effects):
    assert api.post("probes/secrets", key="k").json() == {"token": probes.SECRET_TEXT}
    response = api.post("probes/secrets", key="k")
    assert code(response) == (409, "idempotency-key-replay-withheld")
    details = response.json()["error"]["details"]
    assert details["status"] == 201 and TIME.fullmatch(details["at"])
    assert REPLAY not in response.headers
    assert effects.count() == 1
    assert _dump().find(probes.SECRET_TEXT) == -1


def test_a_real_token_is_minted_once_and_its_secret_told_once():
    api = Api.of(make_user(make_tenant(), admin=True))
    first = api.post("tokens", {"label": "ci"}, key="k")
    assert first.status_code == 201
    assert code(api.post("tokens", {"label": "ci"}, key="k")) == (409, "idempotency-key-replay-withheld")
    assert [row.get("label") for row in api.ok("GET", "tokens")["data"]].count("ci") == 1
    assert first.json()["token"] not in _dump()


@pytest.mark.parametrize("key", ["", " ", "\t"])
def test_an_empty_key_is_bad_input(api, effects, key):
    assert code(api.post("probes/effects", key=key)) == (400, "bad-input")
    assert effects.count() == 0


@pytest.mark.parametrize("key", ["k" * 10_000, "a b", "'; DROP TABLE runs; --", "é", "\x7f", "0"])
def test_any_other_key_is_a_key(api, effects, key):
    first, again = (api.post("probes/effects", key=key) for _ in range(2))
    assert told(first) == told(again) and first.status_code == 201
    assert effects.count() == 1


def test_reading_takes_no_key(api):
    response = api.request("GET", "identity/whoami", key="k")
    assert (response.status_code, IdempotencyKey.objects.exists()) == (200, False)


class TestScope:
    """A key is the tenant's, the caller's, the method's and the path's."""

    def test_another_path_or_method_is_another_request(self, api, effects):
        for method, path in [
            ("POST", "probes/effects"),
            ("POST", "probes/effects/a"),
            ("POST", "probes/effects/b"),
            ("PUT", "probes/effects/a"),
        ]:
            assert REPLAY not in api.request(method, path, key="k").headers
        assert effects.count() == 4

    def test_a_query_is_no_part_of_the_path(self, api, effects):
        api.post("probes/effects", key="k")
        assert api.request("POST", "probes/effects?again=1", key="k").headers[REPLAY] == "true"
        assert effects.count() == 1

    def test_somebody_else_in_the_tenant_is_another_caller(self, effects):
        tenant = make_tenant()
        for api in (Api.of(make_user(tenant)), Api.of(make_user(tenant)), Api.of(make_service_account(tenant))):
            assert REPLAY not in api.post("probes/effects", key="k").headers
        assert effects.count() == 3

    def test_a_person_is_one_caller_by_any_of_their_tokens(self, effects):
        user = make_user(make_tenant())
        first, second = Api.of(user), Api(make_token(user))
        first.post("probes/effects", key="k")
        assert second.post("probes/effects", key="k").headers[REPLAY] == "true"
        assert effects.count() == 1

    def test_another_tenant_is_another_world(self, effects):
        for tenant in (make_tenant(), make_tenant()):
            assert REPLAY not in Api.of(make_user(tenant)).post("probes/effects", key="k").headers
        assert effects.count() == 2

    def test_nothing_that_scopes_a_key_runs_into_its_neighbour(self):
        tenant_id = new_id()
        given = [
            {"caller": "user:1", "method": "POST", "path": "/v1/a", "key": "b"},
            {"caller": "user:1", "method": "POST", "path": "/v1/ab", "key": ""},
            {"caller": "user:1P", "method": "OST", "path": "/v1/a", "key": "b"},
            {"caller": "user:1", "method": "POST/", "path": "v1/a", "key": "b"},
        ]
        assert len({idempotency.key_hash(tenant_id=tenant_id, **scope) for scope in given}) == len(given)


@pytest.mark.django_db(transaction=True)
class TestStoreGone:
    """A store that can't be read is said before anything runs."""

    @pytest.fixture
    def no_store(self, effects):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE api_idempotencykey RENAME TO elsewhere")
        yield
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE IF EXISTS elsewhere RENAME TO api_idempotencykey")

    def test_nothing_ran_and_a_retry_is_asked_for(self, api, effects, no_store):
        response = api.post("probes/effects", key="k")
        assert code(response) == (503, "idempotency-store-unavailable")
        assert response.headers["Retry-After"] == "1"
        assert effects.count() == 0
        assert api.post("probes/effects").status_code == 201, "Without a key nobody needs the store."

    def test_the_same_key_works_once_it_is_back(self, api, effects, no_store):
        assert api.post("probes/effects", key="k").status_code == 503
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO api_idempotencykey")
        assert api.post("probes/effects", key="k").status_code == 201
        assert effects.count() == 1

    def test_a_database_that_is_gone_before_the_token_is_read_is_the_same(self, api, effects, monkeypatch):
        def gone(secret):
            raise OperationalError("no route to host")

        monkeypatch.setattr(token_resolver, "_resolve", gone)
        assert code(api.post("probes/effects", key="k")) == (503, "idempotency-store-unavailable")
        assert code(api.post("probes/effects")) == (503, "service-unavailable")
        assert code(api.get("identity/whoami")) == (503, "service-unavailable")


class TestAfterwards:
    """Keys are kept for 24 hours, and their answers no longer than the words that they tell."""

    def test_a_key_is_kept_for_a_day(self, api, effects):
        api.post("probes/effects", key="k")
        left = IdempotencyKey.objects.get().expires_at - now()
        assert timedelta(hours=23, minutes=59) < left < timedelta(hours=24, minutes=1)

    def test_after_that_it_is_a_new_key_for_any_body(self, api, effects):
        api.post("probes/effects", b"{}", key="k")
        IdempotencyKey.objects.update(expires_at=now())
        response = api.post("probes/effects", b'{"text": "other"}', key="k")
        assert response.status_code == 201 and REPLAY not in response.headers
        assert told(api.post("probes/effects", b'{"text": "other"}', key="k")) == told(response)
        assert effects.count() == 2

    def test_sweeping_takes_only_what_expired(self, api, effects, monkeypatch):
        for number in range(5):
            api.post("probes/effects", key=f"k{number}")
        old = list(IdempotencyKey.objects.values_list("pk", flat=True)[:3])
        IdempotencyKey.objects.filter(pk__in=old).update(expires_at=now() - timedelta(seconds=1))
        monkeypatch.setattr(idempotency, "SWEEP_BATCH", 2)
        assert [idempotency.sweep() for _ in range(3)] == [2, 1, 0]
        assert IdempotencyKey.objects.count() == 2

    def test_forgetting_a_subject_withholds_its_answers_and_no_others(self, effects, monkeypatch):
        tenant, other = make_tenant(), make_tenant()
        subject = new_id()
        apis = [Api.of(make_user(tenant)), Api.of(make_user(other))]
        for api in apis:
            for name, told_of in (("words", subject), ("other", new_id()), ("none", None)):
                monkeypatch.setattr(probes.Words, "subject", told_of)
                api.post("probes/words", key=name)
        idempotency.forget(tenant_id=tenant.pk, subject_ids=[subject, new_id()])
        assert [
            api.post("probes/words", key=name).status_code for api in apis for name in ("words", "other", "none")
        ] == [
            *(409, 201, 201),
            *(201, 201, 201),
        ]
        response = apis[0].post("probes/words", key="words")
        assert code(response) == (409, "idempotency-key-replay-withheld")
        assert response.json()["error"]["details"]["status"] == 201

    def test_a_project_is_made_once(self):
        tenant = make_tenant()
        api = Api.of(make_user(tenant, admin=True))
        body = {"name": "Support", "slug": "support"}
        first, again = (api.post("projects", body, key="k") for _ in range(2))
        assert told(first) == told(again) and first.status_code == 201
        assert {row["id"] for row in api.ok("GET", "projects")["data"]} == {
            first.json()["id"],
            str(default_project(tenant).pk),
        }


def _dump() -> str:
    """All that the store holds, as text."""
    rows = IdempotencyKey.objects.values_list("answer", "content_type", "state")
    return " ".join(f"{bytes(answer or b'')!r} {rest}" for answer, *rest in rows)
