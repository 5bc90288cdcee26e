"""Whatever an address of the admin asks for, it is answered: by its filters or by a refusal, never by a failure."""

from itertools import cycle
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from corrections.models import Correction
from kindgi.access.admin_base import TenantScopedAdmin
from kindgi.api.models import IdempotencyKey
from kindgi.runs.models import Run
from tests.support.admin_pages import listed, staff_of, superuser, url

pytestmark = pytest.mark.django_db

ADMINS = {model: its for model, its in admin.site._registry.items() if isinstance(its, TenantScopedAdmin)}
MODELS: list[type[Model]] = [*ADMINS, IdempotencyKey]
ODD = ["a", "(", "\0", "9" * 5000]
LOOKUPS = [("", "zz"), ("__exact", "\0"), ("__contains", "{"), ("__regex", "("), ("__year", "99999999")]
TIMES = [
    "2026-01-01", "2026-13-01 00:00:00+00:00", "99999999-01-01", "0001-01-01 00:00:00+23:59",
    "9999-12-31 23:59:59-23:59", "a", "", "\0", "2026-01-01 00:00:00+99:99", "0000-00-00 00:00:00+00:00",
]  # fmt: skip
NAMED = [
    "access/token/?secret_hash=zz",
    "corrections/verdict/?item_value=a",
    "corrections/correction/?why__regex=(",
    "corrections/correction/?why__contains=s",
    "corrections/correction/?link__x=%00",
    "corrections/correction/?status_note__text__regex=(",
    "corrections/judgeclass/?principal_ids__contains={",
    "runs/run/?failure_message__contains=%00",
    "runs/run/?created_at__year=99999999",
    "api/idempotencykey/?answer=a",
]


@pytest.fixture
def clients(shop) -> list[Client]:
    """A superuser and a tenant admin, of a shop with rows."""
    shop.correct(shop.run())
    clients = [superuser(), staff_of(shop.tenant)]
    for client in clients:
        client.raise_request_exception = False
    return clients


def odd_addresses(model):
    """Every field of a model, and the list's own parameters, with every odd lookup and value."""
    page = url(model)
    for field in model._meta.concrete_fields:
        for lookup, value in LOOKUPS:
            yield f"{page}?{field.name}{lookup}={quote(value)}"
    for name in ["state", "kind", "agent", "q", "p", "o", "all", "_popup", "_to_field", "", "__", "\0", "pk__in"]:
        for value in ODD:
            yield f"{page}?{quote(name)}={quote(value)}"


def odd_form(model, names, value):
    """The address of the form for a new row, with an odd value in each of the fields."""
    return f"{url(model, 'add')}?{'&'.join(f'{name}={quote(value)}' for name in names)}"


@pytest.mark.parametrize("address", NAMED)
def test_what_no_filter_offers_is_refused(clients, address):
    for client in clients:
        response = client.get(f"/admin/{address}")
        assert response.status_code in (302, 400, 403)
        if response.status_code == 302:
            assert response["Location"].endswith("?e=1")
            assert client.get(response["Location"], follow=True).status_code == 200


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_no_odd_address_of_a_list_fails(clients, model):
    # In turn: there are five lookups of each field, so that both of them ask for each field and by each lookup.
    asked = zip(odd_addresses(model), cycle(clients), strict=False)
    failed = [address for address, client in asked if client.get(address).status_code >= 500]
    assert failed == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_no_odd_address_of_a_form_fails(clients, model):
    fields = [field.name for field in model._meta.concrete_fields]
    for client in clients:
        for value in ODD:
            # A form that is shown has read all of its fields' values; where it isn't, one by one says which fails.
            names = [fields] if client.get(odd_form(model, fields, value)).status_code == 200 else [[f] for f in fields]
            for chosen in [*names, ["_to_field"], ["_changelist_filters"]]:
                address = odd_form(model, chosen, value)
                assert client.get(address).status_code < 500, address


@pytest.mark.parametrize("model", [Run, Correction])
@pytest.mark.parametrize("time", TIMES)
def test_a_time_that_there_is_not_is_refused(clients, model, time):
    for client in clients:
        for name in ("created_at__gte", "created_at__lt"):
            assert client.get(url(model), {name: time})["Location"].endswith("?e=1")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_a_list_is_in_its_own_order_whatever_an_address_asks_for(clients, model):
    shown = [listed(clients[0], model, o=order) for order in ("", "1", "-2", "3.4", "-5.-6")]
    assert all(rows == shown[0] for rows in shown)


def test_a_choice_is_searched_for_by_any_text(clients):
    for client in clients:
        for model, its in admin.site._registry.items():
            for name in its.autocomplete_fields:
                source = {"app_label": model._meta.app_label, "model_name": model._meta.model_name, "field_name": name}
                for term in ODD:
                    asked = client.get(reverse("admin:autocomplete"), {**source, "term": term})
                    assert asked.status_code < 500, (name, term)


def test_djangos_own_groups_are_not_there(clients):
    assert not admin.site.is_registered(Group)
    assert clients[0].get("/admin/auth/group/").status_code == 404
