"""A token's secret: random, shown once, stored as a hash, looked up in one statement."""

import re
from datetime import timedelta

import pytest
from django.db import connection

from kindgi.access.models import Token, User
from kindgi.access.selectors import caller_by_token, secret_hash
from kindgi.api.errors import AuthMissing
from kindgi.api.times import now, wire
from tests.builders import Api, make_service_account, make_tenant, make_user, mint

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return Api.of(make_user(make_tenant(), "editor", admin=True, reviewer="senior"))


def test_it_is_256_random_bits_behind_a_prefix_that_scanners_find(admin):
    made = [admin.ok("POST", "tokens", {})["token"] for _ in range(20)]
    assert all(re.fullmatch(r"kgi_[A-Za-z0-9_-]{43}", secret) for secret in made)
    assert len(set(made)) == 20


def test_only_its_hash_and_its_tail_are_stored(admin):
    made = admin.ok("POST", "tokens", {"label": "stored"})
    token = Token.objects.get(pk=made["tokenId"])
    assert (bytes(token.secret_hash), token.secret_tail) == (secret_hash(made["token"]), made["token"][-4:])
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(token)::text FROM access_token AS token WHERE id = %s", [token.pk])
        assert made["token"][4:] not in cursor.fetchone()[0]


def test_nothing_shows_it_again(admin):
    made = admin.ok("POST", "tokens", {})
    for path in ("tokens", f"tokens/{made['tokenId']}"):
        answer = admin.get(path)
        assert answer.status_code == 200 and made["token"].encode() not in answer.content
    assert made["token"] not in repr(mint(User.objects.get()))


def test_its_answer_is_not_kept_for_a_retry(admin):
    first = admin.post("tokens", {}, key="mint-1")
    assert first.status_code == 201
    second = admin.post("tokens", {}, key="mint-1")
    error = second.json()["error"]
    assert (second.status_code, error["code"]) == (409, "idempotency-key-replay-withheld")
    assert error["details"]["status"] == 201
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM api_idempotencykey WHERE answer IS NOT NULL")
        assert cursor.fetchone() == (0,)
    assert Token.objects.count() == 2, "the admin's, and the one that was minted once"


@pytest.mark.parametrize("kind", ["user", "service"])
def test_authentication_is_one_statement_whoever_asks(assert_queries, kind):
    tenant = make_tenant()
    secret = mint(make_user(tenant, "editor") if kind == "user" else make_service_account(tenant, "editor")).secret
    for _ in range(2):
        with assert_queries(exact=1):
            caller_by_token(secret)
    with assert_queries(exact=1), pytest.raises(AuthMissing):
        caller_by_token("kgi_" + "A" * 43)
    with assert_queries(exact=1):
        Api(secret).ok("GET", "identity/whoami")


def test_last_use_is_noted_at_most_once_a_minute(admin):
    minted = mint(make_user(make_tenant()))
    rows = Token.objects.filter(pk=minted.token.pk)
    api = Api(minted.secret)
    assert "lastUsedAt" not in _used(rows)
    api.ok("GET", "identity/whoami")
    first = _used(rows)["lastUsedAt"]
    assert abs((now() - first).total_seconds()) < 30
    rows.update(last_used_at=first - timedelta(seconds=50))
    api.ok("GET", "identity/whoami")
    assert _used(rows)["lastUsedAt"] == first - timedelta(seconds=50)
    rows.update(last_used_at=first - timedelta(seconds=61))
    api.ok("GET", "identity/whoami")
    assert _used(rows)["lastUsedAt"] > first - timedelta(seconds=1)
    [listed] = api.ok("GET", "tokens")["data"]
    assert listed["lastUsedAt"] == wire(_used(rows)["lastUsedAt"])


def test_a_refused_token_notes_no_use():
    expired = mint(make_user(make_tenant()))
    Token.objects.filter(pk=expired.token.pk).update(expires_at=now() - timedelta(seconds=1))
    assert Api(expired.secret).refused("GET", "tokens") == (401, "auth-expired")
    assert "lastUsedAt" not in _used(Token.objects.filter(pk=expired.token.pk))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic {secret}",
        "{secret}",
        "Bearer {secret}x",
        "Bearer x{secret}",
        "Bearer \udc80é",
        "Token {secret}",
    ],
)
def test_anything_but_a_known_bearer_token_is_missing(header):
    secret = mint(make_user(make_tenant())).secret
    response = Api().get("tokens") if not header else _with_header(header.format(secret=secret))
    assert (response.status_code, response.json()["error"]["code"]) == (401, "auth-missing")


def test_the_scheme_may_be_in_any_case():
    secret = mint(make_user(make_tenant())).secret
    assert _with_header(f"bEaReR {secret}").status_code == 200


def _with_header(value):
    return Api().request("GET", "tokens", headers={"Authorization": value})


def _used(rows):
    return {"lastUsedAt": used} if (used := rows.get().last_used_at) else {}
