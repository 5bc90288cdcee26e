"""``GET …/judging-queue``: each filter and any of them together, pages, and the total (contract, section 6)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.selectors import queue_list
from kindgi.api.times import as_of, wire
from tests.builders import make_user
from tests.judging.queues import (
    change_rule,
    import_runs,
    old_rule,
    queue,
    queue_path,
    records,
    rules_path,
)
from tests.support.shops import AGENT, CheckedApi, Shop

START = datetime(2026, 3, 1, tzinfo=UTC)
UNKNOWN = "018f0000-0000-7000-8000-000000000000"
STATES = ["open", "judged", "dismissed", "erased"]
PEOPLE = ["viewer", "editor", "named", "senior", "service"]
SUBJECTS: list[dict[str, str]] = [{"id": AGENT}, {"id": AGENT}, {"id": AGENT}, {"id": "other"}, {"id": "intake"}]
_KIND = {AGENT: "agent", "other": "agent", "intake": "flow"}


@dataclass
class Population:
    """Items of all kinds, the rules' wants and who may correct as which class."""

    shop: Shop
    classes: dict[str, str] = field(default_factory=dict)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    wants: dict[str, str | None] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)

    def may_give(self, who: str) -> set[str | None]:
        """The classes that somebody may correct as, ``None`` among them for none at all."""
        named = {
            "viewer": None,
            "editor": ["open", "project"],
            "named": ["open", "project", "named"],
            "senior": ["open", "project", "expert"],
            "service": ["open", "project", "bots"],
        }[who]
        return set() if named is None else {None, *(self.classes[name] for name in named)}

    def make_people(self) -> None:
        self.shop.people["named"] = make_user(self.shop.tenant, "editor")
        self.shop.people["senior"] = make_user(self.shop.tenant, "editor", reviewer="senior")
        for name in ("named", "senior"):
            self.shop.apis[name] = CheckedApi.of(self.shop.people[name])

    def make_classes(self) -> None:
        project = {"kind": "project", "projectId": str(self.shop.project.pk)}
        bodies: dict[str, dict[str, Any]] = {
            "open": {},
            "project": {"scope": project},
            "expert": {"assertableBy": {"minReviewerRole": "senior"}},
            "bots": {"assertableBy": {"principalKinds": ["service"]}},
            "named": {"assertableBy": {"principalIds": [str(self.shop.people["named"].pk)]}},
            "removed": {},
            "unwanted": {},
        }
        self.classes = {name: self.shop.judge_class(name, **body) for name, body in bodies.items()}

    def make_rules(self) -> None:
        """Two that want anybody's correction and one for each class, of which one is stopped and one changes."""
        agents, others, flows = ({"agentIds": [AGENT]}, {"agentIds": ["other"]}, {"flowIds": ["intake"]})
        for name, when, want, versions in (
            ("any", {}, None, "1 6"),
            ("agents", agents, None, "1 2 3"),
            ("open", flows, "open", "1 2 3 4 5 6"),
            ("project", agents, "project", "2 3"),
            ("expert", agents, "expert", "4 5"),
            ("bots", others, "bots", "1 2 3 4 5 6"),
            ("named", agents, "named", "1 5"),
            ("removed", {}, "removed", "5"),
            ("stopped", agents, "expert", "2"),
            ("changing", {}, "bots", "4"),
        ):
            judge_class = None if want is None else self.classes[want]
            body: dict[str, Any] = {
                "name": name,
                "when": {**when, "versions": versions.split()},
                "judgeClassId": judge_class,
            }
            self.rules[name] = old_rule(self.shop, at=START - timedelta(1), **body)

    def make_items(self) -> None:
        """Runs of seven versions, of which two at a time came together, and what then became of each."""
        chance = random.Random(20260301)
        for second in range(20):
            subjects = [chance.choice(SUBJECTS) | {"version": str(chance.randint(1, 6 + n))} for n in (0, 1)]
            with as_of(START + timedelta(seconds=second)):
                runs = self.import_runs_of(subjects)
            with as_of(START + timedelta(hours=1, seconds=second)):
                for run_id in runs:
                    self.something_happens(run_id, chance)
        # Of each version one more, of which nobody says anything.
        subjects = [{"id": one, "version": str(version)} for one in _KIND for version in range(1, 8)]
        with as_of(START + timedelta(hours=1)):
            self.import_runs_of(subjects)

    def import_runs_of(self, subjects: list[dict[str, str]]) -> list[str]:
        runs = [{**records(1, agent=None)[0], _KIND[one["id"]]: one} for one in subjects]
        import_runs(self.shop, *runs)
        self.runs += (ids := [run["id"] for run in runs])
        return ids

    def something_happens(self, run_id: str, chance: random.Random) -> None:
        """Nobody, one or two people correct it; it may be dismissed, reopened, erased."""
        for who in chance.sample(PEOPLE[1:], chance.choice([0, 0, 0, 1, 2])):
            said = chance.choice(sorted(self.may_give(who), key=self.named))
            self.shop.correct(run_id, by=who, **({"correctorGroupId": said} if said else {}))
        kind = chance.choice(["", "", "", "", "dismiss", "dismiss", "reopen", "erase"])
        for verb in {"dismiss": ["dismiss"], "reopen": ["dismiss", "reopen"]}.get(kind, []):
            # It may not be there, or be closed already.
            assert self.shop.editor.post(queue_path(self.shop, run_id, verb)).status_code in (200, 404, 409)
        if kind == "erase":
            self.shop.admin.ok("POST", f"runs/{run_id}/erase")

    def named(self, judge_class: str | None) -> str:
        """The name of a class: the same whatever ids the classes have."""
        return next((name for name, one in self.classes.items() if one == judge_class), "")

    def change_what_is_wanted(self) -> None:
        self.shop.editor.ok("POST", rules_path(self.shop, self.rules["stopped"]["ruleId"], "unregister"))
        self.shop.admin.ok("POST", f"judge-classes/{self.classes['removed']}/unregister")
        with as_of(START + timedelta(hours=2)):
            change_rule(self.shop, self.rules["changing"], judgeClassId=self.classes["open"])
        for rule in self.rules.values():
            latest = self.shop.editor.ok("GET", rules_path(self.shop, rule["ruleId"]))
            self.wants[rule["ruleId"]] = latest.get("judgeClassId")

    def read(self) -> None:
        page = queue(self.shop, "limit=100")
        assert not page["hasMore"]
        self.items = page["data"]

    def expected(self, who: str, query: dict[str, Any]) -> list[str]:
        """The runs that a list must have, by a look at each item."""
        tests: dict[str, Callable[[dict[str, Any], Any], bool]] = {
            "state": lambda item, value: item["state"] == value,
            "agentId": lambda item, value: item.get("agentId") == value,
            "ruleId": lambda item, value: any(rule["ruleId"] == value for rule in item["rules"]),
            "judgeClassId": lambda item, value: value in item["wantedClassIds"],
            "addedAfter": lambda item, value: item["addedAt"] > value,
            "closedAfter": lambda item, value: item.get("closedAt", "") > value,
            "forMe": lambda item, value: value == "false" or self.is_for(who, item, "state" in query),
        }
        return [item["runId"] for item in self.items if all(tests[name](item, query[name]) for name in query)]

    def is_for(self, who: str, item: dict[str, Any], state_asked_for: bool) -> bool:
        """Whether somebody can close an item or, if closed ones are asked for, could have closed it."""
        said = {row["judgeClassId"] for row in item["progress"]["byClass"]}
        wants = {self.wants[rule["ruleId"]] for rule in item["rules"]}
        if item["state"] == "open":
            wants = {want for want in wants if (want not in said if want is not None else not said)}
        elif not state_asked_for:
            return False
        return bool(wants & self.may_give(who))


