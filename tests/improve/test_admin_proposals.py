"""Django admin shows suggested changes with their history, and acts on them as /v1 does, refusals included."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.test import Client

from improve.models import Proposal
from improve.statuses import ACTIONS, Action, Status
from kindgi.access.models import User
from tests.builders import browser, make_user
from tests.improve.staging import REVIEWER, Stage, staged
from tests.support.admin_pages import act, listed, staff_of, superuser, url
from tests.support.queries import assert_queries
from tests.support.shops import Shop

DOES = {
    "evaluate": Action.EVALUATE,
    "cancel": Action.CANCEL,
    "rescore": Action.RESCORE,
    "send": Action.SEND,
    "ask": Action.REQUEST,
    "approve": Action.DECIDE,
    "reject": Action.DECIDE,
    "roll_back": Action.ROLLBACK,
    "withdraw": Action.WITHDRAW,
}


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    with staged(shop) as stage:
        yield stage


@pytest.fixture(scope="module")
def at(stage: Stage) -> dict[Status, str]:
    order = [*(status for status in Status if status != Status.PROMOTED), Status.PROMOTED]
    return {status: stage.at(status) for status in order}


@pytest.fixture
def staff(undone: Shop) -> Client:
    """A tenant admin who is staff and on the roster."""
    person = make_user(undone.tenant, admin=True, is_staff=True)
    undone.admin.ok("POST", "approvals/reviewers", {"userId": str(person.pk), "role": "standard"})
    return browser(person)


def said(response: Any) -> list[tuple[str, str]]:
    return [(message.level_tag, message.message) for message in response.context["messages"]]


@pytest.mark.parametrize(("status", "name"), list(product(Status, DOES)))
def test_each_action_is_done_or_refused_as_over_v1(
    at: dict[Status, str], staff: Client, undone: Shop, status: Status, name: str
):
    proposal = Proposal.objects.get(pk=at[status])
    before = undone.editor.ok("GET", f"proposals/{proposal.pk}")
    response = act(staff, Proposal, name, proposal, confirmed="yes", reason="Because.")
    ((level, message),) = said(response)
    after = undone.editor.ok("GET", f"proposals/{proposal.pk}")
    if DOES[name] in ACTIONS[status]:
        assert level == "success" and message.endswith("done.")
        assert name == "send" or after != before
    else:
        assert level == "error" and f'"{status}"' in message and f'"{DOES[name]}"' in message
        assert after == before


def test_it_is_asked_first_and_a_reason_where_there_is_one(at: dict[Status, str], staff: Client):
    proposal = Proposal.objects.get(pk=at[Status.DRAFT])
    asked = act(staff, Proposal, "withdraw", proposal)
    assert "Withdraw this change for good?" in asked.content.decode() and 'name="reason"' in asked.content.decode()
    assert 'name="reason"' not in act(staff, Proposal, "evaluate", proposal).content.decode()
    assert Proposal.objects.get(pk=proposal.pk).withdrawn_at is None
    for reason in ("", "  ", "x" * 2001):
        ((level, _),) = said(act(staff, Proposal, "withdraw", proposal, confirmed="yes", reason=reason))
        assert level == "error"
    both = Proposal.objects.filter(pk__in=[at[Status.DRAFT], at[Status.EVALUATED]])
    assert said(act(staff, Proposal, "withdraw", *both, confirmed="yes", reason="x"))[0][1] == (
        "Choose one suggested change."
    )


def test_who_isnt_a_reviewer_doesnt_decide_here_either(at: dict[Status, str], undone: Shop):
    proposal = Proposal.objects.get(pk=at[Status.IN_REVIEW])
    for client in (staff_of(undone.tenant), superuser()):
        ((level, message),) = said(act(client, Proposal, "approve", proposal, confirmed="yes"))
        assert level == "error" and "reviewer" in message


def test_a_page_shows_the_change_where_it_stands_and_its_history(at: dict[Status, str], staff: Client, stage: Stage):
    page = staff.get(url(Proposal, "change", at[Status.ROLLED_BACK])).content.decode()
    assert "rolled-back" in page and "It should send a mail." in page
    assert "&quot;mode&quot;: &quot;better&quot;" in page and "as-before" in page
    for happened in ("Drafted", "Evaluated: better", "Asked to make it live", "Made live in", "Rolled back"):
        assert happened in page
    assert User.objects.get(pk=stage.shop.person(REVIEWER).pk).email in page
    assert 'name="_save"' not in page


def test_the_list_says_where_each_stands_in_as_many_statements_for_many_as_for_two(
    at: dict[Status, str], undone: Shop, stage: Stage
):
    rows = listed(staff_of(undone.tenant), Proposal)
    assert {str(row.pk): row.told_standing.status for row in rows}.items() >= {
        pk: one for one, pk in at.items()
    }.items()
    few = superuser()
    few.get(url(Proposal))
    with assert_queries() as statements:
        assert len(listed(few, Proposal)) == len(at)
    for _ in range(10):
        stage.drafted()
    with assert_queries(exact=len(statements)):
        assert len(listed(few, Proposal)) == len(at) + 10


def test_another_tenants_are_not_there(at: dict[Status, str], undone: Shop):
    stranger = staff_of(Shop.open().tenant)
    assert listed(stranger, Proposal) == []
    assert stranger.get(url(Proposal, "change", at[Status.DRAFT])).status_code == 302
    act(stranger, Proposal, "withdraw", Proposal.objects.get(pk=at[Status.DRAFT]), confirmed="yes", reason="x")
    assert Proposal.objects.get(pk=at[Status.DRAFT]).withdrawn_at is None
