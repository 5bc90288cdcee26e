"""The To correct tab lists what waits, and what did: one address a view, counts as the lists, and few statements."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from judging.models import QueueItem
from judging.queue_view import Sort
from kindgi.api.times import as_of, now, wire
from kindgi.runs.models import Run
from tests.builders import make_project
from tests.judging.queues import dismiss, import_runs, make_rule, old_rule, queued_runs, records
from tests.quality_console.queue_pages import address, client_of, links, rows, tab, words
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, Shop

LIMIT = 100_000


def filled(shop: Shop, number: int, **body: Any) -> list[str]:
    """So many runs that wait for anybody, oldest first."""
    old_rule(shop)
    import_runs(shop, *records(number, **body))
    return queued_runs(shop)


def test_a_row_says_what_ran_when_it_finished_why_its_here_and_what_it_needs(undone: Shop):
    expert = undone.judge_class("expert", assertableBy={"minReviewerRole": "senior"})
    rule = make_rule(undone, name="Support sample", judgeClassId=expert)
    run = undone.run()
    undone.correct(run, by="service")
    page = tab(undone, "whose=everyone")
    assert rows(page) == [run]
    said = words(page)
    assert f"{AGENT} 1.0.0 {run[:8]}" in said
    assert "Needs an expert correction (1 so far, unclassified)" in said
    link = links(page)["Support sample"]
    assert link == f"{address(undone)}?tab=rules#rule-{rule['ruleId']}"
    assert f'id="rule-{rule["ruleId"]}"' in client_of(undone).get(link).content.decode()
    assert f"Dismiss {AGENT} 1.0.0, {run[:8]}" in page
    assert '<span class="ring part"' in page


def test_a_rows_link_leads_to_the_runs_corrections_and_carries_what_the_list_is_narrowed_to(undone: Shop):
    rule = make_rule(undone)
    run = undone.run()
    link = urlsplit(
        links(tab(undone, f"whose=everyone&rule={rule['ruleId']}&agent={AGENT}&sort=-finished"))[f"{AGENT} 1.0.0"]
    )
    assert link.path == f"/projects/{undone.project.slug}/runs/{run}"
    said = {"tab": "corrections", "whose": "everyone", "rule": rule["ruleId"], "agent": AGENT, "sort": "-finished"}
    assert parse_qs(link.query) == {name: [text] for name, text in said.items()}


def test_what_waits_for_others_is_counted_and_listed_among_everyones(undone: Shop):
    make_rule(undone)
    mine = undone.run()
    expert = undone.judge_class("expert", assertableBy={"minReviewerRole": "senior"})
    make_rule(undone, name="Experts", when={"agentIds": ["other"]}, judgeClassId=expert)
    others = [undone.run(agent={"id": "other", "version": "2.0.0"}) for _ in range(2)]
    page = tab(undone)
    assert rows(page) == [mine]
    assert "2 more wait for other judges." in words(page)
    assert "To correct 1 " in words(page)
    everyones = tab(undone, "whose=everyone")
    assert set(rows(everyones)) == {mine, *others}
    assert "more wait" not in words(everyones)


def test_each_state_has_its_list_and_its_count(undone: Shop):
    runs = filled(undone, 5)
    undone.correct(runs[1])
    dismiss(undone, runs[2], reason="A test order")
    undone.admin.ok("POST", f"runs/{runs[3]}/erase")
    for state, wanted, stands in [
        ("waiting", [runs[0], runs[4]], "Needs any correction"),
        ("corrected", [runs[1]], "Corrected: fixed"),
        ("dismissed", [runs[2]], "Dismissed by you"),
        ("erased", [runs[3]], "Erased "),
    ]:
        page = tab(undone, f"state={state}")
        assert rows(page) == wanted
        assert stands in words(page), words(page)
        assert "Waiting 2 Corrected 1 Dismissed 1 Erased 1" in words(page)
    assert ": A test order" in words(tab(undone, "state=dismissed"))
    assert "Dismissed by you" not in words(tab(undone, "state=dismissed", by="admin"))


def test_a_correction_that_was_taken_back_is_said(undone: Shop):
    (run,) = filled(undone, 1)
    made = undone.correct(run)
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    assert "and taken back since" in words(tab(undone, "state=corrected"))


def test_who_has_a_run_open_is_told_until_the_hold_ends(undone: Shop):
    (run,) = filled(undone, 1)
    undone.editor.ok("POST", f"projects/{undone.project.pk}/judging-queue/{run}/hold")
    assert "you since" in words(tab(undone))
    assert f"{undone.person('editor')} since" in words(tab(undone, by="admin"))
    with as_of(now() + timedelta(minutes=6)):
        assert " since " not in words(tab(undone, by="admin"))


@pytest.mark.parametrize("sort", [f"{way}{sort}" for sort in Sort for way in ("", "-")])
def test_every_sort_has_each_run_once_from_page_to_page_and_back(undone: Shop, sort: str):
    runs = filled(undone, 60)
    client, seen, there = client_of(undone), [], f"{address(undone)}?tab=to-correct&sort={sort}"
    first = client.get(there).content.decode()
    pages = [first]
    while "Next" in (found := links(pages[-1])):
        pages.append(client.get(found["Next"]).content.decode())
    seen = [run for page in pages for run in rows(page)]
    assert (len(pages), sorted(seen)) == (3, sorted(runs))
    for earlier, later in [(1, 2), (0, 1)]:
        assert rows(client.get(links(pages[later])["Previous"]).content.decode()) == rows(pages[earlier])
    if sort == "added":
        assert seen == runs
    if sort == "-added":
        assert seen == runs[::-1]
    assert "1 to 25 of 60." in words(first)


def test_a_columns_head_sorts_by_it_and_says_so(undone: Shop):
    filled(undone, 1)
    head = links(tab(undone, "whose=everyone"))["Finished"]
    assert parse_qs(head.removeprefix("?")) == {"tab": ["to-correct"], "whose": ["everyone"], "sort": ["finished"]}
    assert 'aria-sort="ascending"' in tab(undone, "sort=finished")
    assert 'aria-sort="descending"' in tab(undone, "sort=-finished")


def test_columns_are_shown_as_the_address_says(undone: Shop):
    (run,) = filled(undone, 1)
    page = words(tab(undone, "columns=added&columns=so_far").partition("<thead>")[2].partition("</thead>")[0])
    assert page == "Select What ran Added to the queue Corrections so far Actions"
    assert rows(tab(undone, "columns=nothing")) == [run]


def test_filters_narrow_what_is_listed_and_counted_by_rule_agent_and_flow(undone: Shop):
    rule = make_rule(undone, name="Of the desk")
    make_rule(undone, name="Of others", when={"agentIds": ["flow:odd"]})
    make_rule(undone, name="Of orders", when={"flowIds": ["orders"]})
    desk = undone.run()
    odd = undone.run(agent={"id": "flow:odd", "version": "2.0.0"})
    flow = undone.run(flow={"id": "orders", "version": "1.0.0"})
    for query, wanted in [
        (f"rule={rule['ruleId']}", desk),
        (f"agent={AGENT}", desk),
        ("agent=agent:flow:odd", odd),
        ("agent=flow:orders", flow),
    ]:
        page = tab(undone, query)
        assert rows(page) == [wanted]
        assert "Waiting 1 Corrected 0" in words(page)
        assert "selected" in page
    options = tab(undone)
    for value in (AGENT, "agent:flow:odd", "flow:orders"):
        assert f'<option value="{value}">' in options


def test_filters_that_match_nothing_say_what_was_asked_and_offer_to_clear_it(undone: Shop):
    rule = make_rule(undone, name="Everything")
    make_rule(undone, name="Others", when={"agentIds": ["Retail desk"]})
    run = undone.run()
    query = f"rule={rule['ruleId']}&agent=Retail+desk&sort=finished"
    page = tab(undone, query)
    assert rows(page) == []
    assert "Nothing is waiting for you that the rule Everything queued and that Retail desk ran." in words(page)
    assert "1 run waits for you in all." in words(page)
    clear = links(page)["Clear the filters"]
    assert rows(client_of(undone).get(clear).content.decode()) == [run]
    assert "sort=finished" in clear


def test_nothing_at_all_says_so(undone: Shop):
    assert "This project has no rule that queues runs yet." in words(tab(undone))
    make_rule(undone)
    assert "Every run that a rule queued is corrected, dismissed or erased." in words(tab(undone))
    expert = undone.judge_class("expert", assertableBy={"minReviewerRole": "senior"})
    make_rule(undone, name="Experts", when={"agentIds": ["other"]}, judgeClassId=expert)
    undone.run(agent={"id": "other", "version": "2.0.0"})
    said = "Nothing waits for you Every run that a rule queued for you is corrected. 1 more waits for other judges."
    assert said in words(tab(undone))
    assert "No run for you is erased" in words(tab(undone, "state=erased"))


@pytest.mark.parametrize(
    "query",
    [
        "state=nothing", "whose=nobody", "rule=x", "rule=%00", "agent=%00", "agent=flow:", "sort=x", "sort=--added",
        "after=x", "before=%ff", "after=x&before=y", "columns=", "columns=,,", "dialog=dismiss", "dialog=x&run=y",
        "dialog=dismiss&run=x", "rule=11111111-1111-4111-8111-111111111111", "agent=" + "x" * 1000, "page=-1",
        "state=waiting&state=erased", "sort=held&state=erased", "tab=to-correct",
    ],
)  # fmt: skip
def test_an_address_that_was_tampered_with_breaks_nothing(undone: Shop, query: str):
    filled(undone, 2)
    assert "Waiting" in words(tab(undone, query))


def test_a_place_of_another_sort_is_the_first_page(undone: Shop):
    runs = filled(undone, 30)
    after = links(tab(undone))["Next"].partition("after=")[2].partition("&")[0]
    assert rows(tab(undone, f"after={after}")) == runs[25:]
    assert len(rows(tab(undone, f"sort=-finished&after={after}"))) == 25


def test_a_viewer_sees_everyones_and_nothing_that_they_may_not_do(undone: Shop):
    filled(undone, 1)
    page = tab(undone, by="viewer")
    assert len(rows(page)) == 1
    for act in ('name="run"', 'title="Dismiss"', "/queue/", 'class="bulk"'):
        assert act not in page
    assert "<dialog" not in tab(undone, f"dialog=dismiss&run={queued_runs(undone)[0]}", by="viewer")


def test_how_corrections_stand_is_told_to_nobody_who_may_still_correct_the_run(undone: Shop):
    old_rule(undone)
    import_runs(undone, *records(1))
    (run,) = queued_runs(undone)
    undone.correct(run, by="editor:2", answer="wrong", why="No.")
    undone.correct(run, by="editor", answer="right", participantId="customer-17")

    def told(by: str) -> bool:
        said = words(tab(undone, "state=corrected&whose=everyone", by=by))
        assert "Corrected" in said.partition(run[:8])[2], said
        return "Corrected: open" in said

    assert [told(by) for by in ("editor", "admin", "editor:2", "viewer")] == [False, False, True, True]
    undone.correct(run, by="editor", answer="right")
    assert told("editor")
    undone.project.blind = False
    undone.project.save()
    assert told("admin")


@pytest.mark.parametrize("state", ["waiting", "corrected", "dismissed", "erased"])
def test_a_page_takes_the_same_few_statements_however_many_rows_it_has(undone: Shop, state: str):
    counts = []
    old_rule(undone)
    for number in (2, 20):
        import_runs(undone, *records(number))
        for run in queued_runs(undone, "state=open"):
            if state == "corrected":
                undone.correct(run)
            elif state == "dismissed":
                dismiss(undone, run)
            elif state == "erased":
                undone.admin.ok("POST", f"runs/{run}/erase")
            else:
                undone.editor.ok("POST", f"projects/{undone.project.pk}/judging-queue/{run}/hold")
        client = client_of(undone)
        with assert_queries(at_most=12) as statements:
            page = client.get(f"{address(undone)}?tab=to-correct&state={state}").content.decode()
        assert len(rows(page)) >= number
        counts.append(len(statements))
    assert counts[0] == counts[1]


def test_a_first_page_with_names_holders_and_flows_takes_12_statements_at_most(undone: Shop):
    make_rule(undone, when={})
    expert = undone.judge_class("expert", assertableBy={"minReviewerRole": "senior"})
    make_rule(undone, name="Experts", when={}, judgeClassId=expert)
    runs = [undone.run(flow={"id": "orders", "version": "1.2.0"}) for _ in range(3)]
    runs += [undone.run() for _ in range(3)]
    undone.correct(runs[0])
    for run, by in zip(runs, ("editor", "admin", "editor:2"), strict=False):
        undone.api(by).ok("POST", f"projects/{undone.project.pk}/judging-queue/{run}/hold")
    client = client_of(undone)
    with assert_queries(at_most=12):
        page = client.get(f"{address(undone)}?tab=to-correct&whose=everyone").content.decode()
    for said in ("orders 1.2.0", f"{undone.person('admin')} since", "you since", "expert correction"):
        assert said in words(page)
    assert sorted(rows(page)) == sorted(runs)


def test_a_flows_row_has_its_version_as_long_as_the_run_is_there(undone: Shop):
    make_rule(undone, when={})
    run = undone.run(flow={"id": "orders", "version": "1.2.0"})
    assert f"orders 1.2.0 {run[:8]}" in words(tab(undone))
    undone.admin.ok("POST", f"runs/{run}/erase")
    assert f"orders 1.2.0 {run[:8]}" in words(tab(undone, "state=erased"))
    Run.objects.filter(run_id=run).delete()
    assert f"orders {run[:8]}" in words(tab(undone, "state=erased"))


@pytest.mark.parametrize("state", ["dismissed", "erased"])
def test_when_a_run_left_the_queue_is_said_with_its_exact_instant(undone: Shop, state: str):
    (run,) = filled(undone, 1)
    if state == "dismissed":
        dismiss(undone, run, reason="<b>A test</b>")
    else:
        undone.admin.ok("POST", f"runs/{run}/erase")
    closed_at = QueueItem.objects.get(run_id=run).closed_at
    assert closed_at is not None
    at = wire(closed_at)
    page = tab(undone, f"state={state}")
    assert f'<time datetime="{at}" title="{at}">' in page.partition("ring off")[2].partition("</td>")[0]
    assert "<b>A test" not in page


def test_long_names_of_rules_are_offered_cut_and_the_chosen_one_is_said_whole(undone: Shop):
    rules = [make_rule(undone, name=f"{'long ' * 38}{number}") for number in range(3)]
    options = tab(undone).partition('id="f-rule"')[2].partition("</select>")[0]
    for number, rule in enumerate(rules):
        label = options.partition(f'value="{rule["ruleId"]}">')[2].partition("<")[0]
        assert len(label) == 60
        assert label.startswith("long ")
        assert label.endswith(f" {number}")
    assert "title" not in options
    assert f'title="{rules[1]["name"]}"' in tab(undone, f"rule={rules[1]['ruleId']}")


def test_twenty_five_rows_are_under_100_kb(undone: Shop):
    for number in range(8):
        make_rule(undone, name=f"{number} {'long' * 12}")
    import_runs(undone, *records(26, completedAt=timezone.now().isoformat()))
    page = tab(undone)
    assert len(rows(page)) == 25
    assert len(page.encode()) < LIMIT, len(page.encode())


def test_another_projects_list_is_another(undone: Shop):
    filled(undone, 1)
    other = make_project(undone.tenant)
    page = client_of(undone, "tenant-admin").get(f"/projects/{other.slug}/quality?tab=to-correct").content.decode()
    assert rows(page) == []