@pytest.fixture(scope="module")
def population(shop: Shop) -> Population:
    made = Population(shop)
    made.make_people()
    made.make_classes()
    made.make_rules()
    made.make_items()
    made.change_what_is_wanted()
    made.read()
    return made


def read_all(shop: Shop, who: str, query: dict[str, Any], limit: int) -> tuple[list[dict[str, Any]], set[int]]:
    """All rows page by page, and the totals that the pages said."""
    rows: list[dict[str, Any]] = []
    page = shop.api(who).ok("GET", queue_path(shop), query={**query, "limit": limit})
    totals = {page["total"]}
    while page["hasMore"]:
        assert len(page["data"]) == limit
        rows += page["data"]
        page = shop.api(who).ok("GET", queue_path(shop), query={**query, "limit": limit, "cursor": page["nextCursor"]})
        totals.add(page["total"])
    return rows + page["data"], totals


def check(population: Population, who: str, query: dict[str, Any], limit: int) -> None:
    """A list has exactly what it must, in order, and says so in every total."""
    shop, expected = population.shop, population.expected(who, query)
    rows, totals = read_all(shop, who, query, limit)
    assert [row["runId"] for row in rows] == expected
    none = shop.api(who).ok("GET", queue_path(shop), query={**query, "limit": 0})
    assert none == {"data": [], "hasMore": False, "total": len(expected)}
    assert totals == {len(expected)}


