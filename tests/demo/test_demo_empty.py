"""The empty demonstration: who and where, without what happened; which can be told later."""

import pytest

from corrections.models import JudgeClass
from kindgi.access.models import ServiceAccount, Tenant, Token, User
from kindgi.demo import data
from kindgi.runs.models import Agent, Run


@pytest.mark.django_db
def test_without_runs_there_are_people_projects_and_tokens_and_the_rest_can_follow(var, monkeypatch):
    empty = data.load(empty=True)
    assert set(empty) == {"adminToken", "projects", "users"} and len(empty["projects"]) == 3
    assert (Tenant.objects.count(), ServiceAccount.objects.count()) == (2, 6)
    assert User.objects.count() == len(empty["users"]) and Token.objects.count() == 7
    assert not (Run.objects.exists() or Agent.objects.exists() or JudgeClass.objects.exists())
    told = []
    monkeypatch.setattr(data, "tell", lambda companies, tenants, at: told.append((companies, tenants)))
    data.load(empty=True)
    assert told == []
    full = data.load(empty=False)
    assert [[tenant.slug for tenant in tenants] for _, tenants in told] == [[company.slug for company in told[0][0]]]
    assert full["projects"] == empty["projects"] and full["users"] == empty["users"]
