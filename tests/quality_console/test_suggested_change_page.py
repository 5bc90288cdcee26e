"""A suggested change's page: why, what changes, how it came out, and what whoever looks may do, as /v1 has it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from improve.models import Evaluation, PinTest, ReplayJob
from improve.selectors import case_pages
from kindgi.api.times import now
from quality_console.changes.rows import title_of
from tests.builders import browser, make_user
from tests.improve import suggesting
from tests.improve.suggesting import FROM, PROMPT, TEMPLATE
from tests.judging.queues import make_rule
from tests.quality_console.tabs import text_of
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, Shop

REVIEWER = "editor:reviewer"
WRONG, RIGHT = 16, 4


@pytest.fixture(scope="module")
def better(shop: Shop) -> str:
    """One that is better, drafted by the editor with evidence; there is a reviewer."""
    suggesting.register(shop)
    corrected = suggesting.corrected_runs(shop, WRONG, right=RIGHT)
    suggesting.reviewer(shop, REVIEWER)
    ids = [pk for one in corrected[:6] for pk in suggesting.judgments(shop, one)]
    made = suggesting.draft(shop, evidence={"judgmentIds": ids})
    suggesting.evaluate(shop, made)
    return made


def page(shop: Shop, proposal: str, query: str = "", *, by: str = "editor") -> Any:
    return browser(shop.person(by)).get(f"{suggesting.page_of(shop, proposal)}?{query}")


def said(shop: Shop, proposal: str, query: str = "", *, by: str = "editor") -> str:
    return text_of(page(shop, proposal, query, by=by))


def act(shop: Shop, proposal: str, action: str, *, by: str = "editor", **form: Any) -> Any:
    return browser(shop.person(by)).post(f"{suggesting.page_of(shop, proposal)}/{action}", form)


def status(shop: Shop, proposal: str) -> str:
    return str(shop.editor.ok("GET", f"proposals/{proposal}")["status"])


def test_the_page_says_what_it_is_why_and_what_changes(shop, better):
    found = said(shop, better)
    assert "Refund at once Better on the test cases shop.desk, from version 2.4.0" in found
    assert "Refund at once. The desk looks orders up that are to be refunded." in found
    assert "Evidence: 6 corrections" in found and "2 more" in found
    assert 'refund must be called once, with order "A-5" you' in found
    assert "1 added, 1 taken out" in found and "4 lines unchanged" in found
    assert "2 more" not in said(shop, better, "evidence=all")
    assert "lines unchanged" not in said(shop, better, "lines=all")


def test_the_evaluation_is_said_in_a_chart_and_in_sentences(shop, better):
    answer = page(shop, better)
    found = text_of(answer)
    assert "20 corrected runs replayed once each, 16 of them judged by people" in found
    assert "16 got better and none got worse: better by more than chance." in found
    assert "With no real change, a split as one-sided as this comes up about 1 time in 32,768." in found
    assert "4 answers changed to something that nobody has judged: they count in neither share." in found
    title = "Share marked right on the test cases: with the change 100%, range 81–100%;"  # noqa: RUF001
    assert f"{title} Recorded (2.4.0) 0%, range 0–19%" in answer.content.decode()  # noqa: RUF001
    assert "Each of these runs was marked wrong before" not in found, "four were right"
    assert "All 20 Got better 16 Got worse 0 Changed 4 Same 0" in found


def test_cases_are_narrowed_paged_and_opened_side_by_side(shop, better, monkeypatch):
    monkeypatch.setattr(case_pages, "PER_PAGE", 9)
    first = said(shop, better, "cases=better")
    assert first.count("Both sides") == 9 and "Next" in first and "Previous" not in first
    position = Evaluation.objects.get(proposal_id=better).results.filter(label="better")[8].position
    second = page(shop, better, f"cases=better&after={position}")
    assert text_of(second).count("Both sides") == 7
    assert "before=" in second.content.decode()
    opened = page(shop, better, "cases=better&case=4").content.decode()
    assert "<del>lookup\n</del>" in opened and "<ins>refund\n</ins>" in opened
    assert "Recorded, 2.4.0" in opened
    for hostile in ("cases=nothing&after=x&case=-1", "evaluation=nobody&case=99999", "before=0", "after=999999"):
        assert page(shop, better, hostile).status_code == 200


def test_who_corrects_blind_doesnt_read_what_others_said_of_runs_that_still_wait(shop, better):
    told = said(shop, better, by=REVIEWER)
    assert "what was said shows once you have corrected the run" not in told
    assert told.count("must be called once") > 2
    with transaction.atomic():
        expert = shop.judge_class("expert", assertableBy={"minReviewerRole": "admin"})
        make_rule(shop, name="Experts", when={"agentIds": [AGENT]}, judgeClassId=expert)
        (waits,) = suggesting.corrected_runs(shop, 1)
        ids = suggesting.judgments(shop, waits)
        made = suggesting.draft(shop, tool="shop.else", hypothesis="Of a run that waits", evidence={"judgmentIds": ids})
        hidden = said(shop, made, by=REVIEWER)
        assert "what was said shows once you have corrected the run" in hidden and "must be called once" not in hidden
        assert "must be called once" in said(shop, made, by="viewer")
        assert "must be called once" in said(shop, made)
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("by", "drawn", "missing"),
    [
        (
            "editor",
            ["Ask to make it live", "Evaluate it again", "Withdraw it", "Send them to To correct"],
            ["Roll back"],
        ),
        ("viewer", ["You can read it."], ["Ask to make it live", "Evaluate it again", "Withdraw it", "Send them to"]),
    ],
)
def test_only_what_may_be_done_is_drawn(shop, better, by: str, drawn: list[str], missing: list[str]):
    found = said(shop, better, by=by)
    assert all(one in found for one in drawn)
    assert not any(one in found for one in missing)


def test_asked_decided_live_and_rolled_back_each_in_the_history(shop, better):
    with transaction.atomic():
        assert act(shop, better, "request", reason="It is\r\nsafe.").status_code == 303
        assert "You drafted it, so another reviewer decides." in said(shop, better)
        waits = said(shop, better, by=REVIEWER)
        assert (
            "Waits for your decision" in waits and "You neither drafted nor asked for it, so you may decide." in waits
        )
        assert "Making it live registers shop.desk 2.4.0+change.1 and pins it in Default." in waits
        refused = act(shop, better, "decide", by=REVIEWER, decision="reject")
        assert refused.status_code == 422 and "Say why you reject it" in text_of(refused)
        assert act(shop, better, "decide", by="editor", decision="approve").status_code == 403
        assert act(shop, better, "decide", by=REVIEWER, decision="approve").status_code == 303
        live = said(shop, better, by=REVIEWER)
        assert "Live in 2.4.0+change.1" in live and "Default follows the latest version of shop.desk again." in live
        assert act(shop, better, "rollback", by=REVIEWER, reason="It refunds too much.").status_code == 303
        found = said(shop, better)
        history = found[found.index("History") :]
        steps = [
            "Rolled back to the latest version",
            "Made live in 2.4.0+change.1",
            "Asked to make it live",
            "Evaluated: better",
        ]
        assert [history.index(one) for one in steps] == sorted(history.index(one) for one in steps)
        assert "It refunds too much." in history
        transaction.set_rollback(True)


def test_going_back_is_said_to_pin_what_ran_where_that_isnt_latest_any_more(shop, better):
    with transaction.atomic():
        act(shop, better, "request")
        act(shop, better, "decide", by=REVIEWER, decision="approve")
        shop.admin.ok("PUT", f"agents/{AGENT}/versions/9.0.0")
        assert "Default is pinned to shop.desk 2.4.0 again." in said(shop, better, by=REVIEWER)
        act(shop, better, "rollback", by=REVIEWER)
        assert "Rolled back to 2.4.0" in said(shop, better)
        transaction.set_rollback(True)


def test_where_another_version_was_pinned_since_it_went_live_and_nobody_can_go_back_from_it(shop, better):
    with transaction.atomic():
        act(shop, better, "request")
        act(shop, better, "decide", by=REVIEWER, decision="approve")
        test = PinTest.objects.get()
        ReplayJob.objects.filter(pk=test.job_id).update(state="failed", problem="", finished_at=now())
        failed = said(shop, better, by=REVIEWER)
        assert "It is live" in failed and "wasn't finished." in failed
        assert "Pinning the version again tries it at once." in failed
        shop.admin.ok("PUT", f"projects/{shop.project.pk}/agents/{AGENT}/pin", {"version": FROM})
        page = said(shop, better, by=REVIEWER)
        assert "It went live" in page and "It is live" not in page
        assert "Roll back" not in page
        transaction.set_rollback(True)


def test_where_another_version_runs_by_now_whoever_would_ask_is_told(shop, better):
    with transaction.atomic():
        shop.admin.ok("PUT", f"agents/{AGENT}/versions/9.0.0")
        told = "Default runs 9.0.0 by now, not 2.4.0: suggest the change for 9.0.0."
        found = said(shop, better)
        assert told in found and "Only a tenant admin can ask for this one to go live then" in found
        assert "Ask to make it live" not in found
        assert told in said(shop, better, by="tenant-admin")
        assert "Ask to make it live all the same" in said(shop, better, by="tenant-admin")
        assert act(shop, better, "request").status_code == 303
        found = said(shop, better)
        assert told in found and "Superseded: the project ran 9.0.0 by then" in found
        assert told not in said(shop, better, by="viewer")
        assert act(shop, better, "request", by="tenant-admin", reason="It has that too.").status_code == 303
        assert "In review" in said(shop, better)
        transaction.set_rollback(True)


def test_a_page_that_is_older_than_what_became_of_it_says_where_it_stands(shop, better):
    with transaction.atomic():
        act(shop, better, "request")
        act(shop, better, "decide", by=REVIEWER, decision="reject", reason="Not now.")
        late = act(shop, better, "decide", by=REVIEWER, decision="reject", reason="I had <b>typed</b> this.")
        assert late.status_code == 409
        found = text_of(late)
        assert "That can't be done any more. It stands as: Rejected. Nothing was changed." in found
        assert "I had <b>typed</b> this." in found
        transaction.set_rollback(True)


def test_what_isnt_better_is_asked_for_by_a_tenant_admin_alone(shop, better):
    with transaction.atomic():
        same = suggesting.draft(shop, change={"blockId": PROMPT, "content": {"template": TEMPLATE + "\nMore."}})
        suggesting.evaluate(shop, same)
        found = said(shop, same)
        assert "Not better on the test cases" in found
        assert "Only a tenant admin can ask for it to go live then, and says why." in found
        assert act(shop, same, "request").status_code == 303
        assert status(shop, same) == "refused"
        assert "Ask to make it live all the same" in said(shop, same, by="tenant-admin")
        assert act(shop, same, "request", by="tenant-admin", reason="The law says so.").status_code == 303
        assert status(shop, same) == "in-review"
        transaction.set_rollback(True)


def test_a_failed_evaluation_says_how_much_was_answered_and_why(shop, better):
    with transaction.atomic():
        made = suggesting.draft(shop, change={"blockId": PROMPT, "content": {"template": TEMPLATE + "\nLess."}})
        suggesting.evaluate(shop, made, fails=True)
        found = said(shop, made)
        assert "The agent's replay endpoint answered 0 of 20 cases." in found
        assert "The endpoint failed with status 500." in found
        transaction.set_rollback(True)


def test_without_a_replay_endpoint_it_is_said_who_sets_one(fresh: Shop):
    suggesting.register(fresh)
    made = suggesting.draft(fresh)
    found = said(fresh, made)
    assert "has no replay endpoint in this project" in found and "A project admin sets its address." in found
    assert "Set its replay endpoint" in said(fresh, made, by="admin")
    refused = act(fresh, made, "evaluate", repetitions=1)
    assert refused.status_code == 409 and "has no replay endpoint" in text_of(refused)


def test_without_corrected_runs_the_evaluation_is_refused_in_place(fresh: Shop):
    suggesting.register(fresh)
    made = suggesting.draft(fresh)
    with suggesting.endpoint(fresh):
        refused = act(fresh, made, "evaluate", repetitions=1, versions="9.9.9")
    assert refused.status_code == 409
    assert "No corrected run of these versions makes a test case." in text_of(refused)
    assert "9.9.9" in refused.content.decode()
    assert act(fresh, made, "evaluate", repetitions=7).status_code == 422
    assert act(fresh, made, "withdraw").status_code == 422
    assert act(fresh, made, "nothing").status_code == 400


def test_nobody_else_on_the_roster_is_said(fresh: Shop):
    suggesting.register(fresh)
    suggesting.corrected_runs(fresh, 6)
    made = suggesting.draft(fresh)
    suggesting.evaluate(fresh, made)
    suggesting.request(fresh, made)
    assert "No reviewer may write in this project yet: a tenant admin adds people to the roster." in said(fresh, made)


def test_answers_that_nobody_judged_are_given_to_people_and_counted(shop, better):
    with transaction.atomic():
        assert act(shop, better, "send").status_code == 303
        found = said(shop, better)
        assert f"{RIGHT} of these wait in To correct." in found
        assert "Send them to To correct" not in found and "Count the corrections" not in found
        link = f"?tab=to-correct&whose=everyone&rule={better}"
        assert link.replace("&", "&amp;") in page(shop, better).content.decode()
        for who in ("editor", REVIEWER):
            queue = browser(shop.person(who)).get(f"/projects/{shop.project.slug}/quality{link}")
            assert text_of(queue).count("Suggested change") > RIGHT - 1 and f"1 to {RIGHT} of {RIGHT}" in text_of(queue)
        act(shop, better, "rescore")
        assert Evaluation.objects.filter(proposal_id=better).count() == 1
        queue = browser(shop.person(REVIEWER)).get(f"/projects/{shop.project.slug}/quality?tab=to-correct")
        assert f'href="{suggesting.page_of(shop, better)}">Suggested change</a>' in queue.content.decode()
        items = shop.admin.ok("GET", f"projects/{shop.project.pk}/judging-queue")["data"]
        run = browser(shop.person(REVIEWER)).get(
            f"/projects/{shop.project.slug}/runs/{items[0]['runId']}?tab=corrections"
        )
        assert "a try-out of the suggested change Refund at once" in text_of(run)
        for one in items:
            shop.correct(one["runId"], by=REVIEWER, decisions="wrong", mustNotCall=["shop.refund"])
        since = said(shop, better)
        assert "wait in To correct" not in since and "People have said something of such answers since" in since
        assert act(shop, better, "rescore").status_code == 303
        scored = said(shop, better)
        assert "Scored again" in scored and f"{WRONG} got better and {RIGHT} got worse" in scored
        assert "All 2 evaluations" in scored and "Count the corrections" not in scored
        transaction.set_rollback(True)


def test_another_projects_suggested_change_isnt_there(shop, better):
    other = shop.other_project()
    admin = browser(shop.person("tenant-admin"))
    assert admin.get(f"/projects/{other.slug}/suggested-changes/{better}").status_code == 404
    stranger = browser(make_user(shop.tenant))
    assert stranger.get(suggesting.page_of(shop, better)).status_code == 404


def test_the_page_takes_a_fixed_number_of_statements(shop, better):
    client = browser(shop.person("editor"))
    with recorded_queries() as statements:
        client.get(suggesting.page_of(shop, better))
    with recorded_queries() as opened:
        client.get(f"{suggesting.page_of(shop, better)}?evidence=all&case=1")
    assert len(statements) <= 24
    assert len(opened) == len(statements) + 2


def test_an_agents_name_is_escaped_wherever_it_is(shop, better):
    assert AGENT in said(shop, better)
    with transaction.atomic():
        hostile = "<script>alert(1)</script> </pre> “يعيد” \u202e"
        made = suggesting.draft(shop, tool="<b>&", hypothesis=hostile)
        answer = page(shop, made).content.decode()
        assert "<script>alert" not in answer and "&lt;script&gt;alert(1)" in answer and "<b>&amp;" not in answer
        transaction.set_rollback(True)


def test_a_page_that_waits_is_loaded_anew_once_whoever_ended_its_evaluation(shop, better):
    with transaction.atomic():
        made = suggesting.draft(shop, change={"blockId": PROMPT, "content": {"template": TEMPLATE + "\nFaster."}})
        asks = f"{suggesting.page_of(shop, made)}/progress"
        with suggesting.endpoint(shop):
            suggesting.begin(shop, made)
            waits = browser(shop.person("viewer")).get(asks, headers={"hx-request": "true"})
            assert "HX-Refresh" not in waits and "may take up to 30 seconds" in text_of(waits)
            assert act(shop, made, "cancel").status_code == 303
        for asked in (asks, f"{asks}?in=row"):
            over = browser(shop.person("viewer")).get(asked, headers={"hx-request": "true"})
            assert over.headers["HX-Refresh"] == "true"
            typed = f"{asked}{'&' if '?' in asked else '?'}typed=yes"
            typing = browser(shop.person("viewer")).get(typed, headers={"hx-request": "true"})
            assert "HX-Refresh" not in typing and "evaluation has ended." in text_of(typing)
            drawn = typing.content.decode()
            assert "hx-get" not in drawn and f'href="{suggesting.page_of(shop, made)}"' in drawn
        found = said(shop, made, by="viewer")
        assert "cancelled it after 0 of 20 replays." in found
        assert "The agent's replay endpoint answered" not in found and "You cancelled it" in said(shop, made)
        transaction.set_rollback(True)


def test_what_is_closed_says_that_it_can_be_suggested_again(shop, better):
    with transaction.atomic():
        act(shop, better, "request")
        act(shop, better, "decide", by=REVIEWER, decision="reject", reason="Not now.")
        found = said(shop, better)
        assert "A reviewer decided that it doesn't go live. It can be suggested again." in found
        assert "Go to" not in found, "there is nothing to do"
        transaction.set_rollback(True)


def test_a_reviewer_who_cant_write_here_is_no_other_reviewer(fresh: Shop):
    suggesting.register(fresh)
    suggesting.corrected_runs(fresh, 6)
    suggesting.reviewer(fresh, "viewer")
    made = suggesting.draft(fresh)
    suggesting.evaluate(fresh, made)
    suggesting.request(fresh, made)
    assert "No reviewer may write in this project yet" in said(fresh, made)
    suggesting.reviewer(fresh, "editor")
    assert "No other reviewer may write in this project" in said(fresh, made)
    suggesting.reviewer(fresh, REVIEWER)
    assert "so another reviewer decides. No" not in said(fresh, made)


def test_who_only_reads_is_told_to_do_nothing(fresh: Shop):
    suggesting.register(fresh)
    made = suggesting.draft(fresh)
    assert "Evaluate it" not in said(fresh, made, by="viewer")
    assert "Drafted, not evaluated yet" in said(fresh, made, by="viewer")


@pytest.mark.parametrize(
    ("hypothesis", "title"),
    [
        ("Refund at once. The desk looks orders up.", "Refund at once"),
        (
            "Name the tool, e.g. Refund, before it is called. It helps.",
            "Name the tool, e.g. Refund, before it is called",
        ),
        ("Use v2. then v3, approx. as now! Now.", "Use v2. then v3, approx. as now"),
        ("Really? Yes", "Really"),
        ("すぐに返金。調べない", "すぐに返金"),
        ("word " * 60, "word " * 22 + "word…"),
        ("w" * 300, "w" * 119 + "…"),
    ],
)
def test_a_title_is_the_first_sentence_or_whole_words_of_it(hypothesis: str, title: str):
    assert title_of(hypothesis) == title


def test_cases_say_which_of_how_many_they_are(shop, better, monkeypatch):
    monkeypatch.setattr(case_pages, "PER_PAGE", 9)
    assert "1 to 9 of 16" in said(shop, better, "cases=better")
    results = list(Evaluation.objects.get(proposal_id=better).results.filter(label="better").order_by("position"))
    assert "10 to 16 of 16" in said(shop, better, f"cases=better&after={results[8].position}")
    assert "7 to 15 of 16" in said(shop, better, f"cases=better&before={results[15].position}")
    assert "1 to 9 of 16" in said(shop, better, f"cases=better&before={results[9].position}")
