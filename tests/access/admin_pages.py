"""What tests of the admin's pages share."""

from __future__ import annotations

import re

from django.db.models import Model
from django.urls import reverse

from kindgi.access.models import Membership, Project, Reviewer, ServiceAccount, ServiceAccountGrant, Tenant, Token, User
from tests.builders import default_project, make_service_account, make_user, mint

MODELS: list[type[Model]] = [Tenant, User, Project, Membership, ServiceAccount, ServiceAccountGrant, Token, Reviewer]
SCOPED = [model for model in MODELS if model is not Tenant]


def url(model, page="changelist", *args):
    return reverse(f"admin:access_{model._meta.model_name}_{page}", args=args)


def one_of_each(tenant):
    person = make_user(tenant, "viewer", reviewer="standard")
    account = make_service_account(tenant, "editor")
    return {
        Tenant: tenant,
        User: person,
        Project: default_project(tenant),
        Membership: Membership.objects.get(user=person),
        ServiceAccount: account,
        ServiceAccountGrant: account.grants.get(),
        Token: mint(person).token,
        Reviewer: Reviewer.objects.get(user=person),
    }


def problems(response):
    """The errors that a form shows; nothing when it was saved."""
    if response.status_code == 302:
        return ""
    context = response.context
    shown = [
        str(context["adminform"].form.errors),
        *(str(formset.formset.errors) for formset in context["inline_admin_formsets"]),
    ]
    return re.sub(r"<[^>]+>", " ", " ".join(shown))


def formset(prefix, *rows, saved=0):
    """The hidden fields of an inline and its rows."""
    data = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": saved}
    for number, row in enumerate(rows):
        data |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return data
