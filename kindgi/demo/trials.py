"""The test runs: which versions were tried on which corrected runs, when, and how these did. Knows no database.

As a rule a version does what people said is right, but not always, and an earlier one does what it
did before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from kindgi.demo.companies import AgentPlan, Company
from kindgi.demo.diary import Told
from kindgi.demo.judged import DECISIONS, TOP_PICK
from kindgi.demo.replays import Course, played
from kindgi.demo.reviews import Act
from kindgi.demo.scenes.planning import TOO_MUCH

How = Literal["pin", "went-back", "unpin", "latest"]

# How a corrected run does in the versions after its own, one course after the other: most are mended for good, some
# later, some come back.
_COURSES: tuple[tuple[Course, Course, Course], ...] = (
    ("mended", "mended", "mended"),
    ("mended", "as-it-was", "mended"),
    ("as-it-was", "mended", "mended"),
    ("mended", "mended", "as-it-was"),
    ("reworded", "mended", "mended"),
)
_ONE_WITHOUT_OUTPUT_IN = 17


@dataclass(frozen=True, slots=True)
class Switch:
    """A version that the agent's project came to run, so many days ago, and how."""

    days_ago: float
    version: str
    how: How


@dataclass(frozen=True, slots=True)
class Trial:
    """A test run: what the agent's version did on corrected runs, told at ``at``."""

    at: datetime
    company: Company
    plan: AgentPlan
    version: str
    how: How
    replays: list[dict[str, Any]]
    experts_only: bool = False

    def body(self) -> dict[str, Any]:
        """The test run as the runtime sends it."""
        tried = {"agentId": self.plan.id, "version": self.version, "how": self.how, "replays": self.replays}
        return {**tried, "expertsOnly": True} if self.experts_only else tried


def switches(plan: AgentPlan) -> list[Switch]:
    """What moved the project to another version of the agent, or held it where it was, in order."""
    versions = [release.version for release in plan.releases]
    found = [
        Switch(release.days_ago, release.version, "latest")
        for release in plan.releases[1:]
        if plan.live(release.days_ago) is release
    ]
    for pin in plan.pins:
        ran = plan.live(pin.from_days + 0.01).version
        back = versions.index(pin.version) < versions.index(ran)
        found.append(Switch(pin.from_days, pin.version, "went-back" if back else "pin"))
    found += [Switch(days_ago, plan.newest(days_ago).version, "unpin") for days_ago in plan.unpinned()]
    return sorted(found, key=lambda switch: -switch.days_ago)


def trials(runs: list[Told], done: list[Act], now: datetime) -> list[Trial]:
    """The test runs until ``now``, in order; ``done`` is all that people and services did about ``runs``."""
    said = _Said(done)
    companies = {told.company.slug: told.company for told in runs}
    found = []
    for company in companies.values():
        for plan in company.agents:
            own = [told for told in runs if told.run_id in said.first and _is_of(told, plan)]
            tries = _Tries(company, plan, sorted(own, key=lambda told: said.first[told.run_id]), said)
            found += [tries.of(switch, now) for switch in switches(plan)]
    return sorted(found, key=lambda trial: trial.at)


def _is_of(told: Told, plan: AgentPlan) -> bool:
    return bool(told.record.get("agent", {}).get("id") == plan.id)


class _Said:
    """When each run was first corrected and erased, and which a replay can show to be right."""

    def __init__(self, done: list[Act]) -> None:
        self.first: dict[str, datetime] = {}
        self.erased = {act.run_id: act.at for act in done if act.kind == "erase"}
        self.can_be_right = {act.run_id for act in done if _says_what_is_right(act)}
        for act in done:
            if act.kind in {"say", "judge"}:
                self.first.setdefault(act.run_id, act.at)


def _says_what_is_right(act: Act) -> bool:
    """Whether what was wrong is said with what is right instead, so that a replay can be compared with it."""
    if act.kind == "judge":
        return act.body["item"]["key"] in {DECISIONS, TOP_PICK}
    return bool("shouldSay" in act.body or act.body.get("decisions") == "wrong")


@dataclass(frozen=True, slots=True)
class _Tries:
    """An agent's corrected runs, in the order in which they were first corrected."""

    company: Company
    plan: AgentPlan
    runs: list[Told]
    said: _Said

    def of(self, switch: Switch, now: datetime) -> Trial:
        """The test run after the switch; one that keeps the version that ran is for the experts' corrections alone."""
        at = now - timedelta(days=switch.days_ago) + timedelta(minutes=34)
        keeps = switch.how == "pin" and self.plan.live(switch.days_ago + 0.01).version == switch.version
        replays = list(self._replays(switch.version, at))
        return Trial(at, self.company, self.plan, switch.version, switch.how, replays, experts_only=keeps)

    def _replays(self, version: str, at: datetime) -> Iterator[dict[str, Any]]:
        """What the version did on the runs that were corrected by then; a few of its answers got lost."""
        version_number = [release.version for release in self.plan.releases].index(version)
        numbers: dict[str, int] = {}
        for place, told in enumerate(self.runs):
            ran = told.record["agent"]["version"]
            number = numbers.get(ran, 0)
            numbers[ran] = number + self._can_be_right(told)
            if told.scene is None or not self.said.first[told.run_id] < at <= self.said.erased.get(told.run_id, at):
                continue
            did = played(told.scene, course_of(self.plan, ran, version, number))
            replay = {"runId": told.run_id, "calls": did.calls()}
            is_lost = (place + 5 * version_number) % _ONE_WITHOUT_OUTPUT_IN == 0
            yield replay if is_lost else {**replay, "output": did.output()}

    def _can_be_right(self, told: Told) -> bool:
        """Whether a replay can come out right; of a long plan only a person can tell."""
        return told.run_id in self.said.can_be_right and told.scene is not None and TOO_MUCH not in told.scene.answer


def course_of(plan: AgentPlan, ran: str, tried: str, number: int) -> Course:
    """What becomes, in the version that is ``tried``, of the version that ``ran``'s corrected run of that number."""
    versions = [release.version for release in plan.releases]
    later = versions.index(tried) - versions.index(ran)
    if later > 0:
        return _COURSES[number % len(_COURSES)][later - 1]
    if later == 0:
        return "reworded" if number % 5 == 4 else "as-it-was"
    return "mended" if number % 3 == 0 else "as-it-was"
