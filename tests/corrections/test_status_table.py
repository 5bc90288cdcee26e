"""The table of statuses in docs/corrections.md is what the product does: each of its lines, through HTTP."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings

from corrections.models import How, Outcome, Status
from tests.corrections.replaying import OWNERS, REPLAYS, WRONG, replay
from tests.support.racing import histories_are_gapless
from tests.support.shops import Shop

PAGE = Path(settings.BASE_DIR) / "docs" / "corrections.md"
BESIDE = {"items": [{"key": "beside", "verdict": "right"}]}  # what is left when the part that was wrong ends
WRONG, OWNERS, RIGHT = WRONG | BESIDE, OWNERS | BESIDE, {"decisions": "right", "answer": "right"} | BESIDE
# How each standing is come by: what was said, then the events.
STANDINGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "open": (WRONG, []),
    "being-fixed": (WRONG, ["by hand being-fixed"]),
    "with-owner": (OWNERS, []),
    "wont-fix": (WRONG, ["by hand wont-fix"]),
    "fixed: pin": (WRONG, ["right pin"]),
    "fixed: latest": (WRONG, ["right latest"]),
    "fixed for owner": (OWNERS, ["right pin"]),
    "recorded-right": (RIGHT, []),
    "reopened": (WRONG, ["right pin", "wrong went-back"]),
    "reopened for owner": (OWNERS, ["right pin", "wrong went-back"]),
    "removed": (WRONG, ["unregister"]),
    "superseded": (WRONG, ["supersede"]),
}


class Line(NamedTuple):
    """One standing and one event of the table, and what it says of them."""

    stands: str
    event: str
    then: str
    fixed_in: str
    reopened_in: str

    def __str__(self) -> str:
        return f"{self.stands} - {self.event}"


def lines() -> list[Line]:
    """Every line of the table, with each cell that lists several taken apart."""
    table = PAGE.read_text().split("<!-- statuses: begin -->")[1].split("<!-- statuses: end -->")[0]
    rows = [re.findall(r"\|\s*([^|]+?)\s*(?=\|)", line) for line in table.strip().splitlines()[2:]]
    return [
        Line(stands, event, *then)
        for stands_cell, event_cell, *then in rows
        for stands in stands_cell.split(", ")
        for listed in event_cell.split(", ")
        for event in ([listed.replace("*", how) for how in How.values] if "*" in listed else [listed])
    ]


LINES = lines()


class Life:
    """A correction, and what happens to it."""

    def __init__(self, shop: Shop, said: dict[str, Any]) -> None:
        self.shop, self.said = shop, said
        self.run_id = shop.run()
        self.id = shop.correct(self.run_id, **said)["id"]

    def read(self) -> dict[str, Any]:
        read: dict[str, Any] = self.shop.editor.ok("GET", f"corrections/{self.id}")
        return read

    def happens(self, event: str) -> Any:
        """The response to whatever makes ``event`` happen."""
        first, _, rest = event.rpartition(" ")
        if first in REPLAYS:
            return replay(self.shop, self.run_id, first, rest, version=f"2.0.{len(self.history())}")
        if first == "by hand":
            return self.shop.editor.patch(f"corrections/{self.id}", {"status": rest})
        if event == "re-sort":
            return self.shop.editor.patch(f"corrections/{self.id}", {"sortedTo": "developer"})
        if event == "unregister":
            return self.shop.editor.post(f"corrections/{self.id}/unregister")
        if event == "part ends":
            return [self.end(key) for key in ("kindgi:correction", "answer")]
        assert event == "supersede", event
        return self.shop.editor.post("corrections", {"runId": self.run_id, **self.said})

    def end(self, key: str) -> Any:
        """Take back what the correction said of one thing, if it still says it."""
        found = self.shop.editor.ok("GET", "judgments", query={"runId": self.run_id})["data"]
        return [
            self.shop.editor.ok("POST", f"judgments/{judged['id']}/unregister")
            for judged in found
            if judged["item"]["key"] == key and self.read().get("unregisteredAt") is None
        ]

    def history(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.shop.editor.ok("GET", f"corrections/{self.id}/history?limit=100")["data"]
        return entries


@pytest.mark.parametrize("line", LINES, ids=str)
def test_each_line_of_the_table_holds(undone: Shop, line: Line):
    said, events = STANDINGS[line.stands]
    life = Life(undone, said)
    for event in events:
        life.happens(event)
    before, entries = life.read(), len(life.history())
    response = life.happens(line.event)
    after = life.read()
    if line.then.startswith("409 "):
        assert (response.status_code, response.json()["error"]["code"]) == (409, line.then.removeprefix("409 "))
        assert after == before
        return
    assert after["status"] == (before["status"] if line.then == "=" else line.then)
    assert_in(line.fixed_in, "fixedIn", before, after, undone)
    assert_in(line.reopened_in, "reopenedIn", before, after, undone)
    assert (len(life.history()) > entries) == ({**before, "run": 0} != {**after, "run": 0})
    assert histories_are_gapless(life.run_id)


def assert_in(cell: str, name: str, before: dict[str, Any], after: dict[str, Any], shop: Shop) -> None:
    """``fixedIn`` or ``reopenedIn`` is as the cell says, by whoever did the test run, unless Latest moved by itself."""
    if cell in ("=", "-"):
        assert after.get(name) == (before.get(name) if cell == "=" else None)
        return
    assert after[name]["how"] == cell
    assert cell == "recorded-right" or after[name]["version"].startswith("2.0.")
    assert after[name] != before.get(name)
    who = {"kind": "user", "id": str(shop.person("editor").pk)}
    assert after[name].get("by", who) == who


def test_the_table_tells_of_every_standing_with_every_event():
    told = [(line.stands, line.event) for line in LINES]
    tested = [f"{outcome} {how}" for outcome in Outcome.values for how in How.values]
    by_hand = [f"by hand {status}" for status in Status.values if status not in ("fixed", "removed")]
    events = [*tested, *by_hand, "re-sort", "unregister", "supersede", "part ends"]
    assert sorted(told) == sorted(product(STANDINGS, events)), "each once"


@pytest.mark.parametrize(("how", "named"), [("pin", True), ("went-back", True), ("unpin", True), ("latest", False)])
def test_whoever_moved_the_version_is_named_unless_latest_moved_by_itself(undone: Shop, how: str, named: bool):
    life = Life(undone, WRONG)
    life.happens(f"right {how}")
    fixed = life.read()
    life.happens(f"wrong {how}")
    assert ("by" in fixed["fixedIn"]) == named and ("by" in life.read()["reopenedIn"]) == named
    entry = life.history()[0]
    assert entry["by"] == {"kind": "user", "id": str(undone.person("editor").pk)}, "the history names the reporter"


def test_the_history_tells_of_each_move_from_what_to_what_and_by_which_test_run(undone: Shop):
    life = Life(undone, OWNERS)
    for event in ("right pin", "wrong went-back", "right latest", "by hand with-owner"):
        life.happens(event)
    by_hand, again, reopened, fixed, made = life.history()
    assert [entry["kind"] for entry in (made, fixed, reopened, again, by_hand)] == [
        "made", "fixed", "reopened", "fixed", "changed",
    ]  # fmt: skip
    assert (fixed["from"]["status"], fixed["to"]["status"]) == ("with-owner", "fixed")
    assert reopened["from"]["fixedIn"] == reopened["to"]["fixedIn"] == fixed["to"]["fixedIn"]
    assert again["from"]["reopenedIn"] == reopened["to"]["reopenedIn"]
    assert "reopenedIn" not in again["to"] and again["to"]["fixedIn"]["how"] == "latest"
    runs = undone.editor.ok("GET", f"projects/{undone.project.pk}/test-runs")["data"]
    assert [entry["to"]["testRunId"] for entry in (again, reopened, fixed)] == [run["id"] for run in runs]
    assert "fixedIn" in by_hand["from"] and "fixedIn" not in by_hand["to"]
