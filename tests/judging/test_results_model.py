"""Whatever becomes of runs and of what is said of them, a rule's results are what the rows add up to, one by one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corrections.judgments import JudgmentBody
from corrections.models import Correction, JudgeClass, Verdict
from corrections.services.judging import judgment_record
from corrections.services.removing import correction_remove, judgment_remove
from judging.matching import when_of
from judging.models import JudgingRule, QueueEntry, QueueItem, SkippedRun, State
from judging.results import Group, effective_runs, yes_share
from judging.selectors.results import class_figures, rule_groups
from judging.services.catch_up import catch_up_begin, catch_up_run
from judging.services.counting import counts_fold
from judging.services.items import queue_item_dismiss, queue_item_reopen
from judging.services.rules import rule_change, rule_create
from judging.submissions import QueueRecentBody, RuleBody, RuleChangeBody
from kindgi.access.callers import Caller
from kindgi.access.selectors import caller_for_user
from kindgi.api.jsontext import decode
from kindgi.api.times import as_of
from kindgi.runs.models import Run
from kindgi.runs.services.erasure import run_erase
from kindgi.runs.services.importing import runs_import
from tests.corrections.judging import correct, judgment
from tests.support.shops import AGENT, Shop

START = datetime(2026, 3, 10, 20, tzinfo=UTC)
VERSIONS = ["1.10.0", "1.9.0", None]  # newest first; flows' runs last
RULES: list[dict[str, Any]] = [
    {"when": {}},
    {"when": {}, "sample": 0.5},
    {"when": {"agentIds": [AGENT]}, "max_open": 2},
    {"when": {"agentIds": [AGENT], "versions": ["1.9.0"]}, "max_open": 1},
]
WEIGHTS = [3.0, 0.1, 0.0]


class Step(NamedTuple):
    """Something that happens so many minutes after the last, with two numbers to choose what it happens to."""

    kind: str
    minutes: int
    one: int
    other: int


@dataclass
class World:
    """A shop whose people and judge classes are there, and the rules and the time of one history."""

    shop: Shop
    callers: list[Caller]
    classes: list[UUID | None]
    at: datetime = START
    rules: list[JudgingRule] = field(default_factory=list)

    @property
    def admin(self) -> Caller:
        return self.callers[0]

    def class_of(self, number: int) -> UUID | None:
        return self.classes[number % len(self.classes)]

    def add_rule(self, *, judge_class_id: UUID | None, **said: Any) -> None:
        body = RuleBody(
            name="r",
            when=when_of(said["when"]),
            sample=said.get("sample", 1.0),
            max_open=said.get("max_open"),
            judge_class_id=None if judge_class_id is None else str(judge_class_id),
        )
        self.rules.append(rule_create(caller=self.admin, project=self.shop.project, body=body))


def report_runs(world: World, one: int, other: int) -> None:
    """Up to three runs that end together, of one version or a flow's."""
    version = VERSIONS[one % len(VERSIONS)]
    ran = {"flow": {"id": "f", "version": "1"}} if version is None else {"agent": {"id": AGENT, "version": version}}
    for_each = ({"id": str(uuid4()), "status": "completed", "output": {}, **ran} for _ in range(1 + other % 3))
    runs_import(caller=world.admin, records=[(n, json.dumps(one).encode()) for n, one in enumerate(for_each)])


