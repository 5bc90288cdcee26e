"""Real agents' runs through rules, the queue, a catch-up and results, each count worked out again from the records.

The runs lie beside the project where its makers work; a clone elsewhere has none, and skips these tests.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from judging.services.catch_up import catch_up_begin, catch_up_run
from judging.submissions import QueueRecentBody
from kindgi.api.times import as_of
from tests.builders import make_caller
from tests.judging.queues import dismiss, import_runs, make_rule, queue, queued_runs, rules_path
from tests.support.shops import Shop

RUNS = Path(settings.BASE_DIR).parent / "shared" / "data" / "runs.jsonl"
CAP = 10
DRY = 9  # each so many-th run is reported as a dry one; of the records none is
Record = dict[str, Any]

pytestmark = pytest.mark.skipif(not RUNS.exists(), reason="the real runs aren't here")


def records() -> list[Record]:
    """The runs in the order of their reports, some of them made dry."""
    found = [json.loads(line) for line in RUNS.read_text().splitlines()]
    return [one | {"dryRun": number % DRY == 0} for number, one in enumerate(found)]


def ended(run: Record) -> datetime:
    return datetime.fromisoformat(run["completedAt"])


def is_taken(rule_id: str, run: Record, share: float) -> bool:
    """As docs/sampling.md has it."""
    digest = hmac.digest(UUID(rule_id).bytes, UUID(run["id"]).bytes, "sha256")
    return (int.from_bytes(digest[:7], "big") >> 3) / 2**53 < share


@dataclass
class Rule:
    """One of the five rules: what it says, what that means of a record, and when it was made."""

    said: dict[str, Any]
    is_about: Callable[[Record], bool]
    made: datetime | None = None
    id: str = ""

    def matches(self, run: Record) -> bool:
        """Whether it is about the run and samples it."""
        if run["status"] != "completed" or (run["dryRun"] and not self.said["when"].get("includeDryRuns")):
            return False
        return self.is_about(run) and is_taken(self.id, run, self.said.get("sample", 1.0))


def five_rules(expert: str) -> list[Rule]:
    """An agent's runs, a version's, what was live of two agents, a fifth of all with dry runs, and a capped one."""
    two = ["taubench.retail", "taubench.telecom"]
    return [
        Rule({"when": {"agentIds": ["taubench.airline"]}}, lambda run: run["agent"]["id"] == "taubench.airline"),
        Rule({"when": {"versions": ["2.4.0"]}}, lambda run: run["agent"]["version"] == "2.4.0"),
        Rule(
            {"when": {"agentIds": two, "versions": ["live"]}},
            lambda run: run["agent"]["id"] in two and run["agent"]["via"] == "live",
        ),
        Rule({"when": {"includeDryRuns": True}, "sample": 0.2}, lambda run: True),
        Rule({"when": {}, "maxOpen": CAP, "judgeClassId": expert}, lambda run: True),
    ]


@dataclass
class Item:
    """A queued run, the rules that did, and how it stands."""

    run: Record
    rules: list[Rule]
    state: str = "open"


@dataclass
class Mirror:
    """What the contract's section 6 makes of the records, in a few lines."""

    rules: list[Rule]
    expert: str
    items: dict[str, Item] = field(default_factory=dict)
    skipped: list[tuple[Rule, Record]] = field(default_factory=list)
    said: dict[str, tuple[str | None, bool]] = field(default_factory=dict)

    def end(self, run: Record) -> None:
        """A run ends: each rule that was made before takes it, unless so many of its runs wait already."""
        taking = []
        for rule in self.rules:
            if rule.made is not None and rule.made < ended(run) and rule.matches(run):
                waiting = sum(rule in one.rules for one in self.items.values() if one.state == "open")
                if waiting < rule.said.get("maxOpen", waiting + 1):
                    taking.append(rule)
                else:
                    self.skipped.append((rule, run))
        if taking:
            self.items[run["id"]] = Item(run, taking)

    def correct(self, run: Record, judge_class: str | None, *, right: bool) -> None:
        """Somebody corrects a run, once: its item closes where that is what all of its rules want."""
        self.said[run["id"]] = (judge_class, right)
        item = self.items.get(run["id"])
        wants = {rule.said.get("judgeClassId") for rule in item.rules} if item else set()
        if item and item.state == "open" and wants <= {None, judge_class}:
            item.state = "judged"

    def catch_up(self, rule: Rule, runs: Sequence[Record]) -> tuple[int, int, int]:
        """The rule is brought to these runs: how many are queued, were queued, and were reviewed."""
        counts: Counter[str] = Counter()
        for run in filter(rule.matches, runs):
            item = self.items.get(run["id"])
            if item is None and run["id"] not in self.said:
                self.items[run["id"]] = Item(run, [rule])
                counts["queued"] += 1
            elif item is None or item.state != "open":
                counts["reviewed"] += 1
            elif rule in item.rules:
                counts["there"] += 1
            else:
                item.rules.append(rule)
                counts["queued"] += 1
        return counts["queued"], counts["there"], counts["reviewed"]

    def groups(self, rule: Rule) -> dict[str, dict[str, Any]]:
        """The rule's results by agent version."""
        states: dict[str, Counter[str]] = {}
        verdicts: dict[str, list[tuple[str | None, bool]]] = {}
        for run_id, item in self.items.items():
            if rule in item.rules:
                states.setdefault(item.run["agent"]["version"], Counter())[item.state] += 1
                verdicts.setdefault(item.run["agent"]["version"], []).extend(
                    [self.said[run_id]] if run_id in self.said else []
                )
        for of, run in self.skipped:
            if of is rule:
                states.setdefault(run["agent"]["version"], Counter())["skipped"] += 1
        return {version: self.group(states[version], verdicts.get(version, [])) for version in states}

    def group(self, states: Counter[str], verdicts: list[tuple[str | None, bool]]) -> dict[str, Any]:
        weighed = [(3 if judge_class == self.expert else 1, right) for judge_class, right in verdicts]
        by_class = Counter(judge_class for judge_class, _ in verdicts)
        return {
            "added": states.total() - states["skipped"],
            **{name: states[name] for name in ("open", "judged", "dismissed", "erased")},
            "skippedByCap": states["skipped"],
            "judgments": len(verdicts),
            "runsWithJudgments": len(verdicts),
            "yesShare": sum(w for w, right in weighed if right) / sum(w for w, _ in weighed) if weighed else None,
            "byClass": {one: (by_class[one], verdicts.count((one, True))) for one in by_class},
        }


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop.open("real")


