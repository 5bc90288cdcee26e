"""Rules are made and changed in the editor as over /v1; what is refused stays as it was typed, and nothing is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest

from judging.models import JudgingRule
from tests.builders import browser
from tests.judging.queues import change_rule, make_rule, rules_path
from tests.quality_console.rule_forms import NEW, dialog_of, errors_in, fields_of, rules_there, sent, versions_there
from tests.support.queries import assert_queries, recorded_queries
from tests.support.shops import AGENT, Shop


def test_a_rule_is_made_as_it_was_typed(undone: Shop):
    expert = undone.judge_class("expert")
    typed = {**NEW, "which": "these", "versions": "live\n 1.0.0 \n\n", "cap": "5", "judge_class": expert}
    answer = sent(undone, "new?tab=rules&q=x", {**typed, "more_agents": "Other\n"})
    assert (answer.status_code, answer["Location"]) == (303, f"/projects/{undone.project.slug}/quality?tab=rules&q=x")
    (rule,) = rules_there(undone)
    assert rule.when == {"agentIds": [AGENT, "Other"], "versions": ["live", "1.0.0"]}
    assert (rule.name, rule.sample, rule.max_open, str(rule.judge_class_id)) == ("Support sample", 0.1, 5, expert)
    assert rule.enabled


@pytest.mark.parametrize(
    ("changes", "when"),
    [
        ({"of": "any"}, {}),
        ({"of": "flows", "more_flows": "orders"}, {"flowIds": ["orders"]}),
        ({"which": "live"}, {"agentIds": [AGENT], "versions": ["live"]}),
        ({"dry_runs": "on"}, {"agentIds": [AGENT], "includeDryRuns": True}),
        ({"more_agents": f"{AGENT}\n{AGENT}"}, {"agentIds": [AGENT]}),
        ({"versions": "1.0.0"}, {"agentIds": [AGENT]}),
    ],
)
def test_what_another_choice_hides_counts_for_nothing(undone: Shop, changes: dict[str, Any], when: dict[str, Any]):
    sent(undone, "new", {**NEW, **changes})
    (rule,) = rules_there(undone)
    assert rule.when == when


@pytest.mark.parametrize(
    ("share", "unit", "sample"),
    [
        ("5", "one-in", 0.2),
        ("3", "one-in", 1 / 3),
        ("12.5", "percent", 0.125),
        ("7 %", "percent", 0.07),
        ("1", "one-in", 1),
    ],
)
def test_a_share_is_said_in_percent_or_as_one_in_many(undone: Shop, share: str, unit: str, sample: float):
    sent(undone, "new", {**NEW, "share": share, "unit": unit})
    assert [rule.sample for rule in rules_there(undone)] == [sample]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": " "}, "Give the rule a name."),
        ({"name": "x" * 201}, "Ensure this value has at most 200 characters (it has 201)."),
        ({"agents": []}, "Choose an agent, or take any."),
        ({"of": "flows"}, "Choose a flow, or take any."),
        ({"more_agents": "\n".join(f"a{n}" for n in range(50))}, "Up to 50."),
        ({"more_agents": "a" * 201}, "A name here has up to 200 characters."),
        ({"which": "these"}, "Name a version, or take any."),
        ({"share": "much"}, "Type a number."),
        ({"share": "nan"}, "A share is over 0, and up to 100 percent."),
        ({"share": "0"}, "A share is over 0, and up to 100 percent."),
        ({"share": "1e-400"}, "This share is too small."),
        ({"share": "2.5", "unit": "one-in"}, "1 in how many? A whole number, 1 or more."),
        ({"cap": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"cap": "10001"}, "Ensure this value is less than or equal to 10000."),
        ({"judge_class": "nobody's"}, "This class isn't there any more. Choose another."),
    ],
)
def test_a_refusal_stands_beside_its_field_and_what_was_typed_stays(undone: Shop, changes: dict[str, Any], error: str):
    answer = sent(undone, "new", {**NEW, "cap": "7", **changes})
    assert answer.status_code == 422
    assert errors_in(answer) == [error]
    typed = {**NEW, "cap": "7", **changes}
    kept = fields_of(answer.content.decode())
    assert kept["cap"] == [typed["cap"]]
    assert kept["share"] == [typed["share"]]
    assert "aria-invalid" in answer.content.decode() or "agents" in changes or "of" in changes
    assert rules_there(undone) == []


def test_a_refusal_of_the_service_is_said_in_the_form(undone: Shop):
    scope = {"kind": "agent", "projectId": str(undone.project.pk), "agentId": "Other"}
    one = undone.judge_class("expert", scope=scope)
    answer = sent(undone, "new", {**NEW, "judge_class": one})
    assert answer.status_code == 422
    assert errors_in(answer) == [
        'The judge class applies to the agent "Other" alone, so the rule\'s when.agentIds must name it alone.'
    ]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"sample": 0.1},
        {"sample": 1 / 3},
        {"sample": 0.123456789},
        {"sample": 1e-12},
        {"when": {}},
        {"when": {"flowIds": ["orders"], "versions": ["live"], "includeDryRuns": True}},
        {"when": {"agentIds": ["a, b", AGENT], "versions": ["live", "1.0.0"], "status": ["completed"]}},
        {"maxOpen": 5, "enabled": False},
    ],
)
def test_a_form_that_nobody_touched_changes_nothing(undone: Shop, body: dict[str, Any]):
    rule = make_rule(undone, judgeClassId=undone.judge_class("expert"), **body)
    before = JudgingRule.objects.values().get(pk=rule["ruleId"])
    untouched = fields_of(dialog_of(undone, f"dialog=change&rule={rule['ruleId']}"))
    answer = sent(undone, f"{rule['ruleId']}/change", untouched)
    assert (answer.status_code, errors_in(answer)) == (303, [])
    assert JudgingRule.objects.values().get(pk=rule["ruleId"]) == before
    # Nor does all of it sent anew, over a rule that says something else.
    sent(undone, "new", {**untouched, "name": "A copy"})
    copy = JudgingRule.objects.get(project=undone.project, name="A copy")
    assert (copy.sample, copy.max_open, copy.enabled) == (before["sample"], before["max_open"], before["enabled"])
    assert copy.when == {key: value for key, value in before["when"].items() if key != "status"}


def test_a_change_is_a_new_version_and_null_takes_the_cap_and_the_class_away(undone: Shop):
    rule = make_rule(undone, maxOpen=3, judgeClassId=undone.judge_class("expert"))
    form = fields_of(dialog_of(undone, f"dialog=change&rule={rule['ruleId']}"))
    answer = sent(undone, f"{rule['ruleId']}/change", {**form, "cap": "", "judge_class": "", "name": "Renamed"})
    assert answer.status_code == 303
    (changed,) = rules_there(undone)
    assert (changed.name, changed.version, changed.max_open, changed.judge_class_id) == ("Renamed", 2, None, None)


def test_a_class_that_was_removed_stays_until_another_is_chosen(undone: Shop):
    expert = undone.judge_class("expert")
    rule = make_rule(undone, judgeClassId=expert)
    undone.admin.ok("POST", f"judge-classes/{expert}/unregister")
    html = dialog_of(undone, f"dialog=change&rule={rule['ruleId']}")
    assert "An expert correction (removed)" in html
    sent(undone, f"{rule['ruleId']}/change", {**fields_of(html), "name": "Renamed"})
    (changed,) = rules_there(undone)
    assert (changed.name, str(changed.judge_class_id)) == ("Renamed", expert)
    assert "(removed)" not in dialog_of(undone, "dialog=new")


def test_what_somebody_else_saved_meanwhile_is_said_and_not_overwritten(undone: Shop):
    rule = make_rule(undone, maxOpen=3)
    form = fields_of(dialog_of(undone, f"dialog=change&rule={rule['ruleId']}"))
    change_rule(undone, rule, maxOpen=9, name="Theirs")
    answer = sent(undone, f"{rule['ruleId']}/change", {**form, "share": "50"}, by="editor:2")
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "Meanwhile version 2 was saved" in html
    assert "Cap: No new items while 3 are open → No new items while 9 are open" in html
    assert versions_there(undone) == 2
    brought = fields_of(html)
    assert (brought["name"], brought["cap"], brought["share"], brought["version"]) == (["Theirs"], ["9"], ["50"], ["2"])
    assert sent(undone, f"{rule['ruleId']}/change", brought, by="editor:2").status_code == 303
    (changed,) = rules_there(undone)
    assert (changed.version, changed.name, changed.max_open, changed.sample) == (3, "Theirs", 9, 0.5)


@pytest.mark.parametrize("version", ["", "7", "x", "9" * 30])
def test_a_version_that_nobody_has_seen_saves_nothing(undone: Shop, version: str):
    rule = make_rule(undone)
    answer = sent(undone, f"{rule['ruleId']}/change", {**NEW, "version": version})
    assert answer.status_code == 409
    assert versions_there(undone) == 1


def test_a_rule_that_was_removed_meanwhile_cant_be_changed(undone: Shop):
    rule = make_rule(undone)
    form = fields_of(dialog_of(undone, f"dialog=change&rule={rule['ruleId']}"))
    undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
    assert sent(undone, f"{rule['ruleId']}/change", form).status_code == 404
    assert versions_there(undone) == 1


@pytest.mark.parametrize("path", ["new", "{rule}/change", "{rule}/remove", "{rule}/queue-recent"])
@pytest.mark.parametrize("preview", [{}, {"preview": "1"}])
def test_who_may_not_write_is_refused_and_nothing_happens(undone: Shop, path: str, preview: dict[str, str]):
    rule = make_rule(undone)
    answer = sent(
        undone, path.format(rule=rule["ruleId"]), {**NEW, "version": "1", "last": "5", **preview}, by="viewer"
    )
    assert answer.status_code == 403
    assert versions_there(undone) == 1
    assert [one.unregistered_at for one in rules_there(undone)] == [None]


def test_the_choices_are_the_agents_and_flows_that_are_known(undone: Shop):
    undone.run(agent={"id": "Seen here", "version": "1.0.0"})
    undone.run(flow={"id": "orders", "version": "1.0.0"})
    html = dialog_of(undone, "dialog=new")
    offered = re.findall(r'name="(agents|flows)" value="([^"]*)"', html)
    assert sorted(offered) == [("agents", "Seen here"), ("agents", AGENT), ("flows", "orders")]


def test_the_editor_alone_reads_only_what_it_shows(undone: Shop):
    rule = make_rule(undone, judgeClassId=undone.judge_class("expert"))
    person = browser(undone.person("editor"))
    address = f"/projects/{undone.project.slug}/quality?tab=rules&dialog=change&rule={rule['ruleId']}"
    headers = {"HX-Request": "true", "HX-Target": "dialog"}
    with recorded_queries() as statements:
        html = person.get(address, headers=headers).content.decode()
    assert html.lstrip().startswith("<dialog")
    assert len(statements) <= 10, statements
    for number in range(5):
        make_rule(undone, name=str(number), judgeClassId=undone.judge_class())
        undone.run(agent={"id": f"Agent {number}", "version": "1.0.0"})
    with assert_queries(exact=len(statements)):
        person.get(address, headers=headers)
