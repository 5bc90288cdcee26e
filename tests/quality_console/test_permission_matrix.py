"""Every address of the console, by everybody: who is let in, led to sign in, refused, and for whom nothing is there.

A POST is sent empty: who is let in is told what is missing (422 or 400), or it needs nothing (303).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from kindgi.access.models import User
from quality_console.urls import urlpatterns
from tests.builders import browser, make_service_account, make_tenant, make_user, mint
from tests.improve.replays import set_endpoint
from tests.improve.suggesting import FROM, draft, register
from tests.judging.queues import import_runs, old_rule, queued_runs, records
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, Shop

# signed out; gone: deactivated; rival: an admin of another tenant where everything has the same names;
# outsider: of the tenant, with no role in the project; tenant: its admin.
WHO = ["nobody", "gone", "rival", "outsider", "viewer", "editor", "admin", "tenant"]

MATRIX = """
                                     nobody     gone    rival outsider   viewer   editor    admin   tenant
GET  home                               302      302      200      200      200      200      200      200
GET  sign-in                            200      200      302      302      302      302      302      302
POST sign-in                            422      422      302      302      302      302      302      302
POST sign-out                           302      302      302      302      302      302      302      302
POST theme                              303      303      303      303      303      303      303      303
GET  password                           302      302      200      200      200      200      200      200
POST password                           302      302      422      422      422      422      422      422
GET  tokens                             302      302      200      200      200      200      200      200
POST tokens                             302      302      422      422      422      422      422      422
POST token-revoke                       302      302      404      404      404      404      404      404
GET  service-accounts                   302      302      200      403      403      403      403      200
POST service-accounts                   302      302      422      403      403      403      403      422
GET  service-account                    302      302      404      403      403      403      403      200
POST service-account                    302      302      404      403      403      403      403      422
POST service-account-unregister         302      302      404      403      403      403      403      303
POST service-account-grant              302      302      404      403      403      403      403      422
POST service-account-ungrant            302      302      404      403      403      403      403      303
POST service-account-token-revoke       302      302      404      403      403      403      403      303
GET  runs                               302      302      200      404      200      200      200      200
GET  people                             302      302      200      404      200      200      200      200
POST people-add                         302      302      422      404      403      403      422      422
POST people-role                        302      302      404      404      403      403      422      422
POST people-remove                      302      302      404      404      403      403      303      303
POST project-settings                   302      302      422      404      403      403      422      422
GET  quality                            302      302      200      404      200      200      200      200
GET  run                                302      302      404      404      200      200      200      200
POST run-correct                        302      302      404      404      403      303      303      303
POST correction-undo                    302      302      404      404      404      303      404      404
GET  run-part                           302      302      404      404      404      404      404      404
GET  run-json                           302      302      404      404      200      200      200      200
POST queue-hold                         302      302      204      404      403      204      204      204
POST queue-release                      302      302      204      404      403      204      204      204
POST correction-remove                  302      302      404      404      403      303      303      303
POST correction-change:status           302      302      404      404      403      303      303      303
POST class-create                       302      302      422      404      403      403      422      422
POST class-change                       302      302      404      404      403      403      422      422
POST class-remove                       302      302      404      404      403      403      303      303
POST queue-start                        302      302      303      404      403      303      303      303
POST queue-dismiss                      302      302      303      404      403      303      303      303
POST queue-reopen                       302      302      303      404      403      303      303      303
POST rule-create                        302      302      422      404      403      422      422      422
POST rule-change                        302      302      404      404      403      409      409      409
POST rule-remove                        302      302      404      404      403      303      303      303
POST rule-queue-recent                  302      302      404      404      403      422      422      422
GET  catch-up                           302      302      404      404      404      404      404      404
GET  suggested-change-new               302      302      200      404      403      200      200      200
POST suggested-change-new               302      302      422      404      403      422      422      422
GET  suggested-change                   302      302      404      404      200      200      200      200
GET  suggested-change-progress          302      302      404      404      200      200      200      200
POST suggested-change-act:withdraw      302      302      404      404      403      303      303      303
GET  suggested-change-act:withdraw       302      302      404      404      303      303      303      303
GET  replay-endpoints                   302      302      200      404      403      200      200      200
POST replay-endpoints                   302      302      422      404      403      403      422      422
POST replay-endpoint-rotate             302      302      404      404      403      403      200      200
GET  replay-endpoint-rotate             302      302      303      404      303      303      303      303
POST replay-endpoint-remove             302      302      404      404      403      403      303      303
GET  replay-endpoint-remove             302      302      303      404      303      303      303      303
POST replay-endpoint-check              302      302      404      404      403      403      200      200
GET  replay-endpoint-check              302      302      303      404      303      303      303      303
"""

# What is sent where it matters that it is whole: a refusal of what is missing would hide that of who asks.
BODIES = {
    "correction-change:status": {"status": "being-fixed"},
    "run-correct": {"do": "save", "answer": "right", "class": ""},
    "suggested-change-act:withdraw": {"reason": "It isn't needed any more."},
}
# What an address asks for beside its path.
QUERIES = {
    "suggested-change-new": f"agent={AGENT}&version={FROM}",
    "suggested-change-progress": "in=row",
    "replay-endpoints": f"agent={AGENT}",
    "replay-endpoint-rotate": f"agent={AGENT}",
    "replay-endpoint-remove": f"agent={AGENT}",
    "replay-endpoint-check": f"agent={AGENT}",
}
PARTS = {"correction-change": "correction-change:status", "suggested-change-act": "suggested-change-act:withdraw"}
WRITES = ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "MERGE", "COPY")


@dataclass(frozen=True)
class Row:
    """An address with a method, and what each of ``WHO`` is answered."""

    method: str
    name: str
    answers: dict[str, int]

    def __str__(self) -> str:
        return f"{self.method} {self.name}"


def _rows() -> list[Row]:
    head, *lines = MATRIX.strip().splitlines()
    assert head.split() == WHO
    rows = []
    for line in lines:
        method, name, *answers = line.split()
        rows.append(Row(method, name, dict(zip(WHO, map(int, answers), strict=True))))
    return rows


ROWS = _rows()


@dataclass
class Place:
    """A project with something of each kind, and a browser of everybody."""

    ids: dict[str, Any]
    browsers: dict[str, Client]
    tenant_admin: User

    def address(self, name: str) -> str:
        """The address by its name; ``correction-change:fixed`` says what its last part is."""
        name, _, what = name.partition(":")
        pattern = next(one for one in urlpatterns if one.name == name)
        wanted = pattern.pattern.converters
        ids = {**self.ids, **({"what": what, "action": what} if what else {})}
        address = reverse(name, kwargs={key: ids[key] for key in wanted})
        return f"{address}?{QUERIES[name]}" if name in QUERIES else address


@pytest.fixture(scope="module")
def place(shop: Shop) -> Place:
    # Whoever corrects blind finds no correction of others; who may change one is asked here.
    shop.project.blind = False
    shop.project.save()
    rule = old_rule(shop)
    import_runs(shop, *records(2))
    run, corrected = queued_runs(shop)
    account = make_service_account(shop.tenant, "editor")
    register(shop)
    set_endpoint(shop, "http://127.0.0.1:9/replay")
    ids = {
        "proposal_id": draft(shop),
        "slug": shop.project.slug,
        "run_id": run,
        "correction_id": shop.correct(corrected, by="editor")["id"],
        "class_id": shop.judge_class(scope={"kind": "project", "projectId": str(shop.project.pk)}),
        "rule_id": rule["ruleId"],
        "catch_up_id": uuid4(),
        "account_id": account.pk,
        "project_id": shop.project.pk,
        "token_id": mint(account).token.pk,
        "user_id": make_user(shop.tenant, "viewer").pk,
    }
    return Place(ids, {who: browser(person) for who, person in _people(shop).items()}, shop.person("tenant-admin"))


def _people(shop: Shop) -> dict[str, User | None]:
    return {
        "nobody": None,
        "gone": make_user(shop.tenant, "admin"),
        "rival": make_user(make_tenant(), admin=True),
        "outsider": make_user(shop.tenant),
        "viewer": shop.person("viewer"),
        "editor": shop.person("editor"),
        "admin": make_user(shop.tenant, "admin"),
        "tenant": shop.person("tenant-admin"),
    }


@pytest.fixture(scope="module", autouse=True)
def somebody_left(place: Place) -> None:
    """Who is gone was signed in before."""
    session = place.browsers["gone"].session
    User.objects.filter(pk=session["_auth_user_id"]).update(is_active=False)


def ask(client: Client, row: Row, address: str) -> int:
    """What is answered; whatever it changes is undone."""
    signed_in = deepcopy(client.cookies)
    with transaction.atomic():
        body = BODIES.get(row.name, {})
        response: Any = client.get(address) if row.method == "GET" else client.post(address, body)
        transaction.set_rollback(True)
    client.cookies = signed_in
    return int(response.status_code)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_everybody_is_answered_as_the_table_says(place: Place, row: Row):
    address = place.address(row.name)
    with recorded_queries() as statements:
        answers = {who: ask(place.browsers[who], row, address) for who in WHO}
    assert answers == row.answers
    if row.method == "GET":
        assert [one for one in statements if one.lstrip().upper().startswith(WRITES)] == []


def test_every_address_is_in_the_table_with_each_method_that_it_takes(place: Place):
    told = {(row.method, row.name.partition(":")[0]) for row in ROWS}
    names = {pattern.name for pattern in urlpatterns}
    assert None not in names
    assert {name for _, name in told} == names
    other = {"GET": "POST", "POST": "GET"}
    for method, name in sorted(told):
        if (other[method], name) not in told:
            row = Row(other[method], PARTS.get(name, name), {})
            assert ask(place.browsers["tenant"], row, place.address(row.name)) == 405, row


def test_nothing_is_posted_without_the_sites_own_form(place: Place):
    client = Client(enforce_csrf_checks=True)
    client.force_login(place.tenant_admin)
    for row in ROWS:
        if row.method == "POST":
            with transaction.atomic():
                assert client.post(place.address(row.name), BODIES.get(row.name, {})).status_code == 403, row
