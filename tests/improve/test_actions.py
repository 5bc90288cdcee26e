"""Each pair of a status and an action through /v1: legal ones succeed, the others are refused by the status's name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from improve.models import Proposal
from improve.selectors.statuses import with_status
from improve.statuses import ACTIONS, Action, Status
from kindgi.api.times import now
from tests.improve.staging import REVIEWER, Stage, staged
from tests.support.shops import Shop

BODIES: dict[Action, Any] = {
    Action.DECIDE: {"decision": "reject", "reason": "It isn't what we want."},
    Action.WITHDRAW: {"reason": "It was wrong."},
}
BY = {Action.DECIDE: REVIEWER, Action.ROLLBACK: REVIEWER}


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    with staged(shop) as stage:
        yield stage


@pytest.fixture(scope="module")
def at(stage: Stage) -> dict[Status, str]:
    """One suggested change at each status; the one that is live came last, so that it still is."""
    order = [*(status for status in Status if status != Status.PROMOTED), Status.PROMOTED]
    return {status: stage.at(status) for status in order}


def body_of(stage: Stage, action: Action) -> Any:
    return {"suiteId": stage.test_set} if action == Action.EVALUATE else BODIES.get(action)


@pytest.mark.parametrize(("status", "action"), list(product(Status, Action)))
def test_a_legal_action_succeeds_and_any_other_is_refused(
    stage: Stage, at: dict[Status, str], undone: Shop, status: Status, action: Action
):
    api = undone.api(BY.get(action, "editor"))
    shown = api.ok("GET", f"proposals/{at[status]}")
    assert shown["status"] == status
    assert shown["can"][action] == (action in ACTIONS[status]), "what may be done is said as it is"
    response = api.post(f"proposals/{at[status]}/{action}", body_of(stage, action))
    if action in ACTIONS[status]:
        assert response.status_code < 300, response.content
        return
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (409, "proposal-wrong-status")
    assert error["details"] == {"status": status, "action": action}
    assert f'"{status}"' in error["message"] and f'"{action}"' in error["message"]
    assert api.ok("GET", f"proposals/{at[status]}") == shown, "nothing has changed"


@pytest.mark.parametrize("status", list(Status))
def test_a_list_by_status_has_the_ones_that_stand_so(stage: Stage, at: dict[Status, str], status: Status):
    listed = stage.shop.editor.ok("GET", f"proposals?status={status}&limit=100")["data"]
    assert at[status] in [row["id"] for row in listed]
    assert {row["status"] for row in listed} == {status}


def test_what_sql_says_of_each_is_what_its_steps_come_to(stage: Stage, at: dict[Status, str]):
    said = {str(row.pk): row.stands for row in with_status(Proposal.objects.all(), now())}
    assert {said[proposal_id]: status for status, proposal_id in at.items()} == {status: status for status in Status}
    shown = stage.shop.editor.ok("GET", "proposals?limit=100")["data"]
    assert said == {row["id"]: row["status"] for row in shown}


@pytest.mark.parametrize("action", list(Action))
def test_who_may_not_act_is_told_so_whatever_the_status(
    at: dict[Status, str], undone: Shop, stage: Stage, action: Action
):
    """Permission comes before legality: what somebody may not do anyway tells them nothing more."""
    for status in Status:
        refused = undone.api("viewer").refused("POST", f"proposals/{at[status]}/{action}", body_of(stage, action))
        assert refused == (403, "permission-denied")
