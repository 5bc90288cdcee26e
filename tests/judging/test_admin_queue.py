"""Django admin shows where each queued run stands, dismisses and reopens it; and nothing of what was said in it."""

from __future__ import annotations

from typing import Any

import pytest

from judging.admin import queue
from judging.models import QueueItem
from kindgi.runs.admin import tables
from kindgi.runs.models import Run
from tests.judging.queues import change_rule, dismiss, item_of, make_rule, old_rule, reopen
from tests.support.admin_pages import act, listed, staff_of, superuser, url
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.django_db

ITEMS = url(QueueItem)


@pytest.fixture
def shop() -> Shop:
    return Shop.open()


@pytest.fixture
def staff(shop: Shop) -> Any:
    return staff_of(shop.tenant)


def queued(shop: Shop, **body: Any) -> QueueItem:
    """The item of a new run, which some rule takes."""
    return QueueItem.objects.get(tenant=shop.tenant, run_id=shop.run(**body))


def shown(client: Any, page: str = ITEMS) -> str:
    return " ".join(client.get(page).content.decode().split())


def page_of(item: QueueItem) -> str:
    return url(QueueItem, "change", item.pk)


def test_a_tenant_admin_sees_their_own_tenant(shop: Shop, staff: Any):
    theirs = Shop.open()
    old_rule(shop), old_rule(theirs)
    mine, other = queued(shop), queued(theirs)
    assert listed(staff, QueueItem) == [mine] and set(listed(superuser(), QueueItem)) >= {mine, other}
    assert listed(staff, QueueItem, q=str(other.pk)) == listed(staff, QueueItem, q=str(other.run_id)) == []
    assert staff.get(page_of(mine)).status_code == 200
    assert staff.get(page_of(other)).status_code == 302, "as for an id that nothing has"


def test_items_are_only_read(shop: Shop, staff: Any):
    old_rule(shop)
    item = queued(shop)
    for client in (staff, superuser()):
        assert client.get(url(QueueItem, "add")).status_code == 403
        assert client.post(page_of(item), {"state": "judged"}).status_code == 403
        assert client.post(url(QueueItem, "delete", item.pk), {"post": "yes"}).status_code == 403
        assert b"delete_selected" not in client.get(ITEMS).content


def test_the_list_says_where_each_stands(shop: Shop, staff: Any):
    expert = shop.judge_class("expert")
    rule = old_rule(shop, name="Support sample", judgeClassId=expert)
    change_rule(shop, rule, maxOpen=100)
    waiting, judged, dismissed, erased = (queued(shop) for _ in range(4))
    shop.correct(str(waiting.run_id))
    shop.correct(str(judged.run_id), correctorGroupId=expert)
    dismiss(shop, str(dismissed.run_id), by="service", reason="A test order")
    act(staff, Run, "erase", Run.objects.get(run_id=erased.run_id), confirmed="yes")
    page = shown(staff)
    for said in (
        "Support sample · version 2",
        "Needs an expert correction (1 so far, unclassified)",
        f"Corrected by {shop.person('editor').email} ",
        f"Dismissed by {shop.person('service').name} ",
        ": A test order",
        "Erased ",
        f"{AGENT} 1.0.0",
    ):
        assert said in page, said


def test_what_a_rules_change_closed_is_said_to_be_nobodys(shop: Shop, staff: Any):
    rule = old_rule(shop, judgeClassId=shop.judge_class("expert"))
    item = queued(shop)
    shop.correct(str(item.run_id))
    change_rule(shop, rule, judgeClassId=None)
    assert "Has what its rules want since" in shown(staff)