def record_correction(world: World, one: int, other: int) -> None:
    """What somebody, or an app for somebody, says of one or two items of a run, under a class or none."""
    caller, classed = world.callers[other % len(world.callers)], world.class_of(other // 3)
    said: dict[str, Any] = {"answer": "right"} if other % 2 else {"answer": "wrong", "why": "w"}
    said |= {"items": [{"key": "a", "verdict": "wrong"}]} if other % 5 == 0 else {}
    said |= {"participantId": "p"} if other % 7 == 0 else {}
    said |= {"correctorGroupId": str(classed)} if classed else {}
    if (run := chosen(Run.objects.filter(content_erased_at__isnull=True), one)) is not None:
        correct(caller, str(run.run_id), **said)


def record_judgment(world: World, one: int, other: int) -> None:
    """The same through the other door, of one item."""
    caller, classed = world.callers[other % len(world.callers)], world.class_of(other // 3)
    if (run := chosen(Run.objects.filter(content_erased_at__isnull=True), one)) is not None:
        sent = judgment(str(run.run_id), "answer" if other % 4 else "b", right=other % 2 == 0)
        sent |= {"judgeClassId": str(classed)} if classed else {}
        judgment_record(caller=caller, body=decode(json.dumps(sent).encode(), JudgmentBody))


def remove_correction(world: World, one: int, other: int) -> None:
    if (made := chosen(Correction.objects.filter(unregistered_at__isnull=True), one)) is not None:
        correction_remove(caller=world.admin, correction_id=str(made.pk))


def remove_judgment(world: World, one: int, other: int) -> None:
    if (verdict := chosen(Verdict.objects.filter(unregistered_at__isnull=True), one)) is not None:
        judgment_remove(caller=world.admin, judgment_id=str(verdict.pk))


def dismiss(world: World, one: int, other: int) -> None:
    if (item := chosen(QueueItem.objects.filter(state=State.OPEN), one)) is not None:
        queue_item_dismiss(caller=world.admin, project=world.shop.project, run_id=str(item.run_id), reason=None)


def reopen(world: World, one: int, other: int) -> None:
    dismissed = QueueItem.objects.filter(state=State.DISMISSED, gone_at__isnull=True)
    if (item := chosen(dismissed, one)) is not None:
        queue_item_reopen(caller=world.admin, project=world.shop.project, run_id=str(item.run_id))


def erase(world: World, one: int, other: int) -> None:
    if (run := chosen(Run.objects.filter(content_erased_at__isnull=True), one)) is not None:
        run_erase(caller=world.admin, run_id=str(run.run_id))


def change_rule(world: World, one: int, other: int) -> None:
    """Another class, which may judge items, or another cap."""
    rule, classed = world.rules[one % len(world.rules)], world.class_of(other)
    wanted = RuleChangeBody(judge_class_id=None if classed is None else str(classed))
    body = RuleChangeBody(max_open=1 + other % 4) if other % 3 == 0 else wanted
    rule_change(caller=world.admin, project=world.shop.project, rule_id=str(rule.pk), body=body)


def add_rule(world: World, one: int, other: int) -> None:
    if len(world.rules) < 6:
        world.add_rule(judge_class_id=world.class_of(other), **RULES[one % len(RULES)])


def catch_up(world: World, one: int, other: int) -> None:
    rule = world.rules[one % len(world.rules)]
    body = QueueRecentBody(last=1 + other)
    job = catch_up_begin(caller=world.admin, project=world.shop.project, rule_id=str(rule.pk), body=body)
    catch_up_run(catch_up_id=job.pk)


def fold(world: World, one: int, other: int) -> None:
    counts_fold()


def chosen(rows: Any, number: int) -> Any:
    """One of ``rows``, by a number; ``None`` where there are none."""
    found = list(rows.order_by("created_at", "pk"))
    return found[number % len(found)] if found else None


DOING: dict[str, Callable[[World, int, int], None]] = {
    "runs": report_runs,
    "correct": record_correction,
    "judge": record_judgment,
    "remove": remove_correction,
    "remove part": remove_judgment,
    "dismiss": dismiss,
    "reopen": reopen,
    "erase": erase,
    "change rule": change_rule,
    "add rule": add_rule,
    "catch up": catch_up,
    "fold": fold,
}
kinds = st.sampled_from([*DOING, "runs", "runs", "correct", "correct", "judge", "catch up"])
minutes = st.sampled_from([0, 1, 90, 600, 2000])
steps = st.lists(st.builds(Step, kinds, minutes, st.integers(0, 60), st.integers(0, 60)), min_size=12, max_size=30)
instants = st.lists(st.integers(-1, 5 * 1440), max_size=3)


@pytest.fixture
def world(undone: Shop) -> World:
    people = [undone.person(name) for name in ("tenant-admin", "editor", "editor:2")]
    weighted = [UUID(undone.judge_class(weight=weight)) for weight in WEIGHTS]
    return World(undone, [caller_for_user(one) for one in people], [None, *weighted])


@given(steps=steps, parted_at=instants)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_results_are_what_the_rows_add_up_to(world: World, steps: list[Step], parted_at: list[int]):
    with taken_back():
        happen(world, steps)
        taken_at = sorted({*QueueEntry.objects.values_list("created_at", flat=True)})[:: max(1, len(steps) // 8)]
        minutes_in = [START + timedelta(minutes=minute) for minute in parted_at]
        midnights = [datetime.combine(at, time.min, UTC) for at in minutes_in]
        just_after = [at + timedelta(milliseconds=1) for at in taken_at]
        rows = Rows()
        for since in (None, *taken_at, *just_after, *minutes_in, *midnights):
            rows.check(rule_groups([rule.pk for rule in world.rules], since=since), since)


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def happen(world: World, steps: list[Step]) -> None:
    """The history of ``steps``, by rules that were made an hour before."""
    world.at, world.rules = START, []
    with as_of(START - timedelta(hours=1)):
        for number, said in enumerate(RULES):
            world.add_rule(judge_class_id=world.class_of(number), **said)
    for step in steps:
        world.at += timedelta(minutes=step.minutes)
        with as_of(world.at):
            DOING[step.kind](world, step.one, step.other)


@dataclass
class Sum:
    """What the rows of one group come to: runs by state, those left out, and each run's live verdicts."""

    states: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    runs: list[list[Verdict]] = field(default_factory=list)


class Rows:
    """What is stored, read once; what is compared and summed of it, is here and not in the database."""

    def __init__(self) -> None:
        self.entries = list(QueueEntry.objects.select_related("item"))
        self.skipped = list(SkippedRun.objects.all())
        self.weights = {None: Fraction(1)} | {one.pk: Fraction(one.weight) for one in JudgeClass.objects.all()}
        self.said: dict[UUID, list[Verdict]] = {}
        for verdict in Verdict.objects.all():
            if verdict.unregistered_at is None:
                self.said.setdefault(verdict.run_id, []).append(verdict)

    def sums(self, since: datetime | None) -> dict[tuple[UUID, int, str | None], Sum]:
        """By rule, its version and the agent's."""
        sums: dict[tuple[UUID, int, str | None], Sum] = {}
        for entry in self.entries:
            if since is None or entry.created_at >= since:
                one = sums.setdefault((entry.rule_id, entry.rule_version, entry.item.agent_version or None), Sum())
                one.states[entry.item.state] += 1
                one.runs.append(self.said.get(entry.item.run_id, []))
        for skipped in self.skipped:
            if since is None or skipped.created_at >= since:
                key = (skipped.rule_id, skipped.rule_version, skipped.agent_version)
                sums.setdefault(key, Sum()).skipped += 1
        return sums

    def check(self, found: Mapping[UUID, list[Group]], since: datetime | None) -> None:
        for of_rule in found.values():
            order = [(-group.rule_version, VERSIONS.index(group.agent_version)) for group in of_rule]
            assert order == sorted(set(order))
        by_key = {(rule_id, one.rule_version, one.agent_version): one for rule_id in found for one in found[rule_id]}
        expected = self.sums(since)
        assert by_key.keys() == expected.keys()
        weights = class_figures(by_key.values()).weights
        for key, group in by_key.items():
            check_group(group, expected[key])
            self.check_figures(group, expected[key].runs, weights)

    def check_figures(self, group: Group, runs: list[list[Verdict]], weights: Mapping[UUID | None, float]) -> None:
        """The share and the effective runs, from the weight of each verdict."""
        of_runs = [sum((self.weights[one.judge_class_id] for one in run), Fraction()) for run in runs]
        right = sum((self.weights[one.judge_class_id] for run in runs for one in run if one.right), Fraction())
        total, squares = sum(of_runs), sum(one**2 for one in of_runs)
        assert yes_share(group, weights) == (float(right / total) if total else None)
        assert effective_runs(group, weights) == (float(total**2 / squares) if squares else 0.0)


def check_group(group: Group, expected: Sum) -> None:
    states = {"open": group.open, "judged": group.judged, "dismissed": group.dismissed, "erased": group.erased}
    assert Counter(states) == expected.states
    assert group.added == len(expected.runs)
    assert group.skipped_by_cap == expected.skipped
    assert group.runs_with_judgments == sum(len(run) > 0 for run in expected.runs)
    verdicts = [verdict for run in expected.runs for verdict in run]
    assert group.judgments == len(verdicts)
    assert {one.judge_class_id: one.judgments for one in group.by_class} == Counter(
        verdict.judge_class_id for verdict in verdicts
    )
    assert {one.judge_class_id: one.yes for one in group.by_class if one.yes} == Counter(
        verdict.judge_class_id for verdict in verdicts if verdict.right
    )
