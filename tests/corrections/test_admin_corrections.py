"""Django admin shows corrections with all that belongs to them, and removes them; nothing else of them changes."""

import pytest
from django.contrib import admin

from corrections.admin import records
from corrections.models import Correction, CorrectionChange, JudgeClass, RunCopy, Verdict
from kindgi.access.admin_base import TenantScopedAdmin
from kindgi.runs.admin import tables
from kindgi.runs.models import Run
from tests.support.admin_pages import act, listed, staff_of, superuser, url
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.django_db

MODELS = [JudgeClass, Correction, Verdict, RunCopy, CorrectionChange]
RECORDS = [Correction, Verdict, RunCopy, CorrectionChange]
WRONG = {
    "decisions": "wrong",
    "shouldCall": [{"tool": "shop.refund", "args": {"order": "<b>A-1</b>"}}],
    "answer": "wrong",
    "shouldSay": "שלום",
    "items": [{"key": "match:a", "verdict": "right", "pointer": "/matches/0", "rank": 0}],
}


@pytest.fixture
def shop():
    return Shop.open()


@pytest.fixture
def staff(shop):
    return staff_of(shop.tenant)


def corrected(shop, **said):
    """A row of each model, all of the shop's tenant."""
    made = shop.correct(shop.run(), correctorGroupId=shop.judge_class(), **(said or WRONG))
    correction = Correction.objects.get(pk=made["id"])
    return {
        JudgeClass: correction.judge_class,
        Correction: correction,
        Verdict: correction.verdicts.order_by("position").last(),
        RunCopy: RunCopy.objects.get(run_id=correction.run_id),
        CorrectionChange: correction.changes.get(),
    }


@pytest.mark.parametrize("model", MODELS)
def test_a_tenant_admin_sees_their_own_tenant(shop, staff, model):
    assert isinstance(admin.site.get_model_admin(model), TenantScopedAdmin)
    mine, theirs = corrected(shop)[model], corrected(Shop.open())[model]
    assert mine in listed(staff, model) and theirs not in listed(staff, model)
    assert listed(staff, model, q=str(theirs.pk)) == []
    assert listed(staff, model, q=str(mine.pk)) == [mine]
    assert staff.get(url(model, "change", mine.pk)).status_code == 200
    assert staff.get(url(model, "change", theirs.pk)).status_code == 302, "as for an id that nothing has"
    assert {mine, theirs} <= set(listed(superuser(), model))


@pytest.mark.parametrize("model", RECORDS)
def test_history_and_verdicts_are_only_read(shop, staff, model):
    row = corrected(shop)[model]
    for client in (staff, superuser()):
        assert client.get(url(model, "add")).status_code == 403
        assert client.post(url(model, "change", row.pk), {"right": "on"}).status_code == 403
        assert client.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        assert b"delete_selected" not in client.get(url(model)).content


def test_a_corrections_page_shows_what_it_says_its_verdicts_history_and_copies(shop, staff):
    correction = corrected(shop)[Correction]
    shown = staff.get(url(Correction, "change", correction.pk)).content.decode()
    assert "&lt;b&gt;A-1&lt;/b&gt;" in shown and "<b>A-1" not in shown
    assert "שלום" in shown and "match:a" in shown and "/matches/0" in shown
    assert "Your parcel is on its way." in shown and "Where is it?" in shown
    assert shop.person("editor").email in shown
    assert f"?q={correction.run_id}" in shown
    for prefix in ("verdicts", "changes"):
        assert f'name="{prefix}-TOTAL_FORMS"' in shown


def test_a_verdict_shows_what_it_points_at_and_its_list_does_not(shop, staff, assert_queries):
    verdict = corrected(shop)[Verdict]
    with assert_queries(at_most=12) as statements:
        assert "case-a" not in staff.get(url(Verdict)).content.decode()
    assert not [statement for statement in statements if '"item_value"' in statement]
    assert "case-a" in staff.get(url(Verdict, "change", verdict.pk)).content.decode()


def test_who_is_a_service_is_named(shop, staff):
    shop.correct(shop.run(), by="service", participantId="someone")
    assert shop.person("service").name in staff.get(url(Correction)).content.decode()
    shop.correct(shop.run(), by="editor")
    assert shop.person("editor").email in staff.get(url(Verdict)).content.decode()


def test_removing_asks_first_and_keeps_the_history(shop, staff):
    correction, other = corrected(shop)[Correction], corrected(Shop.open())[Correction]
    asked = act(staff, Correction, "remove", correction)
    assert "can&#x27;t come back" in asked.content.decode()
    correction.refresh_from_db()
    assert correction.live
    done = act(staff, Correction, "remove", correction, other, confirmed="yes")
    assert "1 corrections removed." in done.content.decode()
    correction.refresh_from_db()
    other.refresh_from_db()
    assert (correction.status, correction.live, other.live) == ("removed", False, True)
    assert not correction.verdicts.filter(unregistered_at__isnull=True).exists()
    assert correction.changes.last().kind == "removed"
    again = act(staff, Correction, "remove", correction, confirmed="yes")
    assert "it can&#x27;t come back" in again.content.decode()


