"""``POST /v1/tokens``: nobody mints more than they hold."""

from datetime import UTC, datetime, timedelta

import pytest

from kindgi.access.models import User
from kindgi.api.times import now, wire
from tests.builders import (
    Api,
    default_project,
    make_project,
    make_service_account,
    make_tenant,
    make_token,
    make_user,
    mint,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(tenant):
    return make_user(tenant, admin=True)


@pytest.fixture
def admin(boss):
    return Api.of(boss)


def for_(principal):
    kind = "user" if isinstance(principal, User) else "service-account"
    return {"for": {"kind": kind, "id": str(principal.pk)}}


def later(**delta):
    return wire(now() + timedelta(**delta))


def test_a_token_is_for_who_asks_and_a_member_unless_it_says_else(tenant):
    person = make_user(tenant)
    made = Api.of(person).post("tokens", {})
    assert made.status_code == 201
    token = made.json()
    assert token == {
        "tokenId": token["tokenId"],
        "principal": {"kind": "user", "id": str(person.pk)},
        "role": "member",
        "capabilities": [],
        "createdBy": f"user:{person.pk}",
        "createdAt": token["createdAt"],
        "token": token["token"],
    }
    assert Api(token["token"]).ok("GET", "identity/whoami")["tokenId"] == token["tokenId"]


def test_all_that_can_be_said_of_a_token(tenant, boss, admin):
    project, account = make_project(tenant), make_service_account(tenant)
    said = {"role": "admin", "label": "CI", "projectId": str(project.pk), "reviewerRole": "admin"}
    expires = later(days=30)
    token = admin.ok("POST", "tokens", {**for_(account), **said, "expiresAt": expires})
    assert token == {
        **said,
        "expiresAt": expires,
        "tokenId": token["tokenId"],
        "principal": {"kind": "service-account", "id": str(account.pk)},
        "capabilities": [],
        "createdBy": f"user:{boss.pk}",
        "createdAt": token["createdAt"],
        "token": token["token"],
    }
    del token["token"]
    assert admin.ok("GET", f"tokens/{token['tokenId']}") == token


@pytest.mark.parametrize(
    "body",
    [
        {"for": None},
        {"for": {"kind": "user"}},
        {"for": {"kind": "person", "id": "x"}},
        {"role": "owner"},
        {"role": None},
        {"label": "x" * 201},
        {"label": "a\u0000"},
        {"expiresAt": "tomorrow"},
        {"expiresAt": "2999-01-01T00:00:00"},
        {"expiresAt": "2001-01-01T00:00:00Z"},
        {"expiresAt": "9999-12-31T23:59:59-12:00"},
        {"expiresAt": "0001-01-01T00:00:00+12:00"},
        {"expiresAt": None},
        {"reviewerRole": "boss"},
        {"capabilities": ["env:write"]},
    ],
)
def test_a_malformed_token_is_refused(admin, body):
    assert admin.refused("POST", "tokens", body) == (400, "bad-input")


def test_nobody_but_a_tenant_admin_mints_for_another(tenant, admin):
    ada, account = make_user(tenant, "owner"), make_service_account(tenant)
    for principal in (ada, account):
        assert admin.ok("POST", "tokens", for_(principal))["principal"] == for_(principal)["for"]
        assert Api.of(make_user(tenant, "owner")).refused("POST", "tokens", for_(principal)) == (
            403,
            "permission-denied",
        )
    assert Api.of(ada).ok("POST", "tokens", for_(ada))["principal"] == for_(ada)["for"]
    assert Api.of(account).ok("POST", "tokens", for_(account))["principal"] == for_(account)["for"]


def test_nobody_mints_for_whom_there_is_not(tenant, admin):
    gone, stranger = make_user(tenant), make_user(make_tenant())
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for user_id in (str(gone.pk), str(stranger.pk), "nobody", ""):
        body = {"for": {"kind": "user", "id": user_id}}
        assert admin.refused("POST", "tokens", body) == (404, "user-not-found")
    foreign = make_service_account(make_tenant())
    for account_id in (str(foreign.pk), str(stranger.pk), "nobody"):
        body = {"for": {"kind": "service-account", "id": account_id}}
        assert admin.refused("POST", "tokens", body) == (404, "service-account-not-found")


def test_a_member_token_mints_only_member_tokens_even_a_tenant_admins(boss):
    api = Api(make_token(boss, "member"))
    assert api.refused("POST", "tokens", {"role": "admin"}) == (403, "permission-denied")
    assert api.ok("POST", "tokens", {"role": "member"})["role"] == "member"


def test_a_project_owner_mints_no_admin_token(tenant):
    owner = make_user(tenant, "owner")
    assert Api.of(owner).refused("POST", "tokens", {"role": "admin"}) == (403, "permission-denied")
    holder = Api(make_token(owner, "admin"))
    assert holder.refused("POST", "tokens", {"role": "admin"}) == (403, "permission-denied")


@pytest.mark.parametrize("is_admin", [False, True])
def test_a_narrowed_token_mints_only_tokens_narrowed_to_the_same_project(tenant, is_admin):
    project, other = make_project(tenant), make_project(tenant)
    person = make_user(tenant, "owner", project=project, admin=is_admin)
    api = Api.of(person, project=project)
    assert api.ok("POST", "tokens", {"projectId": str(project.pk)})["projectId"] == str(project.pk)
    assert api.refused("POST", "tokens", {}) == (403, "permission-denied")
    assert api.refused("POST", "tokens", {"projectId": str(other.pk)}) == (404, "project-not-found")
    body = {"projectId": str(project.pk), "role": "admin"}
    assert api.refused("POST", "tokens", body) == (403, "permission-denied")
    body = {"projectId": str(project.pk), **for_(make_user(tenant, "viewer", project=project))}
    assert api.refused("POST", "tokens", body) == (403, "permission-denied")


def test_a_token_is_narrowed_only_to_a_project_that_its_minter_reads(tenant):
    person = make_user(tenant, "viewer")
    for project_id in (str(make_project(tenant).pk), str(default_project(make_tenant()).pk), "nothing", ""):
        assert Api.of(person).refused("POST", "tokens", {"projectId": project_id}) == (404, "project-not-found")
    readable = str(default_project(tenant).pk)
    assert Api.of(person).ok("POST", "tokens", {"projectId": readable})["projectId"] == readable


def test_a_token_that_expires_mints_none_that_outlives_it(tenant):
    expires = now() + timedelta(hours=1)
    api = Api.of(make_user(tenant, admin=True), expires_at=expires)
    for body in ({}, {"expiresAt": wire(expires + timedelta(milliseconds=1))}):
        assert api.refused("POST", "tokens", body) == (400, "token-expiry-exceeds-minter")
    assert api.ok("POST", "tokens", {"expiresAt": wire(expires)})["expiresAt"] == wire(expires)


def test_an_expiry_is_an_instant_in_whole_milliseconds(admin):
    year = datetime.now(UTC).year + 1
    body = {"expiresAt": f"{year}-01-02T03:04:05.678901+01:00"}
    assert admin.ok("POST", "tokens", body)["expiresAt"] == f"{year}-01-02T02:04:05.678Z"


@pytest.mark.parametrize(
    ("held", "wanted", "status"),
    [
        (None, "standard", 403),
        ("standard", "standard", 201),
        ("standard", "senior", 403),
        ("senior", "standard", 201),
        ("senior", "admin", 403),
        ("admin", "admin", 201),
    ],
)
def test_a_reviewer_role_is_none_above_the_minters(tenant, held, wanted, status):
    person = make_user(tenant, reviewer=held)
    assert Api.of(person).post("tokens", {"reviewerRole": wanted}).status_code == status
    carried = Api.of(make_service_account(tenant), reviewer_role=held or "")
    assert carried.post("tokens", {"reviewerRole": wanted}).status_code == status


def test_a_tenant_admin_gives_any_reviewer_role_but_not_by_a_member_token(boss):
    assert Api(make_token(boss)).ok("POST", "tokens", {"reviewerRole": "admin"})["reviewerRole"] == "admin"
    refused = Api(make_token(boss, "member")).refused("POST", "tokens", {"reviewerRole": "standard"})
    assert refused == (403, "permission-denied")


def test_a_token_with_less_than_the_roster_says_hands_on_less(tenant):
    person = make_user(tenant, reviewer="senior")
    limited = Api.of(person, reviewer_role="standard")
    minted = limited.ok("POST", "tokens", {})
    assert minted["reviewerRole"] == "standard"
    assert Api(minted["token"]).ok("GET", "identity/whoami")["reviewerRole"] == "standard"
    assert "reviewerRole" not in Api.of(person).ok("POST", "tokens", {}), "left to the roster"


def test_who_may_see_a_token_may_revoke_it_and_again(tenant, admin):
    ada = make_user(tenant)
    minted = mint(ada)
    path = f"tokens/{minted.token.pk}"
    gone = {"tokenId": str(minted.token.pk), "revoked": True}
    assert admin.ok("POST", f"{path}/revoke") == gone
    at = admin.ok("GET", path)["revokedAt"]
    assert Api(minted.secret).refused("GET", "identity/whoami") == (401, "auth-revoked")
    assert Api.of(ada).ok("POST", f"{path}/revoke") == gone
    assert admin.ok("GET", path)["revokedAt"] == at


def test_a_token_may_revoke_itself(tenant):
    minted = mint(make_user(tenant))
    api = Api(minted.secret)
    assert api.ok("POST", f"tokens/{minted.token.pk}/revoke")["revoked"] is True
    assert api.refused("GET", "tokens") == (401, "auth-revoked")


def test_a_narrowed_token_sees_only_those_narrowed_to_its_project(tenant):
    project = make_project(tenant)
    person = make_user(tenant, "viewer", project=project, admin=True)
    wide, narrow = mint(person), mint(person, project=project)
    api = Api(narrow.secret)
    assert [row["tokenId"] for row in api.ok("GET", "tokens")["data"]] == [str(narrow.token.pk)]
    assert api.refused("POST", f"tokens/{wide.token.pk}/revoke") == (404, "token-not-found")
