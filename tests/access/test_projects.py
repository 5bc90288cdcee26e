"""Projects over /v1: made, read, changed and deleted."""

import pytest
from django.db import IntegrityError, transaction

from kindgi.access.models import Membership, Project
from kindgi.api.ids import new_id
from kindgi.runs.models import Run
from tests.builders import Api, default_project, make_project, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(tenant):
    return Api.of(make_user(tenant, admin=True))


def test_a_new_project_reads_as_it_was_made(tenant, admin):
    made = admin.post("projects", {"name": "Käse & Brot", "slug": "kaese-brot", "description": "What it's for"})
    assert made.status_code == 201
    project = made.json()
    assert project == {
        "id": project["id"],
        "tenantId": str(tenant.pk),
        "name": "Käse & Brot",
        "slug": "kaese-brot",
        "description": "What it's for",
        "isDefault": False,
        "blind": True,
        "createdAt": project["createdAt"],
        "updatedAt": project["createdAt"],
    }
    assert admin.ok("GET", f"projects/{project['id']}") == project
    assert admin.ok("GET", "projects")["data"][0] == project


def test_a_tenant_begins_with_its_default_project(tenant, admin):
    found = admin.ok("GET", "projects/default")
    assert (found["slug"], found["isDefault"]) == ("default", True)
    assert found["id"] == str(default_project(tenant).pk)


def test_for_a_narrowed_token_its_project_is_the_default(tenant):
    project = make_project(tenant)
    person = make_user(tenant, "viewer", project=project)
    assert Api.of(person, project=project).ok("GET", "projects/default")["id"] == str(project.pk)
    assert Api.of(person).refused("GET", "projects/default") == (404, "project-not-found")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "A"},
        {"name": "", "slug": "a"},
        {"name": "  \t", "slug": "a"},
        {"name": "A" * 201, "slug": "a"},
        {"name": None, "slug": "a"},
        {"name": "A", "slug": ""},
        {"name": "A", "slug": "Upper"},
        {"name": "A", "slug": "a b"},
        {"name": "A", "slug": "a\n"},
        {"name": "A", "slug": "-a"},
        {"name": "A", "slug": "a" * 101},
        {"name": "A\u0000", "slug": "a"},
        {"name": "A", "slug": "a", "description": None},
        {"name": "A", "slug": "a", "description": "x" * 2001},
        {"name": "A", "slug": "a", "isDefault": True},
    ],
)
def test_a_malformed_new_project_is_refused(admin, body):
    assert admin.refused("POST", "projects", body) == (400, "bad-input")


def test_an_unknown_field_is_named(admin):
    error = admin.post("projects", {"name": "A", "slug": "a", "colour": "red"}).json()["error"]
    assert "colour" in error["message"]


def test_a_slug_is_one_projects_in_its_tenant(tenant, admin):
    make_project(tenant, "support")
    assert admin.refused("POST", "projects", {"name": "Other", "slug": "support"}) == (409, "project-slug-taken")
    other = make_project(tenant, "other")
    assert admin.refused("PATCH", f"projects/{other.pk}", {"slug": "support"}) == (409, "project-slug-taken")
    assert admin.ok("PATCH", f"projects/{other.pk}", {"slug": "other"})["slug"] == "other"
    elsewhere = Api.of(make_user(make_tenant(), admin=True))
    assert elsewhere.ok("POST", "projects", {"name": "Support", "slug": "support"})["slug"] == "support"


def test_only_what_is_sent_changes(tenant, admin):
    project = make_project(tenant, "support", name="Support")
    path = f"projects/{project.pk}"
    before = admin.ok("GET", path)
    changed = admin.ok("PATCH", path, {"blind": False, "retentionDays": 30})
    assert changed == {**before, "blind": False, "retentionDays": 30, "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > before["updatedAt"]
    assert admin.ok("GET", path) == changed
    again = admin.ok("PATCH", path, {"retentionDays": None, "description": "Now described"})
    assert "retentionDays" not in again
    assert (again["blind"], again["description"]) == (False, "Now described")


def test_an_empty_change_changes_nothing(tenant, admin):
    path = f"projects/{make_project(tenant).pk}"
    before = admin.ok("GET", path)
    assert admin.ok("PATCH", path, {}) == before


@pytest.mark.parametrize(
    "body",
    [{"retentionDays": 0}, {"retentionDays": 36_501}, {"retentionDays": 1.5}, {"blind": None}, {"name": None}, []],
)
def test_a_malformed_change_is_refused(tenant, admin, body):
    assert admin.refused("PATCH", f"projects/{make_project(tenant).pk}", body) == (400, "bad-input")


@pytest.mark.parametrize("days", [0, 36_501])
def test_the_database_refuses_days_out_of_bounds_whoever_sets_them(tenant, days):
    project = make_project(tenant)
    with pytest.raises(IntegrityError, match="project_retention_in_bounds"), transaction.atomic():
        Project.objects.filter(pk=project.pk).update(retention_days=days)
    for kept in (1, 36_500, None):
        Project.objects.filter(pk=project.pk).update(retention_days=kept)


@pytest.mark.parametrize("days", [1, 36_500])
def test_days_within_bounds_are_taken(tenant, admin, days):
    changed = admin.ok("PATCH", f"projects/{make_project(tenant).pk}", {"retentionDays": days})
    assert changed["retentionDays"] == days


def test_an_empty_project_goes_with_what_was_given_in_it(tenant, admin):
    project = make_project(tenant)
    person = make_user(tenant, "viewer", project=project)
    narrowed = make_token(person, project=project)
    assert admin.ok("DELETE", f"projects/{project.pk}") == {"projectId": str(project.pk), "deleted": True}
    assert admin.refused("GET", f"projects/{project.pk}") == (404, "project-not-found")
    assert not Membership.objects.filter(project_id=project.pk).exists()
    assert Api(narrowed).refused("GET", "projects") == (401, "auth-missing")


def test_the_default_project_stays(tenant, admin):
    path = f"projects/{default_project(tenant).pk}"
    assert admin.refused("DELETE", path) == (409, "project-is-default")


def test_a_project_that_holds_runs_stays(tenant, admin):
    project = make_project(tenant)
    Run.objects.create(tenant=tenant, project=project, run_id=new_id(), status="running")
    assert admin.refused("DELETE", f"projects/{project.pk}") == (409, "project-not-empty")
    assert Project.objects.filter(pk=project.pk).exists()
