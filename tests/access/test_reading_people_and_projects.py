"""Who calls, what people are called, whom to add and where to go: each is one statement, and of one tenant."""

from uuid import uuid4

import pytest

from kindgi.access.callers import Caller, operator_in
from kindgi.access.models import Project, User
from kindgi.access.selectors import (
    caller_by_token,
    caller_for_user,
    people_named,
    projects_to_switch,
    reviewers_of,
    users_to_add,
)
from kindgi.access.services.memberships import membership_add
from kindgi.access.services.reviewers import reviewer_remove
from kindgi.access.services.service_accounts import service_account_unregister
from kindgi.api.errors import AuthMissing
from tests.builders import default_project, make_project, make_service_account, make_tenant, make_user, mint

pytestmark = pytest.mark.django_db


def leave(user):
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.refresh_from_db()


# Who calls


def test_a_person_has_the_roles_of_their_memberships_and_of_the_roster(tenant, assert_queries):
    second = make_project(tenant)
    ada = make_user(tenant, "editor", reviewer="senior")
    make_user(tenant, "owner", project=second, reviewer="admin")
    with assert_queries(exact=1):
        caller = caller_for_user(ada)
    assert caller == Caller(
        tenant_id=tenant.pk,
        kind="user",
        id=ada.pk,
        principal_id=ada.pk,
        project_roles={default_project(tenant).pk: "editor"},
        reviewer_role="senior",
    )


def test_a_person_in_many_projects_costs_one_statement_too(tenant, assert_queries):
    ada = make_user(tenant, "viewer")
    for _ in range(3):
        make_project_with(tenant, ada)
    with assert_queries(exact=1):
        caller = caller_for_user(ada)
    assert sorted(caller.project_roles.values()) == ["admin", "admin", "admin", "viewer"]


def make_project_with(tenant, user):
    project = make_project(tenant)
    membership_add(caller=operator_in(tenant.pk), project=project, user=user, role="admin")
    return project


def test_a_person_without_roles_has_none(tenant, assert_queries):
    nobody = make_user(tenant)
    with assert_queries(exact=1):
        caller = caller_for_user(nobody)
    assert (dict(caller.project_roles), caller.reviewer_role, caller.is_tenant_admin) == ({}, None, False)


def test_a_person_may_do_in_the_console_what_their_token_may(tenant):
    for person in (make_user(tenant, "admin", reviewer="standard"), make_user(tenant, admin=True), make_user(tenant)):
        signed_in, by_token = caller_for_user(person), caller_by_token(mint(person).secret)
        for name in ("tenant_id", "kind", "id", "principal_id", "is_tenant_admin", "project_roles", "reviewer_role"):
            assert getattr(signed_in, name) == getattr(by_token, name), name


def test_who_was_taken_off_the_roster_is_no_reviewer(tenant):
    ada = make_user(tenant, reviewer="senior")
    reviewer_remove(caller=operator_in(tenant.pk), reviewer=reviewers_of(tenant.pk).get(user=ada))
    assert caller_for_user(ada).reviewer_role is None


def test_a_person_of_no_tenant_is_no_caller(assert_queries):
    root = User.objects.create_superuser("root@example.com", "pass")
    with assert_queries(exact=0), pytest.raises(AuthMissing):
        caller_for_user(root)


# What people are called


def actor_of(principal):
    return f"{'user' if isinstance(principal, User) else 'service_account'}:{principal.pk}"


def test_people_and_accounts_are_called_what_they_say_of_themselves(tenant, assert_queries):
    named, unnamed = make_user(tenant, display_name="Ada Čapek"), make_user(tenant)
    account = make_service_account(tenant, "editor", name="nightly")
    for all_of_them in ([named], [named, unnamed, account]):
        with assert_queries(exact=1):
            found = people_named(tenant_id=tenant.pk, actors=[actor_of(one) for one in all_of_them])
        assert found == {actor_of(one): str(one) for one in all_of_them}
    assert set(found.values()) == {"Ada Čapek", unnamed.email, "nightly"}


def test_who_has_left_keeps_their_label(tenant):
    ada, account = make_user(tenant, display_name="Ada"), make_service_account(tenant, name="retired")
    leave(ada)
    service_account_unregister(caller=operator_in(tenant.pk), account=account)
    found = people_named(tenant_id=tenant.pk, actors={actor_of(ada), actor_of(account)})
    assert found == {actor_of(ada): "Ada", actor_of(account): "retired"}


def test_who_is_not_of_the_tenant_is_not_named(tenant):
    elsewhere, ada = make_tenant(), make_user(tenant, display_name="Ada")
    root = User.objects.create_superuser("root@example.com", "pass")
    strangers = [make_user(elsewhere), make_service_account(elsewhere), root]
    unknown = [f"user:{uuid4()}", f"service_account:{ada.pk}", f"team:{ada.pk}", "user:ada", "user:", "", "user"]
    actors = [*map(actor_of, [ada, *strangers]), *unknown]
    assert people_named(tenant_id=tenant.pk, actors=actors) == {actor_of(ada): "Ada"}


