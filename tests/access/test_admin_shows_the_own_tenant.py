"""Django admin shows superusers everything, a tenant's admins their own tenant, and other staff nothing."""

import pytest
from django.contrib import admin
from django.urls import reverse

from kindgi.access import admin_base
from kindgi.access.models import Membership, Project, Tenant, Token, User
from tests.access.admin_pages import MODELS, SCOPED, one_of_each, problems, url
from tests.builders import browser, default_project, make_tenant, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", MODELS)
def test_every_model_of_access_is_there_and_stands_on_the_base(model):
    assert isinstance(admin.site.get_model_admin(model), admin_base.TenantScopedAdmin)


@pytest.mark.parametrize("model", MODELS)
def test_a_superuser_sees_every_tenant(superuser, model):
    rows = [one_of_each(make_tenant())[model], one_of_each(make_tenant())[model]]
    found = superuser.get(url(model))
    assert found.status_code == 200
    assert {row.pk for row in rows} <= {row.pk for row in found.context["cl"].queryset}
    for row in rows:
        assert superuser.get(url(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", SCOPED)
def test_a_tenant_admin_sees_their_own_tenant(tenant, staff, model):
    mine, theirs = one_of_each(tenant)[model], one_of_each(make_tenant())[model]
    listed = {row.pk for row in staff.get(url(model)).context["cl"].queryset}
    assert mine.pk in listed and theirs.pk not in listed
    assert staff.get(url(model, "change", mine.pk)).status_code == 200
    assert staff.get(url(model, "change", theirs.pk)).status_code == 302, "as for an id that nothing has"
    assert staff.post(url(model, "change", theirs.pk), {}).status_code in (302, 403)
    assert staff.post(url(model, "delete", theirs.pk), {"post": "yes"}).status_code in (302, 403)
    assert model._default_manager.filter(pk=theirs.pk).exists()
    assert list(staff.get(url(model), {"q": str(theirs.pk)}).context["cl"].queryset) == []


def test_a_tenant_admin_sees_no_tenants(staff):
    assert staff.get(url(Tenant)).status_code == 403


@pytest.mark.parametrize("fields", [{"is_staff": True}, {"is_staff": True, "is_tenant_admin": True, "tenant": None}])
def test_other_staff_see_nothing(tenant, fields):
    user = make_user(tenant, "owner")
    User.objects.filter(pk=user.pk).update(**fields)
    client = browser(user)
    row = one_of_each(tenant)
    assert client.get(reverse("admin:index")).context["app_list"] == []
    for model in MODELS:
        assert client.get(url(model)).status_code == 403
        assert client.get(url(model, "change", row[model].pk)).status_code in (302, 403)
        assert client.get(url(model, "add")).status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_who_is_no_staff_is_asked_to_sign_in(tenant, model):
    assert browser(make_user(tenant, admin=True)).get(url(model)).status_code == 302


@pytest.mark.parametrize(
    ("model", "field"), [(Membership, "user"), (Membership, "project"), (Token, "service_account")]
)
def test_autocompletes_offer_only_the_own_tenant(tenant, staff, model, field):
    mine, theirs = one_of_each(tenant), one_of_each(make_tenant())
    related = model._meta.get_field(field).related_model
    query = {"app_label": "access", "model_name": model._meta.model_name, "field_name": field, "term": ""}
    offered = {found["id"] for found in staff.get(reverse("admin:autocomplete"), query).json()["results"]}
    assert str(mine[related].pk) in offered and str(theirs[related].pk) not in offered


def test_a_choice_of_another_tenant_is_none(tenant, staff):
    theirs = one_of_each(make_tenant())
    person, project = make_user(tenant), default_project(tenant)
    for data in ({"user": theirs[User].pk, "project": project.pk}, {"user": person.pk, "project": theirs[Project].pk}):
        response = staff.post(url(Membership, "add"), {**data, "role": "owner"})
        assert "Select a valid choice" in problems(response)
    assert not Membership.objects.filter(role="owner").exists()
