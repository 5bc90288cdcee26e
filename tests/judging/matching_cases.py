"""Rules and runs, and whether the rule is about the run: what the contract's section 6 says, case by case."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID, uuid4

from judging.matching import Matcher, when_of
from kindgi.api.times import now
from kindgi.rows import fresh
from kindgi.runs.models import FINAL, Run

SOME_ID = UUID("018f0000-0000-7000-8000-000000000001")


def agents_run(**fields: Any) -> Run:
    """A run of version 3.1.0 of the agent "desk", which was live, that ended well."""
    agent = {"agent_id": "desk", "agent_version": "3.1.0", "agent_via": "live"}
    return _run(**{**agent, "flow_id": "agent.turn", "flow_version": "1.0.0", **fields})


def flows_run(**fields: Any) -> Run:
    """A run of version 2.0.0 of the flow "intake" that ended well."""
    return _run(**{"flow_id": "intake", "flow_version": "2.0.0", **fields})


def _run(**fields: Any) -> Run:
    run = fresh(Run, **{"run_id": uuid4(), "status": "completed", **fields})
    run.completed_at = now() if run.status in FINAL else None
    return run


def matcher(*, sample: float = 1.0, rule_id: UUID | None = None, **when: Any) -> Matcher:
    """A rule by its ``when`` as it is sent."""
    return Matcher(rule_id or uuid4(), when_of(when), sample)


class Case(NamedTuple):
    """A rule's ``when`` as it is sent, a run, and whether the rule is about it."""

    name: str
    when: dict[str, Any]
    run: Run
    matches: bool


AGENT, FLOW, LIVE = {"agentIds": ["desk"]}, {"flowIds": ["intake"]}, {"versions": ["live"]}
BOTH = [("an agent's", agents_run), ("a flow's", flows_run)]

CASES = [
    *(Case(f"a rule for everything and {whose} run", {}, run(), True) for whose, run in BOTH),
    # Agents and flows
    Case("a run of the agent", AGENT, agents_run(), True),
    Case("a run of one of the agents", {"agentIds": ["mail", "desk", "desk"]}, agents_run(), True),
    Case("a run of another agent", AGENT, agents_run(agent_id="mail"), False),
    Case("a run of an agent that is spelled otherwise", AGENT, agents_run(agent_id="Desk"), False),
    Case("a run of an agent with a blank behind", AGENT, agents_run(agent_id="desk "), False),
    Case("a run of an agent with another accent", {"agentIds": ["\u00e9"]}, agents_run(agent_id="e\u0301"), False),
    Case("a run of an agent with an accent", {"agentIds": ["\u00e9"]}, agents_run(agent_id="\u00e9"), True),
    Case("a run of a flow that is called as the agent", AGENT, flows_run(flow_id="desk"), False),
    Case("a run of the flow", FLOW, flows_run(), True),
    Case("a run of one of the flows", {"flowIds": ["intake", "triage"]}, flows_run(flow_id="triage"), True),
    Case("a run of another flow", FLOW, flows_run(flow_id="triage"), False),
    Case("a run of an agent that is called as the flow", FLOW, agents_run(agent_id="intake"), False),
    Case("an agent's own run, by its flow", {"flowIds": ["agent.turn"]}, agents_run(), True),
    # Versions
    Case("the version of the agent", {"versions": ["3.1.0"]}, agents_run(), True),
    Case("one of the versions", {"versions": ["3.0.0", "3.1.0"]}, agents_run(), True),
    Case("another version of the agent", {"versions": ["3.1.0"]}, agents_run(agent_version="3.1.1"), False),
    Case("a version that begins so", {"versions": ["3.1"]}, agents_run(), False),
    Case("the version of an agent's flow", {"versions": ["1.0.0"]}, agents_run(), False),
    Case("the version of the flow", {"versions": ["2.0.0"]}, flows_run(), True),
    Case("another version of the flow", {"versions": ["2.0.0"]}, flows_run(flow_version="2"), False),
    Case("the version, but of another agent", {**AGENT, "versions": ["3.1.0"]}, agents_run(agent_id="mail"), False),
    # The live version
    Case("a run of what was live", LIVE, agents_run(), True),
    *(
        Case(f"a run of a version that came by {via or 'nobody knows what'}", LIVE, agents_run(agent_via=via), False)
        for via in ("latest", "explicit", "conversation", "flow-pin", "")
    ),
    *(
        Case(
            f"a version by its name, and why another one ran, {via}",
            {"versions": [via]},
            agents_run(agent_via=via),
            False,
        )
        for via in ("latest", "explicit", "conversation", "flow-pin")
    ),
    Case("a flow's run, which has no live version", LIVE, flows_run(), False),
    Case("a version that is called live", LIVE, agents_run(agent_version="live", agent_via="explicit"), False),
    Case("a flow's version that is called live", LIVE, flows_run(flow_version="live"), False),
    Case("a live version that is called live", LIVE, agents_run(agent_version="live"), True),
    Case("a version that looks like live, and what was live", {"versions": ["Live", "live "]}, agents_run(), False),
    Case(
        "a version that looks like live, by its name",
        {"versions": ["live "]},
        agents_run(agent_version="live ", agent_via="explicit"),
        True,
    ),
    Case("a version by its name, and what was live", {"versions": ["live", "3.0.0"]}, agents_run(), True),
    Case(
        "a version by its name, which isn't live",
        {"versions": ["live", "3.0.0"]},
        agents_run(agent_version="3.0.0", agent_via="explicit"),
        True,
    ),
    Case("neither live nor named", {"versions": ["live", "3.0.0"]}, agents_run(agent_via="latest"), False),
    # How it ended
    *(
        Case(f"{whose} run that is {status}", {}, run(status=status), False)
        for whose, run in BOTH
        for status in ("pending", "running", "suspended", "failed", "cancelled")
    ),
    Case("a completed run, asked for", {"status": ["completed"]}, agents_run(), True),
    Case(
        "a failed run, where completed ones are asked for",
        {"status": ["completed"]},
        agents_run(status="failed"),
        False,
    ),
    # Dry runs
    *(Case(f"{whose} dry run", {}, run(dry_run=True), False) for whose, run in BOTH),
    Case("a dry run, where they are left out", {"includeDryRuns": False}, agents_run(dry_run=True), False),
    Case("a dry run, where they are let in", {"includeDryRuns": True}, agents_run(dry_run=True), True),
    Case("no dry run, where they are let in", {"includeDryRuns": True}, agents_run(), True),
    # What never matches, whatever the rule asks for
    *(
        Case(f"{whose} run that {what}", {"includeDryRuns": True, **when}, run(**fields, dry_run=True), False)
        for (whose, run), when in zip(BOTH, (AGENT | LIVE, FLOW | {"versions": ["2.0.0"]}), strict=True)
        for what, fields in (
            ("is a step of another", {"parent_run_id": SOME_ID}),
            ("replays another", {"replay_of": SOME_ID}),
            ("is of a run on test cases", {"eval_run_id": "eval-1"}),
            ("is erased", {"content_erased_at": now()}),
        )
    ),
]
