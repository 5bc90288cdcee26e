"""Everybody at one queue for a minute; then every invariant is recounted from scratch."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from corrections.models import Correction
from judging.models import CatchUp, JudgingRule, QueueEntry, QueueItem, SkippedRun
from judging.sampling import Sample
from judging.services.catch_up import catch_up_run
from judging.services.counting import counts_fold
from tests.judging.queues import make_rule, queue_path, rules_path
from tests.judging.recounting import assert_all_is_well
from tests.support.parallel import at_once
from tests.support.shops import Shop, completed

pytestmark = pytest.mark.long

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
CAP = 6
SHARE = 0.5
# What somebody else's deed can make of a request: what it is about has changed, or is gone.
MAY_BE = {200, 201, 202, 204, 400, 404, 409, 410}
NOT_A_REFUSAL = {"lock-timeout", "internal-error", "service-unavailable"}


@dataclass
class World:
    """What those at work share. Lists grow only; whoever reads one takes what is there."""

    shop: Shop
    classes: list[str]
    ends: float
    rules: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def ask(self, api: Any, method: str, path: str, body: Any = None) -> Any:
        """An answer, which may be a refusal but nothing worse."""
        response = api.request(method, path, body)
        answered = response.json() if response.content else {}
        code = answered["error"]["code"] if response.status_code >= 400 and "error" in answered else ""
        if response.status_code not in MAY_BE or code in NOT_A_REFUSAL:
            self.faults.append(f"{method} {path}: {response.status_code} {response.content!r}")
        self.done[f"{method} {response.status_code} {code}".strip()] += 1
        return answered


def end_runs(world: World, rng: random.Random) -> None:
    """One run, or a few at once."""
    count = rng.choice([1, 1, 1, 5, 20])
    records = [{"id": str(uuid4()), **completed()} for _ in range(count)]
    if count == 1:
        (record,) = records
        run_id = record.pop("id")
        world.ask(world.shop.admin, "PUT", f"runs/{run_id}", record)
        world.runs.append(run_id)
    else:
        world.ask(world.shop.admin, "POST", "runs/import", records)
        world.runs += [record["id"] for record in records]


def correct(world: World, rng: random.Random) -> None:
    """A run, by either door, as some class or none; sometimes one of the newest, which others have in hand."""
    run_id = one_of(rng, world.runs)
    if run_id is None:
        return
    person = world.shop.api(rng.choice(["editor", "editor:2", "service"]))
    said: dict[str, Any] = {"runId": run_id}
    chosen = rng.choice([None, *world.classes])
    if rng.random() < 0.5:
        body = said | {"answer": "right"} | ({"correctorGroupId": chosen} if chosen else {})
        made = world.ask(person, "POST", "corrections", body)
        world.corrections += [made["id"]] if "id" in made else []
    else:
        body = said | {"item": {"key": "answer"}, "verdict": "no"} | ({"judgeClassId": chosen} if chosen else {})
        world.ask(person, "POST", "judgments", body)


def take_back(world: World, rng: random.Random) -> None:
    """A correction."""
    if world.corrections:
        world.ask(world.shop.admin, "POST", f"corrections/{rng.choice(world.corrections)}/unregister")


def dismiss(world: World, rng: random.Random) -> None:
    """An item; and put back one that the rule with the cap didn't take: its places are counted."""
    run_id = one_of(rng, world.runs)
    if run_id is None:
        return
    answer = world.ask(world.shop.editor, "POST", queue_path(world.shop, run_id, "dismiss"), {"reason": "test"})
    # Refused, the answer doesn't say whose it is: another has dismissed it, and may have been of the rule with the cap.
    others = "rules" in answer and world.rules[0] not in [rule["ruleId"] for rule in answer["rules"]]
    if others and rng.random() < 0.7:
        world.ask(world.shop.editor, "POST", queue_path(world.shop, run_id, "reopen"))


def change_rules(world: World, rng: random.Random) -> None:
    """What a rule wants, takes or is; never that of the rule with the cap, whose numbers are foretold."""
    rule_id = rng.choice(world.rules[1:])
    change = rng.choice([
        {"judgeClassId": None}, {"judgeClassId": rng.choice(world.classes)}, {"sample": rng.choice([0.2, 0.7, 1])},
        {"enabled": rng.random() < 0.8}, {"maxOpen": rng.choice([None, 3, 50])}, {"name": f"Rule {rng.random()}"},
    ])  # fmt: skip
    world.ask(world.shop.editor, "PATCH", rules_path(world.shop, rule_id), change)


def catch_up(world: World, rng: random.Random) -> None:
    """Bring a rule to what has ended."""
    body = {"last": rng.choice([5, 50, 500])}
    asked = world.ask(
        world.shop.editor, "POST", rules_path(world.shop, rng.choice(world.rules[1:]), "queue-recent"), body
    )
    if "jobId" in asked:
        catch_up_run(catch_up_id=UUID(asked["jobId"]))


