"""Django admin shows runs to their tenant's admins, lays their content out, and erases them; nothing else changes."""

from html import unescape
from uuid import uuid4

import pytest
from django.contrib import admin

from kindgi.access.admin_base import TenantScopedAdmin
from kindgi.runs.admin import tables
from kindgi.runs.admin.content import shown_json
from kindgi.runs.models import Run, RunContent
from tests.support.admin_pages import RUNS, act, listed, runs_of, staff_of, superuser, url
from tests.support.shops import AGENT, OUTPUT, Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop():
    return Shop.open()


@pytest.fixture
def staff(shop):
    return staff_of(shop.tenant)


def run_of(shop, **body):
    return Run.objects.get(run_id=shop.run(**body))


@pytest.mark.parametrize("model", RUNS)
def test_every_model_is_there_but_for_content(model):
    assert isinstance(admin.site.get_model_admin(model), TenantScopedAdmin)
    assert not admin.site.is_registered(RunContent)


@pytest.mark.parametrize("model", RUNS)
def test_a_tenant_admin_sees_their_own_tenant(shop, staff, model):
    mine, theirs = runs_of(shop)[model], runs_of(Shop.open())[model]
    assert mine in listed(staff, model) and theirs not in listed(staff, model)
    assert listed(staff, model, q=str(theirs.pk)) == []
    assert staff.get(url(model, "change", mine.pk)).status_code == 200
    assert staff.get(url(model, "change", theirs.pk)).status_code == 302, "as for an id that nothing has"
    assert {mine, theirs} <= set(listed(superuser(), model))


def test_a_run_is_looked_at_and_never_typed_into(shop, staff):
    run = run_of(shop)
    assert staff.get(url(Run, "add")).status_code == 403
    assert staff.post(url(Run, "change", run.pk), {"status": "failed"}).status_code == 403
    assert staff.post(url(Run, "delete", run.pk), {"post": "yes"}).status_code == 403


