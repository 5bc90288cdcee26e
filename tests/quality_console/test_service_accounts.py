"""Service accounts: made, given roles and tokens, and taken away by tenant admins, and seen by nobody else."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from kindgi.access.models import ServiceAccount, Token
from tests.builders import Api, make_project, make_service_account, mint
from tests.quality_console.around import client_of, toast, words
from tests.support.shops import Shop

HERE = "/service-accounts"
SECRET = re.compile(r"kgi_[\w-]{43}")


def page_of(account: ServiceAccount, *more: str) -> str:
    return "/".join([HERE, str(account.pk), *more])


def get(shop: Shop, path: str = HERE, *, by: str = "tenant-admin") -> Any:
    return client_of(shop, by).get(path)


def send(shop: Shop, path: str = HERE, *, by: str = "tenant-admin", **body: Any) -> Any:
    return client_of(shop, by).post(path, body, follow=True)


def new_token(**said: str) -> dict[str, str]:
    return {"label": "Nightly", "role": "member", "project": "", "expires_at": "", "once": str(uuid4()), **said}


@pytest.mark.parametrize("by", ["viewer", "editor", "admin", "owner"])
def test_they_are_for_tenant_admins_alone(undone: Shop, by: str):
    account = make_service_account(undone.tenant)
    paths = [HERE, page_of(account), f"{HERE}?dialog=new"]
    assert {get(undone, path, by=by).status_code for path in paths} == {403}
    sent = [
        send(undone, by=by, name="Mine", role="editor"),
        send(undone, page_of(account), by=by, **new_token()),
        send(undone, page_of(account, "unregister"), by=by),
        send(undone, page_of(account, "roles"), by=by, project=str(undone.project.pk), role="owner"),
    ]
    assert {response.status_code for response in sent} == {403}
    account.refresh_from_db()
    assert account.unregistered_at is None
    assert not account.grants.exists()
    assert not Token.objects.filter(service_account=account).exists()


def test_one_is_made_with_a_role_and_leads_to_its_page(undone: Shop):
    said = {"name": "Agent runtime", "description": "Reports runs.", "project": str(undone.project.pk)}
    response = send(undone, **said, role="editor")
    account = ServiceAccount.objects.get(tenant=undone.tenant, name="Agent runtime")
    assert response.redirect_chain == [(page_of(account), 303)]
    assert toast(response) == "Agent runtime is made."
    assert f"Editor in {undone.project.name}" in words(response)
    listed = words(get(undone))
    assert "Agent runtime Reports runs." in listed
    assert f"Editor in {undone.project.name} 0 tokens work" in listed


def test_a_tenant_admins_power_is_given_only_when_it_is_ticked(undone: Shop):
    send(undone, name="Plain", role="editor")
    send(undone, name="Mighty", role="editor", is_tenant_admin="on")
    admins = dict(ServiceAccount.objects.filter(tenant=undone.tenant).values_list("name", "is_tenant_admin"))
    assert (admins["Plain"], admins["Mighty"]) == (False, True)
    assert not ServiceAccount.objects.get(tenant=undone.tenant, name="Plain").grants.exists()


def test_a_name_that_is_taken_is_told_beside_it_and_what_was_typed_stays(undone: Shop):
    make_service_account(undone.tenant, name="Twice")
    response = send(undone, name="Twice", description="Typed", role="editor")
    assert response.status_code == 422
    assert "name" in response.context["form"].errors
    assert "Typed" in response.content.decode()


@pytest.mark.parametrize(
    ("said", "field"),
    [({"name": ""}, "name"), ({"project": str(uuid4())}, "project"), ({"role": "king"}, "role")],
)
def test_what_cannot_be_is_told_in_the_form(undone: Shop, said: dict[str, str], field: str):
    response = send(undone, **{"name": "New", "role": "editor", **said})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]


def test_roles_are_given_changed_and_taken_away_on_its_page(undone: Shop):
    account, other = make_service_account(undone.tenant), make_project(undone.tenant)
    for role in ("viewer", "admin"):
        response = send(undone, page_of(account, "roles"), project=str(other.pk), role=role)
    assert toast(response) == f"{account} in {other}: Admin."
    assert [(grant.project_id, grant.role) for grant in account.grants.all()] == [(other.pk, "admin")]
    response = send(undone, page_of(account, "roles", str(other.pk), "remove"))
    assert toast(response) == f"{account} has no role there any more."
    assert "it can do nothing yet" in words(response)
    assert send(undone, page_of(account, "roles", str(other.pk), "remove")).status_code == 404
    theirs = Shop.open().project
    assert send(undone, page_of(account, "roles"), project=str(theirs.pk), role="viewer").status_code == 422


def test_its_token_works_and_its_secret_is_shown_once(undone: Shop):
    account = make_service_account(undone.tenant, "editor")
    sent, client = new_token(), client_of(undone, "tenant-admin")
    response = client.post(page_of(account), sent)
    (secret,) = SECRET.findall(response.content.decode())
    assert "no-store" in response["Cache-Control"]
    assert Api(secret).ok("GET", "identity/whoami")["actor"] == f"service_account:{account.pk}"
    assert secret not in get(undone, page_of(account)).content.decode()
    assert "1 token works" in words(get(undone))
    again = client.post(page_of(account), sent)
    assert again.status_code == 422
    assert Token.objects.filter(service_account=account).count() == 1


def test_its_tokens_are_revoked_one_by_one_and_no_others_through_it(undone: Shop):
    account, other = make_service_account(undone.tenant, "editor"), make_service_account(undone.tenant, "editor")
    mine, theirs = mint(account, label="Mine"), mint(other)
    assert "Revoke Mine" in words(get(undone, f"{page_of(account)}?dialog=revoke&token={mine.token.pk}"))
    assert send(undone, page_of(account, "tokens", str(theirs.token.pk), "revoke")).status_code == 404
    response = send(undone, page_of(account, "tokens", str(mine.token.pk), "revoke"))
    assert toast(response) == "Mine is revoked."
    assert Api(mine.secret).refused("GET", "identity/whoami") == (401, "auth-revoked")
    Api(theirs.secret).ok("GET", "identity/whoami")


def test_one_that_is_taken_away_acts_no_more_and_is_no_page(undone: Shop):
    account = make_service_account(undone.tenant, "editor", name="Old runtime")
    secret = mint(account).secret
    assert "Take Old runtime away?" in words(get(undone, f"{page_of(account)}?dialog=unregister"))
    response = send(undone, page_of(account, "unregister"))
    assert toast(response) == "Old runtime is taken away."
    assert Api(secret).refused("GET", "identity/whoami") == (401, "auth-revoked")
    assert get(undone, page_of(account)).status_code == 404
    assert "Old runtime" not in words(get(undone)).replace("Old runtime is taken away.", "")


def test_another_tenants_are_not_there(undone: Shop):
    theirs = make_service_account(Shop.open().tenant, name="Theirs")
    assert "Theirs" not in words(get(undone))
    assert get(undone, page_of(theirs)).status_code == 404
    assert send(undone, page_of(theirs, "unregister")).status_code == 404


def test_the_list_costs_the_same_statements_whatever_the_accounts(undone: Shop, assert_queries):
    client = client_of(undone, "tenant-admin")
    mint(make_service_account(undone.tenant, "editor"))
    client.get(HERE)
    with assert_queries(exact=9):
        client.get(HERE)
    for _ in range(10):
        mint(make_service_account(undone.tenant, "editor"))
    with assert_queries(exact=9):
        client.get(HERE)
