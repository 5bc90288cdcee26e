"""People's roles in a project over /v1: nobody gives or takes one above their own."""

import pytest

from kindgi.access.models import Membership, User
from tests.builders import Api, make_project, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tenant):
    return make_project(tenant)


@pytest.fixture
def path(project):
    return f"projects/{project.pk}/memberships"


def member(project, role):
    return Api.of(make_user(project.tenant, role, project=project))


def test_a_person_is_named_by_id_or_by_email(tenant, project, path):
    admin = member(project, "admin")
    ada, ben = make_user(tenant), make_user(tenant, email="ben@example.com")
    made = admin.post(path, {"userId": str(ada.pk), "role": "editor"})
    assert made.status_code == 201
    assert made.json() == {
        "projectId": str(project.pk),
        "userId": str(ada.pk),
        "role": "editor",
        "joinedAt": made.json()["joinedAt"],
    }
    assert admin.ok("POST", path, {"email": "BEN@Example.com", "role": "viewer"})["userId"] == str(ben.pk)
    assert [row["userId"] for row in admin.ok("GET", path)["data"]][:2] == [str(ben.pk), str(ada.pk)]


@pytest.mark.parametrize(
    "body",
    [
        {"role": "viewer"},
        {"userId": "x", "email": "x@example.com", "role": "viewer"},
        {"userId": None, "role": "viewer"},
        {"userId": "x"},
        {"userId": "x", "role": "member"},
        {"userId": "x", "role": "Viewer"},
    ],
)
def test_a_malformed_membership_is_refused(project, path, body):
    assert member(project, "admin").refused("POST", path, body) == (400, "bad-input")


@pytest.mark.parametrize("named", [{"userId": ""}, {"userId": "nobody"}, {"email": ""}, {"email": "no@example.com"}])
def test_somebody_who_is_not_there_cant_be_a_member(project, path, named):
    assert member(project, "admin").refused("POST", path, {**named, "role": "viewer"}) == (404, "user-not-found")


def test_neither_can_people_of_another_tenant_or_who_have_left(tenant, project, path):
    admin = member(project, "admin")
    stranger, gone = make_user(make_tenant()), make_user(tenant)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for person in (stranger, gone):
        for named in ({"userId": str(person.pk)}, {"email": person.email}):
            assert admin.refused("POST", path, {**named, "role": "viewer"}) == (404, "user-not-found")


def test_who_may_not_add_people_learns_nothing_about_them(project, path):
    viewer = member(project, "viewer")
    for named in ({"email": "no@example.com"}, {"email": make_user(project.tenant).email}):
        assert viewer.refused("POST", path, {**named, "role": "viewer"}) == (403, "permission-denied")


def test_a_person_has_one_role_in_a_project(tenant, project, path):
    admin, ada = member(project, "admin"), make_user(tenant, "viewer", project=project)
    assert admin.refused("POST", path, {"userId": str(ada.pk), "role": "editor"}) == (409, "membership-exists")
    assert admin.ok("PATCH", f"{path}/{ada.pk}", {"role": "editor"})["role"] == "editor"
    assert admin.ok("DELETE", f"{path}/{ada.pk}") == {
        "projectId": str(project.pk),
        "userId": str(ada.pk),
        "removed": True,
    }
    assert admin.refused("DELETE", f"{path}/{ada.pk}") == (404, "membership-not-found")
    assert admin.refused("PATCH", f"{path}/{ada.pk}", {"role": "editor"}) == (404, "membership-not-found")


def test_an_admin_makes_admins_and_no_owner(tenant, project, path):
    admin, ada = member(project, "admin"), make_user(tenant)
    assert admin.refused("POST", path, {"userId": str(ada.pk), "role": "owner"}) == (403, "permission-denied")
    assert admin.ok("POST", path, {"userId": str(ada.pk), "role": "admin"})["role"] == "admin"
    assert admin.refused("PATCH", f"{path}/{ada.pk}", {"role": "owner"}) == (403, "permission-denied")


def test_an_admin_cant_touch_an_owner(tenant, project, path):
    admin, owner = member(project, "admin"), make_user(tenant, "owner", project=project)
    assert admin.refused("PATCH", f"{path}/{owner.pk}", {"role": "admin"}) == (403, "permission-denied")
    assert admin.refused("DELETE", f"{path}/{owner.pk}") == (403, "permission-denied")
    assert Membership.objects.get(project=project, user=owner).role == "owner"


@pytest.mark.parametrize("who", ["owner", "tenant admin", "tenant admin's member token"])
def test_owners_and_tenant_admins_make_owners(tenant, project, path, who):
    boss = make_user(tenant, admin=True)
    token = {"owner": None, "tenant admin": "admin", "tenant admin's member token": "member"}[who]
    api = member(project, "owner") if token is None else Api(make_token(boss, token))
    ada = make_user(tenant)
    assert api.ok("POST", path, {"userId": str(ada.pk), "role": "owner"})["role"] == "owner"
    assert api.ok("DELETE", f"{path}/{ada.pk}")["removed"] is True
