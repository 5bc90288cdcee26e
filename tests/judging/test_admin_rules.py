"""Django admin makes, changes and removes judging rules by the rules of /v1, and tells each version in words."""

from __future__ import annotations

from typing import Any

import pytest

from judging.models import JudgingRule, JudgingRuleVersion
from kindgi.access.models import User
from kindgi.runs.models import Run
from tests.builders import default_project, make_tenant
from tests.judging.queues import change_rule, make_rule, old_rule, rules_path
from tests.support.admin_pages import act, listed, problems, staff_of, superuser, url
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.django_db

MODELS = [JudgingRule, JudgingRuleVersion]


@pytest.fixture
def shop() -> Shop:
    return Shop.open()


@pytest.fixture
def staff(shop: Shop) -> Any:
    return staff_of(shop.tenant)


def typed(shop: Shop, **fields: Any) -> dict[str, Any]:
    """A form as a browser sends it: what isn't checked isn't there, and versions are only looked at."""
    base = {
        "project": shop.project.pk,
        "name": "Everything",
        "agent_ids": "",
        "flow_ids": "",
        "versions": "",
        "sample": "1.0",
        "max_open": "",
        "judge_class": "",
        "enabled": "on",
        "versions-TOTAL_FORMS": "0",
        "versions-INITIAL_FORMS": "0",
    }
    return {name: value for name, value in {**base, **fields}.items() if value is not None}


def rule_of(made: dict[str, Any]) -> JudgingRule:
    return JudgingRule.objects.get(pk=made["ruleId"])


def shown(client: Any, page: str) -> str:
    return " ".join(client.get(page).content.decode().split())


def test_a_rule_is_made_as_over_v1(shop: Shop, staff: Any):
    expert = shop.judge_class("Expert")
    fields = {
        "agent_ids": f"  {AGENT} \r\n\r\nother.agent",
        "versions": "live\n2.0.0",
        "include_dry_runs": "on",
        "sample": "0.1",
        "max_open": "5",
        "judge_class": expert,
    }
    assert problems(staff.post(url(JudgingRule, "add"), typed(shop, **fields))) == ""
    rule = JudgingRule.objects.get(project=shop.project)
    read = shop.editor.ok("GET", rules_path(shop, str(rule.pk)))
    assert read["when"] == {
        "agentIds": [AGENT, "other.agent"],
        "versions": ["live", "2.0.0"],
        "includeDryRuns": True,
    }
    assert (read["sample"], read["maxOpen"], read["judgeClassId"], read["version"]) == (0.1, 5, expert, 1)
    assert read["createdBy"] == f"user:{User.objects.get(is_staff=True).pk}" and read["enabled"] is True
    assert rule.versions.count() == 1


def test_a_change_is_a_new_version_and_a_change_of_nothing_is_none(shop: Shop, staff: Any):
    made = make_rule(shop, when={"flowIds": ["shop.intake"], "status": ["completed"]}, maxOpen=3)
    page = url(JudgingRule, "change", made["ruleId"])
    same = typed(shop, flow_ids="shop.intake", max_open="3")
    assert problems(staff.post(page, same)) == ""
    assert rule_of(made).version == 1
    assert problems(staff.post(page, typed(shop, flow_ids="shop.intake", enabled=None))) == ""
    rule = rule_of(made)
    assert (rule.version, rule.max_open, rule.enabled) == (2, None, False)
    assert rule.when == {"flowIds": ["shop.intake"], "status": ["completed"]}, "what isn't on the form stays"
    assert problems(staff.post(page, typed(shop, agent_ids=AGENT, enabled=None, sample="0.5"))) == ""
    rule.refresh_from_db()
    assert (rule.version, rule.sample) == (3, 0.5) and rule.when == {"status": ["completed"], "agentIds": [AGENT]}


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("name", {"name": ""}),
        ("name", {"name": " "}),
        ("name", {"name": "x" * 201}),
        ("sample", {"sample": "0"}),
        ("sample", {"sample": "1.5"}),
        ("sample", {"sample": "nan"}),
        ("max_open", {"max_open": "0"}),
        ("max_open", {"max_open": "10001"}),
        ("agent_ids", {"agent_ids": "x" * 201}),
        ("agent_ids", {"agent_ids": "\n".join(f"agent-{number}" for number in range(51))}),
        ("flow_ids", {"flow_ids": "x" * 201}),
        ("versions", {"versions": "x" * 101}),
        ("judge_class", {"judge_class": "00000000-0000-4000-8000-000000000000"}),
        ("__all__", {"agent_ids": AGENT, "flow_ids": "shop.intake"}),
    ],
)
def test_what_v1_refuses_is_refused_beside_its_field(shop: Shop, staff: Any, field: str, fields: dict[str, str]):
    made = make_rule(shop, name="Before")
    for page in (url(JudgingRule, "add"), url(JudgingRule, "change", made["ruleId"])):
        response = staff.post(page, typed(shop, **fields))
        assert list(response.context["adminform"].form.errors) == [field]
    assert [rule.name for rule in JudgingRule.objects.all()] == ["Before"]