@pytest.fixture
def mirror(shop: Shop) -> Mirror:
    """The expert class, and the five rules, not made yet."""
    expert = shop.judge_class("expert", weight=3)
    return Mirror(five_rules(expert), expert)


def make(shop: Shop, rule: Rule) -> None:
    rule.id = make_rule(shop, **rule.said)["ruleId"]


def correct(shop: Shop, mirror: Mirror, run: Record, judge_class: str | None, *, right: bool) -> None:
    """The same in the product and in the mirror."""
    said = {} if right else {"answer": "wrong", "why": "Not what was asked"}
    shop.correct(run["id"], **said, **({"correctorGroupId": judge_class} if judge_class else {}))
    mirror.correct(run, judge_class, right=right)


def together(runs: Sequence[Record], size: int) -> Iterator[Sequence[Record]]:
    """The runs in parts of so many."""
    return (runs[at : at + size] for at in range(0, len(runs), size))


@pytest.mark.parametrize("door", ["import", "PUT"])
def test_runs_that_end_after_the_rules_were_made_are_queued_or_kept_out_as_the_records_say(
    shop: Shop, mirror: Mirror, door: str
):
    ends = sorted(map(ended, records()))
    for number, rule in enumerate(mirror.rules):
        # The first before all, each other at the very end of a run, which it therefore leaves alone.
        rule.made = datetime.fromisoformat("2026-01-01T00:00:00Z") if number == 0 else ends[number * 20]
        with as_of(rule.made):
            make(shop, rule)
    turn = count()
    for runs in together(records(), 50 if door == "import" else 1):
        if door == "import":
            import_runs(shop, *runs)
        else:
            (run,) = runs
            shop.admin.ok("PUT", f"runs/{run['id']}", {name: run[name] for name in run if name != "id"})
        for run in runs:
            mirror.end(run)
        for run in runs:
            number = next(turn)
            if number % 3 == 0 and run["status"] == "completed":
                correct(shop, mirror, run, mirror.expert if number % 2 else None, right=number % 5 != 0)
    check(shop, mirror)
    (capped,) = (rule for rule in mirror.rules if "maxOpen" in rule.said)
    assert sum(rule is capped for rule, _ in mirror.skipped) > 50, "the cap was met"
    for rule in mirror.rules:
        of_rule = [run for run in records() if rule.made is not None and rule.made < ended(run) and rule.matches(run)]
        groups = mirror.groups(rule).values()
        assert sum(one["added"] + one["skippedByCap"] for one in groups) == len(of_rule)


