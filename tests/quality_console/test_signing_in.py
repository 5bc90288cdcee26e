"""Signing in by email and password, out by a POST, and changing the own password."""

from __future__ import annotations

import pytest

from kindgi.access.models import User
from tests.builders import browser, make_user
from tests.quality_console.around import toast, words
from tests.support.shops import Shop

PASSWORD = "correct horse battery staple"
NEW = "a wholly new pass phrase"


@pytest.fixture
def person(undone: Shop) -> User:
    return make_user(undone.tenant, "editor", password=PASSWORD, display_name="Ines Okafor")


def sign_in(client, email: str, password: str = PASSWORD, **more: str):
    return client.post("/sign-in", {"username": email, "password": password, **more})


def is_signed_in(client) -> bool:
    return bool(client.get("/").status_code == 200)


def test_the_right_password_leads_home_or_on_to_where_one_was_going(person: User):
    assert sign_in(browser(), person.email)["Location"] == "/"
    assert sign_in(browser(), person.email.upper())["Location"] == "/"
    assert sign_in(browser(), person.email, next="/account/tokens?x=1")["Location"] == "/account/tokens?x=1"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_nobody_is_led_to_another_site(person: User, elsewhere: str):
    assert sign_in(browser(), person.email, next=elsewhere)["Location"] == "/"


def test_wrong_details_are_told_alike_whoever_they_are_of(undone: Shop, person: User):
    gone = make_user(undone.tenant, password=PASSWORD)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    answers = [
        sign_in(browser(), person.email, "wrong"),
        sign_in(browser(), "nobody@example.com"),
        sign_in(browser(), gone.email),
    ]
    assert {answer.status_code for answer in answers} == {422}
    said = {words(answer) for answer in answers}
    assert len(said) == 1
    assert "This email and this password don't go together, or the person has been deactivated." in said.pop()
    assert person.email in answers[0].content.decode()
    assert "wrong" not in answers[0].content.decode().partition('name="password"')[2].partition(">")[0]


def test_a_field_that_was_left_empty_is_marked_and_described(person: User):
    page = sign_in(browser(), "", "").content.decode()
    for field in ("id_username", "id_password"):
        tag = page.partition(f'id="{field}"')
        whole = tag[0].rpartition("<input")[2] + tag[2].partition(">")[0]
        assert 'aria-invalid="true"' in whole
        assert f"{field}_error" in whole
        assert f'id="{field}_error"' in page


def test_password_managers_and_phones_are_told_what_is_what(undone: Shop):
    page = browser().get("/sign-in").content.decode()
    assert 'type="email"' in page
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page


def test_who_is_signed_in_is_led_on(person: User):
    client = browser(person)
    assert client.get("/sign-in")["Location"] == "/"
    assert client.get("/sign-in?next=/account/tokens")["Location"] == "/account/tokens"


def test_who_is_of_no_tenant_is_told_so_and_not_sent_in_a_circle(undone: Shop):
    operator = User.objects.create_superuser("operator@example.com", PASSWORD)
    response = browser(operator).get("/")
    assert response.status_code == 403
    assert "no company" in words(response)


def test_a_person_who_is_deactivated_is_signed_out_at_once(person: User):
    client = browser(person)
    assert is_signed_in(client)
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert not is_signed_in(client)


def test_signing_out_takes_a_post(person: User):
    client = browser(person)
    assert client.get("/sign-out").status_code == 405
    assert is_signed_in(client)
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert not is_signed_in(client)


def test_a_session_is_a_new_one_once_somebody_signs_in(person: User):
    client = browser()
    sign_in(client, person.email)
    first = client.cookies["sessionid"].value
    client.post("/sign-out")
    sign_in(client, person.email)
    assert client.cookies["sessionid"].value != first
    assert client.cookies["sessionid"]["httponly"]


def test_the_password_is_changed_and_only_this_session_stays(person: User):
    here, elsewhere = browser(), browser()
    sign_in(here, person.email)
    sign_in(elsewhere, person.email)
    sent = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    response = here.post("/account/password", sent, follow=True)
    assert toast(response) == "Password changed. Wherever else you were signed in, you aren't now."
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
    assert sign_in(browser(), person.email).status_code == 422
    assert sign_in(browser(), person.email, NEW).status_code == 302


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"old_password": "wrong"}, "old_password"),
        ({"new_password2": "another pass phrase"}, "new_password2"),
        ({"new_password1": "12345678", "new_password2": "12345678"}, "new_password2"),
        ({"new_password1": "", "new_password2": ""}, "new_password1"),
    ],
)
def test_a_password_that_cannot_be_is_refused_beside_its_field(person: User, sent: dict[str, str], field: str):
    client = browser(person)
    response = client.post(
        "/account/password", {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW, **sent}
    )
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert f'id="id_{field}_error"' in response.content.decode()
    assert PASSWORD not in response.content.decode()
    assert User.objects.get(pk=person.pk).check_password(PASSWORD)


def test_who_has_no_password_is_told_so(undone: Shop):
    assert "You have no password here" in words(browser(make_user(undone.tenant, "editor")).get("/account/password"))
