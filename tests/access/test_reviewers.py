"""The roster over /v1: who is on it has a reviewer role, until they are taken off."""

import pytest

from kindgi.access.models import Reviewer, User
from tests.builders import Api, make_tenant, make_user

pytestmark = pytest.mark.django_db

ROSTER = "approvals/reviewers"


@pytest.fixture
def admin(tenant):
    return Api.of(make_user(tenant, admin=True))


def test_a_person_put_on_the_roster_is_a_reviewer_at_once(tenant, admin):
    ada = make_user(tenant)
    api = Api.of(ada)
    made = admin.post(ROSTER, {"userId": str(ada.pk), "role": "senior", "displayName": "Ada L."})
    assert made.status_code == 201
    entry = made.json()
    assert entry == {
        "id": entry["id"],
        "tenantId": str(tenant.pk),
        "userId": str(ada.pk),
        "role": "senior",
        "displayName": "Ada L.",
        "createdAt": entry["createdAt"],
    }
    assert api.ok("GET", "identity/whoami")["reviewerRole"] == "senior"
    assert api.ok("GET", ROSTER)["data"] == [entry]


def test_a_second_time_changes_the_entry(tenant, admin):
    ada = make_user(tenant)
    first = admin.ok("POST", ROSTER, {"userId": str(ada.pk), "role": "senior", "displayName": "Ada"})
    second = admin.post(ROSTER, {"userId": str(ada.pk), "role": "standard"})
    assert (second.status_code, second.json()) == (200, {**first, "role": "standard"})
    assert (
        admin.ok("POST", ROSTER, {"userId": str(ada.pk), "role": "admin", "displayName": "L."})["displayName"] == "L."
    )
    assert Reviewer.objects.count() == 1


def test_who_is_taken_off_is_no_reviewer_and_can_come_back(tenant, admin):
    ada = make_user(tenant, reviewer="senior")
    entry = Reviewer.objects.get(user=ada)
    assert admin.ok("DELETE", f"{ROSTER}/{entry.pk}") == {"reviewerId": str(entry.pk), "unregistered": True}
    assert "reviewerRole" not in Api.of(ada).ok("GET", "identity/whoami")
    assert admin.ok("GET", ROSTER)["data"] == []
    assert admin.refused("DELETE", f"{ROSTER}/{entry.pk}") == (404, "reviewer-not-found")
    back = admin.post(ROSTER, {"userId": str(ada.pk), "role": "standard"})
    assert (back.status_code, back.json()["id"]) == (201, str(entry.pk))


def test_only_people_of_the_tenant_who_are_still_there(tenant, admin):
    gone = make_user(tenant)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for user_id in (str(make_user(make_tenant()).pk), str(gone.pk), "nobody", ""):
        assert admin.refused("POST", ROSTER, {"userId": user_id, "role": "standard"}) == (404, "user-not-found")


@pytest.mark.parametrize(
    "body", [{}, {"userId": "x"}, {"userId": "x", "role": "boss"}, {"userId": "x", "role": "admin", "displayName": ""}]
)
def test_a_malformed_entry_is_refused(admin, body):
    assert admin.refused("POST", ROSTER, body) == (400, "bad-input")
