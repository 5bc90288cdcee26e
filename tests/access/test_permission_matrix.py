"""Every address of access, by every kind of caller: who is let in, who is refused, and for whom nothing is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from kindgi.access.api.urls import urlpatterns
from kindgi.access.callers import operator_in
from kindgi.access.models import Project, Reviewer, ServiceAccount, Tenant, Token, User
from kindgi.access.services.memberships import membership_add
from kindgi.access.services.service_accounts import service_account_unregister
from kindgi.access.services.tokens import token_revoke
from tests.builders import Api, make_project, make_service_account, make_tenant, make_token, make_user, mint

# Nobody of these gets further than the door, at any address.
NOT_LET_IN = {
    "stranger": "auth-missing",
    "unknown": "auth-missing",
    "expired": "auth-expired",
    "revoked": "auth-revoked",
    "deactivated": "auth-revoked",
    "unregistered": "auth-revoked",
}

# outsider: of the tenant, with no role in the project. elsewhere: an admin of the project, by a token that
# is narrowed to another one. ceiling: a tenant admin's member token. rival: an admin of another tenant
# where everything has the same names and slugs.
LET_IN = ["outsider", "elsewhere", "viewer", "editor", "service", "admin", "owner", "ceiling", "tenant", "rival"]

UNKNOWN = "018f0000-0000-7000-8000-000000000000"

MATRIX = """
                                             outsider elsewhere viewer editor service admin owner ceiling tenant rival
