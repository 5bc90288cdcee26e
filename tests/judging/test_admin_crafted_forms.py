"""Whatever is sent to the admin as an id or a reason is answered, by a refusal that is shown, and never a failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client

from judging.models import QueueItem
from kindgi.access.admin_base import TenantScopedAdmin
from kindgi.runs.admin.tables import ListedFilter
from tests.judging.queues import old_rule
from tests.support.admin_pages import act, staff_of, superuser, url
from tests.support.shops import Shop

pytestmark = pytest.mark.django_db

ADMINS: dict[type[Model], Any] = {
    model: its for model, its in admin.site._registry.items() if isinstance(its, TenantScopedAdmin)
}
ACTED_ON = [(model, action) for model, its in ADMINS.items() for action in its.actions or ()]
CHOSEN = [(model, name) for model, its in ADMINS.items() for name in its.autocomplete_fields]
FILTERED = [
    (model, f"{one[0]}__id__exact")
    for model, its in ADMINS.items()
    for one in its.list_filter
    if isinstance(one, tuple) and issubclass(one[1], ListedFilter)
]
NO_IDS = ["x", "\0", "9" * 99]


@pytest.fixture
def shop() -> Shop:
    """With a row in the queue, so that what isn't found isn't because nothing is."""
    shop = Shop.open()
    old_rule(shop)
    shop.correct(shop.run())
    shop.run()
    return shop


@pytest.fixture
def clients(shop: Shop) -> list[Client]:
    clients = [superuser(), staff_of(shop.tenant)]
    for client in clients:
        client.raise_request_exception = False
    return clients


def name_of(case: Any) -> str:
    return str(getattr(case, "_meta", case))


@pytest.mark.parametrize(("model", "action"), ACTED_ON, ids=name_of)
def test_an_action_on_what_is_no_row_is_refused(clients: list[Client], model: type[Model], action: str):
    for client in clients:
        for chosen in (*NO_IDS, ""):
            data = {"action": action, "_selected_action": chosen, "confirmed": "yes"}
            response = client.post(url(model), data, follow=True)
            assert response.status_code == 200, chosen
            assert b"What was chosen is no row of this list." in response.content


@pytest.mark.parametrize(("model", "field"), CHOSEN, ids=name_of)
def test_a_choice_that_is_no_id_is_refused_beside_its_field(clients: list[Client], model: type[Model], field: str):
    for client in clients:
        page = url(model, "add")
        if client.get(page).status_code == 403:
            continue
        for chosen in NO_IDS:
            response = client.post(page, {field: chosen, **without_inlines(model)})
            assert response.status_code == 200, chosen
            assert field in response.context["adminform"].form.errors


def without_inlines(model: type[Model]) -> dict[str, str]:
    """The hidden fields of a form whose inlines have no rows."""
    its = ADMINS[model]
    prefixes = [one.model._meta.get_field(key_of(one.model, model)).remote_field.get_accessor_name()
                for one in its.inlines]  # fmt: skip
    return {f"{prefix}-{name}_FORMS": "0" for prefix in prefixes for name in ("TOTAL", "INITIAL")}


def key_of(model: type[Model], to: type[Model]) -> str:
    return next(field.name for field in model._meta.concrete_fields if field.related_model is to)


@pytest.mark.parametrize(("model", "name"), FILTERED, ids=name_of)
def test_a_filter_for_what_is_no_id_is_refused(clients: list[Client], model: type[Model], name: str):
    for client in clients:
        for more in odd_queries(model):
            response = client.get(url(model), {name: "x", **more})
            assert response.status_code == 302 and response["Location"].endswith("?e=1"), more


def odd_queries(model: type[Model]) -> Iterator[dict[str, str]]:
    """Nothing more, a search, and a state where the list has one."""
    yield {}
    yield {"q": "a"}
    if "state" in {field.name for field in model._meta.concrete_fields}:
        yield {"state__exact": "open"}


def test_a_reason_with_a_nul_is_refused(shop: Shop, clients: list[Client]):
    waiting = QueueItem.objects.get(tenant=shop.tenant, state="open")
    for client in clients:
        refused = act(client, QueueItem, "dismiss", waiting, confirmed="yes", reason="a\0b").content.decode()
        assert "Null characters are not allowed." in refused
    waiting.refresh_from_db()
    assert waiting.state == "open"
