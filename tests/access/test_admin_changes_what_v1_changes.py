"""Django admin makes and changes things through the services, and shows their refusals on its forms."""

import pytest
from django.test import Client
from django.urls import reverse

from kindgi.access.models import Membership, Project, Reviewer, ServiceAccount, ServiceAccountGrant, Tenant, User
from tests.access.admin_pages import formset, problems, url
from tests.builders import Api, default_project, make_project, make_service_account, make_tenant, make_token, make_user

pytestmark = pytest.mark.django_db


def test_a_new_tenant_has_its_default_project(superuser):
    assert problems(superuser.post(url(Tenant, "add"), {"name": "Acme", "slug": "acme"})) == ""
    assert Project.objects.get(tenant__slug="acme").is_default
    assert superuser.get(url(Tenant, "delete", Tenant.objects.get(slug="acme").pk)).status_code == 403


def test_a_new_person_signs_in_with_their_password(tenant, staff):
    data = {
        "tenant": tenant.pk,
        "email": "ada@example.com",
        "usable_password": "true",
        "password1": "dover-sole-9",
        "password2": "dover-sole-9",
        "is_staff": "on",
        "is_tenant_admin": "on",
    }
    assert problems(staff.post(url(User, "add"), data)) == ""
    assert Client().login(username="ADA@example.com", password="dover-sole-9")
    ada = User.objects.get(email="ada@example.com")
    assert (ada.tenant, ada.is_superuser) == (tenant, False)
    again = staff.post(url(User, "add"), {**data, "email": "Ada@example.com"})
    assert "Somebody has this email already" in problems(again)
    other = make_user(tenant)
    renamed = staff.post(url(User, "change", other.pk), {"email": "ADA@example.com"})
    assert "Somebody has this email already" in problems(renamed)


def test_a_person_may_have_no_password(tenant, staff):
    data = {
        "tenant": tenant.pk,
        "email": "ada@example.com",
        "usable_password": "false",
        "password1": "",
        "password2": "",
    }
    assert problems(staff.post(url(User, "add"), data)) == ""
    assert not User.objects.get(email="ada@example.com").has_usable_password()


def test_people_are_deactivated_and_never_deleted(tenant, staff):
    ada = make_user(tenant)
    assert staff.get(url(User, "delete", ada.pk)).status_code == 403
    assert problems(staff.post(url(User, "change", ada.pk), {"email": ada.email, "display_name": "Ada"})) == ""
    ada.refresh_from_db()
    assert (ada.is_active, ada.display_name, ada.tenant) == (False, "Ada", tenant)


def test_a_password_is_set_on_its_own_page(tenant, staff):
    ada = make_user(tenant)
    page = reverse("admin:auth_user_password_change", args=[ada.pk])
    assert staff.get(page).status_code == 200
    data = {"usable_password": "true", "password1": "dover-sole-9", "password2": "dover-sole-9"}
    assert staff.post(page, data).status_code == 302
    assert Client().login(username=ada.email, password="dover-sole-9")
    stranger = make_user(make_tenant())
    assert staff.post(reverse("admin:auth_user_password_change", args=[stranger.pk]), data).status_code == 404


def test_a_tenant_admin_makes_no_superuser_and_touches_none(tenant, staff):
    ada = make_user(tenant)
    staff.post(url(User, "change", ada.pk), {"email": ada.email, "is_active": "on", "is_superuser": "on"})
    assert not User.objects.get(pk=ada.pk).is_superuser
    User.objects.filter(pk=ada.pk).update(is_superuser=True)
    assert staff.post(url(User, "change", ada.pk), {"email": "mine@example.com"}).status_code == 403
    page = reverse("admin:auth_user_password_change", args=[ada.pk])
    assert staff.post(page, {"password1": "dover-sole-9", "password2": "dover-sole-9"}).status_code == 403


def test_a_project_is_made_and_changed_with_its_people(tenant, staff):
    ada, ben = make_user(tenant), make_user(tenant)
    data = {"tenant": tenant.pk, "name": "Support", "slug": "support", "retention_days": 30, "blind": "on"}
    made = staff.post(url(Project, "add"), {**data, **formset("memberships", {"user": ada.pk, "role": "owner"})})
    assert problems(made) == ""
    project = Project.objects.get(slug="support")
    assert (project.blind, project.retention_days, project.is_default) == (True, 30, False)
    membership = Membership.objects.get(project=project)
    assert (membership.user, membership.role) == (ada, "owner")
    data = {"name": "Support", "slug": "support", "retention_days": ""}
    rows = [
        {"id": membership.pk, "project": project.pk, "user": ben.pk, "role": "viewer"},
        {"project": project.pk, "user": ben.pk, "role": "editor"},
    ]
    changed = staff.post(url(Project, "change", project.pk), {**data, **formset("memberships", *rows, saved=1)})
    assert problems(changed) == ""
    project.refresh_from_db()
    assert (project.blind, project.retention_days) == (False, None)
    roles = dict(Membership.objects.filter(project=project).values_list("user", "role"))
    assert roles == {ada.pk: "viewer", ben.pk: "editor"}
    rows = [{"id": membership.pk, "project": project.pk, "role": "viewer", "DELETE": "on"}]
    staff.post(url(Project, "change", project.pk), {**data, **formset("memberships", *rows, saved=1)})
    assert list(Membership.objects.filter(project=project).values_list("user", flat=True)) == [ben.pk]


