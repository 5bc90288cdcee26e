"""Ninety days of runs, the same at each load but for "now"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from random import Random
from uuid import UUID

from kindgi.demo.companies import COMPANIES, SHOP, TRAVEL
from kindgi.demo.diary import SEED, Diary, Told

EXAMPLE_RUN_ID = "5e55a6e5-0d31-4a3e-9d0e-000000000001"

# 1,850 by the agents themselves, of which the newest of each still go on, and 50 flows with two turns each.
COUNTS = {"meridian.concierge": 620, "meridian.trip-matcher": 400, "acorn.orders": 500, "acorn.product-finder": 330}
FLOWS = {"meridian.delay-care": TRAVEL, "acorn.returns-intake": SHOP}
FLOWS_EACH, TURNS = 25, 2
GOING = 6
REPLAYED = 0.04


def history(now: datetime) -> list[Told]:
    """All runs until ``now``, in the order in which they ended."""
    ids = _ids(Random(f"{SEED} ids"))  # noqa: S311 - made-up data, the same each time
    runs: list[Told] = []
    for company in COMPANIES:
        for plan in company.agents:
            rng = Random(f"{SEED} {plan.id}")  # noqa: S311
            runs += _agent_runs(Diary(rng, ids, company, plan, now), COUNTS[plan.id])
    runs.append(Diary(Random(SEED), ids, TRAVEL, TRAVEL.agents[0], now).example(EXAMPLE_RUN_ID))  # noqa: S311
    for flow, company in FLOWS.items():
        diary = Diary(Random(f"{SEED} {flow}"), ids, company, company.agents[0], now)  # noqa: S311
        for _ in range(FLOWS_EACH):
            runs += diary.flow(flow, TURNS)
    return sorted(runs, key=lambda told: (told.at, told.run_id))


def _ids(rng: Random) -> Iterator[str]:
    while True:
        yield str(UUID(int=rng.getrandbits(128), version=4))


def _agent_runs(diary: Diary, count: int) -> Iterator[Told]:
    """An agent's own runs; some are replays of earlier ones. One is left out for the example."""
    ended = count - GOING - (1 if diary.plan is TRAVEL.agents[0] else 0)
    earlier: list[Told] = []
    for at in sorted(diary.moment() for _ in range(ended)):
        if earlier and diary.rng.random() < REPLAYED:
            yield diary.replay(diary.rng.choice(earlier), at)
            continue
        told = diary.turn(at)
        if told.is_reviewable:
            earlier.append(told)
        yield told
    for _ in range(GOING):
        yield diary.going()
