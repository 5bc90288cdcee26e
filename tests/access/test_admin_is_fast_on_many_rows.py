"""Django admin does the same work for any number of rows."""

import re
from datetime import timedelta

import pytest

from kindgi.access import admin_base
from kindgi.access.models import Membership, Project, ServiceAccount, ServiceAccountGrant, Tenant, Token, User
from kindgi.api.times import now
from tests.access.admin_pages import MODELS, SCOPED, one_of_each, problems, url
from tests.builders import (
    default_project,
    make_project,
    make_tenant,
    make_user,
    mint,
)

pytestmark = pytest.mark.django_db


def test_two_rows_cost_as_many_statements_as_twenty(tenant, superuser, staff, assert_queries):
    def make(count):
        for _ in range(count):
            one_of_each(tenant)
            make_project(make_tenant())
            make_project(tenant)

    pages = [(superuser, url(model)) for model in MODELS] + [(staff, url(model)) for model in SCOPED]
    make(2)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=8) as statements:
            client.get(page)
        few.append(len(statements))
    make(18)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            assert len(client.get(page).context["cl"].result_list) >= 20


def test_no_more_rows_are_counted_than_the_bound_and_the_list_says_so(tenant, staff, monkeypatch, assert_queries):
    monkeypatch.setattr(admin_base, "COUNTED", 5)
    for _ in range(7):
        make_project(tenant)
    with assert_queries(at_most=8) as statements:
        page = staff.get(url(Project))
    counts = [statement for statement in statements if "COUNT(" in statement]
    assert len(counts) == 1 and "LIMIT 6" in counts[0] and "ORDER BY" not in counts[0]
    assert page.context["cl"].result_count == 5
    assert "only the first 5 are counted" in " ".join(page.content.decode().split())


@pytest.mark.parametrize("model", MODELS)
def test_no_list_or_form_offers_an_unbounded_choice(superuser, tenant, model):
    for number in range(30):
        make_project(tenant, f"a-slug-{number}")
        make_user(tenant, email=f"an-email-{number}@example.com")
    row = one_of_each(tenant)[model]
    for page in (url(model, "add"), url(model, "change", row.pk)):
        shown = superuser.get(page).content.decode()
        options = re.findall(r"<option[^>]*>([^<]*)", shown)
        assert not [option for option in options if option.startswith(("A-Slug", "an-email"))]


def test_a_project_with_many_people_shows_a_link_to_them_instead(tenant, staff, monkeypatch):
    monkeypatch.setattr(admin_base, "INLINED", 2)
    project = default_project(tenant)
    people = [make_user(tenant, "viewer") for _ in range(2)]
    page = url(Project, "change", project.pk)
    assert "memberships-TOTAL_FORMS" in staff.get(page).content.decode()
    people.append(make_user(tenant, "viewer"))
    shown = staff.get(page).content.decode()
    assert "memberships-TOTAL_FORMS" not in shown
    [listed] = re.findall(r'href="([^"]*membership/\?q=[^"]*)"', shown)
    assert {row.user for row in staff.get(listed).context["cl"].queryset} == set(people)
    assert problems(staff.post(page, {"name": "Renamed", "slug": project.slug})) == ""


@pytest.mark.parametrize("model", MODELS)
def test_search_finds_by_the_beginning_and_by_the_whole_id(superuser, tenant, model):
    row = one_of_each(tenant)[model]
    other = one_of_each(make_tenant())[model]
    found = superuser.get(url(model), {"q": str(row.pk)}).context["cl"].queryset
    assert list(found) == [row]
    terms = {
        Tenant: tenant.slug,
        Project: default_project(tenant).slug,
        ServiceAccount: getattr(row, "name", ""),
        ServiceAccountGrant: row.service_account.name if model is ServiceAccountGrant else "",
    }
    person = row if model is User else getattr(row, "user", row)
    term = terms.get(model) or person.email
    found = superuser.get(url(model), {"q": term}).context["cl"].queryset
    assert row in found and (other not in found or model is Project)


def test_a_person_is_found_by_an_email_in_any_case(superuser, tenant):
    ada = make_user(tenant, email="Ada.L@example.com")
    ben = make_user(tenant, email="ben@example.com")
    for term, person in (("Ada.", ada), ("BEN@", ben), ("Ben", ben), ("ben@example.com", ben)):
        assert list(superuser.get(url(User), {"q": term}).context["cl"].queryset) == [person]
    assert list(superuser.get(url(User), {"q": "no body"}).context["cl"].queryset) == []


@pytest.mark.parametrize("model", SCOPED)
def test_everybodys_rows_are_sorted_by_an_index_and_a_tenants_by_time(tenant, superuser, staff, model, assert_queries):
    one_of_each(tenant)
    table = model._meta.db_table
    for client, order in ((superuser, '"id" DESC'), (staff, f'"created_at" DESC, "{table}"."id" DESC')):
        with assert_queries() as statements:
            assert client.get(url(model)).status_code == 200
        assert [statement for statement in statements if statement.endswith(f'ORDER BY "{table}".{order}')]


def test_a_search_in_what_a_row_refers_to_looks_there_first(tenant, superuser, assert_queries):
    person = make_user(tenant, "viewer", email="ada@example.com")
    with assert_queries() as statements:
        found = superuser.get(url(Membership), {"q": "ADA@"}).context["cl"].queryset
    assert [row.user for row in found] == [person]
    assert not [statement for statement in statements if "LIKE" in statement and '"access_membership"' in statement]


def test_nothing_that_is_in_use_expires_by_being_looked_at(tenant, staff):
    token = mint(make_user(tenant), expires_at=now() + timedelta(days=1)).token
    staff.get(url(Token, "change", token.pk))
    token.refresh_from_db()
    assert token.last_used_at is None and token.revoked_at is None