def test_content_is_laid_out_on_the_runs_own_page_alone(shop, staff, assert_queries):
    run = run_of(shop, input={"message": "<script>alert(1)</script> שלום 😀"}, output=OUTPUT)
    with assert_queries(at_most=12) as statements:
        page = staff.get(url(Run))
    assert "alert" not in page.content.decode()
    assert not [statement for statement in statements if "runs_runcontent" in statement]
    shown = staff.get(url(Run, "change", run.pk)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; שלום 😀" in shown and "<script>alert" not in shown
    assert "&quot;content&quot;: &quot;Your parcel is on its way.&quot;" in shown


def test_content_of_a_mebibyte_is_cut_and_its_numbers_stay_as_they_were(shop, staff):
    long = run_of(shop, output={"number": 12345678901234567890, "text": "x" * 1_000_000})
    shown = staff.get(url(Run, "change", long.pk)).content.decode()
    assert "12345678901234567890" in shown and "characters more" in shown
    assert len(shown) < 2 * 200_000
    bare = run_of(shop, input=None, output=None)
    assert staff.get(url(Run, "change", bare.pk)).status_code == 200


def test_erasing_asks_first_and_then_takes_the_words(shop, staff):
    run, other = run_of(shop), run_of(shop)
    asked = act(staff, Run, "erase", run)
    assert "can&#x27;t be undone" in asked.content.decode() and str(run.run_id) in asked.content.decode()
    assert Run.objects.filter(content_erased_at__isnull=False).count() == 0
    done = act(staff, Run, "erase", run, confirmed="yes")
    assert "1 runs erased." in done.content.decode()
    run.refresh_from_db()
    assert run.content_erased_at is not None and RunContent.objects.get(pk=run.content_id).output is None
    assert "Your parcel" not in staff.get(url(Run, "change", run.pk)).content.decode()
    other.refresh_from_db()
    assert other.content_erased_at is None


def test_nobody_erases_another_tenants_run(shop, staff):
    theirs = run_of(Shop.open())
    act(staff, Run, "erase", theirs, confirmed="yes")
    theirs.refresh_from_db()
    assert theirs.content_erased_at is None
    act(superuser(), Run, "erase", theirs, confirmed="yes")
    theirs.refresh_from_db()
    assert theirs.content_erased_at is not None


def test_no_more_than_a_page_of_runs_is_erased_at_once(shop, staff, monkeypatch):
    monkeypatch.setattr(tables, "AT_ONCE", 2)
    runs = [run_of(shop) for _ in range(3)]
    refused = act(staff, Run, "erase", *runs, confirmed="yes", select_across="1")
    assert "Choose up to 2 at once." in refused.content.decode()
    assert not Run.objects.filter(content_erased_at__isnull=False).exists()


@pytest.mark.parametrize("client", ["staff", "superuser"])
def test_a_run_is_found_by_its_ids_and_by_its_agent(shop, staff, client):
    who = staff if client == "staff" else superuser()
    run, flow = run_of(shop), run_of(shop, flow={"id": "shop.intake", "version": "1.0.0"})
    theirs = run_of(Shop.open())
    for term in (str(run.pk), str(run.run_id), f" {run.run_id} "):
        assert listed(who, Run, q=term) == [run]
    for term in (AGENT, AGENT[:6]):
        found = listed(who, Run, q=term)
        assert run in found and flow not in found and (theirs in found) == (client == "superuser")
    unregistered = run_of(shop, agent={"id": "nobody.registered", "version": "1.0.0"})
    assert listed(who, Run, q="nobody.registered") == [unregistered]
    for term in ("nobody", str(uuid4()), "%", "' OR 1=1", "x" * 5000):
        assert listed(who, Run, q=term) == []


def test_filters_narrow_by_what_indexes_know_and_look_for_the_rest_among_the_newest(shop, staff, monkeypatch):
    failed = run_of(shop, status="failed", createdAt="2026-01-01T00:00:00Z")
    newer = [run_of(shop, dryRun=True, createdAt=f"2026-01-02T00:00:0{number}Z") for number in range(3)]
    assert listed(staff, Run, status__exact="failed") == [failed]
    assert listed(staff, Run, project__id__exact=str(shop.project.pk), dry_run__exact="1") == newer[::-1]
    assert listed(staff, Run, created_at__lt="2026-01-01 12:00:00+00:00") == [failed]
    assert listed(staff, Run, agent=AGENT) == [*newer[::-1], failed]
    monkeypatch.setattr(tables, "COUNTED", 3)
    assert listed(staff, Run, status__exact="failed") == []
    assert listed(staff, Run, created_at__lt="2026-01-01 12:00:00+00:00", status__exact="failed") == [failed]
    theirs = run_of(Shop.open(), status="failed")
    assert listed(superuser(), Run, status__exact="failed") == [theirs]
    assert listed(superuser(), Run, tenant__id__exact=str(theirs.tenant_id)) == [theirs]


def test_two_rows_cost_as_many_statements_as_twenty(shop, staff, assert_queries):
    def make(count):
        for _ in range(count):
            runs_of(shop)
            runs_of(Shop.open())

    root = superuser()
    pages = [(client, url(model)) for client in (root, staff) for model in RUNS]
    make(2)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=12) as statements:
            client.get(page)
        few.append(len(statements))
    make(18)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            client.get(page)


def test_facets_are_never_counted_and_queries_are_planned_for_what_is_asked(shop, staff, assert_queries):
    with assert_queries(at_most=12) as statements:
        assert staff.get(url(Run), {"_facets": "True"}).status_code == 200
    assert sum("COUNT(" in statement for statement in statements) == 1
    planned = [number for number, statement in enumerate(statements) if "force_custom_plan" in statement]
    assert planned and all("runs_run" not in statement for statement in statements[: planned[0]])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (rb'"\u05e9\u05dc\u05d5\u05dd \ud83d\ude00"', "שלום 😀"),
        (rb'"\\u05e9 \" \u0022 \u005c \u0000 \ud83d \u202e \n"', r'"\\u05e9 \" \u0022 \u005c \u0000 \ud83d \u202e \n"'),
        (b'{"a":1.10,"b":1e400,"c":-0}', '"a": 1.10,\n  "b": 1e400,\n  "c": -0'),
        (b'{"a":[],"b":{}}', '"a": [],\n  "b": {}'),
    ],
)
def test_letters_are_shown_as_letters_and_everything_else_as_it_came(text, shown):
    assert shown in unescape(shown_json(text))
