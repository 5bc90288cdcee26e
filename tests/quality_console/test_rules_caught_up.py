"""Recent runs are queued by a worker, whom the console tells once what it wrote is committed; how far is for all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from unittest import mock

import pytest

from judging.models import CatchUp
from judging.services.catch_up import catch_up_run
from kindgi.api.times import as_of
from tests.builders import browser
from tests.judging.queues import change_rule, import_runs, make_rule, records, rules_path
from tests.quality_console.rule_forms import dialog_of, errors_in, fields_of, sent
from tests.support.queries import assert_queries, recorded_queries
from tests.support.shops import Shop

Rule = dict[str, Any]


@pytest.fixture
def told(django_capture_on_commit_callbacks: Any) -> Any:
    """Asks for a catch-up; the answer, and what was sent to workers."""

    def ask(shop: Shop, rule: Rule, zone: str = "UTC", **fields: str) -> tuple[Any, list[Any]]:
        person = browser(shop.person("editor"))
        person.cookies["timezone"] = zone
        address = f"/projects/{shop.project.slug}/quality/rules/{rule['ruleId']}/queue-recent"
        with mock.patch("kindgi.celery._send") as send, django_capture_on_commit_callbacks(execute=True):
            answer = person.post(f"{address}?tab=rules&catch-up=a", fields)
        return answer, [call.args for call in send.call_args_list]

    return ask


def progress(shop: Shop, job: CatchUp, *, by: str = "editor", **headers: str) -> Any:
    address = f"/projects/{shop.project.slug}/quality/rules/{job.rule_id}/queue-recent/{job.pk}"
    return browser(shop.person(by)).get(address, headers=headers or None)


def test_a_catch_up_is_begun_and_a_worker_told(undone: Shop, told: Any):
    import_runs(undone, *records(3))
    rule = make_rule(undone)
    answer, calls = told(undone, rule, last="2")
    job = CatchUp.objects.get(rule=rule["ruleId"])
    assert (job.last, job.since, job.of) == (2, None, 2)
    assert [arguments for _, arguments in calls] == [(str(job.pk),)]
    assert answer["Location"] == f"/projects/{undone.project.slug}/quality?tab=rules&catch-up=a&catch-up={job.pk}"


def test_where_there_is_nothing_to_do_nobody_is_told(undone: Shop, told: Any):
    answer, calls = told(undone, make_rule(undone), last="2")
    assert (answer.status_code, calls) == (303, [])


def test_a_time_is_in_the_viewers_zone(undone: Shop, told: Any):
    rule = make_rule(undone)
    told(undone, rule, zone="America/New_York", since="2026-07-01T09:30")
    assert CatchUp.objects.get(rule=rule["ruleId"]).since == datetime(2026, 7, 1, 13, 30, tzinfo=UTC)
    assert "In UTC." in dialog_of(undone, f"dialog=queue&rule={rule['ruleId']}")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "Say how far to go back: a number of runs, a time, or both."),
        ({"last": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"last": "1001"}, "Ensure this value is less than or equal to 1000."),
        ({"since": "yesterday"}, "Enter a valid date/time."),
        ({"since": "2026-03-08T02:30"}, "be interpreted in time zone America/New_York"),
    ],
)
def test_what_cant_be_asked_for_stays_in_the_form(undone: Shop, told: Any, fields: dict[str, str], error: str):
    rule = make_rule(undone)
    answer, calls = told(undone, rule, zone="America/New_York", **fields)
    assert answer.status_code == 422
    assert [error in said for said in errors_in(answer)] == [True]
    assert fields_of(answer.content.decode())["last"] == [fields.get("last", "")]
    assert calls == []
    assert not CatchUp.objects.filter(rule=rule["ruleId"]).exists()


def test_everybody_who_reads_the_project_sees_how_far_it_is(undone: Shop, told: Any):
    import_runs(undone, *records(3))
    rule = make_rule(undone)
    told(undone, rule, last="3")
    job = CatchUp.objects.get(rule=rule["ruleId"])
    page = browser(undone.person("viewer")).get(f"/projects/{undone.project.slug}/quality?tab=rules")
    assert "0 of 3 looked at" in page.content.decode()
    answer = progress(undone, job, by="viewer", **{"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 1s"' in answer
    catch_up_run(catch_up_id=job.pk)
    answer = progress(undone, job, by="viewer", **{"HX-Request": "true"}).content.decode()
    assert "every 1s" not in answer
    assert "3 queued, 0 already queued, 0 already reviewed: 3 matches among the last 3 runs." in answer
    assert (
        "looked at"
        not in browser(undone.person("viewer")).get(page.request["PATH_INFO"] + "?tab=rules").content.decode()
    )


def test_its_own_address_leads_to_the_tab(undone: Shop, told: Any):
    rule = make_rule(undone)
    told(undone, rule, last="3")
    job = CatchUp.objects.get(rule=rule["ruleId"])
    answer = progress(undone, job)
    assert answer["Location"] == f"/projects/{undone.project.slug}/quality?tab=rules&catch-up={job.pk}"


def test_a_catch_up_of_another_rule_isnt_found(undone: Shop, told: Any):
    rule, other = make_rule(undone), make_rule(undone)
    told(undone, rule, last="3")
    job = CatchUp.objects.get(rule=rule["ruleId"])
    address = f"/projects/{undone.project.slug}/quality/rules"
    person = browser(undone.person("editor"))
    for path in (
        f"{other['ruleId']}/queue-recent/{job.pk}",
        f"x/queue-recent/{job.pk}",
        f"{rule['ruleId']}/queue-recent/x",
    ):
        assert person.get(f"{address}/{path}").status_code == 404


def test_a_removed_rule_isnt_caught_up_with(undone: Shop, told: Any):
    rule = make_rule(undone)
    undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
    answer, calls = told(undone, rule, last="3")
    assert (answer.status_code, calls) == (404, [])


def test_removing_says_what_stays_and_stops_the_rule(undone: Shop):
    with as_of(datetime(2026, 1, 1, tzinfo=UTC)):
        rule = make_rule(undone)
    undone.run()
    html = dialog_of(undone, f"dialog=remove&rule={rule['ruleId']}")
    assert "1 run that it queued stays in the queue, and wants what the rule wants now." in html
    for _ in range(2):
        answer = sent(undone, f"{rule['ruleId']}/remove?tab=rules&sort=-open", {})
        assert answer["Location"] == f"/projects/{undone.project.slug}/quality?tab=rules&sort=-open"
    assert undone.editor.ok("GET", rules_path(undone, rule["ruleId"]))["unregisteredAt"]


def test_a_history_says_who_changed_what_and_goes_back_page_by_page(undone: Shop):
    rule = make_rule(undone, by="editor:2")
    person = browser(undone.person("editor"))
    address = f"/projects/{undone.project.slug}/quality?tab=rules&history={rule['ruleId']}"
    change_rule(undone, rule, maxOpen=100)
    with recorded_queries() as statements:
        html = person.get(address).content.decode()
    assert "Version 2</strong>" in html
    assert 'Cap: <span class="from">No cap</span> → No new items while 100 are open' in html
    assert f"· {undone.person('editor:2')} ·" in html
    assert "Earlier versions" not in html
    for number in range(28):
        change_rule(undone, rule, maxOpen=number + 1)
    with assert_queries(exact=len(statements)):
        html = person.get(address).content.decode()
    assert html.count("<strong>Version") == 25
    assert "up_to=5" in html
    html = person.get(f"{address}&up_to=5").content.decode()
    assert html.count("<strong>Version") == 5
    assert "Created" in html
    assert 'now">' not in html
