"""What happens at the same moment: the database decides, and who comes second is told so.

Each has a control: the same race with the guard taken away must end badly, so that the race is known to bite.
"""

import threading
from contextlib import ExitStack, contextmanager
from unittest import mock

import pytest
from django.db import IntegrityError, connection, transaction

from kindgi.access.callers import operator_in
from kindgi.access.errors import ProjectNotEmpty
from kindgi.access.models import Membership, Project, Reviewer, ServiceAccount
from kindgi.access.services.memberships import membership_add, membership_change
from kindgi.access.services.projects import project_delete
from kindgi.api.errors import LockTimeout, PermissionDenied
from kindgi.api.ids import new_id
from kindgi.runs.models import Run
from tests.builders import Api, default_project, make_caller, make_project, make_tenant, make_token, make_user
from tests.support.parallel import at_once, slow_inserts, wait_until_somebody_waits, without_constraint

pytestmark = pytest.mark.django_db(transaction=True)

TOGETHER = 8


def answers(tenant, method, path, body):
    """Status codes and error codes of the same request, sent at once by eight clients of a tenant admin."""
    secret = make_token(make_user(tenant, admin=True))
    responses = at_once([lambda: Api(secret).request(method, path, body)] * TOGETHER)
    return sorted((response.status_code, response.json().get("error", {}).get("code", "")) for response in responses)


def only_one(*, taken):
    return [(201, ""), *[(409, taken)] * (TOGETHER - 1)]


def race_for_a_slug():
    tenant = make_tenant()
    found = answers(tenant, "POST", "projects", {"name": "Support", "slug": "support"})
    return found, Project.objects.filter(tenant=tenant, slug="support").count()


def race_for_a_membership():
    tenant = make_tenant()
    project, person = default_project(tenant), make_user(tenant)
    body = {"userId": str(person.pk), "role": "viewer"}
    found = answers(tenant, "POST", f"projects/{project.pk}/memberships", body)
    return found, Membership.objects.filter(project=project, user=person).count()


def race_for_an_accounts_name():
    tenant = make_tenant()
    found = answers(tenant, "POST", "service-accounts", {"name": "app"})
    return found, ServiceAccount.objects.filter(tenant=tenant, name="app").count()


RACES = [
    (race_for_a_slug, "project-slug-taken", "access_project", "project_slug_once_in_tenant"),
    (race_for_a_membership, "membership-exists", "access_membership", "membership_once"),
    (race_for_an_accounts_name, "service-account-name-taken", "access_serviceaccount", "service_account_name_once"),
]


@pytest.mark.parametrize(("race", "taken", "table", "constraint"), RACES)
def test_one_of_many_gets_it_and_the_others_are_told(race, taken, table, constraint):
    assert race() == (only_one(taken=taken), 1)


@pytest.mark.parametrize(("race", "taken", "table", "constraint"), RACES)
def test_control_without_the_constraint_several_get_it(race, taken, table, constraint):
    with without_constraint(table, constraint):
        found, rows = race()
        assert rows > 1 and found != only_one(taken=taken)


def race_for_the_roster():
    tenant = make_tenant()
    person = make_user(tenant)
    with slow_inserts("access_reviewer"):
        found = answers(tenant, "POST", "approvals/reviewers", {"userId": str(person.pk), "role": "senior"})
    return [status for status, _ in found], Reviewer.objects.filter(user=person).count()


def test_a_person_put_on_the_roster_many_times_at_once_is_on_it_once():
    assert race_for_the_roster() == ([200] * (TOGETHER - 1) + [201], 1)


def test_control_without_the_constraint_they_are_on_it_several_times():
    with without_constraint("access_reviewer", "reviewer_once"):
        assert race_for_the_roster()[1] > 1


@contextmanager
def a_run_about_to_be_recorded(project):
    """A transaction on another connection that has put a run into ``project``; ``commit()`` ends it."""
    inserted, finish = threading.Event(), threading.Event()

    def record():
        with transaction.atomic():
            Run.objects.create(tenant_id=project.tenant_id, project=project, run_id=new_id(), status="running")
            connection.check_constraints()
            inserted.set()
            finish.wait(timeout=30)

    with ExitStack() as stack:
        thread = threading.Thread(target=lambda: at_once([record]))
        thread.start()
        stack.callback(thread.join)
        stack.callback(finish.set)
        assert inserted.wait(timeout=30)
        yield finish.set


def delete_while_a_run_is_recorded():
    """What came of deleting a project, and how many projects and runs there are then."""
    tenant = make_tenant()
    project, caller = make_project(tenant), operator_in(tenant.pk)

    def delete():
        with transaction.atomic():
            project_delete(caller=caller, project=Project.objects.get(pk=project.pk))

    with a_run_about_to_be_recorded(project) as commit:

        def commit_once_it_waits():
            wait_until_somebody_waits()
            commit()

        outcome, _ = at_once([delete, commit_once_it_waits])
    return outcome, Project.objects.filter(pk=project.pk).count(), Run.objects.filter(project_id=project.pk).count()


def test_a_run_recorded_while_its_project_is_deleted_keeps_the_project():
    outcome, projects, runs = delete_while_a_run_is_recorded()
    assert isinstance(outcome, ProjectNotEmpty)
    assert (projects, runs) == (1, 1)


def test_control_without_the_check_the_deletion_fails_only_at_its_end():
    with mock.patch("kindgi.access.services.projects.connection"):
        outcome, projects, runs = delete_while_a_run_is_recorded()
    assert isinstance(outcome, IntegrityError) and not isinstance(outcome, ProjectNotEmpty)
    assert (projects, runs) == (1, 1)


def test_somebody_who_rises_to_owner_is_out_of_an_admins_reach_at_once():
    tenant = make_tenant()
    project = default_project(tenant)
    person = make_user(tenant, "editor")
    as_the_admin_read_it = Membership.objects.get(user=person)
    membership_change(caller=operator_in(tenant.pk), membership=Membership.objects.get(user=person), role="owner")
    with pytest.raises(PermissionDenied):
        membership_change(caller=make_caller(tenant, "admin"), membership=as_the_admin_read_it, role="viewer")
    assert Membership.objects.get(project=project, user=person).role == "owner"


def add_somebody_while_their_project_is_deleted():
    """What came of adding a member to a project that is being deleted, where the deletion commits first."""
    tenant = make_tenant()
    project, person, caller = make_project(tenant), make_user(tenant), operator_in(tenant.pk)
    deleted = threading.Event()

    def delete():
        with transaction.atomic():
            project_delete(caller=caller, project=Project.objects.get(pk=project.pk))
            deleted.set()
            wait_until_somebody_waits()

    def add():
        deleted.wait(timeout=30)
        with transaction.atomic():
            membership_add(caller=caller, project=project, user=person, role="viewer")

    return at_once([delete, add])


def test_somebody_added_to_a_project_that_goes_at_the_same_moment_may_try_again():
    gone, refused = add_somebody_while_their_project_is_deleted()
    assert gone is None and isinstance(refused, LockTimeout)
    assert not Membership.objects.exists()


def test_control_without_the_check_adding_them_fails_only_at_its_end():
    with mock.patch("kindgi.access.services.constraints.connection"):
        gone, refused = add_somebody_while_their_project_is_deleted()
    assert gone is None and isinstance(refused, IntegrityError)