def test_one_verdict_is_removed_by_itself_and_the_history_says_so(shop, staff):
    correction = corrected(shop, answer="wrong", why="w", items=[{"key": "a", "verdict": "right"}])[Correction]
    answer, item = correction.verdicts.order_by("position")
    asked = act(staff, Verdict, "remove", answer)
    assert "can&#x27;t come back" in asked.content.decode()
    assert "1 verdicts removed." in act(staff, Verdict, "remove", answer, confirmed="yes").content.decode()
    correction.refresh_from_db()
    assert (correction.status, correction.live) == ("fixed", True)
    (entry,) = listed(staff, CorrectionChange, kind="part-removed")
    assert "items: - → [&quot;answer&quot;]" in staff.get(url(CorrectionChange)).content.decode()
    page = staff.get(url(Correction, "change", correction.pk)).content.decode()
    assert "part-removed" in page and "recorded-right" in page and entry.by["kind"] == "user"
    again = act(staff, Verdict, "remove", answer, item, confirmed="yes")
    assert "it can&#x27;t come back" in again.content.decode()
    correction.refresh_from_db()
    assert correction.live, "what can't be removed keeps the others"


def test_one_that_cannot_be_removed_keeps_all_of_them(shop, staff):
    run = shop.run()
    first, second = (shop.correct(run) for _ in range(2))
    fine = corrected(shop)[Correction]
    rows = Correction.objects.filter(pk__in=[first["id"], second["id"], fine.pk])
    assert (
        "A later correction replaced this one"
        in act(staff, Correction, "remove", *rows, confirmed="yes").content.decode()
    )
    assert not Correction.objects.filter(status="removed").exists()


@pytest.mark.parametrize("client", ["staff", "superuser"])
def test_corrections_are_found_by_ids_participants_and_what_they_are_about(shop, staff, client):
    who = staff if client == "staff" else superuser()
    correction = Correction.objects.get(pk=shop.correct(shop.run(), participantId="traveller:1")["id"])
    shop.correct(shop.run(), by="editor:2")
    editor = shop.person("editor")
    for term in (correction.pk, correction.run_id, "traveller:1"):
        assert listed(who, Correction, q=str(term)) == [correction]
    assert listed(who, Correction, q=str(editor.pk)) == [correction]
    assert len(listed(who, Correction, q=AGENT[:5])) == 2
    for term in ("traveller:2", "no.agent", "'"):
        assert listed(who, Correction, q=term) == []
    for model in (Verdict, RunCopy, CorrectionChange):
        found = listed(who, model, q=str(correction.run_id))
        assert len(found) == 1 and str(found[0].pk) not in {str(row.pk) for row in listed(who, model, q="what")}


def test_a_participant_of_another_tenant_is_not_found(shop, staff):
    other = Shop.open()
    other.correct(other.run(), participantId="traveller:1")
    assert listed(staff, Correction, q="traveller:1") == []


def test_filters_look_among_the_newest(shop, staff, monkeypatch):
    old = corrected(shop)[Correction]
    new = [Correction.objects.get(pk=shop.correct(shop.run())["id"]) for _ in range(3)]
    assert listed(staff, Correction, status__exact="with-owner") == [old]
    assert listed(staff, Correction, status__exact="fixed", project__id__exact=str(shop.project.pk)) == new[::-1]
    assert listed(staff, Correction, judge_class__id__exact=str(old.judge_class_id)) == [old]
    assert set(listed(staff, Verdict, right__exact="0")) == set(old.verdicts.filter(right=False))
    assert listed(staff, CorrectionChange, kind="removed") == []
    assert len(listed(staff, CorrectionChange, kind="made")) == 4
    monkeypatch.setattr(tables, "COUNTED", 3)
    monkeypatch.setattr(records, "COUNTED", 3)
    assert listed(staff, Correction, status__exact="with-owner") == []
    assert listed(staff, Verdict, right__exact="0") == []
    assert len(listed(staff, CorrectionChange)) == 3, "the history of the newest"
    assert listed(staff, CorrectionChange, q=str(old.pk)) == list(old.changes.all()), "and any by its correction"


def test_two_rows_cost_as_many_statements_as_twenty(shop, staff, assert_queries):
    def make(count):
        for _ in range(count):
            corrected(shop)
        for _ in range(2):
            corrected(Shop.open())

    root = superuser()
    pages = [(client, url(model)) for client in (root, staff) for model in MODELS]
    make(2)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=14) as statements:
            client.get(page)
        few.append(len(statements))
    make(18)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            assert len(client.get(page).context["cl"].result_list) >= 20


def test_a_correction_of_twenty_items_costs_as_many_statements_as_one_of_two(shop, staff, assert_queries):
    def with_items(count):
        items = [{"key": f"k{number}", "verdict": "right"} for number in range(count)]
        return shop.correct(shop.run(), items=items)["id"]

    few, many = with_items(2), with_items(20)
    staff.get(url(Correction, "change", few))
    with assert_queries(at_most=20) as statements:
        staff.get(url(Correction, "change", few))
    with assert_queries(exact=len(statements)):
        staff.get(url(Correction, "change", many))


def test_an_erased_runs_words_are_on_none_of_the_pages(shop, staff):
    rows = corrected(shop)
    run = Run.objects.get(run_id=rows[Correction].run_id)
    act(staff, Run, "erase", run, confirmed="yes")
    for model in RECORDS:
        shown = staff.get(url(model, "change", rows[model].pk)).content.decode()
        assert not [word for word in ("שלום", "A-1", "Your parcel", "case-a", "Where is it?") if word in shown]