def test_rules_that_were_made_later_are_caught_up_as_the_records_say(shop: Shop, mirror: Mirror):
    runs = records()
    for some in together(runs, 50):
        import_runs(shop, *some)
    for rule in mirror.rules:
        make(shop, rule)
    assert queue(shop, "limit=0")["total"] == 0
    done = [run for run in runs if run["status"] == "completed"]
    for number, run in enumerate(done[::11]):
        correct(shop, mirror, run, mirror.expert if number % 2 else None, right=number % 5 != 0)
    for run in done[5::40]:
        shop.admin.ok("POST", f"runs/{run['id']}/erase")
        run["status"] = "erased"  # no match any more
    newest = sorted(runs, key=ended, reverse=True)
    since = ended(newest[200])
    everything = {"last": 1000}
    asked: list[tuple[Rule, dict[str, Any], list[Record]]] = [
        (mirror.rules[0], everything, newest),
        (mirror.rules[1], {"since": since}, newest[:201]),
        (mirror.rules[2], {"last": 150}, newest[:150]),
        (mirror.rules[3], {"last": 150, "since": since}, newest[:150]),
        (mirror.rules[4], {"last": 300, "since": since}, newest[:201]),
        (mirror.rules[4], everything, newest),
        (mirror.rules[4], everything, newest),
    ]
    for rule, body, among in asked:
        assert catch_up(shop, rule, **body) == mirror.catch_up(rule, among)
    assert catch_up(shop, mirror.rules[4], **everything)[0] == 0, "it has been done"
    close_some(shop, mirror)
    assert catch_up(shop, mirror.rules[0], **everything) == mirror.catch_up(mirror.rules[0], newest)
    check(shop, mirror, in_order=False)


def catch_up(shop: Shop, rule: Rule, **body: Any) -> tuple[int, int, int]:
    caller = make_caller(shop.person("editor"))
    job = catch_up_begin(caller=caller, project=shop.project, rule_id=rule.id, body=QueueRecentBody(**body))
    catch_up_run(catch_up_id=job.pk)
    job.refresh_from_db()
    return job.queued, job.already_queued, job.already_reviewed


def close_some(shop: Shop, mirror: Mirror) -> None:
    """Correct, dismiss and erase some of what waits."""
    waiting = [item for item in mirror.items.values() if item.state == "open"]
    for number, item in enumerate(waiting):
        if number % 4 == 1:
            correct(shop, mirror, item.run, mirror.expert if number % 3 else None, right=number % 8 != 1)
        elif number % 9 == 2:
            dismiss(shop, item.run["id"])
            item.state = "dismissed"
        elif number % 9 == 3:
            shop.admin.ok("POST", f"runs/{item.run['id']}/erase")
            item.state, item.run["status"] = "erased", "erased"


def check(shop: Shop, mirror: Mirror, *, in_order: bool = True) -> None:
    """The queue and every rule's results, against the mirror."""
    standing = Counter(item.state for item in mirror.items.values())
    assert {state: queue(shop, f"limit=0&state={state}")["total"] for state in standing} == standing
    assert queue(shop, "limit=0")["total"] == len(mirror.items)
    for rule in mirror.rules:
        expected = [run_id for run_id, item in mirror.items.items() if rule in item.rules]
        found = queued_runs(shop, f"ruleId={rule.id}")
        assert (found if in_order else sorted(found)) == (expected if in_order else sorted(expected))
        of_rule = Counter(mirror.items[run_id].state for run_id in expected)
        for state in ("open", "judged", "dismissed", "erased"):
            assert queue(shop, f"limit=0&state={state}&ruleId={rule.id}")["total"] == of_rule[state]
        assert results(shop, rule) == mirror.groups(rule)


def results(shop: Shop, rule: Rule) -> dict[str, dict[str, Any]]:
    """The groups by agent version; all are of the rule's first version."""
    groups = shop.api("viewer").ok("GET", rules_path(shop, rule.id, "results"))["groups"]
    assert {group.pop("ruleVersion") for group in groups} <= {1}
    for group in groups:
        group["byClass"] = {one["judgeClassId"]: (one["judgments"], one["yes"]) for one in group["byClass"]}
    return {group.pop("agentVersion"): group for group in groups}
