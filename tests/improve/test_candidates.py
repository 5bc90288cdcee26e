"""The version with a suggested change: its name is easily guessed, and registered or pinned by others (section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from improve.models import PinTest
from tests.improve.staging import CALLED, FROM, PROMPT, REVIEWER, SETTINGS, SHOULD_CALL, Stage, work
from tests.support.shops import AGENT

pytestmark = pytest.mark.usefixtures("taken_back")


def set_pin(stage: Stage, version: str) -> None:
    stage.shop.admin.ok("PUT", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin", {"version": version})


def guessed(stage: Stage, change: str, **more: Any) -> None:
    """Somebody registers the name that the change's version would have, with the blocks of ``change``."""
    block = SETTINGS | {"values": {"mode": change}}
    name = f"{FROM}+change.1"
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{name}", {"blocks": [block, PROMPT], **more})


def pinned_elsewhere(stage: Stage, version: str) -> dict[str, Any]:
    """What the endpoint of another project is asked after that pinned a version."""
    other = stage.shop.other_project()
    run = stage.shop.run(projectId=str(other.pk), calls=CALLED, agent={"id": AGENT, "version": FROM})
    stage.shop.admin.ok("POST", "corrections", {"runId": run, "decisions": "wrong", "shouldCall": SHOULD_CALL})
    path = f"projects/{other.pk}/agents/{AGENT}"
    stage.shop.admin.ok("PUT", f"{path}/replay-endpoint", {"url": stage.server.url})
    stage.shop.admin.ok("PUT", f"{path}/pin", {"version": version})
    work(PinTest.objects.select_related("job").get(job__project=other).job)
    asked: dict[str, Any] = stage.server.asked[-1].json
    assert asked["version"] == version
    return asked


@pytest.mark.parametrize("blocks", ["other", "same"])
def test_another_project_that_guesses_the_version_isnt_told_the_change(stage: Stage, blocks: str):
    values = {"mode": "better", "secret": "until it is live"}
    change = {"blockId": "manners", "content": {"values": values}}
    stage.begun(stage.drafted(change=change))
    registered = SETTINGS | {"values": values if blocks == "same" else {"mode": "other"}}
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}+change.1", {"blocks": [registered, PROMPT]})
    asked = pinned_elsewhere(stage, f"{FROM}+change.1")
    assert "change" not in asked
    assert asked["blocks"]["manners"]["values"] == registered["values"], "what it registered itself"


@pytest.mark.parametrize(("mode", "told"), [("better", True), ("other", False)])
def test_a_version_is_the_changes_own_by_its_blocks(stage: Stage, mode: str, told: bool):
    change = {"blockId": "manners", "content": {"values": {"mode": "better"}}}
    stage.begun(stage.drafted(change=change))
    guessed(stage, mode)
    set_pin(stage, f"{FROM}+change.1")
    job = PinTest.objects.select_related("job").get().job
    assert (job.change is not None) == told


@pytest.mark.parametrize("blocks", [[], [PROMPT], [SETTINGS, PROMPT]])
def test_a_name_that_is_registered_with_other_blocks_isnt_the_changes_any_more(stage: Stage, blocks: list[Any]):
    proposal_id = stage.in_review()
    body = {"blocks": blocks} if blocks else {"tools": []}
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}+change.1", body)
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    name = f"{FROM}+change.2"
    assert (live["status"], live["candidate"]["agentVersion"], live["promotion"]["liveNow"]) == ("promoted", name, True)
    registered = stage.shop.editor.ok("GET", f"agents/{AGENT}/versions/{name}")
    assert registered["blocks"][0]["values"] == live["change"]["content"]["values"]
    assert PinTest.objects.select_related("job").get().job.change is not None, "it is known by its new name"


TOOLS = [{"id": "shop.mail"}, {"id": "shop.refund", "writes": True}]


@pytest.mark.parametrize("tools", [[], TOOLS[::-1], [*TOOLS, {"id": "shop.close", "writes": True}]])
@pytest.mark.parametrize("when", ["asked", "live"])
def test_who_registers_the_name_with_other_tools_doesnt_choose_those_that_go_live(
    stage: Stage, tools: list[Any], when: str
):
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"tools": TOOLS})
    proposal_id = stage.evaluated(stage.drafted())
    values = stage.act(proposal_id, "request")["change"]["content"]["values"]
    guessed_as = {"blocks": [SETTINGS | {"values": values}, PROMPT], "tools": tools}
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}+change.1", guessed_as)
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    name = f"{FROM}+change.2"
    assert (live["status"], live["candidate"]["agentVersion"]) == ("promoted", name)
    assert stage.shop.editor.ok("GET", f"agents/{AGENT}/versions/{name}")["tools"] == TOOLS
    if when == "live":  # tools that are said anew leave a version that went live the change's own
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"tools": tools})
        set_pin(stage, FROM)
        set_pin(stage, name)
        job = PinTest.objects.select_related("job").latest("created_at").job
        assert (job.version, job.change is not None) == (name, True)


def test_one_that_is_registered_with_its_very_blocks_is_taken(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted())
    values = stage.act(proposal_id, "request")["change"]["content"]["values"]
    blocks = [SETTINGS | {"values": values}, PROMPT]
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}+change.1", {"blocks": blocks})
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    assert (live["status"], live["candidate"]["agentVersion"]) == ("promoted", f"{FROM}+change.1")


def test_evaluated_again_it_takes_another_name_too(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted())
    guessed(stage, "other")
    stage.begun(proposal_id)
    named = stage.shop.editor.ok("GET", f"proposals/{proposal_id}")["candidate"]["agentVersion"]
    assert named == f"{FROM}+change.2"


def pin_candidate(stage: Stage, proposal_id: str) -> str:
    """Somebody registers a suggested change's version as it would be, and pins it by hand."""
    shown = stage.shop.editor.ok("GET", f"proposals/{proposal_id}")
    version: str = shown["candidate"]["agentVersion"]
    blocks = [SETTINGS | {"values": shown["change"]["content"]["values"]}, PROMPT]
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{version}", {"blocks": blocks})
    set_pin(stage, version)
    return version


@pytest.mark.parametrize("before", ["", FROM])
@pytest.mark.parametrize("when", ["asked", "pinned"])
def test_pinned_by_hand_before_it_was_approved_it_is_gone_back_from_to_what_ran_then(
    stage: Stage, before: str, when: str
):
    if before:
        set_pin(stage, before)
    proposal_id = stage.evaluated(stage.drafted())
    if when == "asked":
        stage.act(proposal_id, "request")
    version = pin_candidate(stage, proposal_id)
    if when == "pinned":
        stage.act(proposal_id, "request")
    work(PinTest.objects.select_related("job").get(job__version=version).job)
    path = f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin"
    assert stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)["status"] == "promoted"
    assert stage.act(proposal_id, "rollback", by=REVIEWER)["status"] == "rolled-back"
    pin = stage.shop.editor.ok("GET", path)
    assert (pin["pinned"], pin["version"]) == (before != "", FROM)
    work(PinTest.objects.select_related("job").get(how="went-back").job)
    reopened = stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]
    assert {one["reopenedIn"]["version"] for one in reopened} == {FROM}
