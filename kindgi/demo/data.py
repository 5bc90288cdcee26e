"""Fills a database with demonstration data, once, and says what there is to sign in with."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from kindgi.access.callers import operator_in
from kindgi.access.models import Tenant, TokenRole, User
from kindgi.access.selectors import caller_by_token
from kindgi.access.services.tokens import TokenSpec, token_mint
from kindgi.api.errors import ApiError
from kindgi.api.times import as_of, now
from kindgi.demo.companies import COMPANIES, TENANT_ADMIN, TRAVEL
from kindgi.demo.history import EXAMPLE_RUN_ID
from kindgi.demo.lookups import PROJECT
from kindgi.demo.people import company_make, projects_described, tenants_made, users_described
from kindgi.demo.suggested import INES, suggest, to_decide
from kindgi.demo.told import tell
from kindgi.runs.models import Run


def load(empty: bool) -> dict[str, Any]:
    """What there is to sign in with, after making whatever of it isn't there yet.

    ``empty`` leaves out the agents, their runs and all that is said of them. Everything is made
    in one transaction, so that a load that was killed left nothing.
    """
    if settings.PRODUCTION:
        raise ImproperlyConfigured("The demonstration's passwords are known to everybody: not in production mode.")
    with transaction.atomic():
        at = now()
        tenants = tenants_made(COMPANIES) or _make(at)
        has_runs = _has_runs(tenants[0])
        if not has_runs and not empty:
            tell(COMPANIES, tenants, at)
            suggest(tenants[-1], at)
            has_runs = True
    data = {
        "adminToken": _kept_token(tenants[0]) or _new_token(tenants[0]),
        "projects": projects_described(tenants),
        "users": users_described(COMPANIES),
    }
    return {**data, "exampleRunId": EXAMPLE_RUN_ID, **_to_decide(tenants[-1])} if has_runs else data


def _to_decide(tenant: Tenant) -> dict[str, str]:
    """Which suggested change waits for a reviewer, by its page's path, and who may decide; nothing where none does."""
    found = to_decide(tenant)
    return {"toDecide": f"/projects/{PROJECT}/suggested-changes/{found}", "decides": INES} if found else {}


def _make(at: datetime) -> list[Tenant]:
    with as_of(at - timedelta(days=125)):
        return [company_make(company) for company in COMPANIES]


def _has_runs(tenant: Tenant) -> bool:
    return Run.objects.filter(tenant=tenant, run_id=EXAMPLE_RUN_ID).exists()


def _kept_token(tenant: Tenant) -> str:
    """The admin token that an earlier demonstration wrote down, if it still lets its bearer administer the tenant."""
    try:
        kept = str(json.loads((settings.VAR_DIR / "demo.json").read_text())["adminToken"])
        caller = caller_by_token(kept)
    except (OSError, ValueError, LookupError, TypeError, ApiError):
        return ""
    return kept if caller.tenant_id == tenant.pk and caller.administers_tenant else ""


def _new_token(tenant: Tenant) -> str:
    admin = User.objects.by_email(next(person.email for person in TRAVEL.people if person.tenant_role == TENANT_ADMIN))
    spec = TokenSpec(role=TokenRole.ADMIN, label="Demonstration")
    return token_mint(caller=operator_in(tenant.pk), principal=admin.get(), spec=spec).secret
