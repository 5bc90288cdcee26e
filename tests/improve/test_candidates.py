"""The version with a suggested change: its name is easily guessed, and registered or pinned by others (section 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from improve.models import PinTest
from tests.improve.staging import CALLED, FROM, PROMPT, SETTINGS, SHOULD_CALL, Stage, staged, work
from tests.support.shops import AGENT, Shop


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    with staged(shop) as stage:
        yield stage


@pytest.fixture(autouse=True)
def taken_back(undone: Shop, stage: Stage) -> None:
    """Every test leaves the stage as it was."""


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
