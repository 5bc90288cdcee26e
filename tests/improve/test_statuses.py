"""The tables in docs/suggested-changes.md are what the pure functions say: every combination of steps, every pair."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings

from improve.statuses import ACTIONS, Action, Asked, Status, Steps, Tried, status_of

PAGE = Path(settings.BASE_DIR) / "docs" / "suggested-changes.md"
COMBINATIONS = [Steps(*steps) for steps in product(Tried, Asked, (False, True), (False, True))]


def table(name: str) -> list[list[str]]:
    """The cells of a table of the page, without its head."""
    lines = PAGE.read_text().split(f"<!-- {name}: begin -->")[1].split(f"<!-- {name}: end -->")[0].strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def head(name: str) -> list[str]:
    lines = PAGE.read_text().split(f"<!-- {name}: begin -->")[1].strip().splitlines()
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def said(steps: Steps) -> list[str]:
    """Every status that the page gives the steps: there must be just one."""
    overriding = dict(table("overriding"))
    if steps.withdrawn:
        return [overriding["withdrawn"]]
    if steps.rolled_back:
        return [overriding["rolled back"]]
    return [
        status for tried, asked, status in table("statuses") if tried in ("*", steps.tried) and asked == steps.asked
    ]


@pytest.mark.parametrize("steps", COMBINATIONS, ids=str)
def test_every_combination_of_steps_stands_as_the_page_says(steps: Steps):
    assert said(steps) == [status_of(steps)]


def test_the_page_names_steps_and_statuses_that_there_are_and_each_status():
    for tried, asked, status in table("statuses"):
        assert tried == "*" or tried in list(Tried)
        assert asked in list(Asked)
        assert status in list(Status)
    listed = {row[-1] for row in table("statuses")} | {row[-1] for row in table("overriding")}
    assert listed == set(Status)


@pytest.mark.parametrize(("status", "action"), list(product(Status, Action)))
def test_every_pair_of_status_and_action_is_as_the_page_says(status: Status, action: Action):
    (row,) = (row for row in table("actions") if row[0] == status)
    cell = dict(zip(head("actions"), row, strict=True))[action]
    assert cell in ("yes", "-")
    assert (cell == "yes") == (action in ACTIONS[status])


def test_the_page_lists_each_status_once_and_no_action_that_there_isn_t():
    assert [row[0] for row in table("actions")] == [status.value for status in Status]
    assert head("actions")[1:] == [action.value for action in Action]
    assert not re.search(r"\| *\|", PAGE.read_text()), "no cell is empty"