def hold(world: World, rng: random.Random) -> None:
    """The next item, held and sometimes let go."""
    person = world.shop.api(rng.choice(["editor", "editor:2"]))
    got = world.ask(person, "POST", queue_path(world.shop, "next")).get("item")
    if got is not None and rng.random() < 0.5:
        world.ask(person, "DELETE", queue_path(world.shop, got["runId"], "hold"))


def erase(world: World, rng: random.Random) -> None:
    """A run; not too many."""
    run_id = one_of(rng, world.runs)
    if run_id is not None:
        world.ask(world.shop.admin, "POST", f"runs/{run_id}/erase")
    time.sleep(0.2)


def read(world: World, rng: random.Random) -> None:
    """The queue and a rule's results, whose numbers must agree with each other at every moment."""
    world.ask(world.shop.editor, "GET", f"{queue_path(world.shop)}?forMe=true&limit=5")
    results = world.ask(world.shop.editor, "GET", rules_path(world.shop, rng.choice(world.rules), "results"))
    for group in results["groups"]:
        numbers = [number for number in group.values() if isinstance(number, int)]
        parts = group["open"] + group["judged"] + group["dismissed"] + group["erased"]
        if group["added"] != parts or min(numbers) < 0:
            world.faults.append(f"results: {group}")
    open_now = QueueEntry.objects.filter(rule__pk=UUID(world.rules[0]), open=True).count()
    if open_now > CAP:
        world.faults.append(f"{open_now} are open for a cap of {CAP}")


def fold(world: World, rng: random.Random) -> None:
    """The counts."""
    with transaction.atomic():
        counts_fold()
    time.sleep(0.5)


WORK: list[tuple[int, Callable[[World, random.Random], None]]] = [
    (12, end_runs), (7, correct), (2, take_back), (3, dismiss), (2, change_rules), (1, catch_up), (2, hold),
    (1, erase), (1, read), (1, fold),
]  # fmt: skip


def one_of(rng: random.Random, things: list[str]) -> str | None:
    """Mostly one of the newest."""
    return rng.choice(things[-40:] if rng.random() < 0.8 else things) if things else None


def works(world: World) -> list[Callable[[], None]]:
    """32 who work until the time is over."""
    kinds = [kind for count, kind in WORK for _ in range(count)]
    assert len(kinds) == 32

    def work(kind: Callable[[World, random.Random], None], seed: int) -> None:
        rng = random.Random(seed)
        while time.monotonic() < world.ends and len(world.faults) < 5:
            kind(world, rng)

    return [lambda kind=kind, seed=seed: work(kind, seed) for seed, kind in enumerate(kinds)]  # type: ignore[misc]


def test_32_at_work_for_a_minute_leave_everything_as_it_must_be(fresh: Shop, settings: Any):
    settings.CATCH_UP_WAIT_SECONDS = 0
    expert, peer = fresh.judge_class("expert", weight=3), fresh.judge_class("peer")
    world = World(fresh, [expert, peer], time.monotonic() + SECONDS)
    world.rules = [
        make_rule(fresh, name="Capped", maxOpen=CAP, sample=SHARE)["ruleId"],
        make_rule(fresh, name="Everything")["ruleId"],
        make_rule(fresh, name="Experts", judgeClassId=expert, sample=0.5)["ruleId"],
        make_rule(fresh, name="Few", maxOpen=10, judgeClassId=peer)["ruleId"],
    ]
    for name in ("editor", "editor:2", "service", "tenant-admin"):
        fresh.api(name)
    time.sleep(0.002)
    raised = [answer for answer in at_once(works(world)) if isinstance(answer, Exception)]
    assert (raised, world.faults) == ([], [])
    for job in CatchUp.objects.filter(state="running"):
        catch_up_run(catch_up_id=job.pk)
    assert_all_is_well(fresh)
    assert_each_sampled_run_is_counted_once(world)
    assert QueueItem.objects.count() > SECONDS and Correction.objects.count() > SECONDS, world.done


def assert_each_sampled_run_is_counted_once(world: World) -> None:
    """Of the rule that nobody changed: whatever it matched and sampled was added or left out, none both, none lost."""
    rule = JudgingRule.objects.get(pk=world.rules[0])
    sampled = {run_id for run_id in world.runs if Sample(rule.pk, SHARE).takes(UUID(run_id))}
    added = {str(run_id) for run_id in QueueEntry.objects.filter(rule=rule).values_list("item__run_id", flat=True)}
    left_out = {str(run_id) for run_id in SkippedRun.objects.filter(rule=rule).values_list("run_id", flat=True)}
    assert added | left_out == sampled and not added & left_out
    (group,) = world.shop.editor.ok("GET", rules_path(world.shop, str(rule.pk), "results"))["groups"]
    assert group["added"] + group["skippedByCap"] == len(sampled)
