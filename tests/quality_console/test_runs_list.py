"""A project's runs, newest first: filters as the API's, pages by key, and what became of each run in words."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from kindgi.api.times import now, wire
from tests.judging.queues import dismiss, make_rule, records
from tests.quality_console.around import address, client_of, words
from tests.support.shops import Shop

STATEMENTS = 10


def get(shop: Shop, query: str = "", *, by: str = "viewer", **options):
    return client_of(shop, by).get(f"{address(shop, 'runs')}?{query}", **options)


def ids(response) -> list[str]:
    return [str(run.run_id) for run in response.context["window"].runs]


def test_runs_are_newest_first_and_link_to_their_pages(undone: Shop):
    older = undone.run(createdAt="2026-01-01T00:00:00Z", completedAt="2026-01-01T00:01:00Z")
    newer = undone.run()
    page = get(undone)
    assert ids(page) == [newer, older]
    for run in (older, newer):
        assert f'href="{address(undone, f"runs/{run}")}"' in page.content.decode()


def test_how_each_run_ended_and_stands_is_in_words(undone: Shop):
    make_rule(undone)
    rule_for_experts = undone.judge_class()
    make_rule(undone, judgeClassId=rule_for_experts)
    said = {
        "waits": undone.run(),
        "waits on": undone.run(),
        "dismissed": undone.run(),
        "erased": undone.run(),
        "failed": undone.run(status="failed", output=None, failureMessage="No tool."),
        "running": undone.run(status="running", output=None),
        "elsewhere": undone.run(dryRun=True),
    }
    undone.correct(said["waits on"])
    undone.correct(said["elsewhere"])
    dismiss(undone, said["dismissed"])
    undone.admin.ok("POST", f"runs/{said['erased']}/erase")
    page = get(undone)
    rows = re.findall(r"<tr.*?</tr>", page.content.decode(), re.DOTALL)[1:]
    found = {run: " ".join(re.sub(r"<[^>]*>", " ", row).split()) for run, row in zip(ids(page), rows, strict=True)}
    assert found[said["waits"]].endswith("Completed Waits for a correction")
    assert found[said["waits on"]].endswith("Completed Waits for another correction")
    assert found[said["dismissed"]].endswith("Completed Dismissed")
    assert found[said["erased"]].endswith("Completed Erased Left it when it was erased")
    assert found[said["failed"]].endswith("Failed Not queued")
    assert found[said["running"]].endswith("Running Not queued")
    assert found[said["elsewhere"]].endswith("Completed Corrected without being queued")


def test_a_run_that_got_what_was_wanted_is_corrected(undone: Shop):
    make_rule(undone)
    run = undone.run()
    undone.correct(run)
    assert "Completed Corrected" in words(get(undone))


def test_filters_are_those_of_the_api(undone: Shop):
    plain = undone.run()
    flow = undone.run(flow={"id": "shop.parcels", "version": "2.0.0"})
    step = undone.run(parentRunId=flow)
    dry = undone.run(dryRun=True)
    replay = undone.run(replayOf=plain)
    erased = undone.run()
    failed = undone.run(status="failed", output=None)
    running = undone.run(status="running", output=None)
    undone.admin.ok("POST", f"runs/{erased}/erase")
    every = {plain, flow, step, dry, replay, erased, failed, running}
    asked = {
        "": every,
        "agentId=shop.desk": every - {flow},
        "agentId=nobody": set(),
        "agentVersion=1.0.0": every - {flow},
        "flowId=shop.parcels": {flow},
        "flowVersion=2.0.0": {flow},
        "status=failed": {failed},
        "status=failed&status=running": {failed, running},
        "topLevel=true": every - {step},
        "topLevel=false": {step},
        f"parentRunId={flow}": {step},
        "replays=exclude": every - {replay},
        "replays=only": {replay},
        "dryRuns=true": {dry},
        "dryRuns=false": every - {dry},
        "erased=true": {erased},
        "erased=false": every - {erased},
        f"createdAfter={wire(now() + timedelta(hours=1))}": set(),
        f"q={plain}": {plain},
        f"q={plain[:8].upper()}": {plain},
        f"q={plain[:13]}": {plain},
    }
    assert {query: set(ids(get(undone, query))) for query in asked} == asked


def test_days_are_the_readers_and_a_link_keeps_whose(undone: Shop):
    # Half past eight in the evening of the 4th in New York is the 5th in UTC.
    run = undone.run(createdAt="2026-03-05T01:30:00Z", completedAt="2026-03-05T01:31:00Z")
    client = client_of(undone, "viewer")
    client.cookies["timezone"] = "America/New_York"
    path = address(undone, "runs")
    assert ids(client.get(path, {"since": "2026-03-04", "until": "2026-03-04"})) == [run]
    assert ids(client.get(path, {"since": "2026-03-05"})) == []
    assert 'name="zone" value="America/New_York"' in client.get(path).content.decode()
    shared = {"since": "2026-03-04", "until": "2026-03-04", "zone": "America/New_York"}
    assert ids(client_of(undone, "editor").get(path, shared)) == [run]
    assert ids(client_of(undone, "editor").get(path, {**shared, "zone": "UTC"})) == []


@pytest.mark.parametrize(
    "query",
    [
        "status=melted",
        "since=yesterday",
        "until=9999-12-31",
        "since=0001-01-01",
        "createdAfter=soon",
        "createdAfter=0001-01-01T00:00:00%2B14:00",
        "replays=perhaps",
        "dryRuns=maybe",
        "q=zz",
        "q=%00",
        "agentId=%00",
        "parentRunId=x",
        "after=nonsense",
        "before=nonsense",
        "after=&before=",
        "zone=Mars/Olympus&since=2026-01-01",
        "scopeKind=tenant",
        "columns=nothing",
        "sort=nothing",
        "page=2",
    ],
)
def test_whatever_an_address_says_there_is_a_page(undone: Shop, query: str):
    undone.run()
    assert get(undone, query).status_code in {200, 400}


def test_a_value_that_cannot_be_read_is_left_out_and_said(undone: Shop):
    run = undone.run()
    page = get(undone, "status=melted")
    assert ids(page) == [run]
    assert "is left out" in words(page)


def test_a_filter_that_matches_nothing_says_what_was_asked_and_offers_to_clear_it(undone: Shop):
    undone.run()
    said = words(get(undone, "agentId=nobody&status=failed&status=cancelled&dryRuns=true&since=2026-01-02"))
    asked = "of the agent nobody, that are failed or cancelled"
    assert asked in said
    assert "that are dry runs" in said
    assert "created on 2 Jan 2026 or later" in said
    assert "Clear the filters" in said


def test_a_project_without_runs_says_where_they_come_from(undone: Shop):
    assert "No runs yet" in words(get(undone))


def test_pages_go_back_and_forth_by_key_and_lose_nothing(undone: Shop):
    made = []
    for number in range(6):
        at = wire(now() - timedelta(minutes=60 - number))
        made += [record | {"createdAt": at, "completedAt": at} for record in records(10)]
    assert undone.admin.ok("POST", "runs/import", made)["created"] == 60
    client, path = client_of(undone, "viewer"), address(undone, "runs")
    first = client.get(path)
    second = client.get(path, {"after": first.context["window"].older})
    third = client.get(path, {"after": second.context["window"].older})
    assert (len(ids(first)), len(ids(second)), len(ids(third))) == (25, 25, 10)
    assert {*ids(first), *ids(second), *ids(third)} == {record["id"] for record in made}
    assert third.context["window"].older is None
    assert first.context["window"].newer is None
    assert ids(client.get(path, {"before": third.context["window"].newer})) == ids(second)
    assert ids(client.get(path, {"before": second.context["window"].newer})) == ids(first)
    # A filter that is chosen on a later page begins at its own beginning.
    form = client.get(path, {"after": first.context["window"].older, "columns": "ran"}).content.decode()
    assert 'name="columns" value="ran"' in form
    assert 'name="after"' not in form


def test_columns_are_chosen_in_the_address(undone: Shop):
    agent = {"id": "shop.desk", "version": "1.0.0", "conversationId": "chat-3"}
    undone.run(participantId="customer-17", agent=agent)
    assert "customer-17" not in words(get(undone))
    said = words(get(undone, "columns=ran&columns=user&columns=conversation"))
    assert "customer-17" in said
    assert "chat-3" in said
    assert "In the queue" not in said.partition("End user")[2]


def test_htmx_gets_the_list_alone(undone: Shop):
    undone.run()
    part = get(undone, headers={"HX-Request": "true", "HX-Target": "tab"}).content.decode()
    assert part.lstrip().startswith('<div id="tab"')
    assert "<html" not in part


def test_the_list_costs_the_same_statements_whatever_it_shows_and_reads_no_content(undone: Shop, assert_queries):
    make_rule(undone)
    undone.run()
    client, path = client_of(undone, "viewer"), address(undone, "runs")
    client.get(path)
    with assert_queries(exact=STATEMENTS):
        client.get(path)
    for record in records(24):
        undone.admin.ok("PUT", f"runs/{record.pop('id')}", record)
    with assert_queries(exact=STATEMENTS) as statements:
        page = client.get(path)
    assert len(ids(page)) == 25
    assert not [statement for statement in statements if "runcontent" in statement or "failure_message" in statement]
    assert len(page.content) < 100_000


def test_agents_to_choose_are_those_that_ran_here_and_the_one_that_is_asked_for(undone: Shop):
    undone.run()
    undone.run(agent={"id": "shop.b", "version": "1"})
    undone.run(flow={"id": "shop.parcels", "version": "2.0.0"})
    assert get(undone).context["agents"] == ["shop.b", "shop.desk"]
    assert get(undone, "agentId=gone").context["agents"] == ["gone", "shop.b", "shop.desk"]


def test_runs_of_other_projects_and_tenants_are_not_there(undone: Shop):
    other = undone.other_project()
    hidden = undone.run(projectId=str(other.pk))
    rival = Shop.open()
    theirs = rival.run()
    assert ids(get(undone)) == []
    assert ids(get(undone, f"q={hidden}")) == []
    assert ids(get(undone, f"q={theirs}")) == []
    assert client_of(undone, "viewer").get(f"/projects/{other.slug}/runs").status_code == 404