def test_an_items_page_has_its_rules_and_its_history(shop: Shop, staff: Any):
    old_rule(shop, name="Everything"), old_rule(shop, name="Support sample", maxOpen=5)
    item = queued(shop)
    dismiss(shop, str(item.run_id), reason="A test order")
    reopen(shop, str(item.run_id), by="service")
    page = shown(staff, page_of(item))
    for said in (
        "Everything",
        "Support sample",
        "A test order",
        "Dismissed",
        shop.person("editor").email,
        shop.person("service").name,
        f"?q={item.run_id}",
        "Needs any correction",
    ):
        assert said in page, said
    for prefix in ("entries", "changes"):
        assert f'name="{prefix}-TOTAL_FORMS" value="2"' in page


def test_dismissing_asks_for_a_reason_and_reopening_puts_back(shop: Shop, staff: Any):
    old_rule(shop)
    first, second = queued(shop), queued(shop)
    asked = act(staff, QueueItem, "dismiss", first, second).content.decode()
    assert "They leave the queue for everyone" in asked and 'name="reason"' in asked
    assert not QueueItem.objects.filter(state="dismissed").exists()
    done = act(staff, QueueItem, "dismiss", first, second, confirmed="yes", reason=" A test order ")
    assert "2 runs dismissed: A test order." in done.content.decode()
    item = item_of(shop, str(first.run_id))
    assert item is not None and (item["state"], item["reason"]) == ("dismissed", "A test order")
    assert "They go back into the queue" in act(staff, QueueItem, "reopen", first).content.decode()
    assert "1 runs reopened." in act(staff, QueueItem, "reopen", first, confirmed="yes").content.decode()
    assert [row.state for row in (QueueItem.objects.get(pk=first.pk), QueueItem.objects.get(pk=second.pk))] == [
        "open",
        "dismissed",
    ]
    assert [(change.before, change.after) for change in first.changes.all()] == [
        ("open", "dismissed"),
        ("dismissed", "open"),
    ]


def test_a_reason_is_optional_and_bounded(shop: Shop, staff: Any):
    old_rule(shop)
    item = queued(shop)
    refused = act(staff, QueueItem, "dismiss", item, confirmed="yes", reason="x" * 501)
    assert "up to 500 characters" in refused.content.decode()
    assert "1 run dismissed." in act(staff, QueueItem, "dismiss", item, confirmed="yes").content.decode()
    item.refresh_from_db()
    assert item.reason is None


def test_one_that_does_not_wait_keeps_all_of_them(shop: Shop, staff: Any):
    old_rule(shop)
    waiting, judged = queued(shop), queued(shop)
    shop.correct(str(judged.run_id))
    refused = act(staff, QueueItem, "dismiss", waiting, judged, confirmed="yes").content.decode()
    assert "doesn&#x27;t wait: it is judged" in refused
    again = act(staff, QueueItem, "reopen", judged, confirmed="yes").content.decode()
    assert "Only a dismissed item reopens" in again
    waiting.refresh_from_db()
    assert waiting.state == "open"


def test_another_tenants_items_are_not_dismissed(shop: Shop, staff: Any):
    theirs = Shop.open()
    old_rule(shop), old_rule(theirs)
    mine, other = queued(shop), queued(theirs)
    act(staff, QueueItem, "dismiss", mine, other, confirmed="yes")
    assert {item.pk: item.state for item in QueueItem.objects.all()} == {mine.pk: "dismissed", other.pk: "open"}
    assert "1 run dismissed." in act(superuser(), QueueItem, "dismiss", other, confirmed="yes").content.decode(), (
        "a superuser acts in every tenant"
    )


