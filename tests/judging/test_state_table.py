"""The table of states in docs/queue.md is what the product does: each of its lines, through HTTP."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings

from judging.models import CatchUp, QueueItem
from judging.services.catch_up import catch_up_step
from kindgi.runs.models import Run
from kindgi.runs.services.retention import runs_purge
from tests.judging.queues import make_rule, queue_path, rules_path, states
from tests.support.shops import Shop

PAGE = Path(settings.BASE_DIR) / "docs" / "queue.md"
# How each standing is come by, from an open item.
STANDINGS: dict[str, list[str]] = {
    "open": [],
    "corrected in part": ["corrected in part"],
    "judged": ["corrected"],
    "dismissed": ["dismissed"],
    "corrected while dismissed": ["dismissed", "corrected"],
    "dismissed and erased": ["dismissed", "erased"],
    "dismissed and purged": ["dismissed", "purged"],
    "erased": ["erased"],
}


class Line(NamedTuple):
    """One standing and one event of the table, and what it says of them."""

    stands: str
    event: str
    then: str

    def __str__(self) -> str:
        return f"{self.stands} - {self.event}"


def lines() -> list[Line]:
    """Every line of the table, with each cell that lists several taken apart."""
    table = PAGE.read_text().split("<!-- states: begin -->")[1].split("<!-- states: end -->")[0]
    rows = [re.findall(r"\|\s*([^|]+?)\s*(?=\|)", line) for line in table.strip().splitlines()[2:]]
    return [
        Line(stands, event, then)
        for stands_cell, events, then in rows
        for stands in stands_cell.split(", ")
        for event in events.split(", ")
    ]


@dataclass
class World:
    """A run that waits for a rule which wants an expert."""

    shop: Shop
    expert: str
    peer: str
    rule: dict[str, Any]
    run_id: str

    def state(self) -> str:
        return states(self.shop)[self.run_id]


def corrected(world: World) -> Any:
    said = {"runId": world.run_id, "answer": "right", "correctorGroupId": world.expert}
    return world.shop.editor.post("corrections", said)


def corrected_in_part(world: World) -> Any:
    said = {"runId": world.run_id, "answer": "right", "correctorGroupId": world.peer}
    return world.shop.api("service").post("corrections", said)


def taken_back(world: World) -> Any:
    """Whatever is said of the run."""
    said = world.shop.admin.ok("GET", f"corrections?runId={world.run_id}")["data"]
    for correction in said:
        world.shop.admin.ok("POST", f"corrections/{correction['id']}/unregister")


def purged(world: World) -> Any:
    world.shop.admin.ok("PATCH", f"projects/{world.shop.project.pk}", {"retentionDays": 1})
    Run.objects.filter(run_id=world.run_id).update(completed_at="2020-01-01T00:00:00Z")
    world.shop.project.refresh_from_db()
    assert runs_purge(project=world.shop.project, limit=10) == 1


def caught_up(world: World) -> Any:
    world.shop.editor.request("POST", rules_path(world.shop, world.rule["ruleId"], "queue-recent"), {"last": 10})
    job = CatchUp.objects.order_by("-created_at", "-pk").first()
    assert job is not None
    while catch_up_step(catch_up_id=job.pk):
        pass


def rule_wants(class_of: Callable[[World], str | None]) -> Callable[[World], Any]:
    return lambda world: world.shop.editor.patch(
        rules_path(world.shop, world.rule["ruleId"]), {"judgeClassId": class_of(world)}
    )


EVENTS: dict[str, Callable[[World], Any]] = {
    "corrected": corrected,
    "corrected in part": corrected_in_part,
    "taken back": taken_back,
    "dismissed": lambda world: world.shop.editor.post(queue_path(world.shop, world.run_id, "dismiss")),
    "reopened": lambda world: world.shop.editor.post(queue_path(world.shop, world.run_id, "reopen")),
    "erased": lambda world: world.shop.admin.post(f"runs/{world.run_id}/erase"),
    "purged": purged,
    "rule wants any": rule_wants(lambda world: None),
    "rule wants another": rule_wants(lambda world: world.peer),
    "rule removed": lambda world: world.shop.editor.post(rules_path(world.shop, world.rule["ruleId"], "unregister")),
    "caught up": caught_up,
}


@pytest.fixture
def world(undone: Shop, settings: Any) -> World:
    settings.CATCH_UP_WAIT_SECONDS = 0
    expert, peer = undone.judge_class(weight=3), undone.judge_class()
    rule = make_rule(undone, judgeClassId=expert)
    time.sleep(0.002)
    return World(undone, expert, peer, rule, undone.run())


def test_the_table_is_about_every_standing_and_every_event():
    assert {line.stands for line in lines()} == set(STANDINGS)
    assert {line.event for line in lines()} == set(EVENTS)
    assert len(set(lines())) == len(lines()) == len({(line.stands, line.event) for line in lines()})


@pytest.mark.parametrize("line", lines(), ids=str)
def test_an_item_moves_as_the_table_says(world: World, line: Line):
    for event in STANDINGS[line.stands]:
        EVENTS[event](world)
    before = world.state()
    answer = EVENTS[line.event](world)
    if line.then.startswith("409"):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, line.then.split()[1])
        assert world.state() == before
    else:
        assert world.state() == line.then
    item = QueueItem.objects.get()
    assert [change.after for change in item.changes.all()][-1:] == ([item.state] if item.changes.exists() else [])
