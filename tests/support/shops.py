"""A tenant with people of every role, an agent and its runs: what tests of runs and corrections stand on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from kindgi.access.models import Project, ServiceAccount, Tenant, User
from tests.builders import Api, default_project, make_project, make_service_account, make_tenant, make_user
from tests.support.openapi import assert_answer_is_documented

AGENT = "shop.desk"
VERSION = "1.0.0"
TOOLS = ["shop.lookup", "shop.refund", "shop.mail"]
OUTPUT: dict[str, Any] = {
    "response": {"content": "Your parcel is on its way."},
    "matches": [{"id": "case-a", "score": 0.9}, {"id": "case-b", "score": 0.5}, {"id": "case-c", "score": 0.1}],
    "note": "text",
    "a/b": 1,
    "m~n": 2,
    "": {"": "empty"},
    "7": {"01": "padded"},
    "e\u0301": "combining",
}


class CheckedApi(Api):
    """A client that fails wherever an answer isn't as the OpenAPI document says."""

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        response = super().request(method, path, body, **options)
        address = (path if path.startswith("/") else f"/v1/{path}").partition("?")[0]
        assert_answer_is_documented(method, address, response)
        return response


@dataclass
class Shop:
    """``project`` is the tenant's default one. ``api(role)`` acts as a new person of that role, the same each time."""

    tenant: Tenant
    project: Project
    people: dict[str, User | ServiceAccount] = field(default_factory=dict)
    apis: dict[str, Api] = field(default_factory=dict)

    @classmethod
    def open(cls, slug: str | None = None) -> Shop:
        """A new one, with the version of the agent and its tools registered."""
        tenant = make_tenant(slug)
        shop = cls(tenant, default_project(tenant))
        shop.admin.ok("PUT", f"agents/{AGENT}/versions/{VERSION}", {"tools": [{"id": tool} for tool in TOOLS]})
        return shop

    def person(self, name: str) -> Any:
        """``viewer``, ``editor``, ``admin``, ``owner`` of the project, ``service`` (an editor), ``tenant-admin``.

        What follows a ``:`` tells further people of the role apart: ``editor:2``.
        """
        if name not in self.people:
            role = name.partition(":")[0]
            if role == "service":
                self.people[name] = make_service_account(self.tenant, "editor")
            elif role == "tenant-admin":
                self.people[name] = make_user(self.tenant, admin=True)
            else:
                self.people[name] = make_user(self.tenant, role)
        return self.people[name]

    def api(self, name: str) -> Api:
        """A client that acts as ``person(name)``, by one token."""
        if name not in self.apis:
            self.apis[name] = CheckedApi.of(self.person(name))
        return self.apis[name]

    @property
    def admin(self) -> Api:
        """The tenant admin."""
        return self.api("tenant-admin")

    @property
    def editor(self) -> Api:
        """An editor of the project."""
        return self.api("editor")

    def other_project(self) -> Project:
        """A second project, new each time."""
        return make_project(self.tenant)

    def run(self, run_id: str | None = None, /, **body: Any) -> str:
        """The id of a run that was just reported: a completed one of the agent, unless ``body`` says else."""
        run_id = run_id or str(uuid4())
        self.admin.ok("PUT", f"runs/{run_id}", completed(**body))
        return run_id

    def run_with_output(self, text: str) -> str:
        """The id of a completed run whose output is the JSON ``text``, to the byte."""
        run_id = str(uuid4())
        body = f'{{"agent": {{"id": "{AGENT}", "version": "{VERSION}"}}, "status": "completed", "output": {text}}}'
        self.admin.ok("PUT", f"runs/{run_id}", body.encode())
        return run_id

    def judge_class(self, name: str | None = None, /, **body: Any) -> str:
        """The id of a new class of the tenant, unless ``body`` says else."""
        made = {"scope": {"kind": "tenant"}, "name": name or f"class-{uuid4().hex[:8]}", "weight": 1, **body}
        return str(self.admin.ok("POST", "judge-classes", made)["id"])

    def correct(self, run_id: str, *, by: str = "editor", **body: Any) -> dict[str, Any]:
        """A correction of the run, as it is answered; it says that the answer was right, unless ``body`` says else."""
        said = body if {"decisions", "answer", "items"} & body.keys() else {"answer": "right", **body}
        made: dict[str, Any] = self.api(by).ok("POST", "corrections", {"runId": run_id, **said})
        return made


def completed(**body: Any) -> dict[str, Any]:
    """A report of a completed run of the agent; a flow's where ``body`` has ``flow``; ``None`` leaves a field out."""
    base: dict[str, Any] = {"status": "completed", "input": {"message": "Where is it?"}, "output": OUTPUT}
    if "flow" not in body:
        base["agent"] = {"id": AGENT, "version": VERSION, "via": "live"}
    return {name: value for name, value in {**base, **body}.items() if value is not None}


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database for the tests of a module, all in one transaction that is undone after the last."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def shop(module_db: None) -> Shop:
    """One for all tests of a module; use it through ``undone`` or leave no traces that matter."""
    shop = Shop.open()
    for name in ("editor", "viewer", "service"):  # who would else be made and undone in most tests
        shop.api(name)
    return shop


@pytest.fixture
def undone(shop: Shop) -> Iterator[Shop]:
    """The module's shop, in which whatever the test does is undone after it."""
    people, apis = dict(shop.people), dict(shop.apis)
    with transaction.atomic():
        yield shop
        transaction.set_rollback(True)
    shop.people, shop.apis = people, apis


@pytest.fixture
def fresh(transactional_db: None) -> Shop:
    """A shop whose rows are committed, for tests with several connections."""
    return Shop.open()
