"""What tests of the admin's pages for runs and corrections share."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from kindgi.access.models import Tenant, User
from kindgi.runs.models import Agent, AgentPin, AgentVersion, PinChange, Run
from tests.builders import browser, make_user
from tests.support.shops import AGENT, VERSION, Shop

RUNS: list[type[Model]] = [Agent, AgentVersion, AgentPin, PinChange, Run]


def superuser() -> Client:
    """Who sees every tenant."""
    return browser(User.objects.create_superuser(f"root-{uuid4().hex}@example.com", "pass"))


def staff_of(tenant: Tenant) -> Client:
    """A tenant admin who may sign in to the admin, and has none of Django's own permissions."""
    return browser(make_user(tenant, admin=True, is_staff=True))


def url(model: type[Model], page: str = "changelist", *args: Any) -> str:
    """The address of a page of the model's."""
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=args)


def listed(client: Client, model: type[Model], **query: Any) -> list[Any]:
    """The rows on the first page of the list."""
    response = client.get(url(model), query)
    assert response.status_code == 200, response
    return list(response.context["cl"].result_list)


def act(client: Client, model: type[Model], action: str, *rows: Model, **data: Any) -> HttpResponse:
    """Choose an action for rows of a list, or with ``confirmed="yes"`` answer its question."""
    chosen = {"action": action, ACTION_CHECKBOX_NAME: [str(row.pk) for row in rows], **data}
    return client.post(url(model), chosen, follow=True)  # type: ignore[return-value]


def problems(response: Any) -> str:
    """The errors that a form shows; nothing when it was saved."""
    if response.status_code == 302:
        return ""
    return re.sub(r"<[^>]+>", " ", str(response.context["adminform"].form.errors))


def runs_of(shop: Shop) -> dict[type[Model], Any]:
    """A row of each model of runs, all of the shop's tenant."""
    run = Run.objects.get(tenant=shop.tenant, run_id=shop.run())
    project = f"projects/{shop.project.pk}/agents/{AGENT}/pin"
    shop.admin.ok("PUT", project, {"version": VERSION})
    agent = Agent.objects.get(tenant=shop.tenant)
    return {
        Agent: agent,
        AgentVersion: agent.versions.get(version=VERSION),
        AgentPin: agent.pins.get(),
        PinChange: agent.pin_changes.first(),
        Run: run,
    }
