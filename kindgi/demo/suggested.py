"""Suggested changes in each status, told through the services; each was really tried, on the example endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from corrections.services.recording import correction_record
from corrections.submissions import CorrectionBody
from improve.evaluating import EvaluateBody
from improve.models import Proposal, ReplayJob
from improve.selectors.evidence import wrong_verdicts
from improve.selectors.pin_tests import pin_tests_going_on
from improve.selectors.statuses import with_status
from improve.services.endpoints import replay_endpoint_set
from improve.services.evaluations import proposal_evaluate
from improve.services.promoting import proposal_decide, proposal_request
from improve.services.proposals import proposal_create, proposal_withdraw
from improve.services.running import job_turn
from improve.statuses import Status
from improve.suggesting import DecideBody, ProposalBody, ReasonBody
from kindgi.access.callers import Caller
from kindgi.access.models import Project, Tenant
from kindgi.api.jsontext import decode, encode
from kindgi.api.times import as_of, now
from kindgi.demo import endpoint
from kindgi.demo.companies import RUNTIME
from kindgi.demo.lookups import (
    AGENT,
    BLOCK,
    FIND,
    FROM,
    LIVE,
    PROJECT,
    RECENT,
    SEARCH,
    TEMPLATE,
    TONE,
    TOOLS,
    TRACK,
    VERSIONS,
    Lookup,
    before,
    blocks,
    since,
)  # fmt: skip
from kindgi.demo.people import callers_of
from kindgi.runs.blocks import PromptBlock, SettingsBlock, blocks_checked
from kindgi.runs.services.agents import agent_version_register
from kindgi.runs.services.importing import runs_import

SAM, INES, KOFI, NOOR = (f"{name}@acorn-outfitters.example" for name in ("sam", "ines", "kofi", "noor"))
_BLOCK: Any = PromptBlock | SettingsBlock
# Nobody whom the endpoint knows.
_WRONG_SECRET = "whsec_" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where it happens, and who does it; ``at`` is the time of what is done in the block of a ``with``."""

    project: Project
    callers: dict[str, Caller]
    now: datetime

    @contextmanager
    def ago(self, *, days: float = 0, minutes: float = 0) -> Iterator[None]:
        """So long before now."""
        with as_of(self.now - timedelta(days=days, minutes=minutes)):
            yield

    def release(self, version: str) -> None:
        """The runtime registers a version with its blocks."""
        made = blocks_checked([decode(encode(one), _BLOCK) for one in blocks()])
        agent_version_register(caller=self.callers[RUNTIME], agent_id=AGENT, version=version, tools=TOOLS, blocks=made)

    def report(self, runs: list[Lookup]) -> None:
        """The runtime reports runs, and people say of some of them what they think, some hours later."""
        with as_of(runs[-1].at + timedelta(minutes=1)):
            records = [(number, encode(one.record(str(self.project.pk)))) for number, one in enumerate(runs)]
            for line in runs_import(caller=self.callers[RUNTIME], records=records):
                if line.refusal is not None:
                    raise line.refusal
        for number, one in enumerate(runs):
            if one.right:
                with as_of(runs[-1].at + timedelta(minutes=20 + 3 * number)):
                    correction_record(caller=self.callers[one.by], body=decode(encode(one.said()), CorrectionBody))

    def suggest(self, who: str, hypothesis: str, content: dict[str, Any], *, version: str = LIVE) -> str:
        """Somebody suggests a change; its id."""
        block = TONE if "template" in content else BLOCK
        said = {
            "agentId": AGENT,
            "fromVersion": version,
            "scope": {"kind": "project", "projectId": str(self.project.pk)},
            "change": {"blockId": block, "content": content},
            "hypothesis": hypothesis,
            "evidence": {"judgmentIds": self._evidence(version) if block == BLOCK else []},
        }
        proposal, _ = proposal_create(caller=self.callers[who], body=decode(encode(said), ProposalBody))
        return str(proposal.pk)

    def _evidence(self, version: str) -> list[str]:
        """Verdicts that say that something was wrong with the version."""
        found = wrong_verdicts(project=self.project, agent_id=AGENT, version=version)
        return [str(verdict.pk) for verdict in found[:3]]

    def evaluate(self, who: str, proposal_id: str, *, version: str = LIVE) -> None:
        """Somebody has it evaluated on the version's corrected runs, and it is."""
        body = decode(encode({"versions": [version]}), EvaluateBody)
        done(proposal_evaluate(caller=self.callers[who], proposal_id=proposal_id, body=body).job)

    def ask(self, who: str, proposal_id: str, reason: str) -> None:
        """Somebody asks for it to go live."""
        body = decode(encode({"reason": reason}), ReasonBody)
        proposal_request(caller=self.callers[who], proposal_id=proposal_id, body=body)

    def decide(self, who: str, proposal_id: str, decision: str, reason: str) -> None:
        """A reviewer decides, and what goes live is checked on the corrected runs."""
        body = decode(encode({"decision": decision, "reason": reason}), DecideBody)
        proposal_decide(caller=self.callers[who], proposal_id=proposal_id, body=body)
        for job_id in pin_tests_going_on(project=self.project, agent_id=AGENT):
            done(ReplayJob.objects.get(pk=job_id))

    def ask_at(self, address: str) -> None:
        """A project admin sets where the agent is replayed."""
        replay_endpoint_set(caller=self.callers[INES], project=self.project, agent_id=AGENT, url=address)