@pytest.mark.parametrize("days", ["0", "36501", "2147483647", "99999999999999999999"])
def test_days_that_v1_refuses_are_refused_here_too(tenant, staff, days):
    """With 0 a run that ended a second ago would be deleted."""
    project = make_project(tenant, name="Before")
    data = {"name": "After", "slug": project.slug, "retention_days": days, **formset("memberships")}
    said = "Runs are kept for 1 to 36500 days, or for ever when this is empty."
    assert problems(staff.post(url(Project, "change", project.pk), data)).count(said) == 1
    data |= {"tenant": tenant.pk, "slug": "new"}
    assert problems(staff.post(url(Project, "add"), data)).count(said) == 1
    project.refresh_from_db()
    assert (project.name, project.retention_days) == ("Before", None) and not Project.objects.filter(slug="new")


@pytest.mark.parametrize(("days", "kept"), [("1", 1), ("36500", 36_500), ("", None)])
def test_days_that_v1_takes_are_taken(tenant, staff, days, kept):
    project = make_project(tenant)
    data = {"name": "After", "slug": project.slug, "retention_days": days, **formset("memberships")}
    assert problems(staff.post(url(Project, "change", project.pk), data)) == ""
    project.refresh_from_db()
    assert project.retention_days == kept


def test_a_refusal_is_shown_on_the_form_and_nothing_is_kept(superuser, tenant):
    project, stranger = make_project(tenant, name="Before"), make_user(make_tenant())
    rows = formset("memberships", {"project": project.pk, "user": stranger.pk, "role": "viewer"})
    data = {"name": "After", "slug": project.slug, **rows}
    response = superuser.post(url(Project, "change", project.pk), data)
    assert "no such person in the tenant" in problems(response)
    assert response.context["adminform"].form["name"].value() == "After", "what was typed is still there"
    project.refresh_from_db()
    assert project.name == "Before"


def test_the_default_project_is_not_deleted(tenant, staff):
    project, other = default_project(tenant), make_project(tenant)
    response = staff.post(url(Project, "delete", project.pk), {"post": "yes"}, follow=True)
    assert "default project" in response.content.decode()
    data = {"action": "delete_selected", "_selected_action": [other.pk, project.pk], "post": "yes"}
    assert "default project" in staff.post(url(Project), data, follow=True).content.decode()
    assert Project.objects.filter(tenant=tenant).count() == 2, "all or nothing"
    assert staff.post(url(Project, "delete", other.pk), {"post": "yes"}).status_code == 302
    assert list(Project.objects.filter(tenant=tenant)) == [project]


def test_a_role_is_given_changed_and_taken(tenant, staff):
    project, ada = default_project(tenant), make_user(tenant)
    given = staff.post(url(Membership, "add"), {"project": project.pk, "user": ada.pk, "role": "viewer"})
    assert problems(given) == ""
    membership = Membership.objects.get(user=ada)
    staff.post(url(Membership, "change", membership.pk), {"role": "admin"})
    assert Membership.objects.get(user=ada).role == "admin"
    staff.post(url(Membership, "delete", membership.pk), {"post": "yes"})
    assert not Membership.objects.filter(user=ada).exists()


def test_a_service_account_is_made_with_grants_and_unregistered(tenant, staff):
    project, other = default_project(tenant), make_project(tenant)
    data = {"tenant": tenant.pk, "name": "app", "description": "An app"}
    made = staff.post(
        url(ServiceAccount, "add"), {**data, **formset("grants", {"project": project.pk, "role": "editor"})}
    )
    assert problems(made) == ""
    account = ServiceAccount.objects.get(name="app")
    assert account.created_by == f"user:{User.objects.get(is_staff=True).pk}"
    grant = account.grants.get()
    rows = [{"id": grant.pk, "service_account": account.pk, "role": "viewer"}, {"project": other.pk, "role": "owner"}]
    changed = staff.post(
        url(ServiceAccount, "change", account.pk), {"name": "app", **formset("grants", *rows, saved=1)}
    )
    assert problems(changed) == ""
    assert dict(account.grants.values_list("project", "role")) == {project.pk: "viewer", other.pk: "owner"}
    secret = make_token(account)
    staff.post(url(ServiceAccount), {"action": "unregister", "_selected_action": [account.pk]})
    assert Api(secret).refused("GET", "projects") == (401, "auth-revoked")
    assert staff.post(url(ServiceAccount, "change", account.pk), {"name": "back"}).status_code == 403


def test_a_service_accounts_name_is_not_taken(tenant, staff):
    make_service_account(tenant, name="taken")
    account = make_service_account(tenant)
    data = {"tenant": tenant.pk, "name": "taken", **formset("grants")}
    for page in (url(ServiceAccount, "add"), url(ServiceAccount, "change", account.pk)):
        assert "is named &#x27;taken&#x27;" in problems(staff.post(page, data))


def test_a_grant_stays_in_the_accounts_tenant(superuser, tenant):
    account, foreign = make_service_account(tenant), default_project(make_tenant())
    data = {"service_account": account.pk, "project": foreign.pk, "role": "owner"}
    assert "no such project" in problems(superuser.post(url(ServiceAccountGrant, "add"), data))
    assert not ServiceAccountGrant.objects.exists()


def test_the_roster_is_kept(tenant, staff):
    ada = make_user(tenant)
    made = staff.post(url(Reviewer, "add"), {"user": ada.pk, "role": "senior", "display_name": "Ada"})
    assert problems(made) == ""
    entry = Reviewer.objects.get(user=ada)
    assert (entry.tenant, entry.role) == (tenant, "senior")
    staff.post(url(Reviewer, "change", entry.pk), {"role": "admin", "display_name": ""})
    entry.refresh_from_db()
    assert (entry.role, entry.display_name) == ("admin", "")
    staff.post(url(Reviewer), {"action": "take_off", "_selected_action": [entry.pk]})
    entry.refresh_from_db()
    assert entry.deactivated_at is not None
