"""Django admin shows a token's secret once, and then only revokes it."""

import re

import pytest
from django.urls import reverse

from kindgi.access.models import Token, User
from kindgi.access.selectors import secret_hash
from tests.access.admin_pages import problems, url
from tests.builders import (
    Api,
    default_project,
    make_service_account,
    make_tenant,
    make_token,
    make_user,
)

pytestmark = pytest.mark.django_db


def test_a_tokens_secret_is_on_the_page_that_answers_and_nowhere_else(tenant, staff):
    account = make_service_account(tenant, "viewer")
    page = staff.post(url(Token, "add"), {"service_account": account.pk, "role": "member", "label": "CI"})
    assert page.status_code == 200 and "no-store" in page.headers["Cache-Control"]
    [secret] = set(re.findall(r"kgi_[A-Za-z0-9_-]{43}", page.content.decode()))
    token = Token.objects.get(label="CI")
    assert bytes(token.secret_hash) == secret_hash(secret)
    assert token.created_by == f"user:{User.objects.get(is_staff=True).pk}"
    assert Api(secret).ok("GET", "identity/whoami")["principal"]["id"] == str(account.pk)
    assert not any(secret in str(cookie) for cookie in staff.cookies.values())
    for again in (url(Token), url(Token, "change", token.pk), url(Token, "history", token.pk), reverse("admin:index")):
        shown = staff.get(again)
        assert shown.status_code == 200 and secret not in shown.content.decode()


def test_a_token_is_only_revoked(tenant, staff):
    secret = make_token(make_user(tenant))
    token = Token.objects.get()
    assert staff.post(url(Token, "change", token.pk), {"role": "admin"}).status_code == 403
    assert staff.get(url(Token, "delete", token.pk)).status_code == 403
    staff.post(url(Token), {"action": "revoke", "_selected_action": [token.pk]})
    assert Api(secret).refused("GET", "projects") == (401, "auth-revoked")


def test_a_token_acts_for_one_principal_of_one_tenant(superuser, tenant):
    person, account, foreign = make_user(tenant), make_service_account(tenant), default_project(make_tenant())
    add = url(Token, "add")
    assert "either a user or" in problems(superuser.post(add, {"role": "member"}))
    both = {"user": person.pk, "service_account": account.pk, "role": "member"}
    assert "either a user or" in problems(superuser.post(add, both))
    across = {"user": person.pk, "project": foreign.pk, "role": "member"}
    assert "another tenant" in problems(superuser.post(add, across))
    past = {"user": person.pk, "role": "member", "expires_at_0": "2001-01-01", "expires_at_1": "00:00:00"}
    assert "future" in problems(superuser.post(add, past))
    assert not Token.objects.exists()
