"""Service accounts over /v1: made with grants, unregistered with their tokens."""

import pytest

from tests.builders import Api, make_project, make_service_account, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(tenant):
    return make_user(tenant, admin=True)


@pytest.fixture
def admin(boss):
    return Api.of(boss)


def grant(project, role="editor"):
    return {"kind": "project", "projectId": str(project.pk), "role": role}


def test_a_new_account_reads_as_it_was_made(tenant, boss, admin):
    project = make_project(tenant)
    grants = [{"kind": "tenant-admin"}, grant(project)]
    made = admin.post("service-accounts", {"name": "Nightly import", "description": "Reports runs", "grants": grants})
    assert made.status_code == 201
    account = made.json()
    assert account == {
        "serviceAccountId": account["serviceAccountId"],
        "name": "Nightly import",
        "description": "Reports runs",
        "grants": grants,
        "createdBy": f"user:{boss.pk}",
        "createdAt": account["createdAt"],
    }
    assert admin.ok("GET", f"service-accounts/{account['serviceAccountId']}") == account
    assert admin.ok("GET", "service-accounts")["data"] == [account]


def test_without_grants_an_account_may_do_nothing(admin):
    account = admin.ok("POST", "service-accounts", {"name": "idle"})
    assert account["grants"] == []
    token = admin.ok("POST", "tokens", {"for": {"kind": "service-account", "id": account["serviceAccountId"]}})["token"]
    assert Api(token).ok("GET", "projects")["data"] == []


def test_what_is_granted_is_what_its_tokens_may_do(tenant, admin):
    project = make_project(tenant)
    account = admin.ok("POST", "service-accounts", {"name": "app", "grants": [grant(project, "viewer")]})
    token = admin.ok("POST", "tokens", {"for": {"kind": "service-account", "id": account["serviceAccountId"]}})["token"]
    assert [row["id"] for row in Api(token).ok("GET", "projects")["data"]] == [str(project.pk)]
    assert Api(token).refused("PATCH", f"projects/{project.pk}", {"name": "Mine"}) == (403, "permission-denied")


def test_one_project_has_one_role(tenant, admin):
    project = make_project(tenant)
    twice = [grant(project, "viewer"), grant(project, "owner")]
    assert admin.refused("POST", "service-accounts", {"name": "app", "grants": twice}) == (400, "bad-input")
    same = [grant(project), {**grant(project), "projectId": str(project.pk).upper()}]
    assert admin.ok("POST", "service-accounts", {"name": "app", "grants": same})["grants"] == [grant(project)]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": " "},
        {"name": "x" * 201},
        {"name": "a", "description": "x" * 501},
        {"name": "a", "grants": None},
        {"name": "a", "grants": [{}]},
        {"name": "a", "grants": [{"kind": "tenant-member"}]},
        {"name": "a", "grants": [{"kind": "project", "role": "viewer"}]},
        {"name": "a", "grants": [{"kind": "tenant-admin", "role": "viewer"}]},
    ],
)
def test_a_malformed_account_is_refused(admin, body):
    assert admin.refused("POST", "service-accounts", body) == (400, "bad-input")


def test_a_grant_in_a_project_of_another_tenant_is_as_in_none(admin):
    other = make_project(make_tenant())
    for project_id in (str(other.pk), "nothing"):
        body = {"name": "a", "grants": [{**grant(other), "projectId": project_id}]}
        assert admin.refused("POST", "service-accounts", body) == (404, "project-not-found")


def test_a_name_is_one_registered_accounts(tenant, admin):
    account = make_service_account(tenant, name="app")
    assert admin.refused("POST", "service-accounts", {"name": "app"}) == (409, "service-account-name-taken")
    admin.ok("POST", f"service-accounts/{account.pk}/unregister")
    assert admin.ok("POST", "service-accounts", {"name": "app"})["name"] == "app"


def test_an_unregistered_account_is_read_and_acts_no_more(tenant, admin):
    account = make_service_account(tenant, "owner", admin=True)
    secret = make_token(account)
    gone = {"serviceAccountId": str(account.pk), "unregistered": True}
    assert admin.ok("POST", f"service-accounts/{account.pk}/unregister") == gone
    first = admin.ok("GET", f"service-accounts/{account.pk}")
    assert first["grants"] == [] and first["unregisteredAt"].endswith("Z")
    assert admin.ok("POST", f"service-accounts/{account.pk}/unregister") == gone
    assert admin.ok("GET", f"service-accounts/{account.pk}") == first
    assert admin.ok("GET", "service-accounts")["data"] == []
    assert Api(secret).refused("GET", "identity/whoami") == (401, "auth-revoked")
    body = {"for": {"kind": "service-account", "id": str(account.pk)}}
    assert admin.refused("POST", "tokens", body) == (404, "service-account-not-found")


def test_an_account_sees_itself_and_no_other(tenant):
    account, other = make_service_account(tenant, "owner"), make_service_account(tenant)
    api = Api.of(account)
    assert [row["serviceAccountId"] for row in api.ok("GET", "service-accounts")["data"]] == [str(account.pk)]
    assert api.refused("GET", f"service-accounts/{other.pk}") == (404, "service-account-not-found")