GET    identity/whoami                            200       200    200    200     200   200   200     200    200   200
GET    projects                                   200       200    200    200     200   200   200     200    200   200
POST   projects                                   403       403    403    403     403   403   403     403    201   201
GET    projects/default                           404       200    404    404     404   404   404     200    200   200
GET    projects/{project}                         404       404    200    200     200   200   200     200    200   404
PATCH  projects/{project}                         404       404    403    403     403   200   200     200    200   404
DELETE projects/{project}                         404       404    403    403     403   403   200     200    200   404
GET    projects/{project}/memberships             404       404    200    200     200   200   200     200    200   404
POST   projects/{project}/memberships             404       404    403    403     403   201   201     201    201   404
PATCH  projects/{project}/memberships/{viewer}    404       404    403    403     403   200   200     200    200   404
DELETE projects/{project}/memberships/{viewer}    404       404    403    403     403   200   200     200    200   404
PATCH  projects/{project}/memberships/{owner}     404       404    403    403     403   403   200     200    200   404
DELETE projects/{project}/memberships/{owner}     404       404    403    403     403   403   200     200    200   404
GET    service-accounts                           200       200    200    200     200   200   200     200    200   200
POST   service-accounts                           403       403    403    403     403   403   403     403    201   404
GET    service-accounts/{service}                 404       404    404    404     200   404   404     404    200   404
POST   service-accounts/{service}/unregister      404       404    404    404     403   404   404     404    200   404
GET    tokens                                     200       200    200    200     200   200   200     200    200   200
POST   tokens                                     201       403    201    201     201   201   201     201    201   201
POST   tokens  for={viewer}                       403       403    201    403     403   403   403     403    201   404
POST   tokens  for={service}                      403       403    403    403     201   403   403     403    201   404
POST   tokens  role=admin                         403       403    403    403     403   403   403     403    201   201
POST   tokens  projectId={project}                404       404    201    201     201   201   201     201    201   404
GET    tokens/{token}                             404       404    200    404     404   404   404     404    200   404
POST   tokens/{token}/revoke                      404       404    200    404     404   404   404     404    200   404
GET    approvals/reviewers                        200       200    200    200     200   200   200     200    200   200
POST   approvals/reviewers                        403       403    403    403     403   403   403     403    201   404
DELETE approvals/reviewers/{reviewer}             403       403    403    403     403   403   403     403    200   404
"""


@dataclass
class Row:
    """One line of the matrix."""

    method: str
    path: str
    variant: str
    statuses: dict[str, int]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.variant}".strip()


def rows() -> list[Row]:
    header, *lines = MATRIX.strip("\n").splitlines()
    assert header.split() == LET_IN
    found = []
    for line in lines:
        words = line.split()
        count = len(words) - len(LET_IN)
        statuses = dict(zip(LET_IN, map(int, words[count:]), strict=True))
        found.append(Row(words[0], words[1], " ".join(words[2:count]), statuses))
    return found


ROWS = rows()


@dataclass
class World:
    """A tenant, its twin by the same names, and the secret of everybody who may ask."""

    tenant: Tenant
    project: Project
    people: dict[str, User]
    service: ServiceAccount
    token: Token
    reviewer: Reviewer
    secrets: dict[str, str | None] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, Any]:
        return {
            "project": self.project.pk,
            "viewer": self.people["viewer"].pk,
            "owner": self.people["owner"].pk,
            "outsider": self.people["outsider"].pk,
            "service": self.service.pk,
            "token": self.token.pk,
            "reviewer": self.reviewer.pk,
        }

    def body(self, row: Row) -> Any:
        names = {name: str(value) for name, value in self.names.items()}
        bodies: dict[str, Any] = {
            "POST projects": {"name": "Fresh", "slug": "fresh"},
            "PATCH projects/{project}": {"description": "Another"},
            "POST projects/{project}/memberships": {"userId": names["outsider"], "role": "viewer"},
            "PATCH projects/{project}/memberships/{viewer}": {"role": "editor"},
            "PATCH projects/{project}/memberships/{owner}": {"role": "editor"},
            "POST service-accounts": {
                "name": "fresh",
                "grants": [{"kind": "project", "projectId": names["project"], "role": "viewer"}],
            },
            "POST tokens for={viewer}": {"for": {"kind": "user", "id": names["viewer"]}},
            "POST tokens for={service}": {"for": {"kind": "service-account", "id": names["service"]}},
            "POST tokens role=admin": {"role": "admin"},
            "POST tokens projectId={project}": {"projectId": names["project"]},
            "POST tokens": {},
            "POST approvals/reviewers": {"userId": names["outsider"], "role": "standard"},
        }
        return bodies.get(str(row))


def make_world() -> World:
    tenant = make_tenant("acme", name="Acme")
    project = make_project(tenant, "support", name="Support")
    people = {role: make_user(tenant, role, project=project) for role in ("viewer", "editor", "admin", "owner")}
    people["outsider"] = make_user(tenant)
    people["tenant"] = make_user(tenant, admin=True, reviewer="senior")
    service = make_service_account(tenant, "editor", project=project, name="runtime")
    token = mint(people["viewer"]).token
    reviewer = Reviewer.objects.get(tenant=tenant)
    world = World(tenant, project, people, service, token, reviewer)
    world.secrets = {name: make_token(person) for name, person in people.items()}
    world.secrets["service"] = make_token(service)
    world.secrets["ceiling"] = make_token(people["tenant"], "member")
    world.secrets["elsewhere"] = _narrowed_elsewhere(tenant, people["admin"])
    world.secrets["rival"] = _rival()
    return world


def _narrowed_elsewhere(tenant: Tenant, person: User) -> str:
    other = make_project(tenant, "sales", name="Sales")
    membership_add(caller=operator_in(tenant.pk), project=other, user=person, role="admin")
    return make_token(person, project=other)


def _rival() -> str:
    twin = make_tenant("acme-2", name="Acme")
    make_project(twin, "support", name="Support")
    make_service_account(twin, name="runtime")
    return make_token(make_user(twin, admin=True, reviewer="senior"))


def add_who_is_not_let_in(world: World) -> None:
    owner = world.people["owner"]
    gone = make_user(world.tenant, "owner", project=world.project)
    account = make_service_account(world.tenant, "owner", project=world.project)
    revoked = mint(owner)
    world.secrets |= {
        "stranger": None,
        "unknown": "kgi_" + "A" * 43,
        "expired": make_token(owner, expired=True),
        "revoked": revoked.secret,
        "deactivated": make_token(gone),
        "unregistered": make_token(account),
    }
    operator = operator_in(world.tenant.pk)
    token_revoke(caller=operator, token=revoked.token)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    service_account_unregister(caller=operator, account=account)


def ask(world: World, who: str, row: Row, *, path: str | None = None) -> Any:
    """One request whose effect is undone."""
    path = path or row.path.format(**world.names)
    with transaction.atomic():
        response = Api(world.secrets[who]).request(row.method, path, world.body(row))
        transaction.set_rollback(True)
    return response


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """One for all tests here, each of which undoes what it does."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        add_who_is_not_let_in(world)
        yield world
        transaction.set_rollback(True)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_caller_gets_what_the_table_says(world: World, row: Row):
    assert {who: ask(world, who, row).status_code for who in LET_IN} == row.statuses


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_thing_that_is_not_there_for_the_caller_answers_as_an_unknown_id_does(world: World, row: Row):
    for who in [who for who, status in row.statuses.items() if status == 404 and "{" in row.path]:
        there = ask(world, who, row).json()["error"]
        not_there = ask(world, who, row, path=row.path.format(**dict.fromkeys(world.names, UNKNOWN))).json()["error"]
        del there["requestId"], not_there["requestId"]
        assert there == not_there


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nobody_without_a_good_token_gets_anywhere(world: World, row: Row):
    for who, code in NOT_LET_IN.items():
        response = ask(world, who, row)
        assert (response.status_code, response.json()["error"]["code"]) == (401, code), who
        assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("row", [row for row in ROWS if "{" in row.path], ids=str)
def test_an_id_that_nothing_has_is_not_found_whatever_it_looks_like(world: World, row: Row):
    for spelled in ("nothing", UNKNOWN, UNKNOWN.replace("-", ""), "%00", "%ff", "0" * 500, "👤"):
        path = row.path.format(**dict.fromkeys(world.names, spelled))
        assert ask(world, "tenant", row, path=path).status_code == 404, spelled


def test_the_table_names_every_address_and_method():
    served = set()
    for pattern in urlpatterns:
        view: Any = pattern.callback.view_class  # type: ignore[attr-defined]
        served |= {
            (method.upper(), _anonymous(str(pattern.pattern)))
            for method in view.http_method_names
            if hasattr(view, method)
        }
    assert {(row.method, _anonymous(row.path)) for row in ROWS} == served


def _anonymous(path: str) -> str:
    return "/".join("*" if part[:1] in "<{" else part for part in path.split("/"))