@pytest.mark.parametrize("client", ["staff", "superuser"])
def test_filters_and_searches_find_what_they_say(shop: Shop, staff: Any, client: str):
    who = staff if client == "staff" else superuser()
    agents = old_rule(shop)
    flows = old_rule(shop, when={"flowIds": ["shop.intake"]})
    first, second = queued(shop), queued(shop)
    flow = queued(shop, flow={"id": "shop.intake", "version": "1"})
    dismiss(shop, str(first.run_id))
    assert listed(who, QueueItem) == [flow, second, first]
    assert listed(who, QueueItem, state__exact="dismissed") == [first]
    assert listed(who, QueueItem, state__exact="open", rule=agents["ruleId"]) == [second]
    assert listed(who, QueueItem, rule=agents["ruleId"]) == [second, first]
    assert listed(who, QueueItem, rule=flows["ruleId"]) == [flow]
    assert listed(who, QueueItem, rule="none") == []
    narrowed = {"project__id__exact": str(shop.project.pk)}
    assert listed(who, QueueItem, **narrowed) == [flow, second, first]
    assert listed(who, QueueItem, state__exact="open", **narrowed) == [flow, second]
    assert listed(who, QueueItem, project__id__exact=str(shop.other_project().pk)) == []
    assert listed(who, QueueItem, q=AGENT) == [second, first] and listed(who, QueueItem, q="shop.intake") == [flow]
    for term in (first.pk, first.run_id):
        assert listed(who, QueueItem, q=str(term)) == [first]
    assert listed(who, QueueItem, q="shop") == []


@pytest.mark.parametrize("client", ["staff", "superuser"])
def test_lists_look_among_the_newest_of_what_an_index_narrows(shop: Shop, staff: Any, monkeypatch: Any, client: str):
    who = staff if client == "staff" else superuser()
    rule = old_rule(shop)
    old, *others = (queued(shop) for _ in range(5))
    for item in others:
        dismiss(shop, str(item.run_id))
    monkeypatch.setattr(tables, "COUNTED", 2)
    monkeypatch.setattr(queue, "COUNTED", 2)
    narrowed = {"tenant__id__exact": str(shop.tenant.pk)} if client == "superuser" else {}
    assert listed(who, QueueItem, **narrowed) == others[:1:-1], "the newest of all states"
    assert listed(who, QueueItem, state__exact="open", **narrowed) == [old], "the newest of the state"
    assert listed(who, QueueItem, state__exact="open", rule=rule["ruleId"]) == [old], "and of the rule's open ones"


def test_a_tenants_list_is_read_by_the_index_of_each_project_and_state(shop: Shop, staff: Any, assert_queries: Any):
    old_rule(shop)
    queued(shop)
    shop.other_project()
    with assert_queries() as statements:
        staff.get(ITEMS)
    (merged,) = [statement for statement in statements if "UNION ALL" in statement]
    assert merged.count("UNION ALL") == 7 and merged.endswith("ORDER BY 1 DESC LIMIT 1 OFFSET 9999")
    (rows,) = [one for one in statements if one.endswith('"judging_queueitem"."id" DESC')]
    assert '"state" IN (' in rows and '"project_id" IN (' in rows


def test_two_rows_cost_as_many_statements_as_twenty(shop: Shop, staff: Any, assert_queries: Any):
    expert = shop.judge_class("expert")
    old_rule(shop), old_rule(shop, judgeClassId=expert)

    def make(count: int) -> None:
        for _ in range(count):
            queued(shop)
            dismiss(shop, str(queued(shop).run_id), by="service")
            shop.correct(str(queued(shop).run_id), correctorGroupId=expert)

    root = superuser()
    pages = [(client, f"{ITEMS}{query}") for client in (root, staff) for query in ("", "?state__exact=open")]
    make(2)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=18) as statements:
            client.get(page)
        few.append(len(statements))
        assert not [one for one in statements if "runs_run" in one or "corrections_verdict" in one]
    make(18)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            assert len(client.get(page).context["cl"].result_list) >= 20


def test_nothing_of_a_run_is_on_the_pages(shop: Shop, staff: Any):
    old_rule(shop)
    item = queued(shop)
    shop.correct(str(item.run_id), answer="wrong", why="A secret why")
    for page in (ITEMS, page_of(item)):
        assert not [word for word in ("Your parcel", "Where is it?", "case-a", "secret") if word in shown(staff, page)]


def test_a_rule_that_nothing_ended_for_has_no_items(shop: Shop, staff: Any):
    made = make_rule(shop)
    assert listed(staff, QueueItem, rule=made["ruleId"]) == []
