"""What one agent did: its turns, replays and flows, as its runtime reports them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from kindgi.api.times import wire
from kindgi.demo.companies import TRAVEL, AgentPlan, Company, Release
from kindgi.demo.scenes import languages, orders, planning, products, travel
from kindgi.demo.scenes.scene import Maker, Scene

SEED = 20310301
DAYS = 90

_MAKERS: dict[str, tuple[Maker, ...]] = {
    "meridian.concierge": (*travel.MAKERS * 4, *languages.TRAVEL_MAKERS),
    "meridian.trip-matcher": planning.MAKERS,
    "acorn.orders": (*orders.MAKERS * 3, *languages.SHOP_MAKERS),
    "acorn.product-finder": products.MAKERS,
}
_BUSY_HOURS = (1, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 9, 8, 8, 9, 9, 9, 8, 7, 7, 6, 5, 3, 2)
_FAILURES = (
    "The tool {tool} didn't answer within 30 s.",
    "The answer was cut off at 4,096 tokens.",
    "The tool {tool} answered with 502 three times; the run was given up.",
    "The conversation reached its limit of 24 steps.",
)


@dataclass(frozen=True, slots=True)
class Told:
    """A run that ended, or stands so, ``at``; its runtime reports it at ``reported_at``, with the others of the day.

    Only the demonstration knows the scene, and with it what was wrong.
    """

    company: Company
    project: str
    at: datetime
    reported_at: datetime
    record: dict[str, Any]
    scene: Scene | None = None

    @property
    def run_id(self) -> str:
        """The run's id."""
        return str(self.record["id"])

    @property
    def is_reviewable(self) -> bool:
        """Whether people look at it: completed, and neither a dry run nor a replay."""
        return self.record["status"] == "completed" and not self.record.get("dryRun")


@dataclass(slots=True)
class Diary:
    """One agent of a company, seen from ``now``; ``ids`` gives the runs' ids."""

    rng: Random
    ids: Iterator[str]
    company: Company
    plan: AgentPlan
    now: datetime

    def moment(self) -> datetime:
        """When something happened: more of it lately, by day and on weekdays."""
        while True:
            days = DAYS * self.rng.random() ** 1.2
            at = self.now - timedelta(days=days, seconds=200 * (1 - days / DAYS))
            if self.rng.random() * 10 < _BUSY_HOURS[at.hour] * (0.5 if at.weekday() >= 5 else 1):
                return at

    def turn(self, at: datetime) -> Told:
        """One turn of the agent, of the version that somebody or something chose."""
        via = self.rng.choices(("live", "latest", "explicit", "conversation"), (80, 6, 8, 6))[0]
        release = self._release(via, at)
        status = self.rng.choices(("completed", "failed", "cancelled"), (93, 5, 2))[0]
        record = self._begun(next(self.ids), release, via, at)
        if self.rng.random() < 0.5:
            record["agent"]["conversationId"] = f"conv-{self.rng.randrange(16**8):08x}"
        if self.rng.random() < 0.7:
            whom = "traveller" if self.company is TRAVEL else "customer"
            record["participantId"] = f"{whom}-{self.rng.randrange(10_000, 99_999)}"
        if self.rng.random() < 0.03:
            record["dryRun"] = True
        return self._ended({**record, "status": status}, self._scene(release), at)

    def replay(self, original: Told, at: datetime) -> Told:
        """An earlier run done again on the newest version, some with a set of test cases; writes nothing."""
        release = self.plan.newest(self._days_ago(at))
        record = {
            **self._begun(next(self.ids), release, "explicit", at),
            "status": "completed",
            "dryRun": True,
            "replayOf": original.run_id,
        }
        if self.rng.random() < 0.4:
            record["evalRunId"] = f"eval-{self.plan.id}-{release.version}"
        return self._ended(record, original.scene or self._scene(release), at)

    def example(self, run_id: str) -> Told:
        """A completed live turn of the last minutes, without a flaw."""
        at = self.now - timedelta(minutes=25)
        record = self._begun(run_id, self.plan.live(0), "live", at)
        return self._ended({**record, "status": "completed"}, travel.delayed(self.rng, False), at)

    def going(self) -> Told:
        """A turn of the last minutes that hasn't ended."""
        at = self.now - timedelta(seconds=self.rng.randrange(20, 1500))
        release = self.plan.live(0)
        record = self._begun(next(self.ids), release, "live", at)
        record["status"] = self.rng.choices(("running", "suspended", "pending"), (6, 2, 1))[0]
        record["input"] = self._scene(release).input()
        return self._told(at, record)

    def flow(self, flow: str, turns: int) -> Iterator[Told]:
        """A flow and the turns of the agent that it started, each on the version that the flow pins."""
        at, flow_id = self.moment(), next(self.ids)
        release = self.plan.newest(self._days_ago(at))
        children = []
        for number in range(turns):
            began = at + timedelta(seconds=2 + 9 * number)
            record = {**self._begun(next(self.ids), release, "flow-pin", began), "status": "completed"}
            children.append(self._ended({**record, "parentRunId": flow_id}, self._scene(release), began))
        yield from children
        end = max(child.at for child in children)
        record = {
            "id": flow_id,
            "flow": {"id": flow, "version": "1.2.0" if self._days_ago(at) < 40 else "1.1.0"},
            "createdAt": wire(at),
            "completedAt": wire(end),
            "input": {"trigger": "schedule", "cases": turns},
        }
        yield self._told(end, {**record, **self._end_of_flow(children)})

    def _end_of_flow(self, children: list[Told]) -> dict[str, Any]:
        if self.rng.random() < 0.1:
            return {"status": "failed", "failureMessage": "The step “notify” failed: the message queue was full."}
        handled = [{"run": child.run_id, "outcome": "answered"} for child in children]
        return {"status": "completed", "output": {"handled": handled, "left": []}}

    def _release(self, via: str, at: datetime) -> Release:
        days_ago = self._days_ago(at)
        if via == "explicit":
            return self.rng.choice([release for release in self.plan.releases if release.days_ago >= days_ago])
        return self.plan.newest(days_ago) if via == "latest" else self.plan.live(days_ago)

    def _scene(self, release: Release) -> Scene:
        return self.rng.choice(_MAKERS[self.plan.id])(self.rng, self.rng.random() < release.flawed)

    def _begun(self, run_id: str, release: Release, via: str, at: datetime) -> dict[str, Any]:
        return {
            "id": run_id,
            "agent": {"id": self.plan.id, "version": release.version, "via": via},
            "createdAt": wire(at),
        }

    def _ended(self, record: dict[str, Any], scene: Scene, began: datetime) -> Told:
        """The run with how it ended: an answer, or what went wrong and the calls until then."""
        at = min(began + timedelta(seconds=self.rng.lognormvariate(2.6, 0.8)), self.now)
        record |= {"completedAt": wire(at), "input": scene.input(), "calls": scene.calls()}
        if record["status"] == "completed":
            record["output"] = scene.output()
        else:
            record["calls"] = record["calls"][: self.rng.randrange(len(scene.steps) + 1)]
        if record["status"] == "failed":
            record["failureMessage"] = self.rng.choice(_FAILURES).format(tool=scene.steps[-1].tool)
        return self._told(at, record, scene)

    def _told(self, at: datetime, record: dict[str, Any], scene: Scene | None = None) -> Told:
        midnight = (at + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return Told(self.company, self.plan.project, at, min(midnight, self.now), record, scene)

    def _days_ago(self, at: datetime) -> float:
        return (self.now - at) / timedelta(days=1)