def test_nobody_is_looked_for_where_nobody_is_asked_for(tenant, assert_queries):
    with assert_queries(exact=0):
        assert people_named(tenant_id=tenant.pk, actors=[]) == {}
        assert people_named(tenant_id=tenant.pk, actors=["", "user:ada"]) == {}


# Whom to add


def test_only_active_people_of_the_tenant_without_a_role_in_the_project_can_be_added(tenant, assert_queries):
    project, other = default_project(tenant), make_project(tenant)
    free, busy_elsewhere = make_user(tenant), make_user(tenant, "owner", project=other)
    make_user(tenant, "viewer")
    make_user(make_tenant(), "viewer")
    leave(make_user(tenant))
    with assert_queries(exact=1):
        found = users_to_add(project=project, text="", limit=10)
    assert set(found) == {free, busy_elsewhere}


@pytest.mark.parametrize("text", ["ada", "ADA", " ada ", "love", "Ada L", "first@", "FIRST@example.com"])
def test_they_are_found_by_how_a_word_of_their_name_or_their_email_begins(tenant, text):
    ada = make_user(tenant, email="first@example.com", display_name="Ada Lovelace")
    make_user(tenant, email="second@example.com", display_name="Charles Babbage")
    assert users_to_add(project=default_project(tenant), text=text, limit=10) == [ada]


@pytest.mark.parametrize("text", ["da", "example", "%", "_", "A_a", "\\", "a\x00", "\x00"])
def test_and_by_nothing_else(tenant, text):
    make_user(tenant, email="first@example.com", display_name="Ada Lovelace")
    assert users_to_add(project=default_project(tenant), text=text, limit=10) == []


def test_there_are_no_more_of_them_than_asked_for_in_the_order_of_their_emails(tenant, assert_queries):
    for name in ("c", "a", "d", "b"):
        make_user(tenant, email=f"{name}@example.com")
    project = default_project(tenant)
    with assert_queries(exact=1):
        found = users_to_add(project=project, text="", limit=3)
    assert [user.email[0] for user in found] == ["a", "b", "c"]


# Where to go


def test_a_person_may_go_where_they_may_read_by_name(tenant, assert_queries):
    ada = make_user(tenant, "viewer")
    zoo, apt = make_project_with(tenant, ada), make_project_with(tenant, ada)
    Project.objects.filter(pk=zoo.pk).update(name="Zoo", blind=False)
    Project.objects.filter(pk=apt.pk).update(name="Apt")
    make_project(tenant, name="Another's")
    caller = caller_for_user(ada)
    with assert_queries(exact=1):
        found = projects_to_switch(caller, zoo.slug)
        said = [(project.name, project.slug, project.tenant_id, project.blind) for project in found]
    default = default_project(tenant)
    assert said == [
        ("Apt", apt.slug, tenant.pk, True),
        ("Default", default.slug, tenant.pk, True),
        ("Zoo", zoo.slug, tenant.pk, False),
    ]
    assert found == [apt, default, zoo], "whole projects, by their ids"


def test_a_tenant_admin_may_go_to_every_project_of_the_tenant(tenant):
    admin, other = caller_for_user(make_user(tenant, admin=True)), make_project(tenant)
    make_project(make_tenant())
    assert set(projects_to_switch(admin, "default")) == {default_project(tenant), other}


def test_the_current_project_is_there_however_many_come_before_it(tenant, assert_queries):
    admin = caller_for_user(make_user(tenant, admin=True))
    Project.objects.bulk_create(
        Project(tenant=tenant, name=f"A {number:03}", slug=f"a-{number:03}") for number in range(105)
    )
    with assert_queries(exact=1):
        slugs = [project.slug for project in projects_to_switch(admin, "default")]
    assert slugs == [*(f"a-{number:03}" for number in range(100)), "default"]
    assert len(projects_to_switch(admin, "a-003")) == 100


def test_a_current_project_that_may_not_be_read_is_not_there(tenant):
    hidden, same_slug = make_project(tenant), make_project(make_tenant(), "elsewhere")
    caller = caller_for_user(make_user(tenant, "viewer"))
    for slug in (hidden.slug, same_slug.slug, ""):
        assert projects_to_switch(caller, slug) == [default_project(tenant)]


def test_who_may_read_nothing_may_go_nowhere(tenant, assert_queries):
    caller = caller_for_user(make_user(tenant))
    with assert_queries(at_most=1):
        assert projects_to_switch(caller, "default") == []