def test_a_class_that_cannot_be_given_on_the_runs_is_refused_beside_it(shop: Shop, staff: Any):
    other = {"kind": "project", "projectId": str(shop.other_project().pk)}
    foreign, gone = shop.judge_class(scope=other), shop.judge_class()
    made = make_rule(shop, judgeClassId=gone)
    shop.admin.ok("POST", f"judge-classes/{gone}/unregister")
    for judge_class in (foreign, gone):
        response = staff.post(url(JudgingRule, "add"), typed(shop, judge_class=judge_class))
        assert list(response.context["adminform"].form.errors) == ["judge_class"]
    page = url(JudgingRule, "change", made["ruleId"])
    kept = typed(shop, agent_ids=AGENT, judge_class=gone, name="Renamed")
    assert problems(staff.post(page, kept)) == "", "the class that it has stays, though it was removed"
    agents = shop.judge_class(scope={"kind": "agent", "projectId": str(shop.project.pk), "agentId": AGENT})
    refused = staff.post(page, typed(shop, agent_ids="another", judge_class=agents))
    assert "must name it alone" in problems(refused)
    assert rule_of(made).version == 2


def test_changing_to_any_correction_closes_what_that_satisfies(shop: Shop, staff: Any):
    made = old_rule(shop, judgeClassId=shop.judge_class("Expert"))
    run_id = shop.run()
    shop.correct(run_id)
    page = url(JudgingRule, "change", made["ruleId"])
    assert "1 open" in shown(staff, page)
    assert problems(staff.post(page, typed(shop, agent_ids=AGENT))) == ""
    assert "None open" in shown(staff, page)


def test_a_rule_is_removed_after_a_question_and_then_only_read(shop: Shop, staff: Any):
    rule = rule_of(make_rule(shop))
    theirs = Shop.open()
    other = rule_of(make_rule(theirs))
    assert "They queue nothing more" in act(staff, JudgingRule, "remove", rule).content.decode()
    assert rule_of({"ruleId": rule.pk}).unregistered_at is None
    done = act(staff, JudgingRule, "remove", rule, other, confirmed="yes").content.decode()
    assert "1 judging rules removed." in done
    assert rule_of({"ruleId": rule.pk}).unregistered_at is not None
    assert rule_of({"ruleId": other.pk}).unregistered_at is None
    page = url(JudgingRule, "change", rule.pk)
    assert "Completed runs of shop.desk" in shown(staff, page) and "Created" in shown(staff, page)
    assert staff.post(page, typed(shop, agent_ids=AGENT)).status_code == 403
    assert "0 judging rules removed." in act(staff, JudgingRule, "remove", rule, confirmed="yes").content.decode()
    for client in (staff, superuser()):
        assert client.post(url(JudgingRule, "delete", rule.pk), {"post": "yes"}).status_code == 403
        assert b"delete_selected" not in client.get(url(JudgingRule)).content


def test_a_rule_stays_in_its_project(shop: Shop, staff: Any):
    made = make_rule(shop)
    staff.post(
        url(JudgingRule, "change", made["ruleId"]), typed(shop, project=shop.other_project().pk, agent_ids=AGENT)
    )
    assert rule_of(made).project == shop.project


def test_the_list_says_in_words_what_each_takes_wants_and_has_open(shop: Shop, staff: Any):
    expert = shop.judge_class("expert")
    old_rule(shop, sample=1, maxOpen=2, judgeClassId=expert, name="Capped")
    make_rule(shop, when={"flowIds": ["a", "b", "c", "d"], "versions": ["2.0.0"]}, sample=0.1, enabled=False)
    shop.run()
    page = shown(staff, url(JudgingRule))
    for said in (
        "Completed runs of shop.desk</div><div>Takes every matching run</div><div>No new items while 2 are open",
        "Completed runs of 4 flows, version 2.0.0</div><div>Takes 1 in 10</div><div>No cap",
        "An expert correction",
        "Any correction",
        "1 open",
        "None open",
    ):
        assert said in page, said


