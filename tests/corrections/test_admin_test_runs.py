"""Django admin shows test runs, how each correction came out and what was replayed; nothing of them changes."""

from __future__ import annotations

from typing import Any

import pytest

from corrections import models
from tests.corrections.replaying import OWNERS, body, path
from tests.support.admin_pages import listed, staff_of, superuser, url
from tests.support.shops import Shop

pytestmark = pytest.mark.django_db

MODELS = [models.TestRun, models.TestResult, models.Replay]


@pytest.fixture
def shop() -> Shop:
    return Shop.open()


@pytest.fixture
def staff(shop: Shop) -> Any:
    return staff_of(shop.tenant)


def tried(shop: Shop) -> dict[Any, Any]:
    """A row of each model, all of the shop's tenant."""
    run_id = shop.run()
    shop.correct(run_id, **OWNERS)
    made = shop.editor.ok("POST", path(shop), body(run_id, "right"))
    test_run = models.TestRun.objects.get(pk=made["id"])
    return {
        models.TestRun: test_run,
        models.TestResult: models.TestResult.objects.get(test_run=test_run),
        models.Replay: models.Replay.objects.get(test_run=test_run),
    }


@pytest.mark.parametrize("model", MODELS)
def test_a_tenant_admin_sees_their_own_tenants(shop: Shop, staff: Any, model: Any):
    mine, theirs = tried(shop)[model], tried(Shop.open())[model]
    assert listed(staff, model) == [mine] and set(listed(superuser(), model)) >= {mine, theirs}
    assert staff.get(url(model, "change", mine.pk)).status_code == 200
    assert staff.get(url(model, "change", theirs.pk)).status_code == 302, "as for an id that nothing has"
    assert listed(staff, model, q=str(theirs.pk)) == [] and listed(superuser(), model, q=str(theirs.pk)) == [theirs]


@pytest.mark.parametrize("model", MODELS)
def test_they_are_only_read(shop: Shop, staff: Any, model: Any):
    row = tried(shop)[model]
    for client in (staff, superuser()):
        assert client.get(url(model, "add")).status_code == 403
        assert client.post(url(model, "change", row.pk), {"version": "9"}).status_code == 403
        assert client.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403


def test_each_is_found_by_the_ids_that_it_has(shop: Shop, staff: Any):
    mine, other = tried(shop), tried(shop)
    test_run, result, replay = (mine[model] for model in MODELS)
    for model in (models.TestResult, models.Replay):
        assert set(listed(staff, model)) == {mine[model], other[model]}
        for term in (mine[model].pk, test_run.pk):
            assert listed(staff, model, q=str(term)) == [mine[model]]
        assert listed(staff, model, q="nothing") == []
    assert listed(staff, models.TestResult, q=str(result.correction_id)) == [result]
    assert listed(staff, models.Replay, q=str(replay.run_id)) == [replay]
    assert listed(staff, models.TestRun, q=test_run.agent_id[:4]) == [other[models.TestRun], test_run]
    assert listed(staff, models.TestRun, how__exact="latest") == []


def test_the_pages_show_what_came_of_it(shop: Shop, staff: Any):
    rows = tried(shop)
    shown = staff.get(url(models.TestRun, "change", rows[models.TestRun].pk)).content.decode()
    assert "1 right, 0 wrong, 0 changed, 0 unchecked" in shown and "1 fixed, 0 reopened" in shown
    assert f"?q={rows[models.TestRun].pk}" in shown
    assert "shop.lookup" in staff.get(url(models.Replay, "change", rows[models.Replay].pk)).content.decode()
    result = staff.get(url(models.TestResult, "change", rows[models.TestResult].pk)).content.decode()
    assert "with-owner" in result and "decisions" in result


def test_two_rows_cost_as_many_statements_as_twenty(shop: Shop, staff: Any, assert_queries: Any):
    root = superuser()
    pages = [(client, url(model)) for client in (root, staff) for model in MODELS]
    tried(shop), tried(shop)
    few = []
    for client, page in pages:
        client.get(page)
        with assert_queries(at_most=14) as statements:
            client.get(page)
        few.append(len(statements))
        assert not any('"corrections_replay"."output"' in statement for statement in statements)
    for _ in range(18):
        tried(shop)
    for (client, page), count in zip(pages, few, strict=True):
        with assert_queries(exact=count):
            client.get(page)
