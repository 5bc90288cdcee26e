"""``GET /v1/identity/whoami`` says who the token stands for, and leaves out what isn't so."""

from datetime import timedelta

import pytest

from kindgi.api.times import now, wire
from tests.builders import Api, default_project, make_service_account, make_tenant, make_user, mint

pytestmark = pytest.mark.django_db


def test_a_persons_plain_token():
    tenant = make_tenant()
    person = make_user(tenant, "editor")
    minted = mint(person)
    assert Api(minted.secret).ok("GET", "identity/whoami") == {
        "tenantId": str(tenant.pk),
        "actor": f"user:{person.pk}",
        "principal": {"kind": "user", "id": str(person.pk)},
        "userId": str(person.pk),
        "tokenId": str(minted.token.pk),
        "role": "member",
        "scopes": [],
    }


def test_a_service_accounts_token_with_everything():
    tenant = make_tenant()
    account = make_service_account(tenant, "viewer")
    expires = now() + timedelta(days=1)
    project = default_project(tenant)
    minted = mint(account, "admin", project=project, expires_at=expires, reviewer_role="senior")
    assert Api(minted.secret).ok("GET", "identity/whoami") == {
        "tenantId": str(tenant.pk),
        "actor": f"service_account:{account.pk}",
        "principal": {"kind": "service-account", "id": str(account.pk)},
        "tokenId": str(minted.token.pk),
        "role": "admin",
        "projectId": str(project.pk),
        "reviewerRole": "senior",
        "scopes": [],
        "expiresAt": wire(expires),
    }


def test_the_roster_gives_the_reviewer_role_and_the_token_may_carry_another():
    person = make_user(make_tenant(), reviewer="senior")
    assert Api.of(person).ok("GET", "identity/whoami")["reviewerRole"] == "senior"
    assert Api.of(person, reviewer_role="standard").ok("GET", "identity/whoami")["reviewerRole"] == "standard"