def test_every_version_says_who_wrote_it_what_it_said_and_what_it_changed(shop: Shop, staff: Any):
    made = make_rule(shop, name="Echo half", maxOpen=5, by="service")
    change_rule(shop, made, maxOpen=None, judgeClassId=shop.judge_class("expert"))
    change_rule(shop, made, enabled=False)
    for page in (url(JudgingRule, "change", made["ruleId"]), f"{url(JudgingRuleVersion)}?q={made['ruleId']}"):
        told = shown(staff, page)
        for said in (
            "Created",
            "Cap: No new items while 5 are open → No cap",
            "Wants: any correction → an expert correction",
            "Turned off",
            shop.person("service").name,
            shop.person("editor").email,
        ):
            assert said in told, said
    version = JudgingRuleVersion.objects.get(rule_id=made["ruleId"], version=2)
    assert "an expert correction" in shown(staff, url(JudgingRuleVersion, "change", version.pk))


def test_versions_are_only_read(shop: Shop, staff: Any):
    make_rule(shop)
    version = JudgingRuleVersion.objects.get()
    for client in (staff, superuser()):
        assert client.get(url(JudgingRuleVersion, "add")).status_code == 403
        assert client.post(url(JudgingRuleVersion, "change", version.pk), {"name": "Other"}).status_code == 403
        assert client.post(url(JudgingRuleVersion, "delete", version.pk), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_a_tenant_admin_sees_their_own_tenant(shop: Shop, staff: Any, model: Any):
    theirs = Shop.open()
    make_rule(shop), make_rule(theirs)
    mine = model.objects.get(name="Everything", **_in(model, shop))
    other = model.objects.get(name="Everything", **_in(model, theirs))
    assert listed(staff, model) == [mine] and {mine, other} <= set(listed(superuser(), model))
    assert listed(staff, model, q="Every") == [mine]
    assert listed(staff, model, q=str(mine.pk)) == [mine] and listed(staff, model, q=str(other.pk)) == []
    assert staff.get(url(model, "change", mine.pk)).status_code == 200
    assert staff.get(url(model, "change", other.pk)).status_code == 302, "as for an id that nothing has"


def _in(model: Any, shop: Shop) -> dict[str, Any]:
    return {"project" if model is JudgingRule else "rule__project": shop.project}


def test_a_project_of_another_tenant_is_none(shop: Shop, staff: Any):
    project = default_project(make_tenant())
    response = staff.post(url(JudgingRule, "add"), typed(shop, project=project.pk))
    assert list(response.context["adminform"].form.errors) == ["project"]
    assert not JudgingRule.objects.exists()


def test_two_rows_cost_as_many_statements_as_twenty(shop: Shop, staff: Any, assert_queries: Any):
    expert = shop.judge_class("expert")

    def make(count: int) -> None:
        for number in range(count):
            made = old_rule(shop, judgeClassId=expert, by="service" if number % 2 else "editor")
            change_rule(shop, made, maxOpen=50)
        shop.run()

    root = superuser()
    pages = [(client, url(model)) for client in (root, staff) for model in MODELS]
    make(2)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=16) as statements:
            client.get(page)
        few.append(len(statements))
    make(18)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            assert len(client.get(page).context["cl"].result_list) >= 20


def test_a_rule_of_twenty_versions_costs_as_many_statements_as_one_of_two(shop: Shop, staff: Any, assert_queries: Any):
    few, many = make_rule(shop, judgeClassId=shop.judge_class("expert")), make_rule(shop, maxOpen=1)
    change_rule(shop, few, maxOpen=1)
    for number in range(2, 22):
        change_rule(shop, many, maxOpen=number, judgeClassId=few["judgeClassId"])
    pages = [url(JudgingRule, "change", made["ruleId"]) for made in (few, many)]
    staff.get(pages[0])
    with assert_queries(at_most=28) as statements:
        staff.get(pages[0])
    with assert_queries(exact=len(statements)):
        staff.get(pages[1])


def test_nothing_of_a_run_is_on_the_pages(shop: Shop, staff: Any):
    made = old_rule(shop)
    shop.run()
    assert Run.objects.exists()
    for page in (url(JudgingRule), url(JudgingRule, "change", made["ruleId"]), url(JudgingRuleVersion)):
        assert not [word for word in ("Your parcel", "Where is it?", "case-a") if word in shown(staff, page)]
