"""Django admin makes, changes and retires judge classes by the rules of /v1."""

import pytest

from corrections.models import JudgeClass
from tests.builders import default_project, make_tenant
from tests.support.admin_pages import act, problems, staff_of, superuser, url
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop():
    return Shop.open()


@pytest.fixture
def staff(shop):
    return staff_of(shop.tenant)


def typed(shop, **fields):
    return {
        "name": "Experts",
        "weight": "3",
        "description": "",
        "tenant": shop.tenant.pk,
        "principal_ids": "",
        **fields,
    }


def test_a_class_of_the_tenant_a_project_or_an_agent_is_made(shop, staff):
    for scope in ({}, {"project": shop.project.pk}, {"project": shop.project.pk, "agent_id": AGENT}):
        assert problems(staff.post(url(JudgeClass, "add"), typed(shop, **scope))) == ""
    made = {(row.project_id, row.agent_id, row.weight) for row in JudgeClass.objects.filter(tenant=shop.tenant)}
    assert made == {(None, "", 3.0), (shop.project.pk, "", 3.0), (shop.project.pk, AGENT, 3.0)}


def test_a_restriction_is_replaced_whole_and_lifted(shop, staff):
    restricted = typed(shop, min_reviewer_role="senior", principal_kinds=["user", "service"], principal_ids="b, a")
    assert problems(staff.post(url(JudgeClass, "add"), restricted)) == ""
    made = JudgeClass.objects.get()
    assert (made.min_reviewer_role, made.principal_kinds, made.principal_ids) == (
        "senior",
        ["service", "user"],
        ["b", "a"],
    )
    page = url(JudgeClass, "change", made.pk)
    assert "checked" in staff.get(page).content.decode()
    assert problems(staff.post(page, typed(shop, principal_kinds=["user"], weight="0.5", name="Peers"))) == ""
    made.refresh_from_db()
    assert (made.name, made.weight, made.min_reviewer_role, made.principal_kinds) == ("Peers", 0.5, "", ["user"])
    assert problems(staff.post(page, typed(shop))) == ""
    made.refresh_from_db()
    assert not made.restricted


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"weight": "-1"},
        {"weight": "nan"},
        {"weight": "inf"},
        {"agent_id": AGENT},
        {"principal_kinds": ["robot"]},
        {"min_reviewer_role": "king"},
        {"principal_ids": ",".join(f"id-{number}" for number in range(101))},
        {"description": "x" * 2001},
    ],
)
def test_what_v1_refuses_is_refused(shop, staff, fields):
    assert problems(staff.post(url(JudgeClass, "add"), typed(shop, **fields))) != ""
    assert not JudgeClass.objects.exists()


def test_a_name_is_taken_once_in_a_scope(shop, staff):
    shop.judge_class("Experts")
    assert "There&#x27;s already a judge class &quot;Experts&quot; there." in problems(
        staff.post(url(JudgeClass, "add"), typed(shop))
    )
    assert problems(staff.post(url(JudgeClass, "add"), typed(shop, project=shop.project.pk))) == ""


def test_a_project_of_another_tenant_is_none(shop, staff):
    project = default_project(make_tenant())
    assert "Select a valid choice" in problems(staff.post(url(JudgeClass, "add"), typed(shop, project=project.pk)))
    assert problems(superuser().post(url(JudgeClass, "add"), typed(shop, project=project.pk))) != ""
    assert not JudgeClass.objects.exists()


def test_a_class_is_retired_and_never_deleted(shop, staff):
    judge_class = JudgeClass.objects.get(pk=shop.judge_class("Experts"))
    page = url(JudgeClass, "change", judge_class.pk)
    assert staff.post(url(JudgeClass, "delete", judge_class.pk), {"post": "yes"}).status_code == 403
    assert b"delete_selected" not in staff.get(url(JudgeClass)).content
    assert "No new correction" in act(staff, JudgeClass, "retire", judge_class).content.decode()
    assert "1 judge classes retired." in act(staff, JudgeClass, "retire", judge_class, confirmed="yes").content.decode()
    judge_class.refresh_from_db()
    assert judge_class.unregistered_at is not None
    assert staff.get(page).status_code == 200
    assert staff.post(page, typed(shop, name="Other")).status_code == 403
    again = act(staff, JudgeClass, "retire", judge_class, confirmed="yes")
    assert "0 judge classes retired." in again.content.decode()
    assert problems(staff.post(url(JudgeClass, "add"), typed(shop))) == "", "its name is free"


def test_a_class_stays_in_its_scope(shop, staff):
    judge_class = JudgeClass.objects.get(pk=shop.judge_class("Experts"))
    staff.post(url(JudgeClass, "change", judge_class.pk), typed(shop, project=shop.project.pk, agent_id=AGENT))
    judge_class.refresh_from_db()
    assert (judge_class.project_id, judge_class.agent_id) == (None, "")
