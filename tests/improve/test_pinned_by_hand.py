"""Versions that are pinned by hand: what going back is, and a change that is live no more (section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from improve.models import PinTest
from tests.improve.staging import FROM, REVIEWER, Stage, work
from tests.support.shops import AGENT

pytestmark = pytest.mark.usefixtures("taken_back")


def pin_path(stage: Stage) -> str:
    return f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin"


def set_pin(stage: Stage, version: str) -> None:
    stage.shop.admin.ok("PUT", pin_path(stage), {"version": version})


def read(stage: Stage, proposal_id: str, *, by: str = "editor") -> dict[str, Any]:
    found: dict[str, Any] = stage.shop.api(by).ok("GET", f"proposals/{proposal_id}")
    return found


HANDS = [("1.0.0", "2.0.0", "pin"), ("2.0.0", "1.0.0", "went-back"), ("2.0.0", "2.0.0-rc.1", "went-back")]
# Semver doesn't tell these apart, or knows one of them not: the order in which they are registered does.
HANDS += [("2.0.0+b", "2.0.0+a", "pin"), ("2.0.0+a", "2.0.0+b", "went-back"), ("first", "0.0.1", "pin")]
HANDS += [("2.0.0", "first", "pin"), ("first", "2.0.0", "went-back")]


@pytest.mark.parametrize(("runs", "wanted", "how"), HANDS)
def test_pinning_an_earlier_version_than_the_one_that_is_pinned_is_going_back(
    stage: Stage, runs: str, wanted: str, how: str
):
    for version in ("2.0.0-rc.1", "2.0.0", "2.0.0+b", "2.0.0+a", "first", "0.0.1"):
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{version}")
    set_pin(stage, runs)
    set_pin(stage, wanted)
    assert PinTest.objects.latest("created_at").how == how


@pytest.mark.parametrize(("wanted", "how"), [("1.0.0", "went-back"), ("2.0.0", "went-back"), ("odd", "pin")])
def test_pinning_an_earlier_version_than_latest_is_going_back(stage: Stage, wanted: str, how: str):
    for version in ("2.0.0", "3.0.0", "odd"):
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{version}")
    set_pin(stage, wanted)
    assert PinTest.objects.latest("created_at").how == how


def test_going_back_by_hand_opens_what_was_fixed_again(stage: Stage):
    stage.decided("approve")
    work(PinTest.objects.select_related("job").get().job)
    set_pin(stage, FROM)
    back = PinTest.objects.select_related("job").latest("created_at")
    assert (back.how, back.job.version, back.promotion) == ("went-back", FROM, None)
    work(back.job)
    found = stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]
    (reopened,) = {(one["reopenedIn"]["version"], one["reopenedIn"]["how"]) for one in found}
    assert reopened == (FROM, "went-back")


def test_a_change_of_an_earlier_version_that_goes_live_all_the_same_is_going_back(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted())
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/4.0.0")
    stage.act(proposal_id, "request", {"reason": "4.0.0 is broken."}, by="tenant-admin")
    assert stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)["status"] == "promoted"
    assert PinTest.objects.latest("created_at").how == "went-back"


def test_nobody_is_told_that_they_can_go_back_from_what_is_live_no_more(stage: Stage):
    proposal_id = stage.decided("approve")
    for version, can in ((FROM, False), (read(stage, proposal_id)["candidate"]["agentVersion"], True)):
        set_pin(stage, version)
        assert read(stage, proposal_id, by=REVIEWER)["can"]["rollback"] is can


def suggest_again(stage: Stage, proposal_id: str) -> Any:
    """What is answered to whoever suggests the same."""
    change = {"blockId": "manners", "content": read(stage, proposal_id)["change"]["content"]}
    body = {"agentId": AGENT, "fromVersion": FROM, "change": change, "hypothesis": "Once more."}
    return stage.shop.editor.post("proposals", body)


@pytest.mark.parametrize("moved_to", ["1.0.0", ""])
def test_what_went_live_and_was_moved_from_by_hand_is_suggested_anew(stage: Stage, moved_to: str):
    proposal_id = stage.decided("approve")
    assert suggest_again(stage, proposal_id).json()["id"] == proposal_id, "it is live"
    if moved_to:
        set_pin(stage, moved_to)
    else:
        stage.shop.admin.delete(pin_path(stage))
    made = suggest_again(stage, proposal_id)
    anew = made.json()["id"]
    assert (made.status_code, made.json()["status"]) == (201, "draft") and anew != proposal_id
    again = suggest_again(stage, proposal_id)
    assert (again.status_code, again.json()["id"], again.headers["X-Proposal-Deduped"]) == (200, anew, "true")
    assert read(stage, proposal_id)["status"] == "promoted", "that it went live stays true"


def test_what_is_suggested_anew_goes_live_and_the_one_before_can_be_gone_back_from_where_it_is(stage: Stage):
    before = stage.decided("approve")
    set_pin(stage, FROM)
    anew = suggest_again(stage, before).json()["id"]
    stage.act(stage.evaluated(anew), "request")
    live = stage.act(anew, "decide", {"decision": "approve"}, by=REVIEWER)
    assert (live["status"], live["promotion"]["liveNow"]) == ("promoted", True)
    set_pin(stage, read(stage, before)["candidate"]["agentVersion"])
    assert stage.act(before, "rollback", by=REVIEWER)["status"] == "rolled-back", "it was pinned again by hand"