def done(job: ReplayJob) -> None:
    """What a worker does with a job."""
    turn: int | None = job.turn
    while turn is not None:
        turn = job_turn(job_id=job.pk, turn=turn)


def suggest(tenant: Tenant, at: datetime) -> None:
    """All that was suggested for the agent until ``at``; joins the caller's transaction."""
    desk = Desk(Project.objects.get(tenant=tenant, slug=PROJECT), callers_of(tenant), at)
    for version, days in zip(VERSIONS, (80, 45), strict=True):
        with desk.ago(days=days):
            desk.release(version)
    with desk.ago(days=40):
        made = replay_endpoint_set(
            caller=desk.callers[INES], project=desk.project, agent_id=AGENT, url=endpoint.address(9)
        )
    with endpoint.running(made.secret or "") as address:
        with desk.ago(days=39):
            desk.ask_at(address)
        _what_went_live(desk)
        _what_was_tried(desk)
    with endpoint.running(_WRONG_SECRET) as stranger:
        _what_failed(desk, stranger)
    with desk.ago(days=0.8):
        desk.ask_at(address)
    _what_is_open(desk)


def _what_went_live(desk: Desk) -> None:
    """The first change: better, asked for by one person, made live by another; runs of it follow."""
    desk.report(before(desk.now))
    with desk.ago(days=20):
        change = desk.suggest(
            SAM, "Searching finds orders that were renamed or merged.", {"values": {"lookupTool": SEARCH}}, version=FROM
        )
    with desk.ago(days=20, minutes=-5):
        desk.evaluate(SAM, change, version=FROM)
    with desk.ago(days=20, minutes=-30):
        desk.ask(SAM, change, "Every renamed order of June was found.")
    with desk.ago(days=19):
        desk.decide(INES, change, "approve", "Looked at six of them. Good.")
    desk.report(since(desk.now))


def _what_was_tried(desk: Desk) -> None:
    """One that is better, and waits for a reviewer; one that isn't; one that was rejected."""
    with desk.ago(days=2.5):
        change = desk.suggest(
            KOFI, "Questions about parcels are the carrier's to answer.", {"values": {"lookupTool": TRACK}}
        )
    with desk.ago(days=2.5, minutes=-4):
        desk.evaluate(KOFI, change)
    with desk.ago(days=2.4):
        desk.ask(KOFI, change, "Parcels are most of what people ask for now.")
    with desk.ago(days=2):
        back = desk.suggest(
            SAM, "Looking up by number alone is faster, and may be enough.", {"values": {"lookupTool": FIND}}
        )
    with desk.ago(days=2, minutes=-3):
        desk.evaluate(SAM, back)


def _what_failed(desk: Desk, stranger: str) -> None:
    """One whose evaluation failed, since the endpoint was started with another secret."""
    with desk.ago(days=1.2):
        desk.ask_at(stranger)
        template = TEMPLATE + "\nGive the order's number back to the customer."
        change = desk.suggest(NOOR, "People look for the number in the answer.", {"template": template})
    with desk.ago(days=1.2, minutes=-2):
        desk.evaluate(NOOR, change)


def _what_is_open(desk: Desk) -> None:
    """One that somebody withdrew, and a draft that anybody may have evaluated."""
    with desk.ago(days=0.7):
        template = TEMPLATE + "\nClose with a smile."
        change = desk.suggest(KOFI, "It sounds curt.", {"template": template})
    with desk.ago(days=0.6):
        reason = "Tone is decided by the marketing team."
        proposal_withdraw(caller=desk.callers[KOFI], proposal_id=change, reason=reason)
    with desk.ago(days=0.2):
        desk.suggest(
            SAM,
            "“My last order” names no number. Try the customer's recent orders.",
            {"values": {"lookupTool": RECENT}},
        )


def to_decide(tenant: Tenant) -> str:
    """The id of a suggested change that waits for a reviewer; empty for none."""
    suggested = Proposal.objects.filter(tenant=tenant, agent_id=AGENT)
    waiting = with_status(suggested, now()).filter(stands=Status.IN_REVIEW).first()
    return str(waiting.pk) if waiting else ""
