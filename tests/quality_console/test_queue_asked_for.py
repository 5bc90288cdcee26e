"""What suggested changes asked for, in the list of a reviewer: as few statements as anybody's, however many rows."""

from __future__ import annotations

from improve.models import Proposal
from judging.models import QueueItem
from tests.improve.staging import REVIEWER, unforeseen
from tests.judging.queues import make_rule
from tests.quality_console.queue_pages import address, client_of, links, rows, words
from tests.support.queries import assert_queries
from tests.support.shops import Shop


def asked_for(proposal: str) -> list[str]:
    return [str(run_id) for run_id in QueueItem.objects.filter(asked_for=proposal).values_list("run_id", flat=True)]


def hold(shop: Shop, run: str, by: str) -> None:
    shop.api(by).ok("POST", f"projects/{shop.project.pk}/judging-queue/{run}/hold")


def test_a_reviewers_first_page_with_what_was_asked_for_takes_12_statements_however_many_rows(fresh: Shop):
    counts = []
    with unforeseen(fresh) as stage:
        for number in (2, 18):
            proposal = stage.unjudged(number)
            assert stage.act(proposal, "send")["sent"] >= number
            asked = asked_for(proposal)
            hold(fresh, asked[0], REVIEWER)
            client = client_of(fresh, REVIEWER)
            for whose in ("mine", "everyone"):
                with assert_queries(at_most=12) as statements:
                    page = client.get(f"{address(fresh)}?tab=to-correct&whose={whose}").content.decode()
                counts.append(len(statements))
                assert set(asked) <= set(rows(page))
                assert f'href="/projects/{fresh.project.slug}/suggested-changes/{proposal}"' in page
                assert "you since" in words(page)
    assert len(set(counts)) == 1


def test_a_reviewers_first_page_of_agents_flows_holders_and_what_was_asked_for_takes_12_statements(fresh: Shop):
    with unforeseen(fresh) as stage:
        proposal = stage.unjudged(2)
        stage.act(proposal, "send")
        make_rule(fresh, when={})
        expert = fresh.judge_class("expert", assertableBy={"minReviewerRole": "senior"})
        make_rule(fresh, name="Experts", when={}, judgeClassId=expert)
        runs = [fresh.run(flow={"id": "orders", "version": "1.2.0"}) for _ in range(3)]
        runs += [fresh.run() for _ in range(3)]
    asked = asked_for(proposal)
    fresh.correct(runs[0])
    for run, by in zip([runs[0], runs[3], asked[0]], (REVIEWER, "admin", REVIEWER), strict=True):
        hold(fresh, run, by)
    client = client_of(fresh, REVIEWER)
    with assert_queries(at_most=12):
        page = client.get(f"{address(fresh)}?tab=to-correct&whose=everyone").content.decode()
    assert sorted(rows(page)) == sorted(runs + asked)
    for said in ("orders 1.2.0", f"{fresh.person('admin')} since", "you since", "expert correction"):
        assert said in words(page)
    assert links(page)["Suggested change"].endswith(f"/{proposal}")


def test_a_list_narrowed_to_a_suggested_change_names_it_with_rows_and_without(fresh: Shop):
    with unforeseen(fresh) as stage:
        proposal = stage.unjudged(2)
        stage.act(proposal, "send")
    Proposal.objects.filter(pk=proposal).update(hypothesis="<b>Looking</b> first helps. More of it.")
    client = client_of(fresh, REVIEWER)
    query = f"{address(fresh)}?tab=to-correct&rule={proposal}"
    with assert_queries(at_most=13):
        page = client.get(query).content.decode()
    assert sorted(rows(page)) == sorted(asked_for(proposal))
    option = f'<option value="{proposal}" selected>Suggested change: &lt;b&gt;Looking&lt;/b&gt; first helps</option>'
    assert option in page
    page = client.get(f"{query}&state=dismissed").content.decode()
    assert option in page and rows(page) == []
    asked = "that was asked for by the suggested change “&lt;b&gt;Looking&lt;/b&gt; first helps”"
    assert asked in page
    assert f"{asked} and that Somebody ran." in client.get(f"{query}&agent=Somebody").content.decode()


def test_a_list_narrowed_to_what_another_project_suggested_does_not_tell_of_it(fresh: Shop):
    with unforeseen(fresh) as stage:
        proposal = stage.drafted()
        Proposal.objects.filter(pk=proposal).update(project=fresh.other_project(), hypothesis="A secret helps.")
        page = client_of(fresh, REVIEWER).get(f"{address(fresh)}?tab=to-correct&rule={proposal}").content.decode()
    assert "that the rule of another project queued" in words(page) and "secret" not in page