def test_the_population_has_items_of_every_kind(population: Population):
    """Else the tests below would look at nothing."""
    items = population.items
    assert {item["state"] for item in items} == set(STATES)
    assert {len(item["rules"]) for item in items} >= {1, 2, 3}
    assert any(item["state"] == "open" and item["progress"]["total"] for item in items)
    assert any(item["state"] == "dismissed" and item["progress"]["total"] for item in items)
    wanted = {want for item in items for want in item["wantedClassIds"]}
    assert wanted == {one for name, one in population.classes.items() if name != "unwanted"}
    mine = {who: set(population.expected(who, {"forMe": "true"})) for who in PEOPLE}
    assert mine["viewer"] == set() != mine["editor"]
    for who in ("named", "senior", "service"):
        assert mine["editor"] < mine[who] < set(population.expected(who, {"state": "open"}))


def test_the_queue_is_read_oldest_first_and_each_run_once(population: Population):
    runs = [item["runId"] for item in population.items]
    assert runs == [run_id for run_id in population.runs if run_id in runs]
    assert len(runs) < len(population.runs), "some are of a version that no rule is about"


@pytest.mark.parametrize("limit", [1, 3, 100])
@pytest.mark.parametrize("state", [None, *STATES])
def test_a_state_is_read_in_pages_of_any_size(population: Population, state: str | None, limit: int):
    check(population, "viewer", {"state": state} if state else {}, limit)


@pytest.mark.parametrize("agent_id", [AGENT, "other", "intake", "agent.turn", "", " ", AGENT.upper()])
def test_an_agents_items_are_found_by_its_id(population: Population, agent_id: str):
    if agent_id:
        check(population, "viewer", {"agentId": agent_id}, 10)
    else:
        refused = population.shop.editor.refused("GET", queue_path(population.shop), query={"agentId": ""})
        assert refused == (400, "bad-input")


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("state", [None, *STATES])
def test_for_me_is_what_one_can_close(population: Population, who: str, state: str | None):
    check(population, who, {"forMe": "true"} | ({"state": state} if state else {}), 10)


def test_every_rule_and_every_class_finds_its_own(population: Population):
    for rule in population.rules.values():
        for value in (rule["ruleId"], rule["ruleId"].upper()):
            rows, _ = read_all(population.shop, "editor", {"ruleId": value}, 100)
            assert [row["runId"] for row in rows] == population.expected("editor", {"ruleId": rule["ruleId"]}) != []
    for name, judge_class in population.classes.items():
        check(population, "editor", {"judgeClassId": judge_class}, 100)
        assert bool(population.expected("editor", {"judgeClassId": judge_class})) == (name != "unwanted")


@pytest.mark.parametrize("name", ["ruleId", "judgeClassId"])
@pytest.mark.parametrize("value", [UNKNOWN, "nothing", "%"])
def test_what_is_not_there_has_no_items(population: Population, name: str, value: str):
    page = population.shop.editor.ok("GET", queue_path(population.shop), query={name: value})
    assert page == {"data": [], "hasMore": False, "total": 0}


def combinations(population: Population) -> st.SearchStrategy[dict[str, Any]]:
    """Any filters together, with times that items have and others."""
    times = sorted({item["addedAt"] for item in population.items})
    closed = sorted({item["closedAt"] for item in population.items if "closedAt" in item})
    some = [wire(START - timedelta(days=1)), wire(START + timedelta(hours=1, seconds=15)), wire(START + timedelta(9))]
    return st.fixed_dictionaries(
        {},
        optional={
            "state": st.sampled_from(STATES),
            "agentId": st.sampled_from([AGENT, "other", "nobody"]),
            "ruleId": st.sampled_from([rule["ruleId"] for rule in population.rules.values()]),
            "judgeClassId": st.sampled_from(list(population.classes.values())),
            "forMe": st.sampled_from(["true", "true", "false"]),
            "addedAfter": st.sampled_from(some + times),
            "closedAfter": st.sampled_from(some + closed),
        },
    )


# However many lanes there are: read lane by lane, or the project's items sieved.
@pytest.mark.parametrize("most_lanes", [0, 64])
def test_any_filters_together_find_what_each_of_them_lets_through(population: Population, most_lanes: int):
    @given(query=combinations(population), who=st.sampled_from(PEOPLE), limit=st.sampled_from([3, 10, 100]))
    @settings(max_examples=40, deadline=None)
    def found(query: dict[str, Any], who: str, limit: int) -> None:
        check(population, who, query, limit)

    with mock.patch.object(queue_list, "MOST_LANES", most_lanes):
        found()


def test_a_time_leaves_its_own_millisecond_out(population: Population):
    items = population.items
    for name, field_name in (("addedAfter", "addedAt"), ("closedAfter", "closedAt")):
        at = sorted(item[field_name] for item in items if field_name in item)[5]
        rows, _ = read_all(population.shop, "editor", {name: at}, 100)
        assert rows == [item for item in items if item.get(field_name, "") > at]
        just_before = wire(datetime.fromisoformat(at) - timedelta(milliseconds=1))
        rows, _ = read_all(population.shop, "editor", {name: just_before}, 100)
        assert rows == [item for item in items if item.get(field_name, "") >= at]
