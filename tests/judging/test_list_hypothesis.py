"""Whatever happens to rules and runs, in whatever order, the queue's list agrees with a simple model of section 6."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.judging.queues import change_rule, dismiss, old_rule, queue, queue_path, reopen, rules_path
from tests.support.shops import AGENT, Shop

AGENTS = [AGENT, "other"]
PEOPLE = ["editor", "service"]
WHENS: list[dict[str, Any]] = [{}, *({"agentIds": [agent]} for agent in AGENTS)]
CAPS = [None, None, 1, 2]
Step = tuple[str, int, int]


@dataclass
class Rule:
    """A rule in the model: what it takes, wants and may have open."""

    made: dict[str, Any]
    when: dict[str, Any]
    cap: int | None
    want: str | None
    version: int = 1
    enabled: bool = True
    stopped: bool = False

    def takes(self, agent: str) -> bool:
        return self.enabled and not self.stopped and agent in self.when.get("agentIds", AGENTS)


@dataclass
class Run:
    """A queued run in the model: which rules have it at which versions, and what each person says of it."""

    id: str
    rules: list[tuple[Rule, int]]
    said: dict[str, str | None] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    state: str = "open"
    gone: bool = False

    def unmet(self) -> list[Rule]:
        given = set(self.said.values())
        return [rule for rule, _ in self.rules if (rule.want not in given if rule.want else not given)]

    def judge(self) -> None:
        """An open one that wants nothing more is judged."""
        if self.state == "open" and not self.unmet():
            self.state = "judged"


@dataclass
class Model:
    """A history, and what the queue must be after it."""

    shop: Shop
    classes: list[str | None]
    rules: list[Rule] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    def make_rule(self, one: int, other: int) -> None:
        when, cap = WHENS[one % len(WHENS)], CAPS[one % len(CAPS)]
        want = self.classes[other % len(self.classes)]
        made = old_rule(self.shop, when=when, maxOpen=cap, judgeClassId=want)
        self.rules.append(Rule(made, when, cap, want))

    def end_run(self, one: int, other: int) -> None:
        agent = AGENTS[one % len(AGENTS)]
        run_id = self.shop.run(agent={"id": agent, "version": "1.0.0"})
        taking = [rule for rule in self.rules if rule.takes(agent) and self.has_room(rule)]
        if taking:
            self.runs.append(Run(run_id, [(rule, rule.version) for rule in taking]))

    def has_room(self, rule: Rule) -> bool:
        waiting = [run for run in self.runs if run.state == "open" and any(one is rule for one, _ in run.rules)]
        return rule.cap is None or len(waiting) < rule.cap

    def change(self, one: int, other: int) -> None:
        """A rule is stopped, turned off or on, or wants something else from now on."""
        live = [rule for rule in self.rules if not rule.stopped]
        if not live:
            return
        rule = live[one % len(live)]
        if other == 0:
            rule.stopped = True
            self.shop.editor.ok("POST", rules_path(self.shop, rule.made["ruleId"], "unregister"))
        elif other == 1:
            rule.enabled, rule.version = not rule.enabled, rule.version + 1
            change_rule(self.shop, rule.made, enabled=rule.enabled)
        else:
            self.want(rule, self.classes[other % len(self.classes)])

    def want(self, rule: Rule, want: str | None) -> None:
        change_rule(self.shop, rule.made, judgeClassId=want)
        rule.version += rule.want != want
        rule.want = want
        for run in self.runs:
            run.judge()

    def say(self, one: int, other: int) -> None:
        run = self.one_of([run for run in self.runs if not run.gone], one)
        if run is not None:
            who = PEOPLE[other % 2]
            mine = self.classes if who == "service" else self.classes[:2]
            judge_class = mine[other // 2 % len(mine)]
            named = {"correctorGroupId": judge_class} if judge_class else {}
            run.made[who] = self.shop.correct(run.id, by=who, **named)["id"]
            run.said[who] = judge_class
            run.judge()

    def unsay(self, one: int, other: int) -> None:
        run = self.one_of([run for run in self.runs if run.said], one)
        if run is not None:
            who = sorted(run.said)[other % len(run.said)]
            del run.said[who]
            self.shop.api(who).ok("POST", f"corrections/{run.made[who]}/unregister")
            run.judge()

    def dismiss(self, one: int, other: int) -> None:
        run = self.one_of([run for run in self.runs if run.state == "open"], one)
        if run is not None:
            run.state = dismiss(self.shop, run.id)["state"]
            assert run.state == "dismissed"

    def reopen(self, one: int, other: int) -> None:
        run = self.one_of([run for run in self.runs if run.state == "dismissed" and not run.gone], one)
        if run is not None:
            run.state = "open"
            run.judge()
            assert reopen(self.shop, run.id)["state"] == run.state

    def erase(self, one: int, other: int) -> None:
        run = self.one_of([run for run in self.runs if not run.gone], one)
        if run is not None:
            self.shop.admin.ok("POST", f"runs/{run.id}/erase")
            run.gone = True
            run.state = "erased" if run.state == "open" else run.state

    def one_of(self, runs: list[Run], number: int) -> Run | None:
        return runs[number % len(runs)] if runs else None


KINDS = {
    "run": Model.end_run,
    "say": Model.say,
    "rule": Model.make_rule,
    "change": Model.change,
    "unsay": Model.unsay,
    "dismiss": Model.dismiss,
    "reopen": Model.reopen,
    "erase": Model.erase,
}
# What makes for much else comes more often.
kinds = st.sampled_from([*KINDS, "run", "say", "run", "say", "change", "change"])
steps = st.lists(st.tuples(kinds, st.integers(0, 11), st.integers(0, 11)), min_size=4, max_size=16)


@given(first=st.integers(0, 2), steps=steps)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_list_agrees_with_the_model(undone: Shop, first: int, steps: list[Step]):
    for name in PEOPLE:
        undone.api(name)  # made outside of what is undone after each example
    with taken_back():
        bots = undone.judge_class(assertableBy={"principalKinds": ["service"]})
        model = Model(undone, [None, undone.judge_class(), bots])
        model.make_rule(0, first)
        model.end_run(0, 0)
        for kind, one, other in steps:
            KINDS[kind](model, one, other)
            check_rows(model)
        check_totals(model)


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def check_rows(model: Model) -> None:
    """Each item is as its run in the model is."""
    rows = queue(model.shop, "limit=100")["data"]
    assert [row["runId"] for row in rows] == [run.id for run in model.runs]
    for row, run in zip(rows, model.runs, strict=True):
        assert row["state"] == run.state
        assert row["rules"] == [{"ruleId": rule.made["ruleId"], "version": version} for rule, version in run.rules]
        wants = [rule.want for rule, _ in run.rules]
        assert row["anyJudgment"] == (None in wants)
        assert row["wantedClassIds"] == list(dict.fromkeys(want for want in wants if want))
        counted = Counter(run.said.values())
        assert row["progress"]["total"] == counted.total()
        assert {one["judgeClassId"]: one["count"] for one in row["progress"]["byClass"]} == counted
        can = {"dismiss": run.state == "open", "reopen": run.state == "dismissed" and not run.gone}
        assert row["can"] == can


def check_totals(model: Model) -> None:
    """Each filter has as many as the model."""

    def total(query: str) -> int:
        found: int = queue(model.shop, f"limit=0&{query}")["total"]
        return found

    for state in ("open", "judged", "dismissed", "erased"):
        assert total(f"state={state}") == sum(run.state == state for run in model.runs)
    for rule in model.rules:
        of_rule = [run for run in model.runs if any(one is rule for one, _ in run.rules)]
        assert total(f"ruleId={rule.made['ruleId']}") == len(of_rule)
    for judge_class in filter(None, model.classes):
        wanted = [run for run in model.runs if judge_class in [rule.want for rule, _ in run.rules]]
        assert total(f"judgeClassId={judge_class}") == len(wanted)
    for who, mine in (("editor", model.classes[:2]), ("service", model.classes)):
        closable = [run for run in model.runs if run.state == "open" and any(rule.want in mine for rule in run.unmet())]
        assert queue(model.shop, "limit=0&forMe=true", by=who)["total"] == len(closable)
        for state in ("judged", "dismissed"):
            wanted = [
                run for run in model.runs if run.state == state and any(rule.want in mine for rule, _ in run.rules)
            ]
            assert queue(model.shop, f"limit=0&forMe=true&state={state}", by=who)["total"] == len(wanted)
    nobodys = model.shop.api("viewer").ok("GET", f"{queue_path(model.shop)}?limit=0&forMe=true")
    assert nobodys["total"] == 0
