"""The run page: what happened in a run is told whole or in part, whatever came in and however much of it."""

import html
import json
import re
import time
from datetime import timedelta

import pytest

from kindgi.api.times import now, wire
from kindgi.runs.services.retention import runs_purge
from tests import builders
from tests.judging.queues import dismiss, make_rule
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, completed

MEBIBYTE = 1 << 20
MOST_BYTES, MOST_SECONDS = 150_000, 0.3
NAME = "n" * 200


def address(shop, run_id, query="tab=overview"):
    return f"/projects/{shop.project.slug}/runs/{run_id}?{query}"


def looked_at(shop, run_id, query="tab=overview", *, by="editor", status=200, path="", **headers):
    where = address(shop, f"{run_id}{path}", query)
    response = builders.browser(shop.person(by)).get(where, headers=headers)
    assert response.status_code == status, response.content.decode()[:2000]
    return response.content.decode()


def words(page):
    """What a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page.replace("<wbr>", ""))).split())


def calls(number, **args):
    return [{"tool": "shop.lookup", "args": {"order": f"A-{n}", **args}} for n in range(number)]


@pytest.mark.parametrize("tab", ["overview", "corrections"])
def test_a_run_is_shown_to_whoever_may_read_it_and_to_nobody_else(undone, tab):
    run_id = undone.run()
    for by in ("editor", "viewer"):
        assert "Your parcel is on its way." in looked_at(undone, run_id, f"tab={tab}", by=by)
    stranger = builders.make_user(builders.make_tenant(), admin=True)
    assert builders.browser(stranger).get(address(undone, run_id, f"tab={tab}")).status_code == 404


def test_a_run_of_another_project_is_not_there(undone):
    other = undone.other_project()
    run_id = undone.run(projectId=str(other.pk))
    looked_at(undone, run_id, status=404)
    for spelled in ("x", run_id[:-1], "00000000-0000-0000-0000-000000000000"):
        looked_at(undone, spelled, status=404)


def test_the_head_says_what_ran_how_and_why_it_waits(undone):
    make_rule(undone, name="Everything new")
    run_id = undone.run()
    said = words(looked_at(undone, run_id))
    assert f"{AGENT} 1.0.0" in said
    assert "ran as the live version" in said
    assert "queued by Everything new (version 1)" in said
    assert run_id in said


def test_each_call_stands_with_its_arguments_and_its_result(undone):
    found = {"tool": "shop.lookup", "args": {"order": "A-17"}, "result": {"price": 129.0}}
    failed = {"tool": "shop.mail", "args": {}, "result": {"error": "No address."}}
    output = {"response": {"content": "Done."}, "toolCalls": [found, failed]}
    made = [{"tool": one["tool"], "args": one["args"], "refused": one is failed} for one in (found, failed)]
    said = words(looked_at(undone, undone.run(output=output, calls=made)))
    assert "2 tool calls" in said
    assert '"A-17"' in said and '"price": 129.0' in said
    assert "refused" in said and "error" in said


def test_what_is_cut_is_read_whole_at_an_address_of_its_own(undone):
    text = "word " * 3000
    run_id = undone.run(output={"response": {"content": text}})
    page = looked_at(undone, run_id)
    link = html.unescape(re.findall(r'<a class="btn link"\s+href="([^"]*)"[^>]*>Show all 15,000 characters', page)[0])
    client = builders.browser(undone.person("editor"))
    assert text.strip() in client.get(link).content.decode()
    part = client.get(link, headers={"HX-Request": "true"}).content.decode()
    assert text.strip() in part and "<html" not in part
    assert client.get(f"{link}&as=text").content.decode() == json.dumps(text)


@pytest.mark.parametrize(
    "query", ["", "part=output&pointer=/no/such", "part=nothing", "part=output&pointer=x", "part=input&pointer=%00"]
)
def test_there_is_nothing_at_other_addresses(undone, query):
    looked_at(undone, undone.run(), query, path="/part", status=404)


def test_the_answer_is_shown_to_be_read_or_as_it_came(undone):
    run_id = undone.run(output={"response": {"content": json.dumps({"message": "It left.\nToday."})}})
    assert "It left.\nToday." in html.unescape(looked_at(undone, run_id))
    raw = html.unescape(looked_at(undone, run_id, "tab=overview&answer=raw"))
    assert json.dumps(json.dumps({"message": "It left.\nToday."})) in raw
    part = looked_at(undone, run_id, "tab=overview&answer=raw", **{"HX-Request": "true", "HX-Target": "answer"})
    assert "<html" not in part


def test_the_json_is_what_the_api_has(undone):
    run_id = undone.run(calls=calls(2))
    page = builders.browser(undone.person("editor")).get(address(undone, f"{run_id}/json", "download=1"))
    assert page.json() == undone.editor.ok("GET", f"runs/{run_id}?include=input,calls")
    assert f"run-{run_id}.json" in page.headers["Content-Disposition"]


def test_steps_are_paged_until_the_last_of_ten_thousand(undone):
    run_id = undone.run(calls=calls(10_000))
    first = looked_at(undone, run_id)
    assert "of 10,000" in first
    following = int(re.findall(r'href="\?[^"]*steps=(\d+)[^"]*"', first)[0])
    assert f'id="call-{following}"' in first and f'id="call-{following + 1}"' not in first
    assert f'id="call-{following + 1}"' in looked_at(undone, run_id, f"tab=overview&steps={following}")
    last = looked_at(undone, run_id, "tab=overview&steps=9999")
    assert 'id="call-10000"' in last and "Later calls" not in last


HEAVY = {
    "ten thousand calls": {"calls": calls(10_000, note="n" * 50)},
    "a mebibyte of output": {"output": {"response": {"content": "0123456789abcde\n" * (MEBIBYTE // 16)}}},
    "a mebibyte of values": {"output": {"rows": [{"id": n, "name": f"row {n}"} for n in range(25_000)]}},
    "a hundred heavy calls": {"calls": calls(100, **{f"argument {n}": '"<&>' * 30 for n in range(20)})},
    "a long talk": {
        "input": {"messages": [{"role": "user", "content": '"<&>' * 400} for _ in range(200)]},
        "output": {"response": {"content": '"<&>' * 5000}, "more": ['"<&>' * 100] * 100},
    },
    "right to left": {"output": {"response": {"content": "طلبك مع شركة الشحن " * 2000}}},
    "long names": {"calls": [{"tool": f"shop.{NAME}"[:200], "args": {NAME: NAME}} for _ in range(200)]},
}


@pytest.mark.parametrize("tab", ["overview", "corrections"])
@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY)
def test_a_heavy_run_is_a_light_page(undone, body, tab):
    run_id = undone.run(agent={"id": "shop.heavy", "version": "1.0.0"}, **body)
    client = builders.browser(undone.person("viewer"))
    client.get(address(undone, run_id, f"tab={tab}"))
    begun = time.process_time()
    page = client.get(address(undone, run_id, f"tab={tab}"))
    took = time.process_time() - begun
    assert page.status_code == 200
    assert len(page.content) <= MOST_BYTES
    assert took <= MOST_SECONDS


def test_what_cannot_be_written_down_is_spelled(undone):
    run_id = undone.run_with_output(r'{"response": {"content": "a\u0000b\ud800c"}, "x\ud800": {"\u0000": [1]}}')
    for tab in ("overview", "corrections"):
        assert r"a\u0000b\ud800c" in looked_at(undone, run_id, f"tab={tab}")
    assert r"\ud800" in looked_at(undone, run_id, "part=output&pointer=", path="/part")


def test_names_and_texts_are_never_markup(undone):
    said = "<script>alert(1)</script>{{ 7|add:1 }}"
    made = [{"tool": said, "args": {said: said}}]
    page = looked_at(undone, undone.run(output={"response": {"content": said}}, calls=made, input={"message": said}))
    assert "<script>alert" not in page
    assert html.escape(said) in page


def test_an_erased_run_says_so_and_shows_nothing_of_it(undone):
    run_id = undone.run(output={"response": {"content": "Dear Jo Person"}}, input={"message": "I am Jo Person."})
    undone.correct(run_id, answer="wrong", why="Jo isn't a customer.")
    undone.api("admin").ok("POST", f"runs/{run_id}/erase")
    for tab in ("overview", "corrections"):
        page = looked_at(undone, run_id, f"tab={tab}")
        assert "This run was erased" in page and "It can&#x27;t be corrected any more." in page
        assert "Jo " not in page  # with the space no token has it by chance
        assert '<form class="card form"' not in page


def test_a_run_that_was_deleted_shows_what_its_corrections_keep(undone):
    long_ago = wire(now() - timedelta(days=3))
    run_id = undone.run(output={"response": {"content": "It left today."}}, createdAt=long_ago, completedAt=long_ago)
    undone.correct(run_id, answer="right")
    undone.project.retention_days = 1
    undone.project.save()
    assert runs_purge(project=undone.project, limit=10) == 1
    assert undone.admin.refused("GET", f"runs/{run_id}") == (404, "run-not-found")
    page = looked_at(undone, run_id, "tab=corrections")
    assert "This run was deleted" in page and "It left today." in page
    assert "It left today." in looked_at(undone, run_id)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"status": "running"}, "This run isn't finished yet. It can be corrected once it has completed."),
        ({"status": "pending"}, "This run isn't finished yet."),
        ({"status": "suspended"}, "This run is suspended."),
        ({"status": "cancelled"}, "This run was cancelled. There is no answer to correct."),
        (
            {"status": "failed", "failureMessage": "No answer in 60 s."},
            "This run failed. There is no answer to correct.",
        ),
    ],
)
def test_a_run_without_an_answer_is_told_in_words_and_has_no_form(undone, body, told):
    page = looked_at(undone, undone.run(**completed(output=None, **body)), "tab=corrections")
    assert told in words(page)
    assert body.get("failureMessage", "") in page
    assert 'id="correction"' not in page


def test_a_viewer_gets_no_form_and_an_editor_does(undone):
    run_id = undone.run()
    assert 'id="correction"' in looked_at(undone, run_id, "tab=corrections")
    assert 'id="correction"' not in looked_at(undone, run_id, "tab=corrections", by="viewer")


def test_a_flow_is_called_by_its_own_name_and_leads_to_its_parts(undone):
    flow = undone.run(flow={"id": "shop.parcels", "version": "3.0.0"})
    turn = undone.run(parentRunId=flow)
    replay = undone.run(replayOf=turn)
    assert "shop.parcels 3.0.0" in words(looked_at(undone, flow))
    assert f"runs/{turn}?tab=overview" in looked_at(undone, flow)
    page = looked_at(undone, turn)
    assert f"runs/{flow}?tab=overview" in page and f"runs/{replay}?tab=overview" in page


def test_in_the_queue_next_and_previous_stay_in_the_list(undone):
    rule = make_rule(undone)
    runs = [undone.run() for _ in range(3)]
    asked = f"whose=everyone&rule={rule['ruleId']}"
    page = html.unescape(looked_at(undone, runs[1], f"tab=corrections&{asked}"))
    assert "2 of 3" in page
    for neighbour in (runs[0], runs[2]):
        assert re.search(rf'href="[^"]*/runs/{neighbour}\?tab=corrections&{asked}"', page)
    assert f"tab=to-correct&{asked}" in page
    assert f"{runs[1]}?tab=overview&{asked}" in page


def test_a_run_that_was_never_queued_leads_back_to_the_runs(undone):
    page = looked_at(undone, undone.run(), "tab=corrections")
    assert f'href="/projects/{undone.project.slug}/runs"' in page
    assert "queue-next" not in page


def test_looking_holds_nothing_and_holding_is_told_to_others(undone):
    make_rule(undone)
    run_id = undone.run()
    where = f"/projects/{undone.project.slug}/queue/{run_id}"
    mine, other = (builders.browser(undone.person(name)) for name in ("editor", "editor:2"))
    assert "Nobody holds it" in mine.get(address(undone, run_id, "tab=corrections")).content.decode()
    assert mine.post(f"{where}/hold").status_code == 204
    assert "Held by you" in words(mine.get(address(undone, run_id, "tab=corrections")).content.decode())
    seen = words(other.get(address(undone, run_id, "tab=corrections")).content.decode())
    assert re.search(r"is correcting this run since \d+(:\d+)? [AP]M\. You can correct it too\.", seen)
    assert mine.post(f"{where}/release").status_code == 204
    assert "Nobody holds it" in words(other.get(address(undone, run_id, "tab=corrections")).content.decode())


def test_what_does_not_wait_is_held_by_nobody_and_a_viewer_holds_nothing(undone):
    make_rule(undone)
    run_id, unqueued = undone.run(), undone.run(dryRun=True)
    client, viewer = (builders.browser(undone.person(name)) for name in ("editor", "viewer"))
    where = f"/projects/{undone.project.slug}/queue"
    assert viewer.post(f"{where}/{run_id}/hold").status_code == 403
    dismiss(undone, run_id)
    for one in (run_id, unqueued):
        assert client.post(f"{where}/{one}/hold").status_code == 204
        assert client.post(f"{where}/{one}/release").status_code == 204
    assert client.get(f"{where}/{run_id}/hold").status_code == 405


@pytest.mark.parametrize(("tab", "statements"), [("overview", 10), ("corrections", 15)])
def test_a_run_takes_as_many_statements_whatever_is_in_it(undone, tab, statements):
    make_rule(undone)
    small, large = undone.run(), undone.run(calls=calls(500))
    for run_id, said in ((small, 1), (large, 4)):
        for number in range(said):
            undone.correct(run_id, by=f"editor:{number + 2}", answer="wrong", why="No.")
    # Who may not correct isn't kept from what others said.
    client = builders.browser(undone.person("viewer"))
    client.get(address(undone, small, f"tab={tab}"))
    for run_id in (small, large):
        with assert_queries(exact=statements):
            client.get(address(undone, run_id, f"tab={tab}"))
