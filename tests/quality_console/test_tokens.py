"""One's own API tokens: made, shown once and never again, revoked; nobody's but one's own."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from kindgi.access.models import Token
from kindgi.api.times import now
from tests.builders import Api, make_token, mint
from tests.quality_console.around import client_of, toast, words
from tests.support.shops import Shop

HERE = "/account/tokens"
SECRET = re.compile(r"kgi_[\w-]{43}")


def make(client: Client, **said: str):
    sent = {"label": "Laptop", "role": "member", "project": "", "expires_at": "", "once": str(uuid4()), **said}
    return client.post(HERE, sent)


def secret_of(response) -> str:
    found = SECRET.findall(response.content.decode())
    assert len(found) == 1, found
    return str(found[0])


def test_a_new_token_works_and_is_listed_by_its_end(undone: Shop):
    response = make(client_of(undone))
    assert response.status_code == 200
    secret = secret_of(response)
    me = Api(secret).ok("GET", "identity/whoami")
    assert (me["userId"], me["role"]) == (str(undone.person("editor").pk), "member")
    said = words(client_of(undone).get(HERE))
    assert f"Laptop ends with {secret[-4:]}" in said
    assert "Doesn't expire" in said


def test_the_secret_is_in_that_one_answer_and_nowhere_else(undone: Shop):
    client = client_of(undone)
    response = make(client)
    secret = secret_of(response)
    assert "no-store" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]
    for _ in range(2):
        assert secret not in client.get(HERE).content.decode()
        assert secret not in client.get("/").content.decode()
    session = Session.objects.get(session_key=client.cookies["sessionid"].value)
    assert secret not in str(session.get_decoded())
    assert secret not in str(client.cookies)
    row = Token.objects.get(user=undone.person("editor"), label="Laptop")
    assert secret.encode() not in bytes(row.secret_hash)


def test_a_page_that_is_sent_again_makes_no_second_token(undone: Shop):
    client, once = client_of(undone), str(uuid4())
    secret_of(make(client, once=once))
    again = make(client, once=once)
    assert again.status_code == 422
    assert "This token was made already." in words(again)
    assert not SECRET.search(again.content.decode())
    assert Token.objects.filter(user=undone.person("editor"), label="Laptop").count() == 1


def test_it_is_narrowed_to_a_project_that_one_may_read(undone: Shop):
    other = undone.other_project()
    secret = secret_of(make(client_of(undone), project=str(undone.project.pk)))
    assert Api(secret).ok("GET", "identity/whoami")["projectId"] == str(undone.project.pk)
    for unreadable in (str(other.pk), str(Shop.open().project.pk), "nonsense"):
        assert make(client_of(undone), project=unreadable).status_code == 422
    assert f"only in {undone.project.name}" in words(client_of(undone).get(HERE))


def test_it_expires_at_the_time_of_the_readers_zone(undone: Shop):
    client = client_of(undone)
    client.cookies["timezone"] = "America/New_York"
    tomorrow = (now() + timedelta(days=2)).date()
    secret_of(make(client, expires_at=f"{tomorrow}T20:30"))
    token = Token.objects.get(user=undone.person("editor"), label="Laptop")
    assert token.expires_at is not None
    assert (token.expires_at - datetime(tomorrow.year, tomorrow.month, tomorrow.day, 20, 30, tzinfo=UTC)).seconds in {
        4 * 3600,
        5 * 3600,
    }
    form = client.get(f"{HERE}?dialog=new")
    assert "The time is in America/New_York." in words(form)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"label": ""}, "label"),
        ({"label": "x" * 201}, "label"),
        ({"label": "a\0b"}, "label"),
        ({"expires_at": "2020-01-01T00:00"}, "expires_at"),
        ({"expires_at": "soon"}, "expires_at"),
        ({"expires_at": "9999-12-31T23:59"}, "__all__"),
        ({"role": "admin"}, "role"),
        ({"role": "king"}, "role"),
        ({"once": "x"}, "once"),
    ],
)
def test_what_cannot_be_is_told_in_the_form_and_makes_nothing(undone: Shop, said: dict[str, str], field: str):
    client = client_of(undone)
    client.cookies["timezone"] = "America/New_York"
    before = Token.objects.count()
    response = make(client, **said)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert "<dialog" in response.content.decode()
    assert Token.objects.count() == before


def test_only_tenant_admins_are_offered_and_get_an_admins_token(undone: Shop):
    assert 'value="admin"' not in client_of(undone).get(f"{HERE}?dialog=new").content.decode()
    admin = client_of(undone, "tenant-admin")
    assert 'value="admin"' in admin.get(f"{HERE}?dialog=new").content.decode()
    secret = secret_of(make(admin, role="admin"))
    assert Api(secret).ok("GET", "identity/whoami")["role"] == "admin"


def test_revoking_asks_first_and_is_for_good(undone: Shop):
    minted = mint(undone.person("editor"), label="Old laptop")
    client = client_of(undone)
    asked = words(client.get(f"{HERE}?dialog=revoke&token={minted.token.pk}"))
    assert f"Revoke Old laptop …{minted.token.secret_tail}?" in asked
    Api(minted.secret).ok("GET", "identity/whoami")
    response = client.post(f"{HERE}/{minted.token.pk}/revoke", follow=True)
    assert toast(response) == "Old laptop is revoked."
    assert Api(minted.secret).refused("GET", "identity/whoami") == (401, "auth-revoked")
    assert client.post(f"{HERE}/{minted.token.pk}/revoke").status_code == 303


def test_nobodys_token_but_ones_own_is_listed_or_revoked_not_even_by_a_tenant_admin(undone: Shop):
    theirs = mint(undone.person("editor:2"), label="Theirs")
    for who in ("editor", "tenant-admin"):
        client = client_of(undone, who)
        assert "Theirs" not in words(client.get(HERE))
        assert client.get(f"{HERE}?dialog=revoke&token={theirs.token.pk}").status_code == 404
        assert client.post(f"{HERE}/{theirs.token.pk}/revoke").status_code == 404
    Api(theirs.secret).ok("GET", "identity/whoami")


def test_each_state_of_a_token_is_in_a_word(undone: Shop):
    person = undone.person("viewer")
    make_token(person, label="Expired one", expired=True)
    used = mint(person, label="Used one", expires_at=now() + timedelta(days=3))
    Api(used.secret).ok("GET", "identity/whoami")
    said = words(client_of(undone, "viewer").get(HERE))
    assert re.search(r"Used one ends with \S{4} Works Member, in every project \d+ \w+, \S+ [AP]M Expires \d", said)
    assert re.search(r"Expired one ends with \S{4} Expired Member, in every project Never Expired \d", said)


def test_a_dialog_of_a_token_that_is_none_is_a_page(undone: Shop):
    client = client_of(undone)
    for query in ("dialog=revoke", "dialog=revoke&token=x", f"dialog=revoke&token={uuid4()}"):
        assert client.get(f"{HERE}?{query}").status_code == 404
    assert client.get(f"{HERE}?dialog=nothing").status_code == 200


def test_to_htmx_the_dialog_is_answered_alone(undone: Shop):
    part = client_of(undone).get(f"{HERE}?dialog=new", headers={"HX-Request": "true", "HX-Target": "dialog"})
    body = part.content.decode()
    assert body.lstrip().startswith("<dialog")
    assert "<html" not in body


def test_the_list_costs_the_same_statements_whatever_the_tokens(undone: Shop, assert_queries):
    client = client_of(undone, "viewer")
    mint(undone.person("viewer"), project=undone.project)
    client.get(HERE)
    with assert_queries(exact=6):
        client.get(HERE)
    for _ in range(20):
        mint(undone.person("viewer"), project=undone.project)
    with assert_queries(exact=6):
        client.get(HERE)
